"""What can go wrong, as one tree.

CastboardError
├── MissingDependency     a package or Debian program is absent: carries the line that installs it
├── WeightsMismatch       a weight file is not the one that the protocol names
├── CorpusMismatch        a corpus file is not the pinned one
├── ProtocolError         a protocol file is unknown, malformed or does not match its id
├── SchemaError           a stored record has an unknown version or shape
└── DecodeError           one clip cannot be read as audio (one clip's fault, never the run's)

Everything else that is raised is a bug.
"""


class CastboardError(Exception):
    """An error whose message is written for a person; shown without a traceback."""


class MissingDependency(CastboardError):
    """Something that must be installed is not; the run stops before it starts."""

    def __init__(self, what: str, install: str) -> None:
        """Name `what` is missing and `install`: the exact command line, or what else to do, that mends it."""
        super().__init__(f"{what} is not installed. To mend that: {install}")
        self.what = what
        self.install = install


class WeightsMismatch(CastboardError):
    """A weight file exists but its sha256 is not the pinned one."""

    def __init__(self, what: str, expected: str, got: str) -> None:
        """Name the file `what` with the `expected` and the `got` sha256 (hex)."""
        super().__init__(
            f"{what} is not the file that the protocol names: expected sha256 {expected}, got {got}. "
            "Reinstall the package at the pinned version."
        )
        self.what = what
        self.expected = expected
        self.got = got


class CorpusMismatch(CastboardError):
    """A corpus file differs from its pin."""


class ProtocolError(CastboardError):
    """A protocol file cannot be used."""


class SchemaError(CastboardError):
    """A stored record cannot be read by this version."""


class DecodeError(CastboardError):
    """One clip cannot be read as audio.

    Attributes:
        code: short reason code, for example "not_audio".
    """

    def __init__(self, code: str, message: str) -> None:
        """Carry the reason `code` and a sentence `message` for the maker."""
        super().__init__(message)
        self.code = code
