"""Types of entities that can be named together, and what annotators read for them. TESA's ship.

name = "shipping"

[types.vessel]
plural = "ships"
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal

import msgspec

from assay.errors import AssayError
from assay.inputs.schema_files import read_schema_file

BRACKETS = re.compile(r"\s?\([^)]*\)")
SUFFIXES = ("Jr", "Sr", "II", "III", "IV")


class EntityType(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One type of entities."""

    plural: str = ""
    """How questions name several of them (default: its key)."""
    names: Literal["plain", "index", "company"] = "plain"
    """How names are written in the corpus: as they are read, as index terms (`Bush, George W (Pres)`), or companies
    without the full stop of their abbreviation (`Acme Corp`)."""
    aliases: tuple[str, ...] = ()
    """Labels of the same type in the output of named-entity recognizers (`PER`, `GPE`)."""


class EntityTypes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The types of a corpus, in the order in which groups are listed."""

    noun: ClassVar[str] = "file of entity types"

    name: str
    types: dict[str, EntityType]

    def __post_init__(self) -> None:
        if not self.types:
            raise ValueError("types is empty: at least one type is required")
        every = [label for key, one in self.types.items() for label in {key.lower(), *map(str.lower, one.aliases)}]
        if twice := [label for label in every if every.count(label) > 1]:
            raise ValueError(f"{twice[0]} names two types")

    def key(self, label: str) -> str | None:
        """Return the type that a label names, whatever its case; None if it is not a type of this file."""
        lower = label.lower()
        return next(
            (key for key, one in self.types.items() if lower in {key.lower(), *map(str.lower, one.aliases)}), None
        )

    def plural(self, key: str) -> str:
        return self.types[key].plural or key

    def clean_name(self, name: str, key: str) -> str:
        """Return a name in natural order: the index term `Bush, George W (Pres)` is George W. Bush."""
        plain = " ".join(BRACKETS.sub("", name).split())
        form = self.types[key].names
        if form == "company":
            return f"{plain}." if plain.endswith((" Corp", " Inc", " Co", " Ltd")) else plain
        if form != "index" or "," not in plain:
            return plain
        last, _, first = (part.strip() for part in plain.partition(","))
        words = first.split()
        suffix = [words.pop()] if words and words[-1].rstrip(".") in SUFFIXES else []
        words = [f"{word}." if len(word) == 1 and word.isupper() else word for word in words]
        ends = [f"{one}." if one in ("Jr", "Sr") else one for one in suffix]
        return " ".join([*words, last, *ends])


def entity_types(name: str = "") -> EntityTypes:
    """Return entity types by name or file (default: TESA's)."""
    return read_schema_file(name or "tesa", "types", EntityTypes)


TESA = entity_types("tesa")
"""People, areas and organizations."""


def known_type(types: EntityTypes, label: str, where: str) -> str:
    """Return the type that a label names.

    Raises:
        AssayError: The label is no type: its entities would be lost.
    """
    key = types.key(label)
    if key is None:
        raise AssayError(
            f"{where}: {label!r} is no entity type of {types.name}, which has {', '.join(types.types)}. Add it to a "
            "file of entity types, and give it with --types."
        )
    return key
