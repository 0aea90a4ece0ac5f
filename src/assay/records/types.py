"""The four record types: example, output, judgement and score. All are immutable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias

import msgspec

IDENTIFIERS = re.compile(
    r"(document|doc|dialogue|dialog|conversation|article|story|passage|thread|session|page|paragraph|chapter|book|email|"
    r"video|clip|episode|movie|film|meeting|lecture|interview|recording|transcript)([_ -]?id)?|source[_ -]?id",
    re.IGNORECASE,
)
"""Names of fields that identify what an item was taken from: items with the same value are not independent."""


ANSWERABLE = "answerable"
"""Tag of questions: `false` if the right answer is none."""
NO, YES = frozenset(("false", "no", "0")), frozenset(("true", "yes", "1"))
"""Values of tags that say no or yes, in lower case."""
FIELDS_OF_NEEDS = {
    "references": "references",
    "sources": "source",
    "inputs": "input",
    "contexts": "contexts",
    "messages": "messages",
    "expected": "expected",
}
"""Field of an example by the name under which a metric requires it."""


class Passage(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One retrieved context of an example, with its id."""

    id: str
    text: str


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One turn of a chat. `tool_calls` are unchanged from their file."""

    role: str
    content: str = ""
    name: str | None = None
    tool_calls: tuple[Mapping[str, object], ...] = ()
    tool_call_id: str | None = None


def has_answer(expected: Any) -> bool:
    """Return whether an expected value is an answer; an object with nothing but `checks` has instructions instead."""
    return expected is not None and not (
        isinstance(expected, dict) and expected.keys() == {"checks"} and isinstance(expected["checks"], dict)
    )


class Example(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One item of a dataset: the input of a system and its references. Only `id` is required.

    `references` are human-written texts; `source` is the input as plain text, `input` as a structure, `messages` as a
    chat, and `contexts` are the passages that were retrieved for it. `expected` is the correct answer as a value, a
    list or JSON. `language`, `split` and `tags` select subsets; `parent` links an item of a challenge set to the
    original item.

    >>> example = assay.Example(id="news-1", source="A long text. And more.", references=("A text.",), language="en")
    >>> assay.score(["A text."], examples=[example], metrics="rouge1").scores["rouge1"].value
    1.0
    """

    id: str
    references: tuple[str, ...] = ()
    source: str | None = None
    """Input as plain text: the document, the sentence, the previous turn."""
    input: Mapping[str, object] | None = None
    """Input as a structure (slots, triples, acts, a table), unchanged from its file. `read_input` returns it typed."""
    language: str | None = None
    split: str | None = None
    parent: str | None = None
    """Id of the original item, for an item of a challenge set."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    contexts: tuple[Passage, ...] = ()
    """Passages that were retrieved for the item, each with an id."""
    messages: tuple[Message, ...] = ()
    """The chat that the output answers, without the output."""
    expected: Any = None
    """The correct answer as any JSON value; a list at the top holds alternatives or, for JSON answers, entries."""


class Output(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The output of one system for one example: the `id` of the example, the `output` text, the name of the `system`.

    >>> output = assay.Output(id="news-1", output="A text.", system="bart")
    >>> assay.score([output], {"news-1": "A text."}, metrics="rouge1").system
    'bart'
    """

    id: str
    output: str
    system: str | None = None


JUDGE_METHOD = "judge"
"""Annotation method in the judgements of a model."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A human judgement of one output on one criterion.

    `id` and `system` identify the output; `unit` is the part that was judged and `seconds` the time it took. Studies
    also record the `position` of the text on the screen (from 1), whether it was a `pilot`, the annotation `method`,
    the version of the `question`, and whether a model's answer was `suggested`.

    >>> ratings = [
    ...     assay.Judgement(id="1", system="bart", annotator=name, criterion="fluency", value=4.0) for name in "ab"
    ... ]
    >>> assay.agreement(ratings)["percent"]["value"]
    1.0
    """

    id: str
    system: str
    annotator: str
    criterion: str
    value: float | str
    unit: str = "summary"
    """The judged part: the whole `summary`, `sentence:3`, or `span:10-14`."""
    seconds: float | None = None
    position: int | None = None
    pilot: bool = False
    method: str = ""
    """Annotation method: likert, slider, pairwise, ranking, best-worst; empty if unknown."""
    question: str = ""
    """Version of the wording of the question."""
    suggested: bool = False
    """Whether the annotator saw the suggestion of a model."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The value of a metric with its confidence interval and signature.

    `low` and `high` are the 95 % confidence interval (None without `ci`), `signature` describes how the value was
    computed, `label` is its printed name, and `why` is the reason if there is no value or no interval.

    >>> score = assay.score(["the cat"], ["the cat sat"], metrics="rouge1").scores["rouge1"]
    >>> score.value, score.low, score.signature.split("|")[0]
    (0.8, None, 'rouge')
    """

    value: float | None
    """None if the metric has no value here; `why` has the reason."""
    low: float | None = None
    high: float | None = None
    signature: str = ""
    why: str | None = None
    label: str = ""
    """Printed name: the name of the score with its non-default options."""


class DataFrame(Protocol):
    """A data frame of polars or pandas; neither has to be installed."""

    @property
    def columns(self) -> Any: ...
    def __len__(self) -> int: ...


Value: TypeAlias = str | Sequence[str] | Mapping[str, Any] | Example | Output | Judgement
Data: TypeAlias = str | PathLike[str] | Iterable[Value] | Mapping[str, Value] | DataFrame
"""Input data: a path, a list (of strings, lists, mappings or records), a mapping by id, or a DataFrame."""
References: TypeAlias = Data | Sequence[PathLike[str]]
"""References: input data, or a list of paths to parallel files with one reference per item each."""
