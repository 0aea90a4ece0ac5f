"""Access control: which requests a server answers, by host name, origin and token.

Only host names on an exact list are answered, which prevents DNS rebinding. On this machine, only the user who started
the server is answered; requests from other machines require the token, which is created for each run and is part of the
printed address.
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
"""Addresses that listen on all interfaces: clients may use any host name of this machine."""
WITH_PORT = re.compile(rb"(.+):[0-9]{1,5}")
PARAMETER, COOKIE = "token", "assay-token"


class Refusal(NamedTuple):
    why: str
    status: int


@dataclass(frozen=True)
class Access:
    """Access rules of a server."""

    hosts: frozenset[str] = LOOPBACK
    """Accepted values of the header `Host`."""
    any_port: bool = True
    """Whether each host is accepted with any port; for a server that does not know its own."""
    token: str = ""
    """Token that a request must contain; if empty, the request must come from a process of the same user."""
    sign_in: bool = False
    """Whether the app authenticates users itself; then neither the token nor the user is checked here."""

    def refuse(self, scope: Mapping[str, Any]) -> Refusal | None:
        """Return why a request (an ASGI scope) is refused; None if it is admitted."""
        headers = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not self._knows(hosts[0]):
            name = b" and ".join(hosts)[:100].decode("ascii", "replace")
            return Refusal(f"Unknown host name: {name or '(none)'}. Use the address that the server printed.", 421)
        same = {scheme + hosts[0].lower() for scheme in (b"http://", b"https://")}
        if any(value.lower() not in same for name, value in headers if name == b"origin"):
            return Refusal("Requests from pages of other sites are refused.", 403)
        if self.sign_in:
            return None
        if self.token:
            if not self._has_token(scope):
                return Refusal("Token required. Open the address that the server printed at its start.", 403)
        elif other_user(scope.get("client"), scope.get("server")):
            return Refusal("Only the user who started this server has access. Start it with --token for others.", 403)
        return None

    def _knows(self, host: bytes) -> bool:
        if not host.isascii():
            return False
        host = host.lower()
        if self.any_port and (cut := WITH_PORT.fullmatch(host)):
            host = cut[1]
        return host.decode() in self.hosts

    def _has_token(self, scope: Mapping[str, Any]) -> bool:
        tokens = [value for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name == PARAMETER]
        for name, value in scope["headers"]:
            if name == b"cookie":
                try:
                    cookies = SimpleCookie(value.decode("latin-1"))
                except CookieError:
                    continue
                tokens += [cookie.value for key, cookie in cookies.items() if key == COOKIE]
        return any(compare_digest(token.encode(), self.token.encode()) for token in tokens)


LOCAL = Access()


def without_token(query: bytes) -> bytes | None:
    """Return the query string without the token; None if it has no token."""
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    kept = [pair for pair in pairs if pair[0] != PARAMETER]
    return None if len(kept) == len(pairs) else urlencode(kept).encode()


def is_loopback(host: str) -> bool:
    """Return whether a server on this host is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def access_for(host: str, port: int, more: Iterable[str] = (), token: bool = False, *, sign_in: bool = False) -> Access:
    """Return the access rules of a server.

    Args:
        host: Interface that the server listens on.
        port: Its port.
        more: Additional accepted host names, such as that of a proxy.
        token: Require a token on this machine, too; requests from other machines always require one.
        sign_in: The app authenticates users itself.
    """
    names = {f"[{host}]" if ":" in host else host}
    if is_loopback(host):
        names |= LOOPBACK
    elif host in EVERYWHERE:
        names = {*LOOPBACK, *own_names()}
    hosts = {f"{name}:{port}".lower() for name in names} | {name.lower() for name in names if port == 80}
    wanted = not sign_in and (token or not is_loopback(host))
    # Without a proxy, clients send an additional name together with the port.
    named = {name.lower() for name in more}
    known = frozenset(hosts | named | {f"{name}:{port}" for name in named if not WITH_PORT.fullmatch(name.encode())})
    return Access(known, any_port=False, token=secrets.token_urlsafe(24) if wanted else "", sign_in=sign_in)


def own_names() -> set[str]:
    """Return the host name and the addresses of this machine."""
    name = socket.gethostname()
    names = {name}
    with contextlib.suppress(OSError):
        names |= {str(entry[4][0]) for entry in socket.getaddrinfo(name, None)}
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing: it selects the outgoing address
        names.add(str(probe.getsockname()[0]))
    return {f"[{one.partition('%')[0]}]" if ":" in one else one for one in names}
