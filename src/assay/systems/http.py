"""Calls to a chat server: its address, the key that nobody may see, an end in time, what went wrong in plain words."""

from __future__ import annotations

import json
import os
import re
import threading
import zlib
from contextlib import suppress
from functools import lru_cache
from socket import SHUT_RDWR
from socket import socket as Socket  # noqa: N812
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.systems.replies import read_answer, read_reply

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx import Client, Response

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}
"""Answers after which another try makes sense."""
SECONDS = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
LONGEST = 16 << 20
"""Bytes of an answer: many times more than any model says."""
SECRET = 16
"""Letters from which on a key cannot stand in an answer by chance; shorter ones are placeholders (`EMPTY`)."""


class CallError(AssayError):
    """One call that came to nothing; `again` says whether another try makes sense, `wait` how long the server asked."""

    def __init__(self, why: str, again: bool = True, wait: float | None = None) -> None:
        super().__init__(why)
        self.again = again
        self.wait = wait


def address(text: str, where: str) -> str:
    """A server's address. It is kept with the outputs and so may hold no secret; `where` it was given is all that an
    error names."""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not text.isascii() or not text.isprintable() or " " in text:
        raise AssayError(f"{where}: not the address of a server; write http://HOST:PORT/v1")
    if "@" in parts.netloc or "?" in text or "#" in text:
        raise AssayError(f"{where}: no user, password or ?query may stand in an address, it is kept with the outputs")
    return text.rstrip("/")


def key_of(variable: str) -> str:
    """The key in an environment variable, or nothing. What no header can hold is refused and not shown."""
    key = os.environ.get(variable, "").strip()
    try:
        key.encode("latin-1")
        good = key.isprintable()
    except UnicodeEncodeError:
        good = False
    if not good:
        raise AssayError(f"{variable}: the key in it has a line break or a letter that no key has; set it again")
    return key


def hidden(text: str, key: str) -> str:
    """A text that others wrote, without the key, however they wrote it."""
    for form in {key, json.dumps(key)[1:-1], quote(key, safe="")} if key else ():
        text = text.replace(form, "***")
    return text


@lru_cache(maxsize=1)
def _trusted() -> SSLContext:
    """Whose certificates are believed; read once, which takes longer than a call."""
    import httpx

    return httpx.create_ssl_context()


class _Line(threading.local):
    """What a thread calls with: one connection, used again, and where it is to be cut."""

    client: Client | None = None
    socket: Socket | None = None


_line = _Line()


def _client() -> Client:
    """One for the calls of a thread; its connection is kept no longer than a server that drops idle ones keeps it.
    A redirect would carry the key to a host nobody named, so none is followed, and no cookie is kept."""
    if reason := missing_extra("endpoint"):
        raise AssayError(reason)
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    if _line.client is None:
        _line.client = httpx.Client(
            verify=_trusted(),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
            limits=httpx.Limits(max_connections=1, keepalive_expiry=2),
        )
    return _line.client


class _Deadline:
    """Cuts the connection when the time is over, whatever is being waited for: a server that sends a byte now and then
    never lets a single read time out."""

    def __init__(self, seconds: float) -> None:
        self.over = False
        self.line = _line.__dict__  # of this thread; the clock runs in another
        self.clock = threading.Timer(seconds, self._cut)
        self.clock.daemon = True

    def __enter__(self) -> _Deadline:
        self.clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.clock.cancel()

    def trace(self, event: str, about: dict[str, Any]) -> None:
        """Told by the client what it does."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self.line["socket"] = about["return_value"].get_extra_info("socket")
        if self.over:
            raise TimeoutError

    def _cut(self) -> None:
        self.over = True
        if (line := self.line.get("socket")) is not None:
            with suppress(OSError):
                Socket.shutdown(line, SHUT_RDWR)  # not the way of TLS, which would wait for the other side


def post(url: str, body: dict[str, Any], key: str, timeout: float, deadline: float) -> dict[str, Any]:
    """The server's chat completion, as `read_answer` can read it: `timeout` seconds for its next byte at most, and
    `deadline` for the last."""
    client = _client()
    from httpx import ConnectError, HTTPError, LocalProtocolError, TimeoutException, UnsupportedProtocol

    headers = {b"Content-Type": b"application/json", b"Accept-Encoding": b"identity"}
    if key:
        headers[b"Authorization"] = f"Bearer {key}".encode("latin-1")
    clock = _Deadline(deadline)
    try:
        content = json.dumps(body).encode()
        more: dict[str, Any] = {"extensions": {"trace": clock.trace}, "timeout": min(timeout, deadline)}
        with clock, client.stream("POST", url, content=content, headers=headers, **more) as response:
            if not response.is_success:
                wait = response.headers.get("Retry-After", "")
                why = f"the server answered {response.status_code} ({_said(response, key)})"
                raise CallError(why, response.status_code in AGAIN, float(wait) if SECONDS.fullmatch(wait) else None)
            data = _content(response, LONGEST)
    except CallError:
        raise
    except (
        Exception
    ) as error:  # whatever a hostile answer breaks; a text that may quote a header and the key is left out
        if clock.over:
            raise CallError(f"no whole answer from the server within {deadline:.3g} s") from None
        if isinstance(error, LocalProtocolError | UnsupportedProtocol | ValueError):
            raise CallError(f"the call could not be made ({type(error).__name__})", again=False) from None
        if isinstance(error, TimeoutException):
            raise CallError(f"no answer from the server (timed out, {min(timeout, deadline):.3g} s)") from None
        said = hidden(str(error), key) if isinstance(error, ConnectError) else type(error).__name__
        again = isinstance(error, HTTPError | OSError)
        raise CallError(f"no answer from the server ({said})", again) from None
    text = data.decode("utf-8", "replace")
    try:
        answer: dict[str, Any] = read_reply(hidden(text, key) if len(key) >= SECRET else text)
        read_answer(answer)
    except (ValueError, RecursionError, AssayError):
        raise CallError("the server's answer is no chat completion") from None
    return answer


def _content(response: Response, most: int) -> bytes:
    """What a server sends, unpacked; more than `most` bytes are refused before they are all here."""
    packing = response.headers.get("Content-Encoding", "identity").lower()
    if packing not in ("", "identity", "gzip", "deflate"):
        raise CallError(f"the server's answer is packed as {packing[:40]}, which was not asked for", again=False)
    unpack = None if packing in ("", "identity") else zlib.decompressobj(wbits=47)
    held = bytearray()
    for piece in response.iter_raw():
        try:
            held += piece if unpack is None else unpack.decompress(piece, most + 1)
        except zlib.error:
            raise CallError("the server's answer is no chat completion (damaged gzip)") from None
        if len(held) > most:
            raise CallError(f"the server's answer is longer than {most >> 20} MB", again=False)
    return bytes(held)


def _said(response: Response, key: str) -> str:
    """The beginning of what a server says about an error. More is read than shown: no half of a key is left over."""
    from httpx import HTTPError

    try:
        text = next(response.iter_raw(4000), b"").decode("utf-8", "replace")
    except HTTPError:
        return "and no more"
    return " ".join(hidden(text, key)[:2000].split())[:120]
