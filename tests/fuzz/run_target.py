"""`python -m tests.fuzz.run_target NAME FOLDER [options of libFuzzer]`: one target in this process, until it breaks.

Castboard's own modules are instrumented. What a target says of an input's outcome counts as coverage too: the decoders
are C without instruments, and an input that reaches another outcome is worth keeping.
"""

import importlib
import resource
import signal
import sys
import tempfile
import traceback
import zlib
from pathlib import Path

import atheris

N_OUTCOMES = 4_096
MEMORY_BYTES = 512 << 20
"""What a decoder process may take on top of what it starts with."""


def main() -> None:
    """Fuzz until an input breaks an invariant, crashes the process, hangs, or the time is over."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    with atheris.instrument_imports(include=["submissions", "evaluation"]):
        target = importlib.import_module(f"tests.fuzz.{name}")
    first = atheris._reserve_counter()
    for _ in range(N_OUTCOMES - 1):
        atheris._reserve_counter()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        _guard_writes(root, folder)

        def one_input(data: bytes) -> None:
            try:
                outcome = target.run_one(data, root)
            except BaseException:
                with (folder / "failures.txt").open("a", encoding="utf-8") as out:
                    out.write(traceback.format_exc() + "\n")
                raise
            atheris._trace_branch(first + zlib.crc32(repr(outcome).encode()) % N_OUTCOMES)

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        atheris.Setup([sys.argv[0], *sys.argv[3:]], one_input, enable_python_coverage=True)
        atheris.Fuzz()


def _guard_writes(*allowed: Path) -> None:
    """From now on, a file that Python opens to write outside `allowed` ends the process with an error."""
    roots = tuple(str(path.resolve()) for path in allowed)

    def look(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
            path = arguments[0]
            text = path.decode("utf-8", "replace") if isinstance(path, bytes) else str(path)
            if not isinstance(path, int) and text != "/dev/null" and not text.startswith(roots):
                raise AssertionError(f"a file outside the work folder is opened to write: {text!r}")

    sys.addaudithook(look)


if __name__ == "__main__":
    main()
