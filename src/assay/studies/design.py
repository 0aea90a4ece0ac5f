"""The design of a study: what is asked about which texts, of whom, in which order, checked how. A TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.errors import AssayError
from assay.records import digest_of
from assay.records.documents import read_toml
from assay.specs import did_you_mean
from assay.studies.kinds import QUESTION_KINDS, kind_for

Motivation = Literal["", "theory", "prior work", "research question", "mirrors a metric", "task"]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table of a design; a key that is not known is an error and never ignored."""


class Question(Part, frozen=True):
    """One criterion, and exactly how people are asked for it."""

    criterion: str
    kind: str
    """A name of `assay.studies.kinds.QUESTION_KINDS`."""
    text: str = ""
    """The question, word for word."""
    definition: str = ""
    motivation: Motivation = ""
    because: str = ""
    """The reason itself, or where it is given."""
    family: str = ""
    """Its place in a taxonomy, where its name does not tell."""
    modelled: str = ""
    """What of the systems is meant to bring it about."""
    values: list[int] = []
    """Of a scale, in order; of a slider both ends."""
    labels: dict[str, str] = {}
    """What the values mean, by value; names of choices and categories by their code."""
    preset: int | str | None = None
    """The answer a form starts with. None is better: some people never move it."""
    ties: bool = True
    """For pairs: whether `neither` may be said."""
    several: bool = False
    """Whether more than one category may be named."""
    comments: bool = False
    most: int = 1
    """Of free texts: so many answers at most."""
    least: int = 0
    threshold: float | None = None
    """Human-likeness: an item counts as human if its mean is strictly below."""
    version: str = "1"
    """Of the wording; judgements carry it."""

    @property
    def points(self) -> int:
        return len(self.values) or len(self.labels)


class Sample(Part, frozen=True):
    """Which texts are judged."""

    systems: int | None = None
    items: int | None = None
    """Inputs; every system is judged on each."""
    method: str = ""
    """random, stratified, hand-picked, all, or in words."""
    shared: bool = True
    """The same inputs for all systems."""
    lengths: list[int] = []
    """Strata by number of tokens, where there are such."""
    groups: int | None = None
    """Texts that one task shows together, drawn from all; unless said, those of all systems for one input."""
    size_because: str = ""
    """Why so many: a power analysis, a pilot."""


class People(Part, frozen=True):
    """Who judges."""

    background: str = ""
    recruitment: str = ""
    expert: bool | None = None
    per_item: int | None = None
    most_items: int | None = None
    """Cap of one person."""
    proficiency: str = ""
    demographics: str = ""
    """What is asked of people, and why; or `not collected, because ...`."""
    pay: float | None = None
    """For a task."""
    pay_per_hour: float | None = None
    pay_said: str = ""
    """Where it is known in words alone."""
    currency: str = "USD"
    fee: float = 0.0
    """Share that a platform takes on top of the pay."""
    minutes: float | None = None
    """For a task, as told to people."""


class Presentation(Part, frozen=True):
    """How texts reach people."""

    order: Literal["", "balanced", "shuffled", "fixed"] = ""
    blinded: bool = True
    lease_minutes: float = 60.0
    overlap: int = 0
    """Items that everybody judges."""
    pilot_items: int = 0
    pilot_people: int = 0
    pilot: str = ""
    """What the pilot is for, or what it has found."""


class Quality(Part, frozen=True):
    """Checks of people; every number is a setting and none is on by itself."""

    tutorial: bool = False
    qualification: float | None = None
    """Share of right answers from which a person may begin."""
    qualification_strict: bool = False
    """More than that share, not just as much."""
    reading_test: bool = False
    traps_per_task: int = 0
    trap_block: float | None = None
    """Blocked below this running share of right traps."""
    trap_start: int = 1
    """Tasks before traps can block."""
    attention_checks: int = 0
    """Per task; never first."""
    attention_block: int = 0
    """Blocked after so many failed attention checks; 0 never."""
    minimum_seconds: float | None = None
    """For `minimum_items`; who is faster is dropped."""
    minimum_items: int = 1
    bonus_from: float | None = None
    bonus: float = 0.0
    bonus_every: int = 0
    """Good tasks after which there is a further bonus."""
    keep_blocked_work: bool = False
    """Count what blocked people had finished; else it is kept apart and their tasks are handed out anew."""
    other: str = ""
    """Checks outside, in words: approval rate, countries, by hand."""


class Reporting(Part, frozen=True):
    agreement: list[str] = []
    """Statistics that will be reported."""
    release: bool | None = None
    threats: str = ""
    """Known threats to validity."""
    error_analysis: str = ""
    """What will be learnt from the worst and best outputs."""


class Design(Part, frozen=True):
    name: str
    title: str = ""
    goal: str = ""
    task: str = ""
    language: str = ""
    systems_model: list[str] = []
    """What the systems model explicitly."""
    lineage: str = ""
    """The earlier protocol that is used again."""
    instructions: str = ""
    seed: int = 0
    questions: list[Question] = []
    sample: Sample = Sample()
    people: People = People()
    presentation: Presentation = Presentation()
    quality: Quality = Quality()
    reporting: Reporting = Reporting()
    notes: list[str] = []

    @property
    def digest(self) -> str:
        """Changes with anything that people would see or that would be analysed otherwise."""
        return digest_of(msgspec.to_builtins(self))[:12]

    def question(self, criterion: str) -> Question:
        found = next((each for each in self.questions if each.criterion == criterion), None)
        if found is None:
            known = [each.criterion for each in self.questions]
            raise AssayError(
                f"design {self.name}: no question about '{criterion}'{did_you_mean(criterion, known)}; "
                f"there is {', '.join(known)}"
            )
        return found


def read_design(path: Path) -> Design:
    """A design from its TOML file."""
    return parse_design(read_toml(path), path)


def parse_design(fields: dict[str, Any], where: object) -> Design:
    try:
        design = msgspec.convert(fields, Design)
    except msgspec.ValidationError as error:
        raise AssayError(f"{where}: {error}; `assay study new` writes a design to start from") from None
    _check(design, where)
    return design


def _check(design: Design, where: object) -> None:
    """What no study could be run with, whoever wrote it; everything else is for the linter."""
    names = [question.criterion for question in design.questions]
    for question in design.questions:
        place = f"{where}: question '{question.criterion}'"
        if names.count(question.criterion) > 1:
            raise AssayError(f"{place} stands twice; name each criterion once")
        if question.values != sorted(set(question.values)):
            raise AssayError(f"{place}: values must rise: {question.values}")
        if question.kind not in QUESTION_KINDS:
            raise AssayError(
                f"{place}: no kind called {question.kind}{did_you_mean(question.kind, QUESTION_KINDS)}; "
                f"there is {', '.join(QUESTION_KINDS)}"
            )
        if why := kind_for(question).design_problem():
            raise AssayError(f"{place}: {why}")
    positive = {
        "people.per_item": design.people.per_item, "people.most_items": design.people.most_items,
        "sample.items": design.sample.items, "sample.systems": design.sample.systems,
        "sample.groups": design.sample.groups, "presentation.lease_minutes": design.presentation.lease_minutes,
        "quality.minimum_items": design.quality.minimum_items,
    }  # fmt: skip
    for name, value in positive.items():
        if value is not None and value <= 0:
            raise AssayError(f"{where}: {name} is {value}; it must be above 0")
