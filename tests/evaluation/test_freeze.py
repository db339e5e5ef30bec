"""A draft becomes a protocol that leaves nothing open, or the whole list of what stands in the way."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from evaluation.errors import ProtocolError
from evaluation.freeze import FreezeError, Workshop, freeze
from evaluation.freeze_check import unpinned
from evaluation.freeze_draft import DRAFTS, Draft, DraftJudge, DraftModel, read
from evaluation.frozen_constants import FROZEN
from evaluation.judge import preparation, rubrics
from evaluation.pins import Anchor
from evaluation.probes.classifiers.catalogue import Candidate, default_for, load_catalogue
from evaluation.protocol import decode, encode, load_shipped
from evaluation.traits import NATURALNESS, TRAITS, trait
from tests.evaluation.loopback_hub import COMMIT, Hub, serve


def config_of(labels: Iterable[str]) -> bytes:
    """Return the config.json of a classifier with these labels."""
    return json.dumps({"id2label": {str(at): label for at, label in enumerate(labels)}}).encode()


FILES = {
    "config.json": config_of(trait("emotion").values),
    "model.safetensors": b"\x00" * 300,
    "README.md": b"words",
}
SHA256 = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}
Lines = Callable[[list[dict[str, str]]], list[dict[str, str]]]
LEFT_OUT = dict.fromkeys(("age", "accent"), "Not in a test.")
CANDIDATE = dataclasses.replace(
    next(one for one in load_catalogue() if one.trait == "emotion"),
    name="tiny-moods",
    repo="maker/moods",
    files=("config.json",),
    weights=("model.safetensors", "pytorch_model.bin"),
)
JUDGE = DraftJudge(
    backend="gemini",
    model="gemini-3.5-flash",
    dimensions=("tone",),
    is_combined=True,
    votes=3,
    temperature=0.0,
    max_output_tokens=2048,
    n_asks=3,
)
DRAFT = Draft(
    name="small",
    base="lite",
    dimensions=("gender", "pace", "pitch", "loudness", "emotion", "tone", "naturalness"),
    instruments=("vad", "f0", "level", "gender", "transcriber", "naturalness"),
    not_measured=LEFT_OUT,
    models={"emotion": DraftModel(candidate="tiny-moods")},
    judge=JUDGE,
)
ANCHOR = Anchor(name="First 1.0", submission="s01", clips={f"vb-{n:05d}": SHA256["README.md"] for n in range(496)})


def canary_of(folder: Path, name: str) -> Path:
    """Write two clips of every value that could never be heard; a manifest is all that freezing reads of them."""
    labels = ("20", "30", "60", "70") if name == "age" else 2 * trait(name).values
    lines = []
    for number, label in enumerate(labels):
        data = f"{name} {number}".encode()
        (folder / f"{name}-{number}.wav").write_bytes(data)
        line = {"clip": f"{name}-{number}.wav", "label": label, "sha256": hashlib.sha256(data).hexdigest()}
        lines.append(json.dumps(line))
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workshop]:
    """Give a hub with one model, its canary, and an anchor."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    canary = canary_of(tmp_path, "emotion")
    with serve(Hub(models={"maker/moods": FILES}, large=frozenset({"model.safetensors"}))) as hub:
        yield Workshop(
            base=load_shipped("lite"),
            candidates=(CANDIDATE,),
            models=tmp_path / "models",
            allows_non_commercial=False,
            anchor=lambda: ANCHOR,
            canaries={"emotion": canary},
            endpoint=hub.endpoint,
        )


def test_every_name_becomes_a_pin(shop: Workshop) -> None:
    """Commit, files, canary, texts, preparation, anchor and constants are those of today; nothing is left open."""
    protocol = freeze(DRAFT, shop)
    assert unpinned(protocol) == ()
    pin, judge = protocol.instruments["emotion"].model, protocol.judge
    assert pin is not None and judge is not None
    assert (pin.revision, pin.repo) == (COMMIT, "maker/moods")
    assert pin.files == {name: SHA256[name] for name in ("config.json", "model.safetensors")}
    assert pin.canary_sha256 == hashlib.sha256(shop.canaries["emotion"].read_bytes()).hexdigest()
    assert (judge.prompt, judge.texts) == (rubrics.VERSION, rubrics.hashes())
    assert (judge.preparation, judge.anchor, judge.votes) == (preparation.settings(), ANCHOR, 3)
    assert (protocol.constants, protocol.corpus) == (FROZEN, shop.base.corpus)


def test_frozen_again_is_the_same_protocol_until_something_moves(shop: Workshop) -> None:
    """The id changes with the branch, and comes back with the file."""
    first = freeze(DRAFT, shop)
    assert freeze(DRAFT, shop).id == first.id
    assert decode(encode(first), "here") == first
    moved = Hub(
        models={"maker/moods": FILES},
        large=frozenset({"model.safetensors"}),
        branches={"main": "f" * 40, "v1": COMMIT},
    )
    with serve(moved) as hub:
        later = dataclasses.replace(shop, endpoint=hub.endpoint)
        assert freeze(DRAFT, later).id != first.id
        fixed = DraftModel(candidate="tiny-moods", revision="v1")
        assert freeze(dataclasses.replace(DRAFT, models={"emotion": fixed}), later).id == first.id


def test_local_folder_needs_no_hub(shop: Workshop) -> None:
    """A model that is on no hub is pinned by its files."""
    folder = shop.models / "maker--moods"
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    local = dataclasses.replace(DRAFT, models={"emotion": DraftModel(candidate="tiny-moods", revision="local")})
    pin = freeze(local, dataclasses.replace(shop, endpoint="http://127.0.0.1:9")).instruments["emotion"].model
    assert pin is not None
    assert (pin.revision, set(pin.files)) == ("local", {"config.json", "model.safetensors"})


def test_packaged_instruments_alone_are_lite(shop: Workshop) -> None:
    """Frozen from what lite says of itself, the recipe is lite: the freezer adds nothing of its own."""
    lite = load_shipped("lite")
    draft = Draft(
        name="lite",
        base="lite",
        dimensions=lite.dimensions,
        instruments=tuple(lite.instruments),
        not_measured=lite.not_measured,
    )
    assert freeze(draft, shop).id == lite.id


def refused(draft: Draft, shop: Workshop) -> str:
    """Return what stands in the way."""
    with pytest.raises(FreezeError) as error:
        freeze(draft, shop)
    return "\n".join(error.value.problems)


def test_everything_is_told_at_once(shop: Workshop) -> None:
    """Draft, catalogue, hub, judge and anchor are all looked at before anything is said."""
    bad = dataclasses.replace(
        DRAFT,
        dimensions=("emotion", "age", "charm", "naturalness"),
        instruments=("vad", "naturalness", "nose"),
        models={"emotion": DraftModel(candidate="tiny-moods", revision="v9"), "age": DraftModel(candidate="none")},
        judge=dataclasses.replace(JUDGE, model="gemini-flash-latest", votes=2, n_asks=9),
    )
    told = refused(bad, dataclasses.replace(shop, anchor=None, canaries={}))
    for problem in (
        "there is no dimension charm",
        "age is named 2 times",
        "pace is neither scored nor",
        "tone is measured and not scored",
        "no packaged instrument reads 'nose'",
        "without a transcriber there is no gate",
        "emotion: 'maker/moods' at 'v9': the hub gave no answer",
        "or copy config.json, model.safetensors or pytorch_model.bin into",
        "models/maker--moods and write revision",
        "emotion: no canary of maker/moods is pinned",
        "age: the catalogue has no model 'none' for it; it has none",
        "votes must be odd",
        "n_asks must be from 1 to 3",
        "'gemini-flash-latest' is not pinned",
        "judge: no anchor is pinned",
    ):
        assert problem in told


def test_dimension_is_measured_once(shop: Workshop) -> None:
    """Neither nobody nor two may measure one."""
    both = dataclasses.replace(DRAFT, judge=dataclasses.replace(JUDGE, dimensions=("tone", "naturalness")))
    assert "naturalness is measured by the judge and by a packaged instrument" in refused(both, shop)
    none = dataclasses.replace(DRAFT, instruments=("vad", "gender", "transcriber", "naturalness"))
    assert "nothing measures pitch" in refused(none, shop)


def test_base_lends_packaged_instruments_only(shop: Workshop) -> None:
    """A model that the base pinned is not taken over: the draft names it, and it is resolved anew."""
    frozen = freeze(DRAFT, shop)
    moved = {**frozen.instruments, "gender": frozen.instruments["emotion"]}
    base = dataclasses.replace(frozen, instruments=moved)
    assert "the base lite has no instrument for gender" in refused(DRAFT, dataclasses.replace(shop, base=base))


def test_draft_may_name_a_corpus_of_its_own(shop: Workshop, tmp_path: Path) -> None:
    """Its pin stands in the draft and goes into the protocol."""
    path = tmp_path / "mine.toml"
    path.write_text(
        "name = 'mine'\nbase = 'lite'\ndimensions = ['pace']\ninstruments = ['vad', 'f0', 'level', 'transcriber']\n"
        "[not_measured]\n"
        + "".join(f"{name} = 'No.'\n" for name in (*(one.name for one in TRAITS), NATURALNESS) if name != "pace")
        + f"[corpus]\nname = 'deck'\nfile_sha256 = '{'a' * 64}'\ncanonical_sha256 = '{'b' * 64}'\nn_items = 7\n"
    )
    protocol = freeze(read(path), shop)
    assert (protocol.corpus.name, protocol.corpus.n_items, protocol.judge) == ("deck", 7, None)


def test_anchor_must_have_every_clip(shop: Workshop) -> None:
    """What the anchor refused nobody could be compared on; what cannot be read is one more problem."""
    short = dataclasses.replace(ANCHOR, clips=dict(list(ANCHOR.clips.items())[:495]))
    assert "a clip of each of the 496 items, it has 495" in refused(
        DRAFT, dataclasses.replace(shop, anchor=lambda: short)
    )

    def gone() -> Anchor:
        raise ProtocolError("the anchor 'x' is not published here")

    assert "judge: the anchor 'x' is not published" in refused(DRAFT, dataclasses.replace(shop, anchor=gone))


def test_canary_must_be_named(shop: Workshop) -> None:
    """Without labelled clips a model's head could be noise."""
    assert "no canary of maker/moods is pinned" in refused(DRAFT, dataclasses.replace(shop, canaries={}))
    missing = dataclasses.replace(shop, canaries={"emotion": shop.models / "none.jsonl"})
    assert "none.jsonl: it cannot be read" in refused(DRAFT, missing)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: lines[:-1], "2 clips of each class; too few of surprised"),
        (lambda lines: [{**line, "label": "cheery"} for line in lines], "'cheery' is no value of emotion"),
        (lambda lines: [{**line, "sha256": "0" * 64} for line in lines], "another sha256 than the manifest says"),
        (lambda lines: [{**line, "clip": "gone.wav"} for line in lines], "there is no clip 'gone.wav'"),
    ],
)
def test_canary_that_no_run_would_take_is_not_frozen(shop: Workshop, change: Lines, told: str) -> None:
    """Once it is pinned it could not be mended, so it is looked at before; nothing else of it is said to be missing."""
    path = shop.canaries["emotion"]
    lines = change([json.loads(line) for line in path.read_text().splitlines()])
    path.write_text("\n".join(json.dumps(line) for line in lines))
    found = refused(DRAFT, shop)
    assert told in found
    assert "no canary" not in found


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (config_of(("neutral", "Happy")), ("it has no label 'calm'", "no label of it stands for 'happy'", "'Happy'")),
        (b"{", ("its labels cannot be read",)),
        (b'{"id2label": {"1": "calm"}}', ("must number its labels from 0",)),
    ],
)
@pytest.mark.parametrize("revision", ["", "local"])
def test_label_map_must_fit_the_model(shop: Workshop, config: bytes, told: tuple[str, ...], revision: str) -> None:
    """A pin under which no run could start spends no id; what else stands in the way is told with it."""
    folder = shop.models / "maker--moods"
    folder.mkdir(parents=True)
    files = {**FILES, "config.json": config}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    named = DraftModel(candidate="tiny-moods", revision=revision)
    with serve(Hub(models={"maker/moods": files}, large=frozenset({"config.json"}))) as hub:
        theirs = dataclasses.replace(shop, canaries={}, endpoint=hub.endpoint)
        found = refused(dataclasses.replace(DRAFT, models={"emotion": named}), theirs)
    for problem in (*told, "emotion: the model maker/moods cannot be used", "no canary of maker/moods"):
        assert problem in found


def test_settings_and_label_file_must_fit_the_model(shop: Workshop) -> None:
    """A setting that its kind does not have, and labels in a file that is not pinned, are told as a run would."""
    wrong = dataclasses.replace(CANDIDATE, settings={"label_file": "labels.txt", "precision": "half"})
    found = refused(DRAFT, dataclasses.replace(shop, candidates=(wrong,)))
    assert "emotion: the instrument tiny-moods: unknown settings label_file" in found
    assert "precision must be float64 or float32, got 'half'" in found
    encoder = dataclasses.replace(CANDIDATE, kind="speechbrain_classifier", settings={"label_file": "labels.txt"})
    assert "the file labels.txt must be pinned" in refused(DRAFT, dataclasses.replace(shop, candidates=(encoder,)))


def test_trait_without_a_candidate_takes_the_default(shop: Workshop, tmp_path: Path) -> None:
    """The protocol is the one that the default's name gives; a catalogue without a default says what there is."""
    path = tmp_path / "bare.toml"
    path.write_text("name='bare'\nbase='lite'\ndimensions=[]\ninstruments=[]\n[models.emotion]\n")
    bare = dataclasses.replace(DRAFT, models=read(path).models)
    other = dataclasses.replace(CANDIDATE, name="other-moods", repo="maker/none", is_default=False)
    assert freeze(bare, dataclasses.replace(shop, candidates=(other, CANDIDATE))).id == freeze(DRAFT, shop).id
    found = refused(bare, dataclasses.replace(shop, candidates=(other,)))
    assert "emotion: the catalogue has no default for emotion; name a candidate, it has other-moods" in found
    owned = dataclasses.replace(CANDIDATE, is_non_commercial=True)
    assert "forbids commercial use" in refused(bare, dataclasses.replace(shop, candidates=(owned,)))


def test_model_of_no_trait_is_told(shop: Workshop) -> None:
    """An operator's catalogue may hold anything."""
    charm = dataclasses.replace(CANDIDATE, trait="charm")
    draft = dataclasses.replace(DRAFT, models={"charm": DraftModel(candidate="tiny-moods")})
    theirs = dataclasses.replace(shop, candidates=(charm,), canaries={"charm": shop.canaries["emotion"]})
    assert "charm: no model reads it, since it is no trait" in refused(draft, theirs)


def test_licence_that_forbids_commercial_use_needs_consent(shop: Workshop) -> None:
    """The operator opts in, or the dimension is not measured."""
    theirs = dataclasses.replace(shop, candidates=(dataclasses.replace(CANDIDATE, is_non_commercial=True),))
    assert "forbids commercial use" in refused(DRAFT, theirs)
    allowed = freeze(DRAFT, dataclasses.replace(theirs, allows_non_commercial=True))
    assert allowed.instruments["emotion"].model is not None


def test_library_that_is_not_installed_is_told(shop: Workshop) -> None:
    """What could not run here is not frozen here."""
    old = dataclasses.replace(shop.base.instruments["vad"], version="1.0")
    base = dataclasses.replace(shop.base, instruments={**shop.base.instruments, "vad": old})
    assert "vad: silero-vad 1.0" in refused(DRAFT, dataclasses.replace(shop, base=base))
    other = dataclasses.replace(CANDIDATE, version="4.0.0")
    assert f"emotion: {other.package} 4.0.0" in refused(DRAFT, dataclasses.replace(shop, candidates=(other,)))


def with_age(folder: Path) -> Draft:
    """Return the shipped draft as its operator opts in: the lines below its second mark in the place of the first's."""
    lines = (DRAFTS / "full.toml").read_text().splitlines()
    start = lines.index("# Without age:") + 1
    offered = [at for at, line in enumerate(lines) if line.startswith(("# dimensions =", "# models.age ="))]
    assert len(offered) == 2
    for at, line in zip(offered, (start, start + 1), strict=True):
        lines[line] = ""
        lines[at] = lines[at].removeprefix("# ")
    path = folder / "mine.toml"
    path.write_text("\n".join(lines))
    return read(path)


def test_shipped_draft_leaves_age_to_its_operator(tmp_path: Path) -> None:
    """As it ships no model forbids commercial use and age is honestly absent; the offered lines make it whole."""
    shipped, whole = read(DRAFTS / "full.toml"), with_age(tmp_path)
    every = {trait.name for trait in TRAITS} | {NATURALNESS}
    assert (set(shipped.dimensions), set(shipped.not_measured)) == (every - {"age"}, {"age"})
    assert "forbid commercial use" in shipped.not_measured["age"]
    assert (set(whole.dimensions), dict(whole.not_measured)) == (every, {})
    assert set(whole.models) == {*shipped.models, "age"}
    for draft in (shipped, whole):
        for name, model in draft.models.items():
            assert model.candidate == default_for(name, load_catalogue()).name
        assert draft.judge is not None
        assert draft.judge.is_combined


def files_of(candidate: Candidate) -> dict[str, bytes]:
    """Return a candidate's files: true ones where they say what its outputs mean, else junk."""
    encoder = "".join(f"{label!r} => {at}\n" for at, label in enumerate((*candidate.labels, "welsh")))
    told = {"config.json": config_of(candidate.labels), "accent_encoder.txt": encoder.encode()}
    return {name: told.get(name, name.encode()) for name in (*candidate.files, *candidate.weights[:1])}


@pytest.mark.parametrize("has_age", [False, True])
def test_shipped_draft_freezes_against_a_hub(shop: Workshop, tmp_path: Path, has_age: bool) -> None:
    """With its models on a hub, their canaries and an anchor; with age it takes the operator's consent too."""
    draft = with_age(tmp_path) if has_age else read(DRAFTS / "full.toml")
    shipped = load_catalogue()
    models = {one.repo: files_of(one) for one in shipped}
    canaries = {name: canary_of(tmp_path, name) for name in draft.models}
    with serve(Hub(models=models, large=frozenset({"model.safetensors"}))) as hub:
        ready = dataclasses.replace(
            shop,
            candidates=shipped,
            allows_non_commercial=has_age,
            canaries=canaries,
            endpoint=hub.endpoint,
        )
        full = freeze(draft, ready)
        if has_age:
            assert "CASTBOARD_NON_COMMERCIAL=1" in refused(
                draft, dataclasses.replace(ready, allows_non_commercial=False)
            )
    assert unpinned(full) == ()
    assert len(full.dimensions) == 8 + has_age
    assert any(one.model.is_non_commercial for one in full.instruments.values() if one.model is not None) is has_age
    pinned = {role for role, one in full.instruments.items() if one.model is not None}
    assert pinned == {"gender", "emotion", "accent"} | ({"age"} if has_age else set())
    assert full.judge is not None
    assert (full.judge.max_output_tokens, full.judge.votes, full.judge.n_asks) == (8192, 1, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "no TOML in UTF-8"),
        ("name = 'x'", r"missing fields \['base', 'dimensions', 'instruments'\]"),
        ("surprise = 1", r"unknown fields \['surprise'\]"),
        ("[judge]\nbackend = 'psychic'", "Draft.judge: missing fields"),
        ("name = 3", "missing fields"),
    ],
)
def test_file_that_is_no_draft_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file and what is wrong with it."""
    path = tmp_path / "mine.toml"
    whole = text if "judge" not in text else f"name='a'\nbase='lite'\ndimensions=[]\ninstruments=[]\n{text}"
    path.write_text(whole)
    with pytest.raises(ProtocolError, match=rf"mine\.toml.*{message}"):
        read(path)


def test_draft_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The path is named."""
    with pytest.raises(ProtocolError, match=r"none\.toml cannot be read"):
        read(tmp_path / "none.toml")
