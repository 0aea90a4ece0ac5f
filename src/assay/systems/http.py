"""HTTP calls to a chat server: address, secret key, deadline, error messages."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import zlib
from base64 import b64encode
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import lru_cache
from socket import SHUT_RDWR
from socket import socket as Socket  # noqa: N812
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlsplit

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.systems.dialects import DIALECTS, Dialect
from assay.systems.replies import read_reply

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx import Client, Response

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, *range(520, 525), 529}
"""HTTP status codes that are retried; those above 511 are of gateways and of servers that are overloaded."""
DECLINES = {400, 403, 422, 451}
"""HTTP status codes of a server that may decline for reasons of content."""
POLICY = re.compile(r"content[_ ]?(?:filter|policy|management)|safety|prohibited", re.IGNORECASE)
"""Matches the error text of a server that declines for reasons of content."""
SECONDS = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
SHOWN = 120
"""Number of characters of a server's error text that are shown."""
LONGEST = 16 << 20
"""Maximum size of an answer in bytes, far above the output of any model."""
SECRET = 8
"""Minimum length of a key that is masked in answers; shorter ones are placeholders (`EMPTY`)."""
PLACEHOLDERS = {"lm-studio", "not-needed", "no-key-required"}
"""Longer placeholders, as documentation of local servers names them."""


class CallError(AssayError):
    """A failed call. `again`: whether to retry; `wait`: seconds requested by the server; `status`: its HTTP status;
    `kind`: what it counts as where failures are counted."""

    def __init__(
        self, why: str, again: bool = True, wait: float | None = None, status: int | None = None,
        kind: Literal["error", "timeout", "refusal"] = "error",
    ) -> None:  # fmt: skip
        super().__init__(why)
        self.again = again
        self.wait = wait
        self.status = status
        self.kind = kind


def address(text: str, where: str) -> str:
    """Return the address of a server. It is stored with the outputs and must not contain a secret, so an error
    names only `where` it was set."""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not text.isascii() or not text.isprintable() or " " in text:
        raise AssayError(f"{where}: not the address of a server; write http://HOST:PORT/v1")
    if "@" in parts.netloc or "?" in text or "#" in text:
        raise AssayError(f"{where}: remove user, password and ?query from the address; it is stored with the outputs")
    return text.rstrip("/")


def key_of(variable: str) -> str:
    """Return the key in an environment variable, or an empty text. The error for an invalid key does not show it."""
    key = os.environ.get(variable, "").strip()
    try:
        key.encode("latin-1")
        good = key.isprintable()
    except UnicodeEncodeError:
        good = False
    if not good:
        raise AssayError(f"{variable}: the key contains a line break or an invalid character; set it again")
    return key


def hidden(text: str, key: str) -> str:
    """Mask the key in a text from a server, in plain, JSON, URL and base64 encoding."""
    if not key:
        return text
    plain = b64encode(key.encode("latin-1")).decode().rstrip("=")
    for form in {key, json.dumps(key)[1:-1], quote(key, safe=""), plain}:
        text = text.replace(form, "***")
    return text


def masked(value: Any, key: str) -> Any:
    """Mask the key in all texts of a decoded answer: JSON can write the same text in many ways."""
    if isinstance(value, str):
        return hidden(value, key)
    if isinstance(value, list):
        return [masked(each, key) for each in value]
    if isinstance(value, dict):
        return {hidden(name, key): masked(each, key) for name, each in value.items()}
    return value


@lru_cache(maxsize=1)
def _trusted() -> SSLContext:
    """Return the trusted certificates; cached, because reading them takes longer than a call."""
    import httpx

    return httpx.create_ssl_context()


class _Line(threading.local):
    """The client of a thread with its reused connection, and the socket to close at a deadline."""

    client: Client | None = None
    socket: Socket | None = None


_line = _Line()


def _client() -> Client:
    """Return the client of this thread. Idle connections are closed early, before the server drops them.
    Redirects are not followed, because they would send the key to another host; cookies are not stored."""
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


def ready() -> None:
    """Load what a call needs. In the first call that takes as long as an answer, and is no part of a paid call."""
    _client()


class _Deadline:
    """Closes the connection at the deadline: a server that sends single bytes never triggers a read time-out."""

    def __init__(self, seconds: float) -> None:
        self.over = False
        self.line = _line.__dict__  # of this thread; the timer runs in another
        self.clock = threading.Timer(seconds, self._cut)
        self.clock.daemon = True

    def __enter__(self) -> _Deadline:
        self.clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.clock.cancel()

    def trace(self, event: str, about: dict[str, Any]) -> None:
        """Record the socket; called by the client for every event."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self.line["socket"] = about["return_value"].get_extra_info("socket")
        if self.over:
            raise TimeoutError

    def _cut(self) -> None:
        self.over = True
        if (line := self.line.get("socket")) is not None:
            with suppress(OSError):
                Socket.shutdown(line, SHUT_RDWR)  # a TLS shutdown would wait for the server


def post(
    url: str, body: dict[str, Any], key: str, timeout: float, deadline: float, dialect: Dialect = DIALECTS["openai"]
) -> dict[str, Any]:
    """Return the chat completion of the server, checked by its dialect.

    Args:
        timeout: seconds to wait for the next byte.
        deadline: seconds until the last byte.
    """
    client = _client()
    from httpx import ConnectError, HTTPError, LocalProtocolError, TimeoutException, UnsupportedProtocol

    headers = {b"Content-Type": b"application/json", b"Accept-Encoding": b"identity", **dialect.headers(key)}
    clock = _Deadline(deadline)
    try:
        content = json.dumps(body).encode()
        more: dict[str, Any] = {"extensions": {"trace": clock.trace}, "timeout": min(timeout, deadline)}
        with clock, client.stream("POST", url, content=content, headers=headers, **more) as response:
            if not response.is_success:
                status, message = response.status_code, _error_text(response, key)
                kind: Literal["error", "refusal"] = (
                    "refusal" if status in DECLINES and POLICY.search(message) else "error"
                )
                why = f"the server answered {status} ({message[:SHOWN]})"
                raise CallError(why, status in AGAIN, _seconds(response.headers.get("Retry-After", "")), status, kind)
            data = _content(response, LONGEST)
    except CallError:
        raise
    except Exception as error:  # any failure; its text may quote the header with the key, so it is not shown
        if clock.over:
            raise CallError(f"no whole answer from the server within {deadline:.3g} s", kind="timeout") from None
        if isinstance(error, LocalProtocolError | UnsupportedProtocol | ValueError):
            raise CallError(f"the call could not be made ({type(error).__name__})", again=False) from None
        if isinstance(error, TimeoutException):
            seconds = min(timeout, deadline)
            raise CallError(f"no answer from the server (timed out, {seconds:.3g} s)", kind="timeout") from None
        reason = hidden(str(error), key) if isinstance(error, ConnectError) else type(error).__name__
        again = isinstance(error, HTTPError | OSError)
        raise CallError(f"no answer from the server ({reason})", again) from None
    text = data.decode("utf-8", "replace")
    try:
        answer: dict[str, Any] = read_reply(text)
        if len(key) >= SECRET and key not in PLACEHOLDERS:
            answer = masked(answer, key)
        dialect.read(answer)
    except (ValueError, RecursionError):
        raise CallError("the server's answer is no chat completion") from None
    except AssayError:
        raise CallError(f"the server's answer is no chat completion{_stated_error(answer, key)}") from None
    return answer


def _stated_error(answer: Any, key: str) -> str:
    """Return the error that a gateway states in an answer of status 200; empty if it states none."""
    stated = answer.get("error") if isinstance(answer, dict) else None
    if not stated:
        return ""
    text = stated.get("message") if isinstance(stated, dict) else stated
    return f": {' '.join(hidden(text, key).split())[:SHOWN]}" if isinstance(text, str) else ""


def _content(response: Response, most: int) -> bytes:
    """Return the decompressed content; raise as soon as it exceeds `most` bytes."""
    packing = response.headers.get("Content-Encoding", "identity").lower()
    if packing not in ("", "identity", "gzip", "deflate"):
        raise CallError(
            f"the server's answer has Content-Encoding {packing[:40]}, which was not requested", again=False
        )
    unpack = None if packing in ("", "identity") else zlib.decompressobj(wbits=47)
    content = bytearray()
    for piece in response.iter_raw():
        try:
            content += piece if unpack is None else unpack.decompress(piece, most + 1)
        except zlib.error:
            raise CallError("the server's answer is no chat completion (damaged gzip)") from None
        if len(content) > most:
            raise CallError(f"the server's answer is longer than {most >> 20} MB", again=False)
    return bytes(content)


def _error_text(response: Response, key: str) -> str:
    """Return the start of a server's error text. More is read than shown, so that no partial key remains."""
    from httpx import HTTPError

    try:
        text = next(response.iter_raw(4000), b"").decode("utf-8", "replace")
    except HTTPError:
        return "no error text"
    return " ".join(hidden(text, key)[:2000].split())


def _seconds(wait: str) -> float | None:
    """Return the seconds that a server asks to wait, given as a number or as a date; None without a request."""
    if SECONDS.fullmatch(wait):
        return float(wait)
    try:
        return max(0.0, parsedate_to_datetime(wait).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None
