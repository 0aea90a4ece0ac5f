"""Equivalence classes: spans that experts consider interchangeable, by evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from assay.datasets.fomc import equivalence_classes
from assay.errors import AssayError
from assay.records.inputs import read_input
from assay.records.kinds import EquivalenceClasses
from assay.records.types import Example

Family = Literal["act", "label", "whole"]
PARTS: dict[str, Family] = {"text": "act", "comment": "label", "whole": "whole"}
"""Names in a class file; FOMC's are derived from the names of its evaluations."""


def family(evaluation: str, annotation: str) -> Family:
    """Compared part: `act` the words before the comment, `label` the comment, `whole` both."""
    if annotation != "act" or "with label" in evaluation:
        return "whole"
    return "label" if "label" in evaluation else "act"


@dataclass
class Classes:
    """One evaluation: a category and its classes of interchangeable spans."""

    evaluation: str
    annotation: str
    classes: Sequence[Sequence[str]]
    family: Family = "whole"
    document: str | None = None
    """Document of its targets (default: all). Evaluations with the same name are then pooled."""
    names: Sequence[str] = ()
    """Names of the classes."""
    home: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.classes) < 2:
            raise AssayError(f"evaluation {self.evaluation}: needs at least two classes")
        for place, members in enumerate(self.classes):
            for member in members:
                self.home.setdefault(member, place)

    @classmethod
    def of(cls, example: Example) -> Classes:
        """Return the evaluation of an example of the class file."""
        structure = read_input(example, EquivalenceClasses)
        evaluation = example.tags.get("evaluation", example.id)
        part = PARTS[structure.part] if structure.part else family(evaluation, structure.annotation)
        return cls(
            evaluation, structure.annotation, structure.classes, part, structure.document, structure.class_names or ()
        )

    def scored(self, member: str) -> str:
        """Return the scored continuation; labels include their parentheses."""
        return f"({member})" if self.family == "label" else member

    def class_name(self, place: int) -> int | str:
        """Return the name of a class, or its index."""
        return self.names[place] if self.names else place

    def negatives(self, member: str, limit: int = 2) -> list[tuple[str, int, float]]:
        """Return admissible members of other classes with their class and weight.

        Sampling is uniform over classes, then over members, with rejection by length: the weight is one over the size
        of the class, among admissible members. A member that is listed twice has twice the weight.
        """
        own, words = self.home[member], len(member.split())
        weights: dict[tuple[str, int], float] = {}
        for place, members in enumerate(self.classes):
            for other in members if place != own else ():
                if other != member and (limit < 0 or abs(len(other.split()) - words) <= limit):
                    weights[other, place] = weights.get((other, place), 0.0) + 1 / len(members)
        return [(other, place, weight) for (other, place), weight in weights.items()]


def read_classes(path: Path) -> list[Classes]:
    """Return the evaluations of a class file."""
    return [Classes.of(example) for example in equivalence_classes(path)]
