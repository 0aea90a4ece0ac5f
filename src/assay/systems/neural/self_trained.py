"""A self-trained model with its guards: a text that stutters is replaced, and an n-best list is filtered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from assay.challenges.damage import QUESTION
from assay.errors import AssayError
from assay.models.checkpoints import fingerprint
from assay.records.types import Example
from assay.systems.base import Answer
from assay.systems.neural.classifier import Classifier
from assay.systems.neural.hugging_face import Model
from assay.text.stutter import ALLOWED, stuttered

BASE = "round-0/generator"
"""Model of labelled pairs alone, in the folder of `assay system train self-training`."""


def first_acceptable(unacceptable: Sequence[float], threshold: float) -> int:
    """Return the first candidate that is unacceptable with at most this probability; the first if there is none."""
    return next((i for i, chance in enumerate(unacceptable) if chance <= threshold), 0)


@dataclass(eq=False)
class SelfTrained(Model):
    """The best round of self-training, with the first round as fallback."""

    name: ClassVar = "self-trained"
    about: ClassVar = "a model of `assay system train self-training`, with stutter guard and acceptability filter"
    abilities: ClassVar = ("generate",)
    presets: ClassVar = {}
    citation: ClassVar = "Bakshi et al. (2021), Structure-to-Text Generation with Self-Training"

    base: str = ""
    """Model whose text replaces one that stutters (default: the first round of the folder)."""
    allowed: int = ALLOWED
    """Occurrences of a content word that are not stuttering."""
    acceptability: str = ""
    """Classifier (a folder of `assay system train classifier:acceptability`) that filters the n-best list."""
    threshold: float = 0.6
    """Probability of being unacceptable above which a candidate is dropped."""

    replaced: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("allowed", 1)
        self.require("threshold", 0, 1)
        if self.acceptability and self.nbest < 2:
            raise AssayError("self-trained: acceptability filters an n-best list; set beams=5 and nbest=5")

    def fallback(self) -> Model:
        path = self.base or str(Path(self.path) / BASE)
        if not self.base and not Path(path).is_dir():
            raise AssayError(f"{self.path}: no {BASE}; give base=FOLDER, or hf:{self.path} without the stutter guard")
        made = Model(path=path, **{name: getattr(self, name) for name in ("beams", "max_new", "limit", "batch")})
        made.form, made.seed = self.form, self.seed
        return made

    def fingerprint(self) -> list[Any]:
        filter_by = [fingerprint(self.acceptability)] if self.acceptability else []
        return [*super().fingerprint(), fingerprint(self.fallback().path), *filter_by]

    def usage(self) -> dict[str, Any]:
        used = super().usage()
        kinds = {"stutter": "outputs stuttered and were replaced by those of the first round",
                 "filtered": "outputs are not the first of their n-best list, which was filtered",
                 "all": "n-best lists were unacceptable throughout; their first text was kept"}  # fmt: skip
        notes = [f"{self.replaced[key]} {text}" for key, text in kinds.items() if self.replaced[key]]
        return used | ({"warnings": [*used.get("warnings", ()), *notes]} if notes else {})

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        answers = [self._filtered(answer) for answer in super().generate(examples)]
        bad = [i for i, answer in enumerate(answers) if stuttered(answer.text, self.allowed)]
        if bad:
            self.replaced["stutter"] += len(bad)
            for i, answer in zip(bad, self.fallback().generate([examples[i] for i in bad]), strict=True):
                answers[i] = answer._replace(details={**answer.details, "stuttered": answers[i].text})
        yield from answers

    def _filtered(self, answer: Answer) -> Answer:
        if not self.acceptability:
            return answer
        texts = [str(text) for text, _ in answer.details["nbest"]]
        chances = unacceptability(self.acceptability, texts)
        chosen = first_acceptable(chances, self.threshold)
        self.replaced["filtered"] += chosen > 0
        self.replaced["all"] += chances[chosen] > self.threshold
        details = {**answer.details, "unacceptable": [round(chance, 4) for chance in chances]}
        return Answer(answer.id, texts[chosen], details)


def unacceptability(model: str, texts: Sequence[str]) -> list[float]:
    """Return the probability that each text is unacceptable."""
    scores = next(Classifier(path=model).classify([Example(id="", source=QUESTION)], [texts]))
    return [1 - score for score in scores]
