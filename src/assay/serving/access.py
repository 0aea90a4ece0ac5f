"""Who may ask a server of ours: by which names, from which pages, and with which token.

A site that points its own name at this machine (DNS rebinding) asks by that name: only the names on an exact list are
answered. On this machine, the user who started the server is answered and nobody else; from elsewhere it takes the
token, which is made anew for each run and stands in the address that is printed.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from assay.serving.peers import other_user

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
EVERYWHERE = ("0.0.0.0", "::")
"""What a server listens to that others may reach by any name of this machine."""
WITH_PORT = re.compile(rb"(.+):[0-9]{1,5}")
PARAMETER, COOKIE = "token", "assay-token"


class Refusal(NamedTuple):
    why: str
    status: int


@dataclass(frozen=True)
class Access:
    """Whom a server answers. `hosts` are the exact values of the header `Host` that it knows."""

    hosts: frozenset[str] = LOOPBACK
    any_port: bool = True
    """Whether each of them may have any port besides; for a server that does not know its own."""
    token: str = ""
    """What a request must know; none where it must come from a process of this user."""
    sign_in: bool = False
    """Whether the app itself asks who somebody is: then neither a token nor this user is asked for."""

    def refuse(self, scope: Mapping[str, Any]) -> Refusal | None:
        """Why a request (as ASGI describes it) is not answered."""
        headers = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not self._knows(hosts[0]):
            said = b" and ".join(hosts)[:100].decode("ascii", "replace")
            return Refusal(f"this server does not answer to the name {said or '(none)'}", 421)
        same = {scheme + hosts[0].lower() for scheme in (b"http://", b"https://")}
        if any(value.lower() not in same for name, value in headers if name == b"origin"):
            return Refusal("this server does not answer to pages of other sites", 403)
        if self.sign_in:
            return None
        if self.token:
            if not self._has_token(scope):
                return Refusal("this server wants its token: open the address that it printed when it was started", 403)
        elif other_user(scope.get("client"), scope.get("server")):
            return Refusal("this server answers to the user who started it; with --token it takes others, too", 403)
        return None

    def _knows(self, host: bytes) -> bool:
        if not host.isascii():
            return False
        host = host.lower()
        if self.any_port and (cut := WITH_PORT.fullmatch(host)):
            host = cut[1]
        return host.decode() in self.hosts

    def _has_token(self, scope: Mapping[str, Any]) -> bool:
        said = [value for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name == PARAMETER]
        for name, value in scope["headers"]:
            if name == b"cookie":
                try:
                    said += [held.value for key, held in SimpleCookie(value.decode("latin-1")).items() if key == COOKIE]
                except CookieError:
                    continue
        return any(compare_digest(value.encode(), self.token.encode()) for value in said)


LOCAL = Access()


def without_token(query: bytes) -> bytes | None:
    """A query without its token; None where it has none."""
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    kept = [pair for pair in pairs if pair[0] != PARAMETER]
    return None if len(kept) == len(pairs) else urlencode(kept).encode()


def is_loopback(host: str) -> bool:
    """Whether a server on this host can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def access_for(host: str, port: int, more: Iterable[str] = (), token: bool = False, *, sign_in: bool = False) -> Access:
    """Of a server that listens there. `more` are further values of `Host`, as a proxy may pass them on."""
    names = {f"[{host}]" if ":" in host else host}
    if is_loopback(host):
        names |= LOOPBACK
    elif host in EVERYWHERE:
        names = {*LOOPBACK, *own_names()}
    hosts = {f"{name}:{port}".lower() for name in names} | {name.lower() for name in names if port == 80}
    wanted = not sign_in and (token or not is_loopback(host))
    # A further name is asked with our port, too, where no proxy stands before us.
    named = {name.lower() for name in more}
    known = frozenset(hosts | named | {f"{name}:{port}" for name in named if not WITH_PORT.fullmatch(name.encode())})
    return Access(known, any_port=False, token=secrets.token_urlsafe(24) if wanted else "", sign_in=sign_in)


def own_names() -> set[str]:
    """The name and the addresses of this machine, as others may know it."""
    name = socket.gethostname()
    found = {name}
    with contextlib.suppress(OSError):
        found |= {str(about[4][0]) for about in socket.getaddrinfo(name, None)}
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only looks up which address would be used
        found.add(str(probe.getsockname()[0]))
    return {f"[{one.partition('%')[0]}]" if ":" in one else one for one in found}
