"""Likelihoods from servers: log-probabilities of continuations, for `choose`, `rank`, `perplexity` and `bartscore`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.records.types import Example
from assay.systems.at_once import at_once
from assay.systems.base import Logprob
from assay.systems.dialects import Dialect
from assay.systems.endpoint import PLAIN, Chat
from assay.systems.likelihood_dialects import LIKELIHOOD_DIALECTS, NEXT, ROOTED, TOKENIZE, continuation

Values = tuple[float | None, ...]


@dataclass(eq=False)
class Completions(Chat):
    """A language model on a server that returns the probabilities of given tokens."""

    name: ClassVar = "completions"
    about: ClassVar = "token probabilities of a model on an OpenAI-compatible, vLLM, llama.cpp or TGI server"
    abilities: ClassVar = ("logprob",)
    structured: ClassVar = False
    dialects: ClassVar = LIKELIHOOD_DIALECTS

    dialect: str = "openai"
    """What the server speaks: openai (echo with logprobs), vllm, llamacpp, tgi; the last two without /v1 in `base`."""

    def _address(self) -> str:
        whole = super()._address()
        return whole.removesuffix("/v1") if self.dialect in ROOTED else whole

    def _speaks(self, body: dict[str, Any]) -> Dialect:
        return NEXT if "n_predict" in body else super()._speaks(body)

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        before = [
            joined(self.context(example), prefix) for example, prefix in zip(examples, prefixes, strict=True)
        ]  # fmt: skip
        pairs = [(start, text) for start, texts in zip(before, continuations, strict=True) for text in texts]
        values = iter(self.score(pairs))
        for texts in continuations:
            yield [Logprob(_numbers(next(values), text)) for text in texts]

    def context(self, example: Example) -> str:
        """Return the text before a continuation: the prompt with the input, without roles of a chat."""
        return "\n\n".join(message["content"] for message in self.messages(example))

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Values]:
        """Return the log-probabilities of the tokens of each text after the text before it."""
        self._begin()
        values: dict[str, Values] = {}
        failures: list[AssayError] = []
        jobs = [(str(place), pair) for place, pair in enumerate(dict.fromkeys(pairs))]
        try:
            for place, result in at_once(jobs, lambda pair, stop: self._after(*pair, stop), self.concurrency):
                if isinstance(result, AssayError):
                    failures.append(result)
                    continue
                values[place] = result
        finally:
            if self._spending is not None:
                self._spending.close()
        if failures:
            raise AssayError(f"{self.name}:{self.model}: {len(failures)} of {len(jobs)} texts failed; {failures[0]}")
        of = {pair: values[place] for place, pair in jobs}
        return [of[pair] for pair in pairs]

    def _after(self, before: str, text: str, stop: Event) -> Values:
        whole = joined(before, text)
        if self.dialect == "llamacpp":
            return self._one_by_one(before, whole, stop)
        _, details = self._complete([{"role": "user", "content": whole}], stop, PLAIN, "")
        return tuple(continuation(details, whole, len(before)))

    def _one_by_one(self, before: str, whole: str, stop: Event) -> Values:
        """Ask for each token after those before it; the server keeps what it has computed."""
        head, ids = (self._send(_content(text), TOKENIZE, stop)[1]["ids"] for text in (before, whole))
        shared = next(
            (at for at, (a, b) in enumerate(zip(head, ids, strict=False)) if a != b), min(len(head), len(ids))
        )
        values: list[float | None] = []
        for at in range(shared, len(ids)):
            if at == 0:  # no token before it
                values.append(None)
                continue
            _, answer = self._send(NEXT.after(ids[:at], ids[at]), NEXT, stop)
            if answer["id"] != ids[at]:
                raise AssayError("the server selected another token than the one asked for; it ignores logit_bias")
            values.append(answer["logprob"])
        return tuple(values)


def joined(before: str, text: str) -> str:
    """Return a text after another, with one space between them unless there is white space."""
    return before + ("" if not before or not text or before[-1].isspace() else " ") + text


def _content(text: str) -> dict[str, Any]:
    return {"content": text, "add_special": True}


def _numbers(values: Values, text: str) -> tuple[float, ...]:
    numbers = tuple(value for value in values if value is not None)
    if not numbers:
        raise AssayError(
            f"the continuation {text[:40]!r} has no token with a probability; give it a prefix or an input"
        )
    return numbers
