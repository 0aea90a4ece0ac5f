"""The four records everything is made of. They are frozen; a change is a new record."""

from __future__ import annotations

from typing import Any

import msgspec


class Example(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One item of a benchmark: what a system is given and what people wrote for it."""

    id: str
    references: tuple[str, ...] = ()
    source: str | None = None
    """The input as plain text: the document, the sentence, the previous turn."""
    input: dict[str, Any] | None = None
    """The input as a structure (slots, triples, acts, a table), when it is more than text: as its file says it,
    whatever its kind. `read_input` gives it typed."""
    language: str | None = None
    split: str | None = None
    parent: str | None = None
    """For an item of a challenge set: the id of the item it was made from."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)


class Output(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """What one system answered to one example."""

    id: str
    output: str
    system: str | None = None


class Judgement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one person said about one output, on one criterion."""

    id: str
    system: str
    annotator: str
    criterion: str
    value: float | str
    unit: str = "summary"
    """What was judged: the whole `summary`, `sentence:3`, or `span:10-14`."""
    seconds: float | None = None


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One number with what is needed to believe it."""

    value: float | None
    """None where the number does not exist; `why` then says the reason."""
    low: float | None = None
    high: float | None = None
    signature: str = ""
    why: str | None = None
