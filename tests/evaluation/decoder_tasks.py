"""What a decoder process is made to do in tests; module functions, because they travel by name."""

import os
import resource
import signal
import time
from pathlib import Path

from evaluation.audio import canonicalise
from evaluation.audio_facts import CanonicalFacts, ClipRefused, Limits, Remark
from evaluation.decoding import FILE_BYTES, Decoder


def told(text: object) -> ClipRefused:
    """Return a way to tell the test something from inside the process."""
    return ClipRefused((Remark(code="told", detail=str(text)),))


def crash_on_bad(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Die of a segmentation fault on a file that says so, else decode."""
    if source.read_bytes() == b"crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    return canonicalise(source, target, limits)


def crash_once(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Die on the first attempt at a file, as if something else had killed the process."""
    mark = target.with_suffix(".tried")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return canonicalise(source, target, limits)


def hang_on_bad(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Wait for ever on a file that says so, else decode."""
    if source.read_bytes() == b"hang":
        signal.pause()
    return canonicalise(source, target, limits)


def burn_processor(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Lower the process's own processor limit to what is used, then compute for ever."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1, resource.RLIM_INFINITY))
    while True:
        pass


def take_memory(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Ask for 2 GiB."""
    raise told(len(bytearray(2 << 30)))


def write_too_much(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Make a file one byte larger than allowed."""
    with target.open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    raise told("written")


def tell_limits(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Tell which limits hold."""
    kinds = (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)
    raise told([resource.getrlimit(kind)[0] for kind in kinds] + [os.nice(0)])


def tell_pid(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Tell the process id."""
    raise told(os.getpid())


def tell_peak_memory(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Decode, then tell the largest resident size in KiB; ru_maxrss would count the parent before the exec."""
    canonicalise(source, target, limits)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    raise told(status.partition("VmHWM:")[2].split()[0])


def write_pid_and_wait(source: Path, target: Path, limits: Limits) -> CanonicalFacts:
    """Write the process id to `target`, whole, and wait for ever."""
    part = target.with_suffix(".part")
    part.write_text(str(os.getpid()), encoding="ascii")
    part.replace(target)
    signal.pause()
    raise told("woken")


def decode_for_ever(pid_file: str) -> None:
    """Be a parent that is about to be killed: start one decoder that never ends."""
    with Decoder(1, task=write_pid_and_wait) as decoder:
        decoder.decode(Path(pid_file), Path(pid_file)).result()
