"""The design of a study, a TOML file: questions, sample, annotators, presentation, quality control, reporting."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.errors import AssayError
from assay.inputs.schema import schema
from assay.inputs.typology import Typology, typology
from assay.records.documents import read_toml
from assay.records.files import digest_of
from assay.records.key_problems import key_problem
from assay.specs import did_you_mean
from assay.studies.kinds import QUESTION_KINDS, kind_for
from assay.studies.trap_test import problem_of_traps

Motivation = Literal["", "theory", "prior work", "research question", "mirrors a metric", "task"]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table of a design. An unknown key is an error."""


class Question(Part, frozen=True):
    """One criterion, and the question that elicits it."""

    criterion: str
    kind: str
    """A name of `assay.studies.kinds.QUESTION_KINDS`."""
    text: str = ""
    """Exact wording of the question."""
    definition: str = ""
    motivation: Motivation = ""
    because: str = ""
    """Reason for the criterion, or its citation."""
    family: str = ""
    """Family in a taxonomy of criteria (default: inferred from the name)."""
    modelled: str = ""
    """Entry of `systems_model` that is meant to improve this criterion."""
    values: list[int] = []
    """Points of a scale in ascending order; both ends of a slider."""
    better: Literal["", "higher", "lower"] = ""
    """Direction of the scale (default: lower for ranks and human-likeness, else higher)."""
    labels: dict[str, str] = {}
    """Meaning of each value; name of each choice or error category by its code."""
    preset: int | str | None = None
    """Preselected answer (default: none, which avoids a bias towards it)."""
    ties: bool = True
    """Whether ties are allowed, in pairwise preferences and rankings."""
    several: bool = False
    """Whether more than one category may be chosen."""
    comments: bool = False
    most: int = 1
    """Maximum number of free texts."""
    least: int = 0
    """Minimum number of free texts."""
    threshold: float | None = None
    """Human-likeness: an item counts as human if its mean is below this value."""
    version: str = "1"
    """Version of the wording, stored with each judgement."""
    typology: str = ""
    """Error typology whose codes are the labels: name, or file relative to the design."""
    schema: str = ""
    """Spans: marker schema whose categories are the labels and whose mandatory ones are required: name, or file
    relative to the design."""
    required: list[str] = []
    """Spans: labels that every text must have, unless it has none at all."""
    commented: list[str] = []
    """Spans: labels that need a comment."""

    @property
    def points(self) -> int:
        """Number of points of the scale, or of labels."""
        return len(self.values) or len(self.labels)


class Sample(Part, frozen=True):
    """The texts that are judged."""

    systems: int | None = None
    items: int | None = None
    """Number of inputs; every system is judged on each."""
    method: str = ""
    """Selection of inputs: random, stratified, hand-picked, all, or a description."""
    shared: bool = True
    """Whether all systems are judged on the same inputs."""
    lengths: list[int] = []
    """Strata by number of tokens."""
    groups: int | None = None
    """Maximum number of texts per task (default: one text of each system for the same input)."""
    by_source: bool = True
    """Whether the texts of a group have the same input; if not, groups are sampled from all texts."""
    size_because: str = ""
    """Justification of the sample size: a power analysis or a pilot."""


class People(Part, frozen=True):
    """The annotators."""

    background: str = ""
    recruitment: str = ""
    expert: bool | None = None
    per_item: int | None = None
    """Annotators for each item."""
    most_items: int | None = None
    """Maximum number of items for one annotator."""
    proficiency: str = ""
    demographics: str = ""
    """Demographic data that are collected, and why; or `not collected, because ...`."""
    pay: float | None = None
    """Pay per task."""
    pay_per_hour: float | None = None
    pay_said: str = ""
    """Pay as a description, where no amount is known."""
    currency: str = "USD"
    fee: float = 0.0
    """Fee of the platform, as a share of the pay."""
    minutes: float | None = None
    """Minutes per task, as stated to annotators."""


class Presentation(Part, frozen=True):
    """How texts are presented to annotators."""

    order: Literal["", "balanced", "shuffled", "fixed"] = ""
    blinded: bool = True
    """Whether system names are hidden."""
    shows: list[Literal["source", "event", "entities"]] = []
    """What is shown besides the texts (default: all that the examples have)."""
    lease_minutes: float = 60.0
    """Minutes until an unfinished task is assigned to another annotator."""
    overlap: int = 0
    """Number of items that every annotator judges."""
    pilot_items: int = 0
    pilot_people: int = 0
    pilot: str = ""
    """Purpose of the pilot, or its results."""


class Quality(Part, frozen=True):
    """Quality control; every check is off by default."""

    tutorial: bool = False
    qualification: float | None = None
    """Minimum share of correct answers in the qualification test."""
    qualification_strict: bool = False
    """Whether the share must be above the minimum, not equal to it."""
    reading_test: bool = False
    traps_per_task: int = 0
    trap_acceptable: float | None = None
    """Accuracy on traps that is good enough; a sequential test blocks annotators who are worse."""
    trap_false_block: float = 0.01
    """Largest probability that an annotator of acceptable accuracy is ever blocked."""
    trap_chance: float = 0.5
    """Accuracy on traps by guessing, against which the sequential test is made."""
    trap_block: float | None = None
    """Block an annotator below this running share of correct traps, whatever the number of traps (as in papers)."""
    trap_start: int = 1
    """Number of tasks after which traps can block."""
    attention_checks: int = 0
    """Number of attention checks per task."""
    attention_block: int = 0
    """Block an annotator after this number of failed attention checks (default: 0, never)."""
    minimum_seconds: float | None = None
    """Minimum time for `minimum_items` texts; faster annotators are blocked."""
    minimum_items: int = 1
    bonus_from: float | None = None
    """Minimum share of correct traps in a task for a bonus."""
    bonus: float = 0.0
    bonus_every: int = 0
    """Pay a further bonus after each such number of good tasks (default: 0, none)."""
    keep_blocked_work: bool = False
    """Whether finished work of blocked annotators counts (default: no, and their tasks are assigned again)."""
    other: str = ""
    """Description of other checks: approval rate, countries, manual review."""


class Reporting(Part, frozen=True):
    """What will be reported."""

    agreement: list[str] = []
    """Agreement statistics."""
    release: bool | None = None
    """Whether judgements will be released."""
    threats: str = ""
    """Known threats to validity."""
    error_analysis: str = ""
    """Plan for the analysis of the worst and best outputs."""


class Design(Part, frozen=True):
    """The design of a study."""

    name: str
    title: str = ""
    goal: str = ""
    task: str = ""
    language: str = ""
    systems_model: list[str] = []
    """Properties that the systems model explicitly."""
    lineage: str = ""
    """Earlier protocol that is reused."""
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
        """Digest of all fields; a changed design has another digest."""
        return digest_of(msgspec.to_builtins(self))[:12]

    def question(self, criterion: str) -> Question:
        """Return the question about a criterion."""
        question = next((each for each in self.questions if each.criterion == criterion), None)
        if question is None:
            known = [each.criterion for each in self.questions]
            raise AssayError(
                f"design {self.name}: no question about '{criterion}'{did_you_mean(criterion, known)}; "
                f"choose from {', '.join(known)}"
            )
        return question

    def question_of_kind(self, criterion: str, kind: str) -> Question | None:
        """Return the question about a criterion by a kind, or None if the design has none."""
        return next((each for each in self.questions if (each.criterion, each.kind) == (criterion, kind)), None)


def read_design(path: Path) -> Design:
    """Read a design from a TOML file."""
    return parse_design(read_toml(path), path)


def parse_design(fields: dict[str, Any], where: object) -> Design:
    """Return a design from the content of a TOML file; `where` names the file in messages."""
    try:
        design = msgspec.convert(fields, Design)
    except msgspec.ValidationError as error:
        raise AssayError(f"{where}: {key_problem(error, Design)}. `assay study new` writes a valid design.") from None
    design = msgspec.structs.replace(design, questions=[with_schema(each, where) for each in design.questions])
    _check(design, where)
    return design


def file_of(name: str, design: object) -> str:
    """Return the path of a file that a design names relative to itself; the name of one that ships stays as it is."""
    local = (design.parent if isinstance(design, Path) else Path()) / name
    return str(local) if local.is_file() else name


def typology_of(design: Design, where: object) -> Typology | None:
    """Return the typology of the first question that names one."""
    named = next((question.typology for question in design.questions if question.typology), "")
    return typology(file_of(named, where)) if named else None


def with_schema(question: Question, where: object) -> Question:
    """Return a question with the labels of its typology or marker schema.

    Raises:
        AssayError: It has both, or labels that they lack.
    """
    if not (question.typology or question.schema):
        return question
    place = f"{where}: question '{question.criterion}'"
    if question.typology and question.schema:
        raise AssayError(f"{place}: typology and schema exclude each other; leave one out")
    name = file_of(question.typology or question.schema, where)
    if question.typology:
        labels, rules = typology(name).options, {}
    else:
        known = schema(name)
        labels = {one.name: one.about or one.name for one in known.categories}
        rules = {
            "required": question.required or [one.name for one in known.categories if one.mandatory],
            "commented": question.commented or [one.name for one in known.categories if one.comment == "required"],
        }
    unknown = [code for code in question.labels if code not in labels]
    if unknown:
        raise AssayError(f"{place}: the label {unknown[0]} is not in {name}, which has {', '.join(labels)}")
    return msgspec.structs.replace(question, labels=question.labels or labels, **rules)


def _check(design: Design, where: object) -> None:
    """Refuse designs that cannot be run; everything else is left to the linter."""
    names = [question.criterion for question in design.questions]
    for question in design.questions:
        place = f"{where}: question '{question.criterion}'"
        if names.count(question.criterion) > 1:
            raise AssayError(f"{place} occurs twice; use each criterion once")
        if question.values != sorted(set(question.values)):
            raise AssayError(f"{place}: values must be in ascending order, not {question.values}")
        if question.kind not in QUESTION_KINDS:
            raise AssayError(
                f"{place}: unknown kind '{question.kind}'{did_you_mean(question.kind, QUESTION_KINDS)}; "
                f"choose from {', '.join(QUESTION_KINDS)}"
            )
        if why := kind_for(question).design_problem():
            raise AssayError(f"{place}: {why}")
    positive = {
        "people.per_item": design.people.per_item, "people.most_items": design.people.most_items,
        "sample.items": design.sample.items, "sample.systems": design.sample.systems,
        "sample.groups": design.sample.groups, "presentation.lease_minutes": design.presentation.lease_minutes,
        "quality.minimum_items": design.quality.minimum_items,
    }  # fmt: skip
    comparisons = [question.criterion for question in design.questions if kind_for(question).compares]
    if comparisons and design.quality.traps_per_task:
        raise AssayError(
            f"{where}: question '{comparisons[0]}' compares the texts of a task without its traps, so that annotators "
            "learn which texts are traps; set quality.traps_per_task to 0, or remove the question"
        )
    if comparisons and len(comparisons) == len(design.questions) and design.quality.attention_checks:
        raise AssayError(
            f"{where}: quality.attention_checks needs a question about one text; set it to 0, or add such a question"
        )
    if why := problem_of_traps(design.quality):
        raise AssayError(f"{where}: quality: {why}")
    for name, value in positive.items():
        if value is not None and value <= 0:
            raise AssayError(f"{where}: {name} is {value}; it must be above 0")
