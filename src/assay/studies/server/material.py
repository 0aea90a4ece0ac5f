"""What a server has of a study besides its design: lessons, reading tests, and texts of its own."""

from __future__ import annotations

from typing import Literal

import msgspec

from assay.studies.events import Task, Text

Part = Literal["tutorial", "qualification"]
PARTS: tuple[Part, ...] = ("tutorial", "qualification")


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A text whose right answer is known, with the reason."""

    part: Part
    text: str
    expected: str
    """As of a trap: a kind of error, nothing where there is none, a value, or `<=2` and `>=4`."""
    why: str = ""
    source: str = ""
    criterion: str = ""
    """Which question is asked; the first unless said."""

    def task(self) -> Task:
        return Task("lesson", (Text("lesson", "", self.text, self.source),))


class Reading(msgspec.Struct, frozen=True):
    """Names of which one is not in the article."""

    names: tuple[str, ...]
    foreign: str


class Material(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a server has besides the design."""

    lessons: tuple[Lesson, ...] = ()
    readings: dict[str, Reading] = {}
    """By task."""
    consent: str = ""
    """What people are told before they begin: who asks, what is kept, whom to write to."""
    code: str = ""
    """A completion code for everybody, as Prolific wants it; else each person has one of their own."""

    def part(self, part: Part) -> list[Lesson]:
        return [lesson for lesson in self.lessons if lesson.part == part]
