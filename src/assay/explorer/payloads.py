"""Payloads of the pages: `tools/make_types.py` writes `web/src/types.ts` from these structs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from assay.explorer.dialogue_payloads import DialoguePage, DialogueSet
from assay.explorer.human_payloads import HumanPage
from assay.records.types import Judgement, Passage

Column = list[float | None]


class AxisColumn(Struct, frozen=True, kw_only=True):
    """One metric of every run, and how to read it."""

    name: str
    label: str
    """Label: name with options that differ from the default."""
    labels: dict[str, str]
    """Label on a dataset, where labels differ between datasets."""
    category: str
    about: str
    better: Literal["higher", "lower"] | None
    scale: float
    digits: int
    fraction: bool
    shown: bool
    size_dependent: bool
    values: Column
    low: Column | None
    high: Column | None
    signatures: list[str]
    signature: list[int] | None
    """Index of each run's signature; null if all have the first."""
    why: dict[str, str]
    """Why a run has no score, by its index."""


class RunColumns(Struct, frozen=True, kw_only=True):
    """Properties of all runs: one list per property, compact and fast to parse."""

    system: list[int]
    dataset: list[int]
    subset: list[str]
    kind: list[str]
    task: list[str]
    language: list[str]
    n: list[int | None]
    parent: list[int]


class About(Struct, frozen=True, kw_only=True):
    """Descriptions of systems and datasets, by name."""

    systems: dict[str, str]
    datasets: dict[str, str]


class OverviewPage(Struct, frozen=True, kw_only=True):
    """Every run on every axis, with problems and caveats."""

    title: str
    version: str
    systems: list[str]
    datasets: list[str]
    about: About
    problems: list[str]
    notes: list[str]
    alarms: list[str]
    """Sentences about impossible or implausible scores."""
    stored: list[str]
    """Datasets with statistics and texts."""
    judged: list[str]
    """Datasets with human judgements or forced choices."""
    dialogues: list[str]
    """Names of dialogue sets."""
    runs: RunColumns
    axes: list[AxisColumn]


class TableMetric(Struct, frozen=True, kw_only=True):
    """One metric of all systems on a dataset: the best, those not significantly different from it, and groups."""

    name: str
    verdicts: dict[str, str]
    """best, tied or behind, by system; empty without a test."""
    groups: list[list[str]]
    """Largest groups of systems without a significant difference within them, best first."""


class TablePage(Struct, frozen=True, kw_only=True):
    """Significance marks of one dataset's table."""

    dataset: str
    metrics: list[TableMetric]
    notes: list[str]
    """Meaning of bold type and marks, the test, and the number of items."""
    n: int | None = None
    """Number of items that were tested: those that all systems have."""


class ComparedMetric(Struct, frozen=True, kw_only=True):
    """One metric of two systems. The difference is b - a."""

    label: str
    """Label of the metric."""
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    significant: bool
    """Whether the difference is significant after correction."""
    better: Literal["a", "b"] | None
    floor: bool
    """Whether no random permutation reached the difference, so that p is an upper bound."""
    items_needed: int | None
    why: str | UnsetType = UNSET


class ComparisonPage(Struct, frozen=True, kw_only=True):
    """Paired tests of two systems on one dataset."""

    a: str
    b: str
    dataset: str
    test: str
    """Test and multiple-comparison correction, in words."""
    verdict: str
    """Verdict on b compared with a."""
    metrics: dict[str, ComparedMetric]
    worth: list[str]
    """How often annotators agree with differences of this size, where there is evidence."""
    warnings: list[str]


class ParentsPage(Struct, frozen=True, kw_only=True):
    """Each system on a challenge set compared with itself on the original items; empty for other datasets."""

    dataset: str
    comparisons: list[ComparisonPage]


class CostedText(Struct, frozen=True, kw_only=True):
    """Part of an output, and how much it lowers the score of its sentence."""

    text: str
    cost: float


class CostedSentence(Struct, frozen=True, kw_only=True):
    """A sentence of an output with its faithfulness; the concatenated pieces are the text."""

    value: float
    pieces: list[CostedText]


class OutputShown(Struct, frozen=True, kw_only=True):
    """One system's output for an example."""

    system: str
    text: str | None
    scores: dict[str, float | None]
    faithful: list[CostedSentence] | UnsetType = UNSET
    """With the metric `faithful`: its score by sentence, and the words that lower it."""


class ChatTurn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn of a chat."""

    role: str
    text: str
    calls: list[str] = []
    """Calls of tools, as in the file."""


class ExampleMore(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What only examples of chats, retrieval and questions have."""

    messages: list[ChatTurn] = []
    """The chat that the outputs answer."""
    contexts: list[Passage] = []
    expected: Any = None
    """The correct answer, as in the file."""

    def __bool__(self) -> bool:
        return bool(self.messages or self.contexts) or self.expected is not None

    def texts(self) -> Iterator[str]:
        """Yield what a search looks through."""
        yield from (text for turn in self.messages for text in (turn.text, *turn.calls))
        yield from (context.text for context in self.contexts)
        if self.expected is not None:
            yield self.expected if isinstance(self.expected, str) else msgspec.json.encode(self.expected).decode()


class ExampleShown(Struct, frozen=True, kw_only=True):
    """One example with all outputs and human judgements."""

    id: str
    source: str | None
    input: Raw
    """The input as in the file: an object, or null."""
    references: list[str]
    language: str | None
    split: str | None
    parent: str | None
    tags: dict[str, str]
    outputs: list[OutputShown]
    judgements: list[Judgement]
    more: ExampleMore | UnsetType = UNSET


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


class DifferencePage(Struct, frozen=True, kw_only=True):
    """Histogram of the per-item differences `a - b` of one metric, over all items that both systems have a score of.

    Bins have equal width and the middle one is around zero, so that exchanging the systems reverses the counts.
    """

    dataset: str
    metric: str
    a: str
    b: str
    n: int
    a_higher: int
    b_higher: int
    width: float
    """Width of a bin; 0 if all differences are zero."""
    counts: list[int]


class SubsetPage(Struct, frozen=True, kw_only=True):
    """Confidence intervals of the difference `a - b`, by subset and metric."""

    dataset: str
    a: str
    b: str
    subsets: dict[str, dict[str, tuple[float, float]]]


class ExampleQuery(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Query of examples. `against` makes the measure a difference of two systems."""

    dataset: str
    text: str = ""
    where: list[str] = []
    metric: str = ""
    system: str = ""
    against: str = ""
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET
    order: str = ""
    """`up`, `down`, or `size` (absolute value of the measure)."""
    offset: int = 0
    limit: int = 20
    id: str = ""


class CardSection(Struct, frozen=True, kw_only=True):
    """A section of a card."""

    heading: str
    text: str


class Card(Struct, frozen=True, kw_only=True):
    """Description of a dataset, a system or a metric."""

    kind: Literal["dataset", "system", "metric"]
    name: str
    lead: str
    facts: list[tuple[str, str]]
    sections: list[CardSection]


class Embedded(Struct, frozen=True, kw_only=True):
    """All data of the pages, as embedded in the one-file report."""

    overview: OverviewPage
    comparisons: list[ComparisonPage]
    parents: list[ParentsPage]
    tables: list[TablePage]
    examples: dict[str, ExamplePage]
    differences: list[DifferencePage]
    subsets: list[SubsetPage]
    correlations: list[HumanPage]
    dialogue_sets: list[DialogueSet]
    dialogues: list[DialoguePage]
    cards: list[Card]
