"""Submissions that are named instead of uploaded: over HTTP, with the real client, from a hub on the loopback."""

import dataclasses
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.codec import sha256_of_file
from submissions import by_reference
from submissions.archive import ARCHIVE_LIMITS, ArchiveLimits
from submissions.by_reference import Fetched, fetch
from submissions.problems import SubmissionError
from submissions.reception import Upload, receive
from submissions.references import parse
from submissions.store import hub_download
from submissions.store.base import StoreUnavailable
from submissions.store.folder import FolderStore
from submissions.store.hub_download import FileChanged, TooSlow
from tests.hub.double import HubDouble
from tests.hub.examples import QUICK
from tests.hub.fixtures import hub
from tests.submissions.small_evaluation import make_corpus, tones, write_zip

__all__ = ["hub"]

REPO = "lark/clips"
CARD = {"system": "Lark", "version": "1", "organisation": "L", "contact": "l@example.org", "licence": "MIT"}
Take = Callable[..., Fetched]


@pytest.fixture
def take(hub: HubDouble, tmp_path: Path) -> Take:
    """Fetch a reference into a folder of its own."""

    def fetched(ref: str, name: str = "taken", limits: ArchiveLimits = ARCHIVE_LIMITS, **how: float) -> Fetched:
        folder = tmp_path / name
        folder.mkdir()
        return fetch(ref, folder, limits=limits, endpoint=hub.endpoint, hub_limits=QUICK, **how)

    hub.create(REPO)
    return fetched


def _clips(tmp_path: Path, n: int = 3) -> dict[str, bytes]:
    return {f"{item}.wav": audio for item, audio in tones(make_corpus(tmp_path, n)).items()}


def _code(error: pytest.ExceptionInfo[SubmissionError]) -> list[str]:
    return [problem.code for problem in error.value.problems]


def test_the_one_zip_of_a_repo(hub: HubDouble, take: Take, tmp_path: Path) -> None:
    """A repo at a commit means its one zip, byte for byte, and the source is an address that names the same again."""
    zipped = write_zip(tmp_path / "a.zip", {"it-00": b"x" * 70_000})
    commit = hub.put(REPO, {"README.md": b"hi", "final/a.zip": zipped.read_bytes()})
    hub.put(REPO, {"final/a.zip": b"another one later"})
    found = take(f"{REPO}@{commit}")
    assert found.zip_path.read_bytes() == zipped.read_bytes()
    assert found.source == f"{hub.endpoint}/datasets/{REPO}/resolve/{commit}/final/a.zip"
    for number, ref in enumerate((found.source, f"{REPO}@{commit.upper()}:final/a.zip", f"datasets/{REPO}@{commit}")):
        again = take(ref, f"again{number}")
        assert (again.source, again.zip_path.read_bytes()) == (found.source, zipped.read_bytes())
    assert take(f"{found.source}?download=true", "page").source == found.source


def test_a_folder_becomes_the_same_zip_each_time(hub: HubDouble, take: Take, tmp_path: Path) -> None:
    """Clips in a folder are a zip that the commit alone decides; the repo's own files are left out."""
    clips = _clips(tmp_path)
    files = {f"out/{name}": audio for name, audio in reversed(clips.items())}
    commit = hub.put(REPO, {**files, "README.md": b"hi", "out/README.md": b"hi", "out/.hidden": b"x", "other/x": b"x"})
    one = take(f"{REPO}@{commit}:out", "one")
    two = take(f"{hub.endpoint}/datasets/{REPO}/tree/{commit}/out/", "two")
    assert sha256_of_file(one.zip_path) == sha256_of_file(two.zip_path)
    assert one.source == two.source == f"{hub.endpoint}/datasets/{REPO}/tree/{commit}/out"
    with zipfile.ZipFile(one.zip_path) as held:
        assert {name: held.read(name) for name in held.namelist()} == clips
        assert held.namelist() == sorted(clips)
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["fetched.zip"]


def test_the_same_reference_gets_the_same_receipt(hub: HubDouble, take: Take, tmp_path: Path) -> None:
    """Named twice, a folder at a commit is one submission, and what is kept of it says where it came from."""
    corpus = make_corpus(tmp_path, 3)
    commit = hub.put(REPO, _clips(tmp_path))
    store = FolderStore(tmp_path / "home")
    receipts = []
    for name in ("one", "two"):
        found = take(f"{REPO}@{commit}", name)
        (tmp_path / f"work-{name}").mkdir()
        receipts.append(
            receive(
                Upload(zip_path=found.zip_path, card_fields=CARD, submitter=None, source=found.source),
                corpus=corpus,
                store=store,
                work_dir=tmp_path / f"work-{name}",
                now=datetime(2026, 3, 1, tzinfo=UTC),
                code_version="1",
            )
        )
    assert receipts[0].submission == receipts[1].submission and receipts[1].is_repeat
    received = store.events(receipts[0].submission)[0].payload
    assert received.source == f"{hub.endpoint}/datasets/{REPO}/tree/{commit}"  # type: ignore[union-attr]


@pytest.mark.parametrize("ref", [REPO, f"{REPO}@main", f"{REPO}@main:a.zip"])
def test_a_branch_is_refused_with_what_to_paste(hub: HubDouble, take: Take, ref: str) -> None:
    """What can change is no submission; the commit that it means now is told in the form that is taken."""
    commit = hub.put(REPO, {"a.zip": b"zip"})
    with pytest.raises(SubmissionError) as error:
        take(ref)
    path = ":a.zip" if ":" in ref else ""
    assert _code(error) == ["reference_not_pinned"]
    assert error.value.problems[0].allowed == f"pin it: {REPO}@{commit}{path}"
    assert take(f"{REPO}@{commit}{path}", "pinned").source.endswith("a.zip")


def test_the_address_of_a_branch_is_refused_too(hub: HubDouble, take: Take) -> None:
    """An address as the pages show it by default names a branch."""
    commit = hub.put(REPO, {"a.zip": b"zip"})
    with pytest.raises(SubmissionError, match=f"pin it: {REPO}@{commit}:a.zip"):
        take(f"{hub.endpoint}/datasets/{REPO}/blob/main/a.zip")


@pytest.mark.parametrize(
    "ref",
    [
        "https://evil.example/datasets/lark/clips/resolve/{commit}/a.zip",
        "{endpoint}@evil.example/datasets/lark/clips/resolve/{commit}/a.zip",
        "{endpoint}.evil.example/datasets/lark/clips/resolve/{commit}/a.zip",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "ftp://x/y@{commit}",
        "http://[::1",
        "{endpoint}/lark/clips/resolve/{commit}/a.zip",
        "{endpoint}/api/datasets/lark/clips",
        "{endpoint}/datasets/../../x/resolve/{commit}/a.zip",
        "lark/clips@{commit}:../a.zip",
        "lark/clips@{commit}:a/%2e%2e/..",
        "{endpoint}/datasets/lark/clips/resolve/{commit}/%2e%2e/a.zip",
        "lark/clips@../x",
        "lark@{commit}",
        "lark/clips/deeper@{commit}",
        "",
        "x" * 5_000,
        "lark/clips@{commit}:a\n.zip",
    ],
)
def test_nothing_else_is_ever_asked(hub: HubDouble, take: Take, ref: str) -> None:
    """Another host, another kind of address, a path that leads out: refused before anything is asked of anybody."""
    commit = hub.put(REPO, {"a.zip": b"zip"})
    with pytest.raises(SubmissionError) as error:
        take(ref.format(commit=commit, endpoint=hub.endpoint))
    assert _code(error)[0] in ("reference_form", "reference_host", "reference_path")
    assert hub.seen() == []


def test_what_is_not_open_is_refused(hub: HubDouble, take: Take) -> None:
    """A missing, a private and a gated repo are told alike."""
    hub.create("ohm/private", private=True)
    hub.create("ohm/gated")
    hub.repo("ohm/gated").is_gated = True
    for number, name in enumerate(("private", "gated", "nowhere")):
        known = hub.repo(f"ohm/{name}").head if name != "nowhere" else "a" * 40
        with pytest.raises(SubmissionError) as error:
            take(f"ohm/{name}@{known}", f"t{number}")
        assert _code(error) == ["reference_not_open"]


def test_no_token_of_this_machine_is_sent(hub: HubDouble, take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that the hub does not know would be refused, if it came along."""
    monkeypatch.setenv("HF_TOKEN", "hf_ofSomebodyElse")
    commit = hub.put(REPO, {"a.zip": b"zip" * 100, "clips/a.wav": b"x"})
    assert take(f"{REPO}@{commit}").zip_path.stat().st_size == 300
    assert take(f"{REPO}@{commit}:clips", "clips").zip_path.is_file()


def test_what_is_not_there_is_told(hub: HubDouble, take: Take) -> None:
    """An unknown commit, a path that the commit lacks, a file that is no zip, an empty repo."""
    commit = hub.put(REPO, {"a/b.wav": b"x", "c.txt": b"x"})
    hub.create("lark/empty")
    cases = {
        f"{REPO}@{'a' * 40}": "reference_revision",
        f"{REPO}@{commit}:a/x.zip": "reference_path",
        f"{REPO}@{commit}:c.txt": "reference_path",
        f"lark/empty@{hub.repo('lark/empty').head}": "empty_zip",
    }
    for number, (ref, code) in enumerate(cases.items()):
        with pytest.raises(SubmissionError) as error:
            take(ref, f"t{number}")
        assert _code(error) == [code], ref


def test_of_several_zips_one_must_be_named(hub: HubDouble, take: Take) -> None:
    """Each is told in the form that can be pasted."""
    commit = hub.put(REPO, {"a.zip": b"1", "old/b.zip": b"2"})
    with pytest.raises(SubmissionError) as error:
        take(f"{REPO}@{commit}")
    assert error.value.problems[0].got == f"{REPO}@{commit}:a.zip; {REPO}@{commit}:old/b.zip"


def test_sizes_are_looked_at_before_anything_is_fetched(hub: HubDouble, take: Take) -> None:
    """What the listing says is too large, too many or too deep is refused, all at once, without a byte of it."""
    small = dataclasses.replace(ARCHIVE_LIMITS, zip_bytes=1_000, member_bytes=400, max_members=3, max_entries=20)
    commit = hub.put(REPO, {"a.zip": b"z" * 1_001, **{f"out/{n}.wav": b"w" * 300 for n in range(4)}})
    with pytest.raises(SubmissionError) as error:
        take(f"{REPO}@{commit}:a.zip", "zip", small)
    assert _code(error) == ["reference_size"] and "1,001 bytes" in str(error.value)
    with pytest.raises(SubmissionError) as error:
        take(f"{REPO}@{commit}:out", "folder", small)
    assert _code(error) == ["too_many_members", "reference_size"]
    more = hub.put(REPO, {f"many/{n}": b"" for n in range(30)} | {"large/x.wav": b"w" * 401})
    with pytest.raises(SubmissionError) as error:
        take(f"{REPO}@{more}:large", "large", small)
    assert _code(error) == ["reference_size"]
    with pytest.raises(SubmissionError) as error:
        take(f"{REPO}@{more}:many", "many", small)
    assert _code(error) == ["reference_listing"]
    assert hub.seen("resolve") == []


def test_hostile_names_are_told_and_never_used(hub: HubDouble, take: Take, tmp_path: Path) -> None:
    """Names that a listing holds are shown inert; nothing is written by them."""
    bad = {"out/../../evil.wav": b"x", "out/a\\b.wav": b"x", "out/c\u202e.wav": b"x", "out/d\n.wav": b"x"}
    commit = hub.put(REPO, {**bad, "out/it-00.wav": b"x"})
    with pytest.raises(SubmissionError) as error:
        take(f"{REPO}@{commit}:out")
    assert "unsafe_name" in _code(error)
    assert str(error.value).isprintable()
    assert list((tmp_path / "taken").iterdir()) == [] and not (tmp_path / "evil.wav").exists()


def test_a_cut_connection_is_taken_up(
    hub: HubDouble, take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken answers are asked for again, piece by piece, and the zip is whole."""
    monkeypatch.setattr(hub_download, "PIECE_BYTES", 10_000)
    zipped = write_zip(tmp_path / "a.zip", {"it-00": bytes(range(256)) * 200})
    commit = hub.put(REPO, {"a.zip": zipped.read_bytes()})
    hub.fail("GET /_cdn/", cut="middle", every=2, times=4)
    hub.fail("GET .*/tree/", status=503)
    seen: list[tuple[int, int]] = []
    folder = tmp_path / "direct"
    folder.mkdir()
    ref = f"{REPO}@{commit}"
    found = fetch(ref, folder, endpoint=hub.endpoint, hub_limits=QUICK, on_progress=lambda *n: seen.append(n))
    assert found.zip_path.read_bytes() == zipped.read_bytes()
    assert seen[-1] == (zipped.stat().st_size,) * 2
    n_sent = sum(one.n_sent for one in hub.seen("cdn"))
    assert n_sent < 2 * zipped.stat().st_size, "what had come over was not fetched again"


@pytest.mark.parametrize("pattern", ["GET /_cdn/", "GET .*/api/", "GET .*/tree/"])
def test_a_hub_that_stays_away_is_no_fault_of_the_maker(hub: HubDouble, take: Take, pattern: str) -> None:
    """One sentence, no problem of the submission."""
    commit = hub.put(REPO, {"a.zip": b"zip" * 1_000})
    hub.fail(pattern, status=503, times=None)
    with pytest.raises(StoreUnavailable, match="later"):
        take(f"{REPO}@{commit}")


def test_other_bytes_than_the_listed_are_refused(hub: HubDouble, take: Take) -> None:
    """What a commit lists is what is taken, by its hash."""
    commit = hub.put(REPO, {"a.zip": b"zip" * 1_000})
    (stored,) = (hub.repo(REPO).folder / "lfs").iterdir()
    stored.write_bytes(b"pig" * 1_000)
    with pytest.raises(FileChanged):
        take(f"{REPO}@{commit}")


def test_time_and_room_have_an_end(hub: HubDouble, take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that sends for ever is left; a disk without room is told before anything is fetched."""
    commit = hub.put(REPO, {"a.zip": b"zip" * 1_000})
    with pytest.raises(TooSlow):
        take(f"{REPO}@{commit}", "slow", most_s=-1.0)
    monkeypatch.setattr(by_reference, "ROOM_BYTES", 1 << 60)
    with pytest.raises(StoreUnavailable, match="no room"):
        take(f"{REPO}@{commit}", "full")


def test_references_read_as_written() -> None:
    """A reference is taken apart without asking anybody."""
    found = parse(f"  org/name@{'AB' * 20}:a b/c.zip ", "https://hub.example")
    assert (found.repo, found.revision, found.path, found.is_pinned) == ("org/name", "ab" * 20, "a b/c.zip", True)
    found = parse(
        f"https://HUB.example/datasets/org/name/resolve/{'ab' * 20}/a%20b/c.zip?download=true", "https://hub.example"
    )
    assert (found.revision, found.path) == ("ab" * 20, "a b/c.zip")
    assert parse("org/name", "https://hub.example").revision == "main"
