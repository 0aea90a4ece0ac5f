"""Tasks for systems: generate a text, list texts, rank candidates, choose a continuation, judge an output.

A task defines the required abilities and inputs, the calls to the system, and the resulting rows. `answering` runs
tasks so that they can be interrupted and resumed.
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
    """Base class of tasks. A subclass declares its options as fields."""

    name: ClassVar[str]
    about: ClassVar[Literal["examples", "outputs"]] = "examples"
    """Whether the task is about examples, or about the outputs of a system for them."""
    needs: ClassVar[tuple[str, ...]]
    """Abilities of which the system must have at least one."""
    reads: ClassVar[type[msgspec.Struct] | None] = None
    """Required input type of an example; None for any."""

    def title(self) -> str:
        """Return the name with every option that the answers depend on; stored answers are reused by it."""
        return self.name

    def refuse(self, system: System) -> None:
        """Raise an error if the system cannot do the task."""
        if not set(self.needs) & set(system.abilities):
            raise AssayError(
                f"system {system.name} cannot {self.name}; it can {', '.join(system.abilities)}; "
                "see `assay system list`"
            )

    def check(self, example: Example) -> None:
        """Raise an error for an unsuitable example, before any cost arises."""
        if self.reads is not None:
            read_input(example, self.reads)

    @abstractmethod
    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        """Yield a row for every example, in any order; `label` is the system name in the rows."""


@dataclass(frozen=True)
class Generate(Task):
    """Generate a text for every example, as an outputs file."""

    name: ClassVar = "generate"
    needs: ClassVar = ("generate",)

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        for answer in system.generate(batch):
            yield {"id": answer.id, "output": answer.text, "system": label, **answer.details}


@dataclass(frozen=True)
class ListTexts(Task):
    """List all texts of a system for an example (its beams) with scores, as one output; a single text has no score."""

    name: ClassVar = "list"
    needs: ClassVar = ("generate",)

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        for answer in system.generate(batch):
            listed = answer.details.get("nbest")
            output = write_scored(*zip(*listed, strict=True)) if listed else " ".join(answer.text.split())
            yield {"id": answer.id, "output": output, "system": label, **spent(answer.details)}


@dataclass(frozen=True)
class Rank(Task):
    """Score every candidate with `classify`, or by likelihood with the end token if the system cannot classify."""

    name: ClassVar = "rank"
    needs: ClassVar = ("classify", "logprob")
    reads: ClassVar = Candidates

    normalize: Literal["mean", "sum"] = "mean"
    """Normalisation of likelihoods: mean per token, or sum over the phrase."""

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
    """Choose the more likely of two continuations after the prefix; the end token is not counted."""

    name: ClassVar = "choose"
    needs: ClassVar = ("logprob",)
    reads: ClassVar = Choice

    normalize: Literal["sum", "mean"] = "sum"
    """Normalisation of likelihoods: sum over the span, or mean per token."""

    def title(self) -> str:
        return f"{self.name} {self.normalize}"

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        choices = [read_input(example, Choice) for example in batch]
        pairs = [(one.positive, one.negative) for one in choices]
        likely = system.logprob(batch, pairs, [one.prefix for one in choices])
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
        "judge": "assay.judges.judge:Judge",
    },
    "assay.tasks",
)
"""Name to class. Add tasks here, or with an entry point in a plug-in."""


def tasks_about_examples() -> list[str]:
    """Return the names of tasks about examples, which a config can run."""
    return [name for name, about in TASKS.each(lambda task: task.about, {}) if about == "examples"]
