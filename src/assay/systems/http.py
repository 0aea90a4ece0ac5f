"""One call to a chat server: its address, the key that nobody may see, and what went wrong in plain words."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from assay.errors import AssayError

Job = TypeVar("Job")
Found = TypeVar("Found")

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}
"""Answers after which another try makes sense."""
SECRET = 16
"""Letters from which on a key cannot stand in an answer by chance; shorter ones are placeholders (`EMPTY`)."""


class CallError(AssayError):
    """One call that came to nothing; `again` says whether another try makes sense, `wait` how long the server asked."""

    def __init__(self, why: str, again: bool = True, wait: float | None = None) -> None:
        super().__init__(why)
        self.again = again
        self.wait = wait


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to a host nobody named."""

    def redirect_request(self, *given: Any) -> None:
        return None


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


def post(url: str, body: dict[str, Any], key: str, timeout: float) -> dict[str, Any]:
    """The server's chat completion, as `read_answer` can read it."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        call = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
        with urllib.request.build_opener(_NoRedirect).open(call, timeout=timeout) as response:
            data = response.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        wait = error.headers.get("Retry-After", "")
        seconds = float(wait) if wait.replace(".", "", 1).isdigit() else None
        why = f"the server answered {error.code} ({_said(error, key)})"
        raise CallError(why, error.code in AGAIN, seconds) from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or type(error).__name__
        raise CallError(f"no answer from the server ({hidden(str(reason), key)})") from None
    except ValueError as error:  # its text may quote a header, and the key with it
        raise CallError(f"the call could not be made ({type(error).__name__})", again=False) from None
    try:
        answer: dict[str, Any] = json.loads(hidden(data, key) if len(key) >= SECRET else data)
        read_answer(answer)
    except (ValueError, AssayError):
        raise CallError("the server's answer is no chat completion") from None
    return answer


def _said(error: urllib.error.HTTPError, key: str) -> str:
    """The beginning of what a server says about an error. More is read than shown: no half of a key is left over."""
    try:
        text = error.read(4000).decode("utf-8", "replace")
    except (http.client.HTTPException, OSError):
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
