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
from assay.specs import choices, did_you_mean, setting
from assay.systems.at_once import at_once
from assay.systems.base import Answer, Logprob, System
from assay.systems.command import request
from assay.systems.dialects import DIALECTS, Ask, Dialect, Settings, refused_setting, without_settings
from assay.systems.http import CallError, address, key_of, post
from assay.systems.next_token import LETTERED, continued, lettered, next_logprob, refuse_phrases
from assay.systems.prompts import Messages, prompt
from assay.systems.shots import with_shots
from assay.systems.spending import Pace, Spending

PATIENCE = 3
"""Number of consecutive failed items after which the server counts as down."""
UNSUPPORTED = {400, 404, 415, 422, 501}
"""Status of a server that does not accept a schema or token probabilities; it is then asked without."""
LETTERS = 2.5
"""Fewest characters of a token, for an upper estimate of the tokens of a call."""
PLAIN = Ask()


class NotAskedError(AssayError):
    """A call that was not made: the server is down, the limit of cost is reached, or the run was stopped."""


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
    counted: dict[str, int] = field(default_factory=dict, init=False)
    _spending: Spending | None = field(default=None, init=False)
    _pace: Pace | None = field(default=None, init=False)
    _plain: bool = field(default=False, init=False)
    """Whether the server has refused a schema or token probabilities."""
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
        if self.max_cost and not (self.price_in or self.price_out):
            raise AssayError(f"{self.name}: max_cost needs the prices: give price_in and price_out, per million tokens")

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
        if self.price_in or self.price_out:
            usage["cost"] = spent.cost
        if cut := self.counted.get("cut"):
            answers = self.counted.get("calls", 0) + self.counted.get("cached", 0)
            usage["warnings"] = [f"{cut} of {answers} answers were cut at max_tokens={self.max_tokens}; give more"]
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
                    yield from _counted(failures)
                    failures = [each for each in failures if isinstance(each[1], NotAskedError)]
            down = self._failing >= self._patience or any(isinstance(why, NotAskedError) for _, why in failures)
            if failures and (ask is None or down or len(failures) == len(requests)):
                id, why = next((each for each in failures if isinstance(each[1], NotAskedError)), failures[0])
                raise AssayError(
                    f"{self.name}:{self.model}: {len(failures)} of {len(requests)} items failed; id {id}: {why}"
                )
            yield from _counted(failures)
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
        if ask and not details.get("refusal") and (wrong := ask.readable(id, text)):
            repair = f"Your answer cannot be used: {wrong}. Answer again, in the form that was asked for, nothing else."
            more = [*messages, {"role": "assistant", "content": text}, {"role": "user", "content": repair}]
            self._count("asked_again", 1)
            text, details = self._complete(more, stop or Event(), ask, id)
        return text, details

    def _complete(
        self, messages: list[dict[str, str]], stop: Event, ask: Ask, id: str
    ) -> tuple[str, dict[str, Any]]:  # fmt: skip
        dialect = self.dialects[self.dialect]
        seed = ask.seeds.get(id, self.seed)
        chosen = Settings(self.model, self.temperature, self.top_p, self.max_tokens, seed)
        plain = self._plain  # another thread may set it while this call is under way
        body = without_settings(dialect.body(messages, chosen, PLAIN if plain else ask), self._refused)
        try:
            return self._send(body, dialect, stop)
        except CallError as error:
            known = error.status in UNSUPPORTED
            if known and (refused := refused_setting(str(error), body)):
                self._refused = tuple(sorted({*self._refused, refused}))
            elif known and not plain and (ask.schema or ask.logprobs):
                self._plain = True
            else:
                with self._lock:
                    self._failing += error.kind != "refusal"  # a server that declines is not down
                raise
        return self._complete(messages, stop, ask, id)

    def _send(self, body: dict[str, Any], dialect: Dialect, stop: Event) -> tuple[str, dict[str, Any]]:
        """Return the answer to one call, from the cache or the server."""
        file = self._cache_file(body)
        answer = _cached(file, dialect)
        before = {"cached": True} if answer is not None else {}
        if answer is None:
            answer = self._try(body, stop)
            if file:
                with suppress(OSError):  # a failed cache write must not lose a paid answer
                    write_text(file, to_json(seal({"request": body, "response": answer}), indent=None) + "\n")
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
        for attempt in range(self.retries + 1):
            if self._failing >= self._patience:
                raise NotAskedError("not tried: the server answers nothing any more")
            try:
                answer = self._post(body, stop, max(0.001, end - time.monotonic()))
            except CallError as error:
                pause = self.backoff * 2**attempt * random.uniform(0.75, 1.25)
                wait = min(error.wait if error.wait is not None else pause, 120)
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
        if self._pace:
            self._pace.wait(stop)
        if self._spending is None:
            return post(url, body, key, self.timeout, seconds, dialect)
        with self._spending.call(len(to_json(body, indent=None)) / LETTERS, self.max_tokens) as used:
            if used is None:
                raise NotAskedError(f"not requested: max_cost {self.max_cost:g} would be exceeded; give more and go on")
            answer = post(url, body, key, self.timeout, seconds, dialect)
            _, details = dialect.read(answer)
            used += [details.get("tokens_in", 0), details.get("tokens_out", 0)]
        return answer


def _counted(failures: Sequence[tuple[str, AssayError]]) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """Yield the failures of calls that were made, as answers without a text."""
    for id, why in failures:
        if not isinstance(why, NotAskedError):
            yield id, ("", {"failure": getattr(why, "kind", "error"), "why": str(why)[:200]})


def _cached(file: Path | None, dialect: Dialect) -> dict[str, Any] | None:
    if file is None or not file.is_file():
        return None
    try:
        kept = read_json(file)
        response: dict[str, Any] = kept["response"]
        dialect.read(response)
        if broken_seal(kept):
            return None
    except (KeyError, TypeError, AssayError):
        return None  # a damaged entry is requested again and overwritten
    return response
