"""Back-translation: translate the source into another language and back to paraphrase it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, Literal

import msgspec

from assay.challenges.perturbation import Perturbation, Rejected
from assay.challenges.translators import ENGINES, Translator
from assay.records.types import Example

ROUNDING = 1 + 1e-12
"""Tolerance for binary rounding: 63 is exactly 35 % of 180 characters."""


@dataclass(frozen=True)
class BackTranslation(Perturbation):
    """Reject results that are much shorter or longer; the accepted share is reported with the set."""

    engine: Literal["apertium", "hf", "command"] = "apertium"
    """Apertium, Hugging Face translation models, or commands that read and write one text per line."""
    language: str = "en"
    """Language of the sources, in the engine's notation."""
    via: str = "es"
    """Pivot language, in the engine's notation."""
    there: str = ""
    """For hf and command: the model or command into the pivot language."""
    back: str = ""
    """For hf and command: the model or command back."""
    most: float = 0.35
    """Maximum relative change of the length in characters."""

    name: ClassVar = "backtranslation"
    about: ClassVar = "the source is translated into another language and back"
    changes: ClassVar = "the source"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark; Xie et al. 2020, UDA"

    _known: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Lines with their back-translations."""

    def __post_init__(self) -> None:
        self.require("most", 0)

    @property
    def translator(self) -> Translator:
        return ENGINES[self.engine](self.language, self.via, self.there, self.back)

    def why_not(self) -> str | None:
        return self.translator.why_not()

    def ahead(self, examples: Sequence[Example]) -> None:
        """Translate all lines as one batch, since starting an engine takes longer than translating."""
        sources = sorted((example.id, example.source) for example in examples if example.source)
        lines = dict.fromkeys(line for _, source in sources for line in _lines(source) if line not in self._known)
        if lines:
            translator = self.translator
            there = translator.translate(list(lines), False)
            written = [line for line in dict.fromkeys(there) if line]
            back = dict(zip(written, translator.translate(written, True), strict=True)) if written else {}
            self._known.update({line: back.get(other, "") for line, other in zip(lines, there, strict=True)})

    def change(self, example: Example, draw: Random) -> Example | Rejected | None:
        if not example.source:
            return None
        if any(line not in self._known for line in _lines(example.source)):
            self.ahead([example])
        back = "\n".join(self._known.get(" ".join(line.split()), "") for line in example.source.split("\n"))
        before, after = len(example.source), len(back)
        if abs(after - before) > self.most * before * ROUNDING:
            return Rejected(f"{after} characters returned for {before}")
        return msgspec.structs.replace(example, source=back, tags={**example.tags, "engine": self._signature()})

    def _signature(self) -> str:
        ways = [name for name in (self.there, self.back) if name]
        return " ".join([self.engine, f"{self.language}-{self.via}-{self.language}", *ways])


def _lines(text: str) -> list[str]:
    """Return the non-empty lines of a text, with single spaces."""
    return [line for line in (" ".join(part.split()) for part in text.split("\n")) if line]
