"""Why an attempt to ask a hub failed, in our own words: those of the client hold addresses, and what a hub sent."""

from dataclasses import dataclass

_HTTP_MISSING, _HTTP_CONFLICT, _HTTP_MOVED, _HTTP_RANGE = 404, 409, 412, 416


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why one attempt failed."""

    words: str
    """End of a sentence that begins with the repo's name."""
    is_final: bool
    """Whether asking again cannot help."""
    status: int | None = None
    """What the hub answered; None if nothing whole."""
    retry_after_s: float | None = None
    """How long the hub asks to wait, s."""
    code: str = ""
    """What the hub calls the error."""
    path: str = ""
    """Path of the request that failed."""


class Failed(Exception):
    """One attempt failed, for reasons that can be told."""

    def __init__(self, trouble: Trouble) -> None:
        """Keep the reasons."""
        super().__init__(trouble.words)
        self.trouble = trouble


def explain(error: Exception) -> Trouble:
    """Return why an attempt failed, in our own words: those of the client hold addresses, and what a hub sent."""
    import httpx2

    from submissions.store.hub_client import Broken, Later

    if isinstance(error, Failed):
        return error.trouble
    path = _path_of(error)
    if isinstance(error, Later):
        words = f"answered {error.status}, which means later"
        return Trouble(words=words, is_final=False, status=error.status, retry_after_s=error.retry_after_s, path=path)
    if isinstance(error, Broken):
        return Trouble(words="gave no whole answer", is_final=False, path=path)
    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response):
        return _explain_answer(response, path)
    if isinstance(error, httpx2.HTTPError | httpx2.StreamError | RuntimeError | ConnectionError):
        return Trouble(words="could not be reached", is_final=False, path=path)
    if isinstance(error, OSError):
        return Trouble(words=f"could not be sent a file: {error.strerror or 'unreadable'}", is_final=True)
    return Trouble(words="answered something that cannot be understood", is_final=False, path=path)


def _explain_answer(response: object, path: str) -> Trouble:
    status: int = getattr(response, "status_code", 0)
    code = str(getattr(response, "headers", {}).get("X-Error-Code", ""))[:40]
    words = {
        401: "does not exist, or the token does not open it",
        403: "may not be written with this token",
        _HTTP_MISSING: "does not exist, or the token does not open it",
        _HTTP_CONFLICT: "is being written by somebody else",
        _HTTP_MOVED: "was changed by somebody else meanwhile",
        _HTTP_RANGE: "holds a shorter file than it lists",
    }.get(status, f"refused with {status}")
    if code == "EntryNotFound":
        words = "has no such file"
    elif code == "RevisionNotFound":
        words = "has no such revision"
    is_final = status != _HTTP_CONFLICT and status < 500
    return Trouble(words=words, is_final=is_final, status=status, code=code, path=path)


def _path_of(error: Exception) -> str:
    request = getattr(getattr(error, "response", None), "request", None)
    try:
        return str((request or error.request).url.path)  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError):  # an error of the client raises RuntimeError if it knows no request
        return ""
