"""Models behind any OpenAI-compatible server: chat completions with a limit on calls at once, retries and a cache.

The key comes from the environment (`OPENAI_API_KEY`, or the name given as key_env). It goes into one request header
and nowhere else: not into the cache, the outputs, the messages or the fingerprint.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.records import Example, digest_of, to_json, write_text
from assay.systems.base import Answer, System
from assay.systems.command import request
from assay.systems.prompts import Messages, prompt

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}
"""Answers after which another try makes sense."""
PATIENCE = 3
"""Items in a row that may fail before the server counts as down."""


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


def cache_home() -> Path:
    """Where answers are kept unless an option says otherwise."""
    base = os.environ.get("ASSAY_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assay"


@dataclass(eq=False)
class Chat(System):
    name: ClassVar = "chat"
    about: ClassVar = "a chat model behind an OpenAI-compatible server"
    abilities: ClassVar = ("generate",)
    argument: ClassVar = "model"

    model: str = ""
    base: str = ""
    """URL up to and with /v1; without it, OPENAI_BASE_URL."""
    key_env: str = "OPENAI_API_KEY"
    prompt: str = "plain"
    """A prompt of assay's, or a TOML file."""
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 256
    concurrency: int = 4
    retries: int = 5
    timeout: float = 60.0
    backoff: float = 1.0
    """Seconds before the first retry; doubled each time."""
    cache: str = ""
    """Folder of answers; none switches it off."""
    price_in: float = 0.0
    """Per million tokens, as are all prices."""
    price_out: float = 0.0
    batch: int = 1_000_000

    counted: dict[str, int] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)
    _failing: int = field(default=0, init=False)

    def why_not(self) -> str | None:
        if not self.model:
            return "name the model: chat:MODEL"
        return None if self._base() else "no server: give base=URL or set OPENAI_BASE_URL"

    def _base(self) -> str:
        return (self.base or os.environ.get("OPENAI_BASE_URL", "")).rstrip("/")

    def fingerprint(self) -> list[Any]:
        idle = ("concurrency", "retries", "timeout", "backoff", "cache", "batch", "key_env", "price_in", "price_out")
        shown = sorted((key, value) for key, value in self.options().items() if key not in idle)
        return [self.name, shown, repr(self.form), list(prompt(self.prompt)), self._base()]

    def usage(self) -> dict[str, Any]:
        spent = self.counted.get("tokens_in", 0) * self.price_in + self.counted.get("tokens_out", 0) * self.price_out
        chosen = prompt(self.prompt)
        about = {"prompt": f"{chosen.name} {chosen.version}"}
        return {**self.counted, **about, **({"cost": spent / 1e6} if self.price_in or self.price_out else {})}

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        chosen = prompt(self.prompt)
        return self.reply(
            examples, lambda example: chosen.messages(text=request(example, self, "generate")["text"] or "")
        )

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]:
        """Answers to chat messages about examples."""
        for id, (text, details) in self._ask([(example.id, messages(example)) for example in examples]):
            yield Answer(id, text, details)

    def _ask(
        self, asked: Sequence[tuple[str, list[dict[str, str]]]]
    ) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
        """Answers as they come. What fails is named at the end, after everything that works has been handed over."""
        failures: list[tuple[str, str]] = []
        self._failing = 0
        with ThreadPoolExecutor(max_workers=max(1, self.concurrency)) as pool:
            futures: dict[Future[tuple[str, dict[str, Any]]], str] = {
                pool.submit(self.complete, messages): id for id, messages in asked
            }
            try:
                for future in as_completed(futures):
                    try:
                        yield futures[future], future.result()
                    except AssayError as error:
                        failures.append((futures[future], str(error)))
            finally:
                for future in futures:
                    future.cancel()
        if failures:
            id, why = failures[0]
            raise AssayError(f"{self.name}:{self.model}: {len(failures)} of {len(asked)} items failed; id {id}: {why}")

    def complete(self, messages: list[dict[str, str]]) -> tuple[str, dict[str, Any]]:
        """The model's answer to some messages, from the cache or the server."""
        body = {
            "model": self.model,
            "messages": messages,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        file = self._cache_file(body)
        answer = _cached(file)
        fresh = answer is None
        if answer is None:
            answer = self._try(body)
            if file:
                write_text(file, to_json({"request": body, "response": answer}, indent=None) + "\n")
        text, details = _read_answer(answer)
        with self._lock:
            self._count("calls" if fresh else "cached", 1)
            if fresh:  # what came from the cache was paid for before
                self._count("tokens_in", details.get("tokens_in", 0))
                self._count("tokens_out", details.get("tokens_out", 0))
        return text, details

    def _count(self, key: str, more: int) -> None:
        self.counted[key] = self.counted.get(key, 0) + more

    def _cache_file(self, body: dict[str, Any]) -> Path | None:
        if self.cache == "none":
            return None
        name = digest_of(self._base(), body)
        return (Path(self.cache) if self.cache else cache_home() / "endpoints") / name[:2] / f"{name}.json"

    def _try(self, body: dict[str, Any]) -> dict[str, Any]:
        for attempt in range(self.retries + 1):
            if self._failing >= PATIENCE:
                raise AssayError("not tried: the server answers nothing any more")
            try:
                answer = self._call(body)
            except CallError as error:
                if not error.again or attempt == self.retries:
                    with self._lock:
                        self._failing += 1
                    tries = f" after {attempt + 1} tries" if attempt else ""
                    raise AssayError(f"{error}{tries}") from None
                with self._lock:
                    self._count("retries", 1)
                pause = self.backoff * 2**attempt * random.uniform(0.75, 1.25)
                time.sleep(min(error.wait if error.wait is not None else pause, 120))
            else:
                self._failing = 0
                return answer
        raise AssertionError("the last attempt either answers or raises")

    def _call(self, body: dict[str, Any]) -> dict[str, Any]:
        key = os.environ.get(self.key_env, "")
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        url = f"{self._base()}/chat/completions"
        call = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(call, timeout=self.timeout) as response:
                data = response.read()
        except urllib.error.HTTPError as error:
            said = error.read(2000).decode("utf-8", "replace")
            said = said.replace(key, "***") if key else said
            wait = error.headers.get("Retry-After", "")
            seconds = float(wait) if wait.replace(".", "", 1).isdigit() else None
            short = " ".join(said.split())[:120]
            raise CallError(f"the server answered {error.code} ({short})", error.code in AGAIN, seconds) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            reason = getattr(error, "reason", None) or type(error).__name__
            raise CallError(f"no answer from the server ({reason})") from None
        except ValueError as error:
            raise CallError(f"{self._base()}: not a URL ({error})", again=False) from None
        try:
            answer = json.loads(data)
            _read_answer(answer)
        except (ValueError, AssayError):
            raise CallError("the server's answer is no chat completion") from None
        found: dict[str, Any] = answer
        return found


def _cached(file: Path | None) -> dict[str, Any] | None:
    if file is None or not file.is_file():
        return None
    try:
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))["response"]
        _read_answer(found)
    except (ValueError, KeyError, TypeError, AssayError):
        return None  # a damaged entry is asked again and written anew
    return found


def _read_answer(answer: Any) -> tuple[str, dict[str, Any]]:
    """The text of a chat completion, and how many tokens it took."""
    try:
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise AssayError("no chat completion in the answer") from None
    if not isinstance(text, str):
        raise AssayError("no text in the answer")
    used = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
    details = {"tokens_in": used.get("prompt_tokens"), "tokens_out": used.get("completion_tokens")}
    return text.strip(), {key: value for key, value in details.items() if isinstance(value, int)}
