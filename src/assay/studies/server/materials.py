"""Study materials besides the design: training items, reading tests, consent text, completion code."""

from __future__ import annotations

from typing import Literal

import msgspec

from assay.studies.events import Task, Text

Part = Literal["tutorial", "qualification"]
PARTS: tuple[Part, ...] = ("tutorial", "qualification")


class TrainingItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A text with a known answer, for the tutorial or the qualification test."""

    part: Part
    text: str
    expected: str
    """Expected answer, as of a trap: an error code, empty for no error, a value, or a bound such as `<=2`."""
    why: str = ""
    """Explanation of the expected answer."""
    source: str = ""
    criterion: str = ""
    """Criterion of the question (default: the first of the design)."""

    def task(self) -> Task:
        """Return the item as a task of one text."""
        return Task("lesson", (Text("lesson", "", self.text, self.source),))


class ReadingTest(msgspec.Struct, frozen=True):
    """Three names, of which one is not in the article."""

    names: tuple[str, ...]
    foreign: str


class Materials(msgspec.Struct, frozen=True, omit_defaults=True):
    """Materials of a study, as the database stores them."""

    training_items: tuple[TrainingItem, ...] = msgspec.field(default=(), name="lessons")
    reading_tests: dict[str, ReadingTest] = msgspec.field(default_factory=dict, name="readings")
    """By task."""
    consent: str = ""
    """Consent text: responsible persons, stored data, contact."""
    code: str = ""
    """Completion code of all annotators, as Prolific expects it (default: an individual code for each annotator)."""

    def part(self, part: Part) -> list[TrainingItem]:
        """Return the items of the tutorial or of the qualification test."""
        return [item for item in self.training_items if item.part == part]
