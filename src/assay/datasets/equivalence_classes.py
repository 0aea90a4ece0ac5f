"""Equivalence classes: spans that experts hold to be interchangeable, by evaluation."""

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
"""How a class file says it; FOMC's says it by the names of its evaluations."""


def family(evaluation: str, annotation: str) -> Family:
    """`act` looks at the words before the comment, `label` at the comment, `whole` at both as they stand."""
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
    """The one document whose targets it is about; all if not said. Several evaluations of one name are then one."""
    names: Sequence[str] = ()
    """What the classes are called."""
    home: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.classes) < 2:
            raise AssayError(f"evaluation {self.evaluation}: needs at least two classes")
        for place, members in enumerate(self.classes):
            for member in members:
                self.home.setdefault(member, place)

    @classmethod
    def of(cls, example: Example) -> Classes:
        """From an example of the class file."""
        given = read_input(example, EquivalenceClasses)
        evaluation = example.tags.get("evaluation", example.id)
        part = PARTS[given.part] if given.part else family(evaluation, given.annotation)
        return cls(evaluation, given.annotation, given.classes, part, given.document, given.class_names or ())

    def scored(self, member: str) -> str:
        """The continuation that is scored; labels have their parentheses."""
        return f"({member})" if self.family == "label" else member

    def negatives(self, member: str, limit: int = 2) -> list[tuple[str, int, float]]:
        """Admissible members of other classes with their class and weight.

        Class uniform, then member uniform, and lengths that differ too much thrown back: that is a weight of one over
        the size of the class, over the admissible ones. A member that stands twice has twice the weight.
        """
        own, words = self.home[member], len(member.split())
        weights: dict[tuple[str, int], float] = {}
        for place, members in enumerate(self.classes):
            for other in members if place != own else ():
                if other != member and (limit < 0 or abs(len(other.split()) - words) <= limit):
                    weights[other, place] = weights.get((other, place), 0.0) + 1 / len(members)
        return [(other, place, weight) for (other, place), weight in weights.items()]


def read_classes(path: Path) -> list[Classes]:
    """The evaluations of a class file."""
    return [Classes.of(example) for example in equivalence_classes(path)]
