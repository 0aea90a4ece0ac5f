"""Few-shot prompting: demonstrations from training examples, as earlier turns of the conversation."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from typing import TYPE_CHECKING, Literal

from assay.errors import AssayError
from assay.records.files import digest_of
from assay.records.types import Example
from assay.seeds import rng_for

if TYPE_CHECKING:
    from assay.systems.prompts import Prompt

By = Literal["fixed", "random", "nearest"]
WORDS = re.compile(r"\w+")
Vector = dict[str, float]


@dataclass(eq=False)
class Shots:
    """Demonstrations: `fixed`, the first of the file for every item; `random`, drawn for each item; `nearest`,
    those with the most similar input (cosine of words, rare ones count more), the nearest last."""

    examples: Sequence[Example]
    number: int
    by: By = "fixed"
    seed: int = 0
    source: str = ""
    """Name of the file, for the record of a run."""
    _vectors: list[Vector] = field(default_factory=list, init=False)
    _rare: dict[str, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        usable = [example for example in self.examples if example.references]
        if len(usable) < self.number:
            raise AssayError(
                f"{self.source or 'shots'}: {len(usable)} examples with a reference, {self.number} demonstrations "
                "wanted; give more examples, or fewer --shots"
            )
        self.examples = usable

    def fingerprint(self) -> list[object]:
        """Return what the demonstrations depend on."""
        return [
            "shots",
            self.number,
            self.by,
            *([self.seed] if self.by == "random" else []),
            digest_of(list(self.examples)),
        ]

    def described(self) -> str:
        """Return number, choice and source, for the record of a run."""
        seed = f", seed {self.seed}" if self.by == "random" else ""
        content = digest_of(list(self.examples))[:12]
        return f"{self.number} {self.by} of {len(self.examples)} ({content}{seed})"

    def of(self, example: Example, written: Callable[[Example], str]) -> list[Example]:
        """Return the demonstrations for an example, never the example itself."""
        pool = [one for one in self.examples if one.id != example.id or one.source != example.source]
        if len(pool) < self.number:
            raise AssayError(f"id {example.id}: too few demonstrations besides the item itself; give more examples")
        if self.by == "fixed":
            return pool[: self.number]
        if self.by == "random":
            draw: random.Random = rng_for(self.seed, "shots", example.id)
            return draw.sample(pool, self.number)
        if not self._vectors:
            self._weigh(written)
        near = dict(zip(map(id, self.examples), self._vectors, strict=True))
        ours = self._vector(written(example))
        ranked = sorted(pool, key=lambda one: _cosine(ours, near[id(one)]))  # stable: ties keep the order of the file
        return ranked[-self.number :]

    def _weigh(self, written: Callable[[Example], str]) -> None:
        texts = [written(example) for example in self.examples]
        counts = Counter(word for text in texts for word in set(WORDS.findall(text.lower())))
        self._rare = {word: log((1 + len(texts)) / (1 + count)) + 1 for word, count in counts.items()}
        self._vectors = [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        words = Counter(WORDS.findall(text.lower()))
        vector = {word: count * self._rare[word] for word, count in words.items() if word in self._rare}
        length = sqrt(sum(value * value for value in vector.values()))
        return {word: value / length for word, value in vector.items()} if length else {}


def _cosine(one: Vector, other: Vector) -> float:
    small, large = sorted((one, other), key=len)
    return sum(value * large.get(word, 0.0) for word, value in small.items())


def with_shots(
    messages: list[dict[str, str]], shots: Shots | None, example: Example, chosen: Prompt,
    written: Callable[[Example], str],
) -> list[dict[str, str]]:  # fmt: skip
    """Return chat messages with the demonstrations as earlier turns, before the last message."""
    if shots is None:
        return messages
    turns: list[dict[str, str]] = []
    for one in shots.of(example, written):
        turns += [chosen.messages(text=written(one))[-1], {"role": "assistant", "content": one.references[0]}]
    return [*messages[:-1], *turns, messages[-1]]
