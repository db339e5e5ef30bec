"""A mark of a judge's address that tells two endpoints apart and names neither."""

from urllib.parse import urlsplit

from evaluation import codec

_N_DIGITS = 16


def mark_of(url: str | None, own: str) -> str:
    """Return the mark of an endpoint: the beginning of its address's sha256 (hex); "" for the provider's own.

    Two endpoints may serve different models under one name, so a reply of one is none of the other. Spelling that
    means the same address (a slash at the end, capitals of the host, the usual port) makes no difference.

    Args:
        url: address as `failures.check_url` accepts it; None for the provider's own.
        own: the provider's own address.
    """
    if url is None or _plain(url) == _plain(own):
        return ""
    return codec.sha256_of(_plain(url).encode())[:_N_DIGITS]


def _plain(url: str) -> str:
    parts = urlsplit(url.strip())
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme.lower())
    return f"{parts.scheme.lower()}://{(parts.hostname or '').lower()}:{port}{parts.path.rstrip('/')}?{parts.query}"
