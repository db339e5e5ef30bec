"""Zips made to break, to escape or to burst: each gives a finding with its code, and no byte lands elsewhere."""

import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.archive import CHUNK_BYTES, Archive, ArchiveError, ArchiveLimits
from submissions.findings import Finding
from tests.audio_factory import RawEntry, raw_zip, zip_bytes

SMALL = ArchiveLimits(
    zip_bytes=1 << 20,
    max_entries=40,
    max_members=20,
    member_bytes=200_000,
    total_bytes=600_000,
    max_ratio=50,
    ratio_from_bytes=50_000,
)


def opened(folder: Path, data: bytes, limits: ArchiveLimits = SMALL) -> Archive:
    """Write `data` as a zip and open it."""
    path = folder / "submission.zip"
    path.write_bytes(data)
    return Archive.open(path, limits)


def codes(archive: Archive) -> list[str]:
    """Return the codes of the findings."""
    return [finding.code for finding in archive.findings]


def fatal(folder: Path, data: bytes, limits: ArchiveLimits = SMALL) -> Finding:
    """Return why `data` is not opened."""
    with pytest.raises(ArchiveError) as caught:
        opened(folder, data, limits)
    return caught.value.finding


def deflated(data: bytes) -> bytes:
    """Return `data` as raw deflate."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_ordinary_members_are_unpacked(tmp_path, method):
    """Stored and deflated files come out as they went in, empty ones too, under the path we chose."""
    files = {"clips/a.wav": os.urandom(3 * CHUNK_BYTES // 2), "clips/b.wav": b"", "clips/ü.wav": b"x" * 100}
    with opened(tmp_path, zip_bytes(files, method=method)) as archive:
        assert archive.findings == ()
        assert [(member.folder, member.base) for member in archive.members] == [
            ("clips", "a.wav"),
            ("clips", "b.wav"),
            ("clips", "ü.wav"),
        ]
        for member, data in zip(archive.members, files.values(), strict=True):
            archive.copy_to(member, tmp_path / "out")
            assert (tmp_path / "out").read_bytes() == data == archive.read(member, 200_000)


def test_streamed_and_zip64_zips_are_read(tmp_path):
    """Sizes after the data, and zip64 fields, are understood."""

    class Pipe(io.RawIOBase):
        data = b""

        def writable(self):
            return True

        def write(self, piece):
            self.data += bytes(piece)
            return len(piece)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("a.wav", "w", force_zip64=True) as file:
            file.write(b"a" * 1000)
        archive.writestr("b.wav", b"b")
    with opened(tmp_path, pipe.data) as archive:
        assert archive.findings == ()
        assert [archive.read(member, 2000) for member in archive.members] == [b"a" * 1000, b"b"]
    with opened(tmp_path, _zip64()) as archive:
        assert archive.findings == ()
        assert archive.read(archive.members[0], 2000) == b"data"


def _zip64(n_disks: int = 1) -> bytes:
    """Return a zip whose every number stands in a zip64 record."""
    entry = RawEntry(name=b"a.wav")
    local = entry.local()
    central = bytearray(entry.central(0))
    central[20:28] = b"\xff" * 8
    central[42:46] = b"\xff" * 4
    central[30:32] = struct.pack("<H", 28)
    central += struct.pack("<HHQQQ", 1, 24, 4, 4, 0)
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(central), len(local))
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, len(local) + len(central), n_disks)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 2**32 - 1, 2**32 - 1, 0)
    return local + bytes(central) + end64 + locator + end


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (b"../vb-00000.wav", "unsafe_name"),
        (b"clips/../../vb-00000.wav", "unsafe_name"),
        (b"..\\vb-00000.wav", "unsafe_name"),
        (b"/etc/vb-00000.wav", "unsafe_name"),
        (b"\\\\host\\share\\vb-00000.wav", "unsafe_name"),
        (b"C:/vb-00000.wav", "unsafe_name"),
        (b"c:vb-00000.wav", "unsafe_name"),
        (b"vb-00000.wav\x00.exe", "unsafe_name"),
        (b"vb-\x1b[31m00000.wav", "unsafe_name"),
        ("vb-\u202e00000.wav".encode(), "unsafe_name"),
        (b"clips\\vb-00000.wav", "backslash_name"),
    ],
)
def test_hostile_names_are_refused_and_shown_harmlessly(tmp_path, name, code):
    """A name that could escape or deceive makes its member unreadable, and is shown without what a terminal obeys."""
    with opened(tmp_path, raw_zip([RawEntry(name=name)])) as archive:
        assert code in codes(archive)
        assert not archive.members[0].is_readable
        assert all(finding.where.isprintable() for finding in archive.findings)


def test_names_that_are_not_utf8(tmp_path):
    """A name that lies about UTF-8 is refused; old code page names are read as such."""
    with opened(tmp_path, raw_zip([RawEntry(name=b"\xff\xfe.wav", flags=0x800)])) as archive:
        assert codes(archive) == ["name_encoding"]
    with opened(tmp_path, raw_zip([RawEntry(name=b"St\x81ck/a.wav")])) as archive:
        assert (codes(archive), archive.members[0].folder) == ([], "Stück")


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (RawEntry(name=b"a.wav", unix_mode=0o120777, data=b"/etc/passwd"), "not_a_file"),
        (RawEntry(name=b"a.wav", unix_mode=0o010644), "not_a_file"),
        (RawEntry(name=b"a.wav", flags=0x1), "encrypted"),
        (RawEntry(name=b"a.wav", flags=0x41), "encrypted"),
        (RawEntry(name=b"a.wav", method=14, size_bytes=4), "zip_method"),
        (RawEntry(name=b"a.wav", size_bytes=99), "zip_lies"),
        (RawEntry(name=b"a.wav", local_name=b"b.wav"), "zip_lies"),
        (RawEntry(name=b"a.wav", header_at=9), "zip_lies"),
        (RawEntry(name=b"a.wav", header_at=2**31), "zip_lies"),
        (RawEntry(name=b"a.wav", method=8, size_bytes=2**31, data=deflated(b"x")), "member_size"),
        (RawEntry(name=b"a.wav", method=8, size_bytes=100_000, data=deflated(bytes(100_000))), "ratio"),
    ],
)
def test_hostile_entries_are_refused(tmp_path, entry, code):
    """Links, devices, secrets, odd packings, lies and bombs are found before anything is unpacked."""
    with opened(tmp_path, raw_zip([RawEntry(name=b"good.wav"), entry])) as archive:
        assert code in codes(archive)
        good, bad = archive.members
        assert (good.is_readable, bad.is_readable) == (True, False)


def test_a_wrong_checksum_is_found_while_unpacking(tmp_path):
    """A member whose CRC does not match leaves no file."""
    broken = raw_zip([RawEntry(name=b"a.wav", crc=1)])
    with opened(tmp_path, broken) as archive, pytest.raises(ArchiveError) as caught:
        archive.copy_to(archive.members[0], tmp_path / "out")
    assert caught.value.finding.code == "bad_crc"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("packed", "announced", "code"),
    [
        (deflated(bytes(150_000)), 1000, "zip_lies"),
        (deflated(b"short"), 1000, "zip_lies"),
        (b"\xff\xff\xff\xff", 1000, "bad_crc"),
        (deflated(os.urandom(1000))[:500], 1000, "zip_lies"),
    ],
)
def test_a_lie_about_the_size_ends_the_unpacking(tmp_path, packed, announced, code):
    """Never more than the announced size plus one piece is unpacked."""
    entry = RawEntry(name=b"a.wav", method=8, data=packed, size_bytes=announced)
    with opened(tmp_path, raw_zip([entry])) as archive, pytest.raises(ArchiveError) as caught:
        archive.copy_to(archive.members[0], tmp_path / "out")
    assert caught.value.finding.code == code


def test_a_bomb_writes_no_more_than_it_announced(tmp_path):
    """A bomb of 256 MiB that announces 1,000 bytes is cut before the second piece reaches the disk."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(256)) + packer.flush()
    entry = RawEntry(name=b"a.wav", method=8, data=packed, size_bytes=1000)
    limits = ArchiveLimits()
    sizes = []
    with opened(tmp_path, raw_zip([entry]), limits) as archive, pytest.raises(ArchiveError):
        sizes.extend(len(piece) for piece in archive._pieces(archive.members[0]))
    assert sizes == []


def test_memory_is_bounded_by_the_piece(tmp_path):
    """However well a member packs, it is unpacked in pieces of a fixed size at most."""
    entry = RawEntry(
        name=b"a.wav", method=8, data=deflated(bytes(10 << 20)), size_bytes=10 << 20, crc=zlib.crc32(bytes(10 << 20))
    )
    with opened(tmp_path, raw_zip([entry]), ArchiveLimits(max_ratio=2000)) as archive:
        sizes = [len(piece) for piece in archive._pieces(archive.members[0])]
    assert sum(sizes) == 10 << 20
    assert max(sizes) <= CHUNK_BYTES


def test_entries_that_share_bytes_are_all_refused(tmp_path):
    """A second entry on the first one's bytes, and one inside another's data, are found."""
    inner = RawEntry(name=b"a.wav").local()
    twice = raw_zip([RawEntry(name=b"a.wav"), RawEntry(name=b"a.wav", header_at=0)])
    nested = raw_zip(
        [RawEntry(name=b"out.wav", data=inner), RawEntry(name=b"a.wav", header_at=37), RawEntry(name=b"c.wav")]
    )
    with opened(tmp_path, twice) as archive:
        assert codes(archive) == ["overlap", "overlap", "same_name"]
    with opened(tmp_path, nested) as archive:
        assert codes(archive) == ["overlap", "overlap"]
        assert [member.is_readable for member in archive.members] == [False, False, True]


def test_counts_and_totals_are_bounded(tmp_path):
    """Too many files or too much together is one finding; far too many entries are not even listed."""
    with opened(tmp_path, zip_bytes({f"{n}.wav": b"x" for n in range(21)})) as archive:
        assert codes(archive) == ["too_many_members"]
    big = {f"{n}.wav": os.urandom(160_000) for n in range(4)}
    with opened(tmp_path, zip_bytes(big)) as archive:
        assert codes(archive) == ["total_size"]
    many = fatal(tmp_path, zip_bytes({f"{n}.wav": b"" for n in range(41)}))
    assert (many.code, many.got) == ("too_many_entries", "41 entries")


def test_a_huge_table_of_contents_is_never_read(tmp_path):
    """An end record that claims a table of a gigabyte is refused by the claim."""
    data = bytearray(zip_bytes({"a.wav": b"x"}))
    data[-10:-6] = struct.pack("<I", 1 << 30)
    assert fatal(tmp_path, bytes(data)).code == "too_many_entries"


def test_a_zip_over_the_limit_is_not_opened(tmp_path):
    """A file over the limit is refused by its size; the sparse file costs no disk."""
    path = tmp_path / "big.zip"
    with path.open("wb") as file:
        file.truncate((2 << 30) + 1)
    with pytest.raises(ArchiveError) as caught:
        Archive.open(path)
    assert (caught.value.finding.code, caught.value.finding.got) == ("zip_too_big", "2,147,483,649 bytes")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not_a_zip"),
        (b"Rar!\x1a\x07" * 100, "not_a_zip"),
        (zip_bytes({"a.wav": bytes(1000)})[:-30], "not_a_zip"),
        (zip_bytes({"a.wav": bytes(1000)})[30:], "zip_damaged"),
        (zip_bytes({"a.wav": b"x"})[:-18] + b"\x01\x00\x01\x00" + zip_bytes({"a.wav": b"x"})[-14:], "zip_split"),
        (_zip64(n_disks=3), "zip_split"),
        (raw_zip([RawEntry(name=b"a")]).replace(b"PK\x01\x02", b"PK\x01\x03"), "zip_damaged"),
        (raw_zip([RawEntry(name=b"a")]).replace(b"\x01\x00\x01\x00", b"\x02\x00\x02\x00"), "zip_damaged"),
    ],
)
def test_what_is_no_whole_zip_is_not_opened(tmp_path, data, code):
    """No zip, half a zip, one volume of a zip, and a table that contradicts its end record."""
    assert fatal(tmp_path, data).code == code


def test_an_empty_zip_and_a_zip_of_folders_hold_nothing(tmp_path):
    """No entry, or folders and ignored files alone, is an empty zip."""
    with opened(tmp_path, zip_bytes({})) as archive:
        assert codes(archive) == ["empty_zip"]
    files = ("clips/", "__MACOSX/._a.wav", ".DS_Store", "clips/.hidden", "clips/Thumbs.db", "Desktop.ini")
    with opened(tmp_path, zip_bytes(dict.fromkeys(files, b""))) as archive:
        assert (archive.members, codes(archive)) == ((), ["empty_zip"])


def test_bytes_around_a_zip_are_warned_of(tmp_path):
    """A zip behind a program, or with bytes after it, is read and noted."""
    entry = RawEntry(name=b"a.wav")
    with opened(tmp_path, raw_zip([entry], before=b"#!/bin/sh\n" * 10, after=b"tail")) as archive:
        assert codes(archive) == ["bytes_before", "bytes_after"]
        assert archive.read(archive.members[0], 100) == b"data"


def test_names_equal_but_for_form_are_found(tmp_path):
    """Case, Unicode form, a leading ./ and exact repetition all count as the same name."""
    names = ["É.wav", "E\u0301.wav", "a.wav", "A.WAV", "./a.wav"]
    with opened(tmp_path, zip_bytes(dict.fromkeys(names, b""))) as archive:
        assert codes(archive) == ["same_name"] * 3


def test_a_large_json_member_is_not_read(tmp_path):
    """`read` refuses by the announced size."""
    data = zip_bytes({"system.json": bytes(5000)})
    with opened(tmp_path, data) as archive, pytest.raises(ArchiveError, match="member_size"):
        archive.read(archive.members[0], 4999)


@given(data=st.binary(max_size=600))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_are_no_zip(tmp_path, data):
    """Random bytes end in an ArchiveError, nothing else."""
    fatal(tmp_path, data)


_SEED = zip_bytes({"a.wav": b"a" * 300, "b/c.wav": os.urandom(50), "system.json": b"{}"})


@given(changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_broken_zip_is_read_or_refused(tmp_path, changes):
    """Changed bytes give an archive, findings or an ArchiveError; what unpacks has the announced size."""
    data = bytearray(_SEED)
    for at, value in changes:
        data[at % len(data)] = value
    try:
        with opened(tmp_path, bytes(data)) as archive:
            for member in archive.members:
                if member.is_readable:
                    archive.copy_to(member, tmp_path / "out")
                    assert (tmp_path / "out").stat().st_size == member.size_bytes
    except ArchiveError as error:
        assert error.finding.code
    assert {path.name for path in tmp_path.iterdir()} <= {"submission.zip", "out"}


@given(
    files=st.dictionaries(
        st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8), st.binary(max_size=400), max_size=6
    ),
    method=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_honest_zip_is_read_as_python_reads_it(tmp_path, files, method):
    """The same files come out as from the standard library."""
    with opened(tmp_path, zip_bytes(files, method=method)) as archive:
        got = [archive.read(member, 1000) for member in archive.members]
    with zipfile.ZipFile(tmp_path / "submission.zip") as oracle:
        assert got == [oracle.read(info) for info in oracle.infolist()]
