"""What was said of the most similar input: its reference as the text, and n-grams of its neighbours as likelihoods."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from assay.inputs import form, form_for
from assay.records.types import Example
from assay.systems.base import Answer, Logprob
from assay.systems.ngram import Ngram
from assay.systems.shots import Shots


@dataclass(eq=False)
class Nearest(Ngram):
    """References of the training examples with the most similar inputs, by their words."""

    name: ClassVar = "nearest"
    about: ClassVar = "the reference of the most similar training input; likelihoods by n-grams of the nearest ones"
    abilities: ClassVar = ("generate", "logprob", "classify")
    takes_form: ClassVar = True

    k: int = 10
    """Number of similar training examples whose n-grams are counted."""
    share: float = 0.7
    """Weight of their n-grams; the rest is that of all training examples."""

    near: Shots | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("k", 1)
        self.require("share", 0, 1)

    def learn(self, train: Sequence[Example]) -> None:
        super().learn(train)
        self.near = Shots(train, min(self.k, sum(bool(one.references) for one in train)), "nearest")

    def _written(self, example: Example) -> str:
        return (self.form or form(form_for(example))).render(example)

    def _neighbours(self, example: Example) -> list[Example]:
        """Return the most similar training examples, the nearest last."""
        return [] if self.near is None else self.near.of(example, self._written)

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            yield Answer(example.id, self._neighbours(example)[-1].references[0])

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        rows = super().logprob(examples, continuations, prefixes)
        for example, texts, prefix, everywhere in zip(examples, continuations, prefixes, rows, strict=True):
            local = Ngram(n=self.n)
            local.learn(self._neighbours(example))
            (here,) = local.logprob([example], [texts], [prefix])
            yield [self._mixed(one, other) for one, other in zip(here, everywhere, strict=True)]

    def _mixed(self, here: Logprob, everywhere: Logprob) -> Logprob:
        tokens = tuple(self._mix(a, b) for a, b in zip(here.tokens, everywhere.tokens, strict=True))
        end = None if here.end is None or everywhere.end is None else self._mix(here.end, everywhere.end)
        return Logprob(tokens, end)

    def _mix(self, here: float, everywhere: float) -> float:
        return math.log(self.share * math.exp(here) + (1 - self.share) * math.exp(everywhere))
