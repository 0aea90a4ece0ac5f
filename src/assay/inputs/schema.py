"""Annotation schemas: categories of spans, their constraints and their markers.

The schema of FOMC ships; others are TOML or JSON files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.inputs.schema_files import read_schema_file

if TYPE_CHECKING:
    from assay.records.types import Example

ANY_MARKER = re.compile(r"\[([^\W\d_]\w*)_(START|END)\]")
"""A default marker of any category."""
NAME = re.compile(r"[^\W\d_]\w*")


class Category(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of span."""

    name: str
    """Letters of any script in lower case, digits and `_`; a letter first."""
    about: str = ""
    """What annotators read for it (default: its name)."""
    mandatory: bool = False
    """Whether each statement must have one."""
    repeatable: bool = True
    """Whether a statement may have several."""
    comment: Literal["never", "optional", "required"] = "optional"
    """Free-text attribute of a span, written in parentheses before its end marker."""
    start: str = ""
    """Start marker (default: `[NAME_START]`)."""
    end: str = ""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name) or self.name != self.name.lower():
            raise ValueError(f"the name {self.name!r} of a category must be letters in lower case, digits and _")


class Marker(NamedTuple):
    """A marker in a text, with its position."""

    category: str
    opens: bool
    start: int
    end: int


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ordered categories; one of them, the statement, may enclose all others."""

    noun: ClassVar[str] = "annotation schema"

    name: str
    categories: tuple[Category, ...]
    whole: str | None = None

    def __post_init__(self) -> None:
        if not self.categories:
            raise ValueError("a schema needs at least one category")
        if len(set(self.names)) < len(self.names):
            raise ValueError("two categories have the same name")
        if self.whole is not None and self.whole not in self.names:
            raise ValueError(f"whole names the category {self.whole}, which does not exist")
        if len(set(self.tokens)) < len(self.tokens):
            raise ValueError("two markers are the same text")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(category.name for category in self.categories)

    @property
    def inner(self) -> tuple[Category, ...]:
        """Return all categories except the enclosing one."""
        return tuple(category for category in self.categories if category.name != self.whole)

    def category(self, name: str) -> Category:
        return next(category for category in self.categories if category.name == name)

    def start(self, name: str) -> str:
        return self.category(name).start or f"[{name.upper()}_START]"

    def end(self, name: str) -> str:
        return self.category(name).end or f"[{name.upper()}_END]"

    @property
    def tokens(self) -> list[str]:
        """Return all start markers in the order of the categories, then all end markers."""
        return [*map(self.start, self.names), *map(self.end, self.names)]

    def markers(self, text: str) -> Iterator[Marker]:
        """Return the markers of a text from left to right. They need no white space around them, and default markers
        may have spaces for underscores, as in papers."""
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


def schema(name: str = "") -> Schema:
    """Return a schema by name or file (default: FOMC's)."""
    return read_schema_file(name or "fomc", "markers", Schema)


FOMC = schema("fomc")
"""Newspaper statements about a central bank: act, actor, motive and evidence."""


def schema_for(examples: Iterable[Example], named: str = "", folder: Path = Path()) -> Schema:
    """Return the schema of marked examples: the one named, else that of their tag `schema`, else FOMC's."""
    return schema(schema_name(examples, named, folder))


def schema_name(examples: Iterable[Example], named: str = "", folder: Path = Path()) -> str:
    """Return the name or file of the schema of marked examples: as named, else by their tag `schema` (a name, or a file
    relative to their folder), else empty.

    Raises:
        AssayError: The examples name several schemas.
    """
    if named:
        return named
    own = sorted({example.tags["schema"] for example in examples if "schema" in example.tags})
    if len(own) > 1:
        raise AssayError(f"the examples name several schemas ({', '.join(own)}); give one with --schema")
    local = folder / own[0] if own else None
    return str(local) if local is not None and local.is_file() else "".join(own)


def own_schemas(examples: Iterable[Example]) -> list[str]:
    """Return the schemas other than FOMC's that the tags of examples name, without their folders. Markers that are any
    text cannot be told from words, so that only the tag says that they are not FOMC's."""
    named = dict.fromkeys(example.tags["schema"] for example in examples if "schema" in example.tags)
    return [Path(one).name for one in named if one != FOMC.name]


def tag_for(named: str, output: Path) -> dict[str, str]:
    """Return the tag with which a file of marked examples names its schema; empty for the default."""
    if not named:
        return {}
    return {"schema": os.path.relpath(named, output.parent) if Path(named).is_file() else named}


def moved(example: Example, before: Path, after: Path) -> Example:
    """Return an example for a file in another folder: its tag names the same schema file from there."""
    named = example.tags.get("schema")
    if named is None or not (before / named).is_file():
        return example
    tags = {**example.tags, "schema": os.path.relpath(before / named, after)}
    return msgspec.structs.replace(example, tags=tags)


def foreign_markers(text: str, known: Schema, paired: bool = True) -> list[str]:
    """Return categories that a text marks by `[NAME_START]` and `[NAME_END]` and that the schema lacks; without
    `paired` also those of which it has one side only, as outputs that are cut off do."""
    if "_START]" not in text and (paired or "_END]" not in text):
        return []
    sides: dict[str, set[str]] = {}
    for name, side in ANY_MARKER.findall(text):
        sides.setdefault(name, set()).add(side)
    own = {token.strip("[]").rpartition("_")[0] for token in known.tokens}
    return [name.lower() for name, both in sides.items() if name not in own and (len(both) == 2 or not paired)]


def unmarked(texts: Iterable[str], known: Schema) -> str:
    """Return a note if no text has a marker of a schema, which is then presumably another one's; else empty."""
    if any(next(known.markers(text), None) for text in texts):
        return ""
    return f"no text has a marker of the schema {known.name}"


def read_schema(path: Path) -> Schema:
    """Read a file with `name`, optionally `whole`, and `categories`, each with `name` and fields of `Category`."""
    return schema(str(path))
