"""The four records everything is made of. They are frozen; a change is a new record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias

import msgspec


class Example(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One item of a benchmark: what a system is given and what people wrote for it. Only `id` is required.

    `references` are the texts people wrote, `source` is the input as plain text and `input` as a structure;
    `language`, `split` and any `tags` choose items later; an item of a challenge set names its `parent`.

    >>> example = assay.Example(id="news-1", source="A long text. And more.", references=("A text.",), language="en")
    >>> assay.score(["A text."], examples=[example], metrics="rouge1").scores["rouge1"].value
    1.0
    """

    id: str
    references: tuple[str, ...] = ()
    source: str | None = None
    """The input as plain text: the document, the sentence, the previous turn."""
    input: Mapping[str, object] | None = None
    """The input as a structure (slots, triples, acts, a table), when it is more than text: as its file says it,
    whatever its kind. `read_input` gives it typed."""
    language: str | None = None
    split: str | None = None
    parent: str | None = None
    """For an item of a challenge set: the id of the item it was made from."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)


class Output(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """What one system answered to one example: its `id`, the `output`, and which `system` it was.

    >>> output = assay.Output(id="news-1", output="A text.", system="bart")
    >>> assay.score([output], {"news-1": "A text."}, metrics="rouge1").system
    'bart'
    """

    id: str
    output: str
    system: str | None = None


class Judgement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one person said about one output, on one criterion.

    `id` and `system` say which output, `annotator` who, `criterion` and `value` what; `unit` is the part that was
    judged and `seconds` how long it took. Studies also keep the `position` at which the text was shown (from 1),
    whether it was a `pilot`, the `method` of asking and the version of the `question`.

    >>> said = [assay.Judgement(id="1", system="bart", annotator=name, criterion="fluency", value=4.0) for name in "ab"]
    >>> assay.agreement(said)["percent"]["value"]
    1.0
    """

    id: str
    system: str
    annotator: str
    criterion: str
    value: float | str
    unit: str = "summary"
    """What was judged: the whole `summary`, `sentence:3`, or `span:10-14`."""
    seconds: float | None = None
    position: int | None = None
    pilot: bool = False
    method: str = ""
    """How it was asked: likert, slider, pairwise, ranking, best-worst; empty where it is not known."""
    question: str = ""
    """The version of the question's wording."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One number with what is needed to believe it.

    `value` is the number and `low` to `high` its 95 % interval (None without `ci`), `signature` says exactly how it
    was computed, `label` what it is called in print, and `why` the reason where there is no value or no interval.

    >>> score = assay.score(["the cat"], ["the cat sat"], metrics="rouge1").scores["rouge1"]
    >>> score.value, score.low, score.signature.split("|")[0]
    (0.8, None, 'rouge')
    """

    value: float | None
    """None where the number does not exist; `why` then says the reason."""
    low: float | None = None
    high: float | None = None
    signature: str = ""
    why: str | None = None
    label: str = ""
    """What it is called where it is printed: its name with the options that are not the usual ones."""


class DataFrame(Protocol):
    """A table of polars or pandas; neither has to be there."""

    @property
    def columns(self) -> Any: ...
    def __len__(self) -> int: ...


Value: TypeAlias = str | Sequence[str] | Mapping[str, Any] | Example | Output | Judgement
Data: TypeAlias = str | PathLike[str] | Iterable[Value] | Mapping[str, Value] | DataFrame
"""Whatever a caller has at hand: a path, a list (of strings, lists, mappings or records), a mapping by id, or a
DataFrame."""
References: TypeAlias = Data | Sequence[PathLike[str]]
"""Texts that outputs are compared with; also a list of paths: parallel files, one reference each."""
