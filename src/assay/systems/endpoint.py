"""Chat models on servers of several dialects, with concurrent calls, retries, limits of rate and cost, and a cache.

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
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from threading import Event, Lock
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.records.files import to_json
from assay.records.types import Example
from assay.specs import choices, did_you_mean, setting
from assay.systems.answer_cache import cache_file, cached_answer, keep_answer
from assay.systems.at_once import at_once
from assay.systems.base import Answer, Logprob, System
from assay.systems.command import request
from assay.systems.dialects import (
    DIALECTS,
    Ask,
    Dialect,
    Settings,
    refused_ask,
    refused_setting,
    without_settings,
)
from assay.systems.failed_calls import DOWN, NotAskedError, counted, first_cause, of_items
from assay.systems.http import CallError, address, key_of, post, ready
from assay.systems.next_token import LETTERED, continued, lettered, next_logprob, refuse_phrases
from assay.systems.prompts import Messages, prompt
from assay.systems.shots import with_shots
from assay.systems.spending import Pace, Spending

PATIENCE = 3
"""Number of consecutive failed items after which the server counts as down."""
LETTERS = 2.5
"""Fewest characters of a token, for an upper estimate of the tokens of a call."""
PLAIN = Ask()


@dataclass(eq=False)
class Chat(System):
    """A chat model on an OpenAI-compatible server."""

    name: ClassVar = "chat"
    about: ClassVar = "a chat model on an OpenAI-compatible server"
    abilities: ClassVar[tuple[str, ...]] = ("generate", "logprob", "classify")
    argument: ClassVar = "model"
    extra: ClassVar = "endpoint"
    structured: ClassVar = True
    """Whether `reply` accepts what is wanted of an answer (`Ask`)."""
    dialects: ClassVar[Mapping[str, Dialect]] = DIALECTS
    takes_shots: ClassVar = True

    model: str = ""
    """Name of the model on the server."""
    base: str = ""
    """URL of the server up to /v1 (default: OPENAI_BASE_URL); of ollama without /v1."""
    dialect: str = "openai"
    """What the server speaks: openai, vllm, llamacpp, responses, anthropic, gemini, ollama."""
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
    rate: float = setting(0.0)
    """Most calls per second; 0 for no limit."""
    max_cost: float = setting(0.0)
    """Limit of the cost, in the currency of the prices; 0 for no limit. Calls under way never exceed it."""
    batch: int = setting(1_000_000)

    ledger: Path | None = field(default=None, init=False)
    """File that records every call, so that the cost is known after a kill."""
    fresh: bool = field(default=False, init=False)
    """Whether stored answers of the cache are requested again."""
    counted: dict[str, int] = field(default_factory=dict, init=False)
    _spending: Spending | None = field(default=None, init=False)
    _pace: Pace = field(default_factory=lambda: Pace(0), init=False)
    _without: frozenset[str] = field(default=frozenset(), init=False)
    """What the server does not give: `schema`, `logprobs`."""
    _refused: tuple[str, ...] = field(default=(), init=False)
    """Settings that the server does not accept for this model."""
    _lock: Lock = field(default_factory=Lock, init=False)
    _failing: int = field(default=0, init=False)
    _patience: int = field(default=PATIENCE, init=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.key_env):
            raise AssayError(f"{self.name}: key_env: give the name of the variable that holds the key, not the key")
        self.require("temperature", 0)
        self.require("top_p", 0, 1)
        self.require("max_tokens", 1)
        self.require("concurrency", 1, 1000)
        self.require("timeout", 0.001)
        self.require("deadline", 0.001)
        for option in ("retries", "backoff", "price_in", "price_out", "rate", "max_cost"):
            self.require(option, 0)
        if self.dialect not in self.dialects:
            known, near = ", ".join(self.dialects), did_you_mean(self.dialect, self.dialects)
            raise AssayError(f"{self.name}: no dialect {self.dialect}{near}; use {known}")
        if self.max_cost and not self._priced:
            raise AssayError(f"{self.name}: max_cost needs the prices: give price_in and price_out, per million tokens")

    @property
    def _priced(self) -> bool:
        return bool(self.price_in or self.price_out)

    def why_not(self) -> str | None:
        if reason := missing_extra("endpoint"):
            return reason
        if not self.model:
            return f"name the model: {self.name}:MODEL"
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
        chosen = {name: value for name, value in choices(self).items() if (name, value) != ("dialect", "openai")}
        known = [self.name, sorted(chosen.items()), repr(self.form), list(prompt(self.prompt)), self._base()]
        return known + ([self.shots.fingerprint()] if self.shots else [])

    def recall(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.counted = {}
        for row in rows:
            self._count_answer(row)

    def usage(self) -> dict[str, Any]:
        chosen = prompt(self.prompt)
        usage: dict[str, Any] = {**self.counted, "prompt": f"{chosen.name} {chosen.version}"}
        spent = Spending(self.price_in, self.price_out)
        spent.tokens_in, spent.tokens_out = (self.counted.get(key, 0) for key in ("tokens_in", "tokens_out"))
        if self._spending is not None and self.ledger is not None:  # also calls whose answer was not kept
            spent = self._spending
            usage |= {"calls": spent.calls, "tokens_in": spent.tokens_in, "tokens_out": spent.tokens_out}
            usage |= {"lost": spent.lost} if spent.lost else {}
        if self._priced:
            usage["cost"] = spent.cost
        if cut := self.counted.get("cut"):
            answers = self.counted.get("calls", 0) + self.counted.get("cached", 0)
            usage["warnings"] = [f"{cut} of {answers} answers were cut at max_tokens={self.max_tokens}; give more"]
        if unknown := self.counted.get("unmetered"):
            known = "takes an upper estimate from their length" if self._spending and self.ledger else "leaves them out"
            why = f"{unknown} answers have no token counts; the cost {known}"
            usage["warnings"] = [*usage.get("warnings", []), why]
        if ignored := [name for name in self._refused if name != "max_tokens"]:
            why = f"the server does not accept {', '.join(ignored)} for this model; its own values were used"
            usage["warnings"] = [*usage.get("warnings", []), why]
        return usage

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        return self.reply(examples, self.messages)

    def messages(self, example: Example) -> list[dict[str, str]]:
        """Return the chat messages with the input of an example, after those of the demonstrations."""
        chosen = prompt(self.prompt, "text")

        def written(one: Example) -> str:
            return request(one, self, "generate")["text"] or ""

        return with_shots(chosen.messages(text=written(example)), self.shots, example, chosen, written)

    def reply(self, examples: Sequence[Example], messages: Messages, ask: Ask | None = None) -> Iterator[Answer]:
        """Yield answers to chat messages about examples.

        With `ask`, a call that fails yields an empty text with `failure` (timeout, refusal or error) in its details,
        once a later call is answered; calls that were not made, or to a server that is down, raise an error.
        """
        for id, (text, details) in self._ask([(example.id, messages(example)) for example in examples], ask):
            yield Answer(id, text, details)

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        """Yield the probabilities of continuations of one token each; a chat server gives those of its next token."""
        for texts in continuations:
            refuse_phrases(texts, self.model)
        requests = [
            (example.id, continued(self.messages(example), prefix))
            for example, prefix in zip(examples, prefixes, strict=True)
        ]
        for texts, (id, tokens) in zip(continuations, self._next_tokens(requests), strict=True):
            yield [next_logprob(tokens, text, id) for text in texts]

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        """Yield the log-probability of the letter of each candidate, after a question that lists them all."""
        requests = [
            (example.id, lettered(self.messages(example), texts, example.id))
            for example, texts in zip(examples, candidates, strict=True)
        ]
        for texts, (id, tokens) in zip(candidates, self._next_tokens(requests), strict=True):
            yield [next_logprob(tokens, letter, id).sum() for letter in LETTERED[: len(texts)]]

    def _next_tokens(
        self, requests: Sequence[tuple[str, list[dict[str, str]]]]
    ) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """Yield the alternatives of the first token of each answer, in order."""
        answers = dict(self._ask(requests, Ask(logprobs=True)))
        for id, _ in requests:
            _, details = answers[id]
            if details.get("failure") or not details.get("tokens"):
                why = details.get("why", "the server returns no token probabilities; use completions:MODEL")
                raise AssayError(f"{self.name}:{self.model}: id {id}: {why}")
            yield id, details["tokens"][0][1]

    def _ask(
        self, requests: Sequence[tuple[str, list[dict[str, str]]]], ask: Ask | None = None
    ) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
        """Yield answers as they arrive; failures are raised after all successful answers."""
        failures: list[tuple[str, AssayError]] = []
        self._begin(PATIENCE if ask is None else max(PATIENCE, self.concurrency))
        jobs = [(id, (id, messages)) for id, messages in requests]

        def one(job: tuple[str, list[dict[str, str]]], stop: Event) -> tuple[str, dict[str, Any]]:
            return self.complete(job[1], stop, ask, job[0])

        try:
            for id, result in at_once(jobs, one, self.concurrency):
                if isinstance(result, AssayError):
                    failures.append((id, result))
                    continue
                yield id, result
                if ask is not None:  # the server is up, so that earlier failures are those of their items
                    yield from counted(failures)
                    failures = [each for each in failures if isinstance(each[1], NotAskedError)]
            down = self._failing >= self._patience or any(isinstance(why, NotAskedError) for _, why in failures)
            lost = len(failures) == len(requests) and not of_items(failures)
            if failures and (ask is None or down or lost):
                id, why = first_cause(failures)
                raise AssayError(
                    f"{self.name}:{self.model}: {len(failures)} of {len(requests)} items failed; id {id}: {why}"
                )
            yield from counted(failures)
        finally:
            if self._spending is not None:
                self._spending.close()

    def _begin(self, patience: int = PATIENCE) -> None:
        """Start a series of calls, with its limits."""
        self._failing, self._patience = 0, patience
        limit = self.max_cost or None
        self._pace, self._spending = Pace(self.rate), Spending(self.price_in, self.price_out, limit, self.ledger)

    def _speaks(self, body: dict[str, Any]) -> Dialect:
        """Return the dialect of a call."""
        return self.dialects[self.dialect]

    def complete(
        self, messages: list[dict[str, str]], stop: Event | None = None, ask: Ask | None = None, id: str = ""
    ) -> tuple[str, dict[str, Any]]:
        """Return the answer to chat messages, from the cache or the server; no retries once `stop` is set."""
        text, details = self._complete(messages, stop or Event(), ask or PLAIN, id)
        final = details.get("refusal") or (details.get("cut") and not text)
        if ask and not final and (wrong := ask.readable(id, text)):
            repair = f"Your answer cannot be used: {wrong}. Answer again, in the form that was asked for, nothing else."
            stated = [{"role": "assistant", "content": text}] if text else []  # servers refuse an empty message
            self._count("asked_again", 1)
            with suppress(CallError):  # the first answer stays, and is counted as what it is
                again = [*messages, *stated, {"role": "user", "content": repair}]
                text, details = self._complete(again, stop or Event(), ask, id)
        return text, details

    def _complete(
        self, messages: list[dict[str, str]], stop: Event, ask: Ask, id: str
    ) -> tuple[str, dict[str, Any]]:  # fmt: skip
        dialect = self.dialects[self.dialect]
        seed = ask.seeds.get(id, self.seed)
        chosen = Settings(self.model, self.temperature, self.top_p, self.max_tokens, seed)
        without = self._without  # another thread may add to it while this call is under way
        ask = replace(
            ask, schema=None if "schema" in without else ask.schema, logprobs=ask.logprobs and "logprobs" not in without
        )
        body = without_settings(dialect.body(messages, chosen, ask), self._refused)
        try:
            return self._send(body, dialect, stop)
        except CallError as error:
            declined = error.kind == "refusal"
            if not declined and (refused := refused_setting(error.status, str(error), body)):
                self._refused = tuple(sorted({*self._refused, refused}))
                less = ask
            elif declined or (simpler := refused_ask(ask, error.status, str(error))) is None:
                with self._lock:
                    self._failing += not declined  # a server that declines is not down
                raise
            else:
                less = simpler
        answer = self._complete(messages, stop, less, id)  # an answer shows that the item was not the reason
        with self._lock:
            self._without |= {name for name in ("schema", "logprobs") if getattr(ask, name) and not getattr(less, name)}
        return answer

    def _send(self, body: dict[str, Any], dialect: Dialect, stop: Event) -> tuple[str, dict[str, Any]]:
        """Return the answer to one call, from the cache or the server."""
        file = cache_file(self.cache, self._base(), body)
        answer = None if self.fresh else cached_answer(file, dialect)
        before = {"cached": True} if answer is not None else {}
        if answer is None:
            answer = self._try(body, stop)
            keep_answer(file, body, answer)
        text, details = dialect.read(answer)
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
            if self._priced and not details.get("failure") and not {"tokens_in", "tokens_out"} <= {*details}:
                self._count("unmetered", 1)
        if details.get("cut"):
            self._count("cut", 1)

    def _count(self, key: str, more: int) -> None:
        with self._lock:
            self.counted[key] = self.counted.get(key, 0) + more

    def _try(self, body: dict[str, Any], stop: Event) -> dict[str, Any]:
        end = time.monotonic() + self.deadline
        for attempt in range(self.retries + 1):
            if self._failing >= self._patience:
                raise NotAskedError(DOWN)
            try:
                answer = self._post(body, stop, max(0.001, end - time.monotonic()))
            except CallError as error:
                pause = self.backoff * 2**attempt * random.uniform(0.75, 1.25)
                wait = min(error.wait or pause, 120)
                if not error.again or attempt == self.retries or time.monotonic() + wait >= end:
                    tries = f" after {attempt + 1} tries" if attempt else ""
                    raise CallError(f"{error}{tries}", status=error.status, kind=error.kind) from None
                self._count("retries", 1)
                if stop.wait(wait):
                    raise NotAskedError("not tried again: stopped") from None
            else:
                self._failing = 0
                return answer
        raise AssertionError("the last attempt either answers or raises")

    def _post(self, body: dict[str, Any], stop: Event, seconds: float) -> dict[str, Any]:
        """Call the server once, within the limits of rate and cost."""
        dialect = self._speaks(body)
        url, key = f"{self._address()}/{dialect.path(self.model)}", key_of(self.key_env)
        self._pace.wait(stop)
        ready()
        if self._spending is None:
            return post(url, body, key, self.timeout, seconds, dialect)
        most_in = len(to_json(body, indent=None)) / LETTERS
        with self._spending.call(most_in, self.max_tokens) as used:
            if used is None:
                raise NotAskedError(f"not requested: max_cost {self.max_cost:g} would be exceeded; give more and go on")
            answer = post(url, body, key, self.timeout, seconds, dialect)
            text, details = dialect.read(answer)
            used += [details.get("tokens_in", ceil(most_in)), details.get("tokens_out", ceil(len(text) / LETTERS))]
        return answer
