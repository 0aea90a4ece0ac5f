"""Schemas of annotation: which categories of spans there are, what each must and may have, and how its markers look.

FOMC's is built in; any other comes from a TOML or JSON file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.records.documents import read_json, read_toml

Name = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$")]


class Category(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of span."""

    name: Name
    mandatory: bool = False
    """Whether every statement must have one."""
    repeatable: bool = True
    """Whether a statement may have several."""
    comment: Literal["never", "optional", "required"] = "optional"
    """The attribute of a span that is free text, written in parentheses before its end marker."""
    start: str = ""
    """The marker before it; `[NAME_START]` if not said."""
    end: str = ""


class Marker(NamedTuple):
    """A marker in a text, and where it stands."""

    category: str
    opens: bool
    start: int
    end: int


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Categories in their order; one of them may enclose all others, as the statement that they belong to."""

    name: str
    categories: tuple[Category, ...]
    whole: Name | None = None

    def __post_init__(self) -> None:
        if not self.categories:
            raise ValueError("a schema needs at least one category")
        if len(set(self.names)) < len(self.names):
            raise ValueError("two categories have the same name")
        if self.whole is not None and self.whole not in self.names:
            raise ValueError(f"whole names the category {self.whole}, which there is not")
        if len(set(self.tokens)) < len(self.tokens):
            raise ValueError("two markers are the same text")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(category.name for category in self.categories)

    @property
    def inner(self) -> tuple[Category, ...]:
        """All but the one that encloses the others."""
        return tuple(category for category in self.categories if category.name != self.whole)

    def category(self, name: str) -> Category:
        return next(category for category in self.categories if category.name == name)

    def start(self, name: str) -> str:
        return self.category(name).start or f"[{name.upper()}_START]"

    def end(self, name: str) -> str:
        return self.category(name).end or f"[{name.upper()}_END]"

    @property
    def tokens(self) -> list[str]:
        """All start markers in the order of the categories, then all end markers."""
        return [*map(self.start, self.names), *map(self.end, self.names)]

    def markers(self, text: str) -> Iterator[Marker]:
        """The markers of a text from left to right. They need no white space around them, and those that are not
        spelled out in the schema may have spaces for underscores, as papers print them."""
        known = _known(self)
        for match in _pattern(self).finditer(text):
            category, opens = known[_plain(match[0])]
            yield Marker(category, opens, *match.span())

    def without_markers(self, text: str) -> str:
        return " ".join(_pattern(self).sub("", text).split())


def _plain(marker: str) -> str:
    return marker.replace(" ", "_")


@lru_cache(maxsize=8)
def _known(schema: Schema) -> dict[str, tuple[str, bool]]:
    starts = {_plain(schema.start(name)): (name, True) for name in schema.names}
    return starts | {_plain(schema.end(name)): (name, False) for name in schema.names}


@lru_cache(maxsize=8)
def _pattern(schema: Schema) -> re.Pattern[str]:
    longest = sorted(schema.tokens, key=len, reverse=True)
    return re.compile("|".join(re.escape(token).replace("_", "[_ ]") for token in longest))


FOMC = Schema(
    "fomc",
    (
        Category("std_sentence", mandatory=True),
        Category("attribution", repeatable=False),
        Category("actor", mandatory=True, repeatable=False),
        Category("motive"),
        Category("scope", repeatable=False),
        Category("evidence"),
        Category("reference", mandatory=True, repeatable=False),
        Category("act", mandatory=True, repeatable=False),
    ),
    whole="std_sentence",
)
"""Statements of newspapers about a central bank, with what was done, by whom, why and on which evidence."""


def schema(name: str) -> Schema:
    """A schema by the path of its file; FOMC's where none is named."""
    return read_schema(Path(name)) if name else FOMC


def read_schema(path: Path) -> Schema:
    """From a file with `name`, perhaps `whole`, and `categories`, each with `name` and what `Category` has."""
    parsed = read_json(path) if path.suffix == ".json" else read_toml(path)
    try:
        return msgspec.convert(parsed, Schema)
    except msgspec.ValidationError as error:
        raise AssayError(
            f"{path}: not a schema of annotation ({error}); it needs name, and categories with a name each"
        ) from None
