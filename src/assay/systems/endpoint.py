"""Chat models on OpenAI-compatible servers, with concurrent calls, retries and a cache.

The key is read from the environment (`OPENAI_API_KEY`, or the variable named by key_env). It is sent in one request
header and never written to the cache, the outputs, messages or the fingerprint.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.records.cache_folder import cache_home
from assay.records.digests import broken_seal, seal
from assay.records.documents import read_json
from assay.records.files import digest_of, to_json, write_text
from assay.records.types import Example
from assay.specs import choices, setting
from assay.systems.at_once import at_once
from assay.systems.base import Answer, System
from assay.systems.command import request
from assay.systems.http import CallError, address, key_of, post
from assay.systems.prompts import Messages, prompt
from assay.systems.replies import read_answer

PATIENCE = 3
"""Number of consecutive failed items after which the server counts as down."""


@dataclass(eq=False)
class Chat(System):
    """A chat model on an OpenAI-compatible server."""

    name: ClassVar = "chat"
    about: ClassVar = "a chat model on an OpenAI-compatible server"
    abilities: ClassVar = ("generate",)
    argument: ClassVar = "model"
    extra: ClassVar = "endpoint"

    model: str = ""
    """Name of the model on the server."""
    base: str = ""
    """URL of the server up to /v1 (default: OPENAI_BASE_URL)."""
    key_env: str = setting("OPENAI_API_KEY")
    """Environment variable that holds the key."""
    prompt: str = "plain"
    """Built-in prompt or TOML file."""
    temperature: float = 0.0
    """Sampling temperature; 0 selects the most likely tokens."""
    top_p: float = 1.0
    """Sample from the most likely tokens with this total probability."""
    max_tokens: int = 256
    """Maximum number of tokens of an answer."""
    concurrency: int = setting(4)
    """Number of concurrent calls."""
    retries: int = setting(5)
    """Number of retries after status 429 or 5xx, a time-out or a lost connection."""
    timeout: float = setting(60.0)
    """Seconds to wait for an answer or its next part."""
    deadline: float = setting(900.0)
    """Seconds per item in total, with all retries and waiting."""
    backoff: float = setting(1.0)
    """Seconds before the first retry; doubled each time."""
    cache: str = setting("")
    """Cache folder for answers; `none` disables the cache."""
    price_in: float = setting(0.0)
    """Price per million input tokens, in any currency."""
    price_out: float = setting(0.0)
    """Price per million output tokens, in the same currency."""
    batch: int = setting(1_000_000)

    counted: dict[str, int] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)
    _failing: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.key_env):
            raise AssayError("chat: key_env: give the name of the variable that holds the key, not the key")
        self.require("temperature", 0)
        self.require("top_p", 0, 1)
        self.require("max_tokens", 1)
        self.require("concurrency", 1, 1000)
        self.require("timeout", 0.001)
        self.require("deadline", 0.001)
        for option in ("retries", "backoff", "price_in", "price_out"):
            self.require(option, 0)

    def why_not(self) -> str | None:
        if reason := missing_extra("endpoint"):
            return reason
        if not self.model:
            return "name the model: chat:MODEL"
        if not self._base():
            return "no server: give base=URL or set OPENAI_BASE_URL"
        try:
            self._address()
            key_of(self.key_env)
        except AssayError as error:
            return str(error)
        return None

    def _base(self) -> str:
        return (self.base or os.environ.get("OPENAI_BASE_URL", "")).rstrip("/")

    def _address(self) -> str:
        return address(self._base(), "base" if self.base else "OPENAI_BASE_URL")

    def fingerprint(self) -> list[Any]:
        return [self.name, sorted(choices(self).items()), repr(self.form), list(prompt(self.prompt)), self._base()]

    def recall(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.counted = {}
        for row in rows:
            self._count_answer(row)

    def usage(self) -> dict[str, Any]:
        spent = self.counted.get("tokens_in", 0) * self.price_in + self.counted.get("tokens_out", 0) * self.price_out
        chosen = prompt(self.prompt)
        usage = {**self.counted, "prompt": f"{chosen.name} {chosen.version}"}
        if self.price_in or self.price_out:
            usage["cost"] = spent / 1e6
        if cut := self.counted.get("cut"):
            answers = self.counted.get("calls", 0) + self.counted.get("cached", 0)
            usage["warnings"] = [f"{cut} of {answers} answers were cut at max_tokens={self.max_tokens}; give more"]
        return usage

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        chosen = prompt(self.prompt, "text")
        return self.reply(
            examples, lambda example: chosen.messages(text=request(example, self, "generate")["text"] or "")
        )

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]:
        """Yield answers to chat messages about examples."""
        for id, (text, details) in self._ask([(example.id, messages(example)) for example in examples]):
            yield Answer(id, text, details)

    def _ask(
        self, requests: Sequence[tuple[str, list[dict[str, str]]]]
    ) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
        """Yield answers as they arrive; failures are raised after all successful answers."""
        failures: list[tuple[str, AssayError]] = []
        self._failing = 0
        for id, result in at_once(requests, self.complete, self.concurrency):
            if isinstance(result, AssayError):
                failures.append((id, result))
            else:
                yield id, result
        if failures:
            id, why = failures[0]
            raise AssayError(
                f"{self.name}:{self.model}: {len(failures)} of {len(requests)} items failed; id {id}: {why}"
            )

    def complete(self, messages: list[dict[str, str]], stop: Event | None = None) -> tuple[str, dict[str, Any]]:
        """Return the answer to chat messages, from the cache or the server; no retries once `stop` is set."""
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
        before = {"cached": True} if answer is not None else {}
        if answer is None:
            answer = self._try(body, stop or Event())
            if file:
                with suppress(OSError):  # a failed cache write must not lose a paid answer
                    write_text(file, to_json(seal({"request": body, "response": answer}), indent=None) + "\n")
        text, details = read_answer(answer)
        details |= before
        self._count_answer(details)
        return text, details

    def _count_answer(self, details: Mapping[str, Any]) -> None:
        """Count an answer by its stored details, so that resumed answers count as in the first run."""
        cached = details.get("cached")
        self._count("cached" if cached else "calls", 1)
        if not cached:  # cached answers cost nothing
            self._count("tokens_in", details.get("tokens_in", 0))
            self._count("tokens_out", details.get("tokens_out", 0))
        if details.get("cut"):
            self._count("cut", 1)

    def _count(self, key: str, more: int) -> None:
        with self._lock:
            self.counted[key] = self.counted.get(key, 0) + more

    def _cache_file(self, body: dict[str, Any]) -> Path | None:
        if self.cache == "none":
            return None
        name = digest_of(self._base(), body)
        return (Path(self.cache) if self.cache else cache_home() / "endpoints") / name[:2] / f"{name}.json"

    def _try(self, body: dict[str, Any], stop: Event) -> dict[str, Any]:
        end = time.monotonic() + self.deadline
        url = f"{self._address()}/chat/completions"
        for attempt in range(self.retries + 1):
            if self._failing >= PATIENCE:
                raise AssayError("not tried: the server answers nothing any more")
            try:
                answer = post(url, body, key_of(self.key_env), self.timeout, max(0.001, end - time.monotonic()))
            except CallError as error:
                pause = self.backoff * 2**attempt * random.uniform(0.75, 1.25)
                wait = min(error.wait if error.wait is not None else pause, 120)
                if not error.again or attempt == self.retries or time.monotonic() + wait >= end:
                    with self._lock:
                        self._failing += 1
                    tries = f" after {attempt + 1} tries" if attempt else ""
                    raise AssayError(f"{error}{tries}") from None
                self._count("retries", 1)
                if stop.wait(wait):
                    raise AssayError("not tried again: stopped") from None
            else:
                self._failing = 0
                return answer
        raise AssertionError("the last attempt either answers or raises")


def _cached(file: Path | None) -> dict[str, Any] | None:
    if file is None or not file.is_file():
        return None
    try:
        kept = read_json(file)
        response: dict[str, Any] = kept["response"]
        read_answer(response)
        if broken_seal(kept):
            return None
    except (KeyError, TypeError, AssayError):
        return None  # a damaged entry is requested again and overwritten
    return response
