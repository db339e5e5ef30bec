"""Who a request comes from: the address that counts, and the person if one is signed in."""

import ipaddress
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import Scope

_NETWORK_BITS = 64
"""A household or an office has a whole IPv6 network of this size, so single addresses in it say nothing."""
_UNKNOWN = "unknown"

PersonOf = Callable[[Scope], str | None]
"""Names the signed-in person of a request; None: nobody is signed in."""


def nobody(_: Scope) -> str | None:
    """Return None: nobody is ever signed in."""
    return None


def address_of(scope: Scope, *, is_behind_proxy: bool) -> str:
    """Return the address that a request is counted under, an IPv6 one as its network.

    Args:
        scope: the request.
        is_behind_proxy: whether the nearest hop is a proxy of ours that appends who it heard from. Only then
            X-Forwarded-For is read, from its end: what stands before the last outside address is anybody's word.
    """
    client = scope.get("client")
    nearest = _known(client[0]) if client else None
    if not is_behind_proxy:
        return _name(nearest)
    told = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
    last = None
    for text in reversed(told):
        hop = _known(text)
        if hop is None:  # whatever stands before a malformed hop is not trusted either
            break
        last = hop
        if hop.is_global:
            break
    return _name(last or nearest)


def _known(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:  # IPv4 with a port
        bare = bare.partition(":")[0]
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _name(address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> str:
    if address is None:
        return _UNKNOWN
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address) >> _NETWORK_BITS << _NETWORK_BITS, _NETWORK_BITS)))
    return str(address)
