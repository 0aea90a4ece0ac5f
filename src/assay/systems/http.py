"""Calls to a chat server: its address, the key that nobody may see, what went wrong in plain words, several at once."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

from assay.errors import AssayError
from assay.extras import missing_extra

if TYPE_CHECKING:
    from httpx import Client, Response

Job = TypeVar("Job")
Found = TypeVar("Found")

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}
"""Answers after which another try makes sense."""
SECONDS = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
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
def _client() -> Client:
    """One for all calls, so that connections are used again; no longer than a server that drops idle ones keeps them.
    A redirect would carry the key to a host nobody named, so none is followed, and no cookie is kept."""
    if reason := missing_extra("endpoint"):
        raise AssayError(reason)
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    return httpx.Client(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        follow_redirects=False,
        limits=httpx.Limits(max_connections=None, keepalive_expiry=2),
    )


def post(url: str, body: dict[str, Any], key: str, timeout: float) -> dict[str, Any]:
    """The server's chat completion, as `read_answer` can read it."""
    client = _client()
    from httpx import ConnectError, HTTPError, LocalProtocolError, TimeoutException, UnsupportedProtocol

    headers = {b"Content-Type": b"application/json"}
    if key:
        headers[b"Authorization"] = f"Bearer {key}".encode("latin-1")
    try:
        content = json.dumps(body).encode()
        with client.stream("POST", url, content=content, headers=headers, timeout=timeout) as response:
            if not response.is_success:
                wait = response.headers.get("Retry-After", "")
                why = f"the server answered {response.status_code} ({_said(response, key)})"
                raise CallError(why, response.status_code in AGAIN, float(wait) if SECONDS.fullmatch(wait) else None)
            data = response.read().decode("utf-8", "replace")
    except (LocalProtocolError, UnsupportedProtocol, ValueError) as error:  # its text may quote a header, and the key
        raise CallError(f"the call could not be made ({type(error).__name__})", again=False) from None
    except TimeoutException:
        raise CallError(f"no answer from the server (timed out, {timeout:g} s)") from None
    except ConnectError as error:
        raise CallError(f"no answer from the server ({hidden(str(error), key)})") from None
    except (HTTPError, OSError) as error:  # its text may quote what the server said
        raise CallError(f"no answer from the server ({type(error).__name__})") from None
    try:
        answer: dict[str, Any] = json.loads(hidden(data, key) if len(key) >= SECRET else data)
        read_answer(answer)
    except (ValueError, AssayError):
        raise CallError("the server's answer is no chat completion") from None
    return answer


def _said(response: Response, key: str) -> str:
    """The beginning of what a server says about an error. More is read than shown: no half of a key is left over."""
    from httpx import HTTPError

    try:
        text = next(response.iter_bytes(4000), b"").decode("utf-8", "replace")
    except HTTPError:
        return "and no more"
    return " ".join(hidden(text, key)[:2000].split())[:120]


def read_answer(answer: Any) -> tuple[str, dict[str, Any]]:
    """The text of a chat completion, how many tokens it took, and whether it was cut for being too long."""
    try:
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise AssayError("no chat completion in the answer") from None
    if not isinstance(text, str):
        raise AssayError("no text in the answer")
    used = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
    tokens = {"tokens_in": used.get("prompt_tokens"), "tokens_out": used.get("completion_tokens")}
    details: dict[str, Any] = {key: value for key, value in tokens.items() if isinstance(value, int)}
    return text.strip(), details | ({"cut": True} if choice.get("finish_reason") == "length" else {})


def _next(queue: SimpleQueue[Found]) -> Found:
    """Looked for again and again: a signal that another thread received does not wake one that only waits."""
    while True:
        try:
            return queue.get(timeout=0.2)
        except Empty:
            continue


def at_once(
    jobs: Sequence[tuple[str, Job]], do: Callable[[Job, Event], Found], workers: int
) -> Iterator[tuple[str, Found | AssayError]]:
    """What `do` finds for every job or why it fails, as it comes, from so many threads.

    When the reader leaves (an error, ^C) the event that every call of `do` is given is set, and no job is begun any
    more. What is under way is not waited for: the threads end with the process, as those of a pool would not.
    """
    stop = Event()
    waiting: SimpleQueue[tuple[str, Job]] = SimpleQueue()
    ready: SimpleQueue[tuple[str, Found | Exception]] = SimpleQueue()
    for one in jobs:
        waiting.put(one)

    def work() -> None:
        while not stop.is_set():
            try:
                id, job = waiting.get_nowait()
            except Empty:
                return
            try:
                ready.put((id, do(job, stop)))
            except Exception as error:  # told to the reader, who waits for an answer to every job
                ready.put((id, error))

    try:
        for _ in range(min(max(1, workers), len(jobs))):
            Thread(target=work, daemon=True).start()
        for _ in jobs:
            id, found = _next(ready)
            if isinstance(found, Exception) and not isinstance(found, AssayError):
                raise found
            yield id, found
    finally:
        stop.set()
