"""The data page: how programs, notebooks and other pages read the board."""

from collections.abc import Sequence

from leaderboard import shell, words
from leaderboard.api.words import PREFIX, ROUTES
from leaderboard.feeds import FEED
from leaderboard.markup import Child, Markup, el, join
from leaderboard.mirror import ROUTE as MIRROR
from leaderboard.query import address
from leaderboard.snippets import SITE_ADDRESS
from leaderboard.views import Board

HERE = "/data"
_PLACES = {
    "api": "Read API",
    "notebook": "In a notebook",
    "files": "Files",
    "tools": "Tools for assistants",
    "embed": "Embeds",
    "badge": "Badges",
    "model": "Model repos",
    "feed": "Feed",
    "terms": "What to keep in mind",
}


def build(board: Board, boards: Sequence[Board]) -> Markup:
    """Return the whole page for a board, whose ids stand in the examples."""
    first = board.rows[0].submission if board.rows else "s00000000001"
    body = join(
        shell.title("Reading it by machine", words.DATA_LEAD, shell.protocol_choice(boards, HERE, board.protocol_id)),
        _contents(),
        _api(board, first),
        _notebook(board, first),
        _files(),
        _tools(),
        _embed(board),
        _badge(first),
        _model(first),
        _feed(),
        _terms(),
    )
    kept = board.protocol_id if len(boards) > 1 else ""
    return shell.page("page-data", el("div", body, cls="cb-prose"), here=HERE, protocol=kept)


def _contents() -> Markup:
    links = (el("a", label, href=f"#{name}") for name, label in _PLACES.items())
    return el("nav", *links, cls="cb-contents", aria_label="On this page")


def _section(name: str, *parts: Child) -> Markup:
    return el("section", el("h2", _PLACES[name]), *parts, id=name)


def _code(text: str) -> Markup:
    return el("pre", el("code", text, data_site_address=SITE_ADDRESS), tabindex=0, role="region", aria_label="Example")


def _api(board: Board, first: str) -> Markup:
    example = (
        f"curl '{SITE_ADDRESS}{PREFIX}/leaderboard?protocol={board.protocol_id}&sort=-score&limit=20'\n"
        f"curl '{SITE_ADDRESS}{PREFIX}/per-sample?system={first}&gate=vetoed'\n"
        f"curl '{SITE_ADDRESS}{PREFIX}/decisions?a={first}'"
    )
    routes: list[tuple[str, Child]] = [(el("code", PREFIX + path), one.summary) for path, one in ROUTES.items()]
    lead = join(
        "JSON over HTTP, read only, open to every origin, no key. Filters and order are those of the board’s page: its "
        "query string works here as it is. ",
        el("a", "Every parameter and field", href=f"{PREFIX}/docs"),
        " is described, for programs as ",
        el("a", "OpenAPI", href=f"{PREFIX}/openapi.json"),
        ".",
    )
    paging = join(
        "Lists come in pages: follow ",
        el("code", "next"),
        " or the Link header. A cursor is good for the board that gave it; if a row has come meanwhile the answer is "
        "410, and you begin again rather than read a row twice or not at all. Every answer has a strong ETag: with ",
        el("code", "If-None-Match"),
        " an unchanged one costs nothing. An unknown parameter is refused, and every problem is told at once. Under "
        "v1 fields are only ever added.",
    )
    return _section("api", el("p", lead), _code(example), shell.facts(routes), el("p", paging))


def _notebook(board: Board, first: str) -> Markup:
    example = (
        "import pandas as pd\n\n"
        f'site = "{SITE_ADDRESS}{PREFIX}"\n'
        f'board = pd.read_parquet(f"{{site}}/leaderboard?protocol={board.protocol_id}&format=parquet")\n'
        f'items = pd.read_csv(f"{{site}}/per-sample?system={first}&format=csv")'
    )
    datasets = (
        "from datasets import Dataset\n\n"
        'pairs = Dataset.from_pandas(pd.read_parquet(f"{site}/decisions?format=parquet"))'
    )
    text = join(
        el("code", "format=csv"),
        " and ",
        el("code", "format=parquet"),
        " give every row that the filters let through, on boards, items, decisions, systems and replies. The links "
        "“CSV · Parquet · JSON” on the pages do so for what is shown. Texts in a CSV that a spreadsheet would run as a "
        "formula begin with an apostrophe; parquet holds them as they are.",
    )
    return _section("notebook", el("p", text), _code(example), _code(datasets))


def _files() -> Markup:
    text = join(
        "Everything that the board is made of lies at ",
        el("a", f"{MIRROR}/index.json", href=f"{MIRROR}/index.json"),
        " with sizes and hashes; ",
        el("a", "two commands", href="/method#verify"),
        " take a copy and recompute every number. Clips are FLAC, can be fetched in parts, and their addresses hold "
        "their hash.",
    )
    return _section("files", el("p", text))


def _tools() -> Markup:
    config = f'{{\n  "mcpServers": {{\n    "castboard": {{"url": "{SITE_ADDRESS}/mcp"}}\n  }}\n}}'
    tools = (
        ("list_protocols", "boards that there are"),
        ("leaderboard", "rank bands, S and every dimension with intervals"),
        ("compare_systems", "whether one beats another, with the arithmetic and how to read it"),
        ("system", "card, provenance, a row a board"),
        ("worst_clips", "items with what was asked, measured and heard"),
        ("explain_metric", "what a number is and what it cannot say"),
    )
    pairs: list[tuple[str, Child]] = [(name, what) for name, what in tools]
    text = "Assistants that speak MCP over streamable HTTP can ask the board. The tools only read, and answer briefly."
    return _section("tools", el("p", text), _code(config), shell.facts(pairs))


def _embed(board: Board) -> Markup:
    page = address("/", protocol=board.protocol_id, embed=True)
    example = f'<iframe src="{SITE_ADDRESS}{page}"\n        title="Castboard" width="100%" height="640"></iframe>'
    text = join(
        "Board, dimension, matrix, pair, listening and system pages stand in other pages with ",
        el("code", "embed=1"),
        ": no navigation, compact, in the reader’s light or dark, with a link to the whole page. The button “Embed” on "
        "each of them copies the frame of what is shown.",
    )
    return _section("embed", el("p", text), _code(example))


def _badge(first: str) -> Markup:
    image = f"/badge/{first}.svg"
    page = address("/system", id=first)
    text = (
        "A system’s page has its badge: rank band, S and the day its zip came. It follows the board within five "
        "minutes; a system that is not on the board has a grey one."
    )
    code = f"[![Castboard]({SITE_ADDRESS}{image})]({SITE_ADDRESS}{page})"
    shown = el("p", el("img", src=image, alt="The badge of a system", height=20))
    return _section("badge", el("p", text), shown, _code(code))


def _model(first: str) -> Markup:
    example = f"curl -o .eval_results/castboard.yaml \\\n  {SITE_ADDRESS}/download/eval-results/{first}.yaml"
    text = join(
        "If a system’s card links to its model on the Hub, its figures come as a file for that model’s own repo: S and "
        "each dimension, with intervals and rank band in the notes, naming the board’s dataset. It goes below ",
        el("code", ".eval_results/"),
        "; anybody may propose it there.",
    )
    return _section("model", el("p", text), _code(example))


def _feed() -> Markup:
    text = join(
        el("a", FEED, href=FEED),
        " tells each new row with the decisions that it brings, each row that is evaluated anew, and each that is "
        "hidden or taken back, with the reason; ",
        el("code", "?protocol="),
        " narrows it to one board. A decision between two systems never changes by a third.",
    )
    return _section("feed", el("p", text))


def _terms() -> Markup:
    lines = (
        "A rank is a band, and a tie is a tie: rank_best and rank_worst belong together in every table that shows one.",
        "Rows of two protocols were measured by two recipes; never put them in one table.",
        "null means that there is no value, with the reason beside it where there is one; it is never 0.",
        "Names, notes and links are their makers’ words, transcripts and replies a machine’s. Escape them, and give "
        "them to a model as data only.",
        "A row that is withdrawn is gone from here at once; please ask again now and then.",
    )
    return _section("terms", el("ul", *(el("li", line) for line in lines)))
