"""What a system can be asked: a text, a list of texts, scores for candidates, a choice, a verdict. One table of tasks.

A task says what it needs of a system and of an example, how it asks, and what rows come out. `answering` asks any of
them so that it may be stopped; the commands and `assay run` take theirs from the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import ClassVar, Literal

import msgspec

from assay.errors import AssayError
from assay.records.inputs import Candidates, read_input
from assay.records.kinds import Choice
from assay.records.ranked_candidates import write_scored
from assay.records.types import Example
from assay.registry import Registry
from assay.systems.base import Row, System, spent


@dataclass(frozen=True)
class Task(ABC):
    """The fields of a subclass are its options."""

    name: ClassVar[str]
    about: ClassVar[Literal["examples", "outputs"]] = "examples"
    """What is asked about: examples alone, or what some system has answered to them."""
    needs: ClassVar[tuple[str, ...]]
    """Abilities of a system, any of which will do."""
    reads: ClassVar[type[msgspec.Struct] | None] = None
    """What the input of an example must hold; None where any example can be asked about."""

    def title(self) -> str:
        """The name with every option that the answers depend on; kept with them, and used again by it."""
        return self.name

    def refuse(self, system: System) -> None:
        """Say so where a system cannot be asked this."""
        if not set(self.needs) & set(system.abilities):
            raise AssayError(f"system {system.name} cannot {self.name}; it can {', '.join(system.abilities)}")

    def check(self, example: Example) -> None:
        """Refuse an example that cannot be asked about, before anything is paid for."""
        if self.reads is not None:
            read_input(example, self.reads)

    @abstractmethod
    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        """A row for every example, in any order; `label` is what the system is called in it."""


@dataclass(frozen=True)
class Generate(Task):
    """A text for every example, as an outputs file."""

    name: ClassVar = "generate"
    needs: ClassVar = ("generate",)

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        for answer in system.generate(batch):
            yield {"id": answer.id, "output": answer.text, "system": label, **answer.details}


@dataclass(frozen=True)
class ListTexts(Task):
    """Every text that a system has for an example (its beams), with scores, as one output; one text has no score."""

    name: ClassVar = "list"
    needs: ClassVar = ("generate",)

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        for answer in system.generate(batch):
            listed = answer.details.get("nbest")
            output = write_scored(*zip(*listed, strict=True)) if listed else " ".join(answer.text.split())
            yield {"id": answer.id, "output": output, "system": label, **spent(answer.details)}


@dataclass(frozen=True)
class Rank(Task):
    """A score for every candidate: by `classify` where a system can, else by likelihood, its end token included."""

    name: ClassVar = "rank"
    needs: ClassVar = ("classify", "logprob")
    reads: ClassVar = Candidates

    normalize: Literal["mean", "sum"] = "mean"
    """Of likelihoods: per token, or of the whole phrase."""

    def title(self) -> str:
        return f"{self.name} {self.normalize}"

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        candidates = [read_input(example, Candidates).candidates for example in batch]
        for example, texts, scores in zip(batch, candidates, self._scores(system, batch, candidates), strict=True):
            yield {"id": example.id, "output": write_scored(texts, scores), "scores": scores, "system": label}

    def _scores(
        self, system: System, batch: Sequence[Example], candidates: Sequence[Sequence[str]]
    ) -> Iterator[list[float]]:
        if "classify" in system.abilities:
            yield from system.classify(batch, candidates)
            return
        for scored in system.logprob(batch, candidates, [""] * len(batch)):
            yield [exp(value.mean()) if self.normalize == "mean" else value.sum(end=True) for value in scored]


@dataclass(frozen=True)
class Choose(Task):
    """Which of two continuations a system finds likelier after the prefix; end token not counted."""

    name: ClassVar = "choose"
    needs: ClassVar = ("logprob",)
    reads: ClassVar = Choice

    normalize: Literal["sum", "mean"] = "sum"
    """The whole span, or per token."""

    def title(self) -> str:
        return f"{self.name} {self.normalize}"

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        given = [read_input(example, Choice) for example in batch]
        pairs = [(one.positive, one.negative) for one in given]
        likely = system.logprob(batch, pairs, [one.prefix for one in given])
        for example, texts, scored in zip(batch, pairs, likely, strict=True):
            scores = [value.sum() if self.normalize == "sum" else value.mean(end=False) for value in scored]
            notes = sorted({note for value in scored for note in value.notes})
            yield {
                "id": example.id,
                "output": write_scored(texts, scores),
                "correct": scores[0] > scores[1],
                "margin": scores[0] - scores[1],
                "system": label,
                **({"notes": notes} if notes else {}),
            }


TASKS: Registry[type[Task]] = Registry(
    "task",
    {
        "generate": "assay.systems.tasks:Generate",
        "list": "assay.systems.tasks:ListTexts",
        "rank": "assay.systems.tasks:Rank",
        "choose": "assay.systems.tasks:Choose",
        "judge": "assay.systems.judge:Judge",
    },
    "assay.tasks",
)
"""Name to class. Whoever adds a task adds it here, or names it in an entry point, and everybody can ask it."""


def tasks_about_examples() -> list[str]:
    """What a benchmark can ask."""
    return [name for name, about in TASKS.each(lambda task: task.about, {}) if about == "examples"]
