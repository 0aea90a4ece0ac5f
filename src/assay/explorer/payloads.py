"""What the pages read, exactly: `web/src/types.ts` is made from these structs by `tools/make_types.py`."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from assay.explorer.dialogue_payloads import DialoguePage, DialogueSet
from assay.explorer.people_payloads import PeoplePage
from assay.records.types import Judgement

Column = list[float | None]


class AxisColumn(Struct, frozen=True, kw_only=True):
    """One number of every line, and how to read it."""

    name: str
    label: str
    """What it is called where it is shown: its name with the options that are not the usual ones."""
    labels: dict[str, str]
    """What it is called on a dataset, where that is not the same on all of them."""
    category: str
    about: str
    better: Literal["higher", "lower"] | None
    scale: float
    digits: int
    fraction: bool
    shown: bool
    sized: bool
    values: Column
    low: Column | None
    high: Column | None
    signatures: list[str]
    signature: list[int] | None
    """Which of the signatures each line has; nothing where all have the first."""
    why: dict[str, str]
    """Why a line has no value, by its place."""


class LineColumns(Struct, frozen=True, kw_only=True):
    """What every line is: one list a property, so that thousands of lines stay small and quick to parse."""

    system: list[int]
    dataset: list[int]
    subset: list[str]
    kind: list[str]
    task: list[str]
    language: list[str]
    n: list[int | None]
    parent: list[int]


class About(Struct, frozen=True, kw_only=True):
    """What folders say of what they hold, by name."""

    systems: dict[str, str]
    datasets: dict[str, str]


class OverviewPage(Struct, frozen=True, kw_only=True):
    """Every line against every axis, with what a reader must know before believing them."""

    title: str
    version: str
    systems: list[str]
    datasets: list[str]
    about: About
    problems: list[str]
    notes: list[str]
    alarms: list[str]
    """Values that cannot be, or hardly: something went wrong before they were made."""
    stored: list[str]
    """Datasets whose runs are stored here, so that they can be tested and read."""
    people: list[str]
    """Datasets that people judged, or on which systems made forced choices."""
    dialogues: list[str]
    """Sets of dialogues that can be read turn by turn."""
    lines: LineColumns
    axes: list[AxisColumn]


class TabledNumber(Struct, frozen=True, kw_only=True):
    """One number of all systems on a dataset: who is best, who is not told apart from it, and the groups."""

    name: str
    verdicts: dict[str, str]
    """best, tied or behind, by system; nothing where nobody was tested."""
    groups: list[list[str]]
    """The largest groups of which no two systems are told apart, the best first."""


class TablePage(Struct, frozen=True, kw_only=True):
    """What a paper's table says of one dataset."""

    dataset: str
    numbers: list[TabledNumber]
    notes: list[str]
    """What bold type and marks mean, by which test, and on how many items."""


class ComparedNumber(Struct, frozen=True, kw_only=True):
    """One number of two systems. The difference is b - a."""

    label: str
    """What it is called where it is shown."""
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    sure: bool
    """Whether it is told from chance after correction."""
    better: Literal["a", "b"] | None
    floor: bool
    """Whether no swap came as far, so that p is at most what it says."""
    items_needed: int | None
    why: str | UnsetType = UNSET


class ComparisonPage(Struct, frozen=True, kw_only=True):
    """Paired tests of two systems on one dataset."""

    a: str
    b: str
    dataset: str
    test: str
    """The test, and the correction, in words."""
    verdict: str
    """What may be said of b against a."""
    metrics: dict[str, ComparedNumber]
    warnings: list[str]


class ParentsPage(Struct, frozen=True, kw_only=True):
    """Each system on a challenge set against itself on the items it was made from; empty for other sets."""

    dataset: str
    comparisons: list[ComparisonPage]


class WeighedPiece(Struct, frozen=True, kw_only=True):
    """A stretch of an output, and what it takes away from the value of its sentence."""

    text: str
    cost: float


class WeighedSentence(Struct, frozen=True, kw_only=True):
    """A sentence of an output, and how far the source supports it; pieces put together are the text."""

    value: float
    pieces: list[WeighedPiece]


class OutputShown(Struct, frozen=True, kw_only=True):
    """What one system made of an example."""

    system: str
    text: str | None
    scores: dict[str, float | None]
    faithful: list[WeighedSentence] | UnsetType = UNSET
    """Where the metric `faithful` was scored: its value by sentence, and the words that cost it."""


class ExampleShown(Struct, frozen=True, kw_only=True):
    """One example with what every system made of it and what people said."""

    id: str
    source: str | None
    input: Raw
    """As it was written: an object, or null."""
    references: list[str]
    language: str | None
    split: str | None
    parent: str | None
    tags: dict[str, str]
    outputs: list[OutputShown]
    judgements: list[Judgement]


class ExamplePage(Struct, frozen=True, kw_only=True):
    """Some of the examples of a dataset."""

    dataset: str
    total: int
    matching: int
    offset: int
    systems: list[str]
    metrics: list[str]
    tags: dict[str, list[str]]
    examples: list[ExampleShown]
    notes: list[str]


class ExampleQuery(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which examples a reader asks for. `against` makes the measure a difference of two systems."""

    dataset: str
    text: str = ""
    where: list[str] = []
    metric: str = ""
    system: str = ""
    against: str = ""
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET
    order: str = ""
    """`up`, `down`, or `size`: by the measure, or by how far it is from zero."""
    offset: int = 0
    limit: int = 20
    id: str = ""


class CardSection(Struct, frozen=True, kw_only=True):
    """A paragraph of a card."""

    heading: str
    text: str


class Card(Struct, frozen=True, kw_only=True):
    """What a dataset, a system or a metric is."""

    kind: Literal["dataset", "system", "metric"]
    name: str
    lead: str
    facts: list[tuple[str, str]]
    sections: list[CardSection]


class Embedded(Struct, frozen=True, kw_only=True):
    """Everything the pages may ask for, as it stands inside the one-file report."""

    overview: OverviewPage
    comparisons: list[ComparisonPage]
    parents: list[ParentsPage]
    tables: list[TablePage]
    examples: dict[str, ExamplePage]
    people: list[PeoplePage]
    dialogue_sets: list[DialogueSet]
    dialogues: list[DialoguePage]
    cards: list[Card]
