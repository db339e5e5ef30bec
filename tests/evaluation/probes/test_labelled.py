"""Manifests of labelled clips: read as they are meant, every problem told at once."""

import json

import pytest

from evaluation.probes.labelled import LabelledClip, ManifestError, read_manifest


def manifest(tmp_path, *lines: object):
    """Write a manifest beside two clips."""
    for name in ("a.wav", "b.wav"):
        (tmp_path / name).write_bytes(b"sound")
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_every_field_arrives(tmp_path) -> None:
    """What a line says is what the record holds; a number becomes text, an empty line is nothing."""
    full = {"sha256": "0" * 64, "group": "g", "script": "hello", "gender": "female", "age": 38}
    path = manifest(tmp_path, {"clip": "a.wav", "label": "happy"}, "", {"clip": "b.wav", "label": 40.5, **full})
    bare = dict.fromkeys(("sha256", "group", "script", "gender", "age"))
    assert read_manifest(path) == (
        LabelledClip(path=tmp_path / "a.wav", label="happy", **bare),
        LabelledClip(path=tmp_path / "b.wav", label="40.5", **{**full, "age": "38"}),
    )


def test_all_problems_come_at_once(tmp_path) -> None:
    """Each with its line, and good lines do not hide bad ones."""
    path = manifest(
        tmp_path,
        {"clip": "a.wav", "label": "happy"},
        "no json",
        {"label": "sad"},
        {"clip": "c.wav", "label": "sad"},
        {"clip": "a.wav", "label": "sad"},
        {"clip": "b.wav", "label": True, "sha256": "short", "colour": "red"},
        ["a.wav"],
    )
    with pytest.raises(ManifestError) as found:
        read_manifest(path)
    told = "\n".join(found.value.problems)
    for part in (
        "line 2: must be one JSON object",
        'line 3: the key "clip" is missing',
        "line 4: there is no clip 'c.wav'",
        "line 5: the clip is named on line 1",
        'line 6: "label" must be a text',
        'line 6: "sha256" must be 64 hex digits',
        "line 6: the key 'colour' is unknown",
        "line 7: must be a JSON object",
    ):
        assert part in told
    assert len(found.value.problems) == 8


@pytest.mark.parametrize(
    "name", ["../a.wav", "/etc/passwd", "x/../../a.wav", "..\\a.wav", "C:/a.wav", "a\0.wav", "./a"]
)
def test_no_clip_outside_the_folder(tmp_path, name: str) -> None:
    """A path that could leave the manifest's folder is refused, whether or not something is there."""
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "a.wav").write_bytes(b"sound")
    with pytest.raises(ManifestError, match="relative path below"):
        read_manifest(manifest(folder, {"clip": name, "label": "x"}))


@pytest.mark.parametrize("name", ["x" * 256, "folder/" + "ä" * 128])
def test_a_name_that_no_file_can_have_is_no_clip(tmp_path, name: str) -> None:
    """A file system gives an error for it; whoever wrote the manifest gets a line number."""
    with pytest.raises(ManifestError, match="line 1: there is no clip"):
        read_manifest(manifest(tmp_path, {"clip": name, "label": "x"}))


def test_lines_end_where_json_lines_end(tmp_path) -> None:
    """Signs that end a line for Unicode, and may stand unescaped in JSON, are part of a script."""
    line = {"clip": "a.wav", "label": "happy", "script": "One\u2028two\x85."}
    path = tmp_path / "labelled.jsonl"
    manifest(tmp_path)
    path.write_bytes(json.dumps(line, ensure_ascii=False).encode() + b"\r\n")
    assert [clip.script for clip in read_manifest(path)] == ["One\u2028two\x85."]


@pytest.mark.parametrize(("data", "told"), [(b"", "lists no clip"), (b"\xff", "UTF-8")])
def test_a_file_that_is_none(tmp_path, data: bytes, told: str) -> None:
    """Nothing, or no text, is said to be so; so is a file that is not there."""
    path = tmp_path / "m.jsonl"
    with pytest.raises(ManifestError, match="cannot be read"):
        read_manifest(path)
    path.write_bytes(data)
    with pytest.raises(ManifestError, match=told):
        read_manifest(path)
