"""Error typologies: the kinds of error that annotators choose from, with groups, definitions and synthetic examples.

    name = "recipes"
    text = "Boil the rice for ten minutes, then add salt."

    [errors.Step]
    name = "wrong order"
    group = "Procedure"
    definition = "Steps are in another order than in the text."
    wrong = "Add salt, then boil the rice."
    why = "salt comes last"

FRANK's ships. Questions of a study take one by `typology = "FILE"`; its examples become lessons of the tutorial.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from assay.inputs.schema_files import read_schema_file

NO_ERROR = "NoE"
"""Answer for a sentence without an error, whatever the typology."""


class ErrorType(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One kind of error."""

    definition: str
    name: str = ""
    """Its name in words (default: its code)."""
    group: str = ""
    wrong: str = ""
    """A sentence with the error, about the text of the typology."""
    why: str = ""
    """Why the sentence is wrong."""
    wording: str = ""
    """Words that annotators read next to its code (default: the definition)."""


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A sentence about the text of the typology with its known answer, for the qualification test."""

    text: str
    expected: str = ""
    """Code of its error; empty for none."""
    why: str = ""


class Typology(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Codes of errors, in the order of pages and tables."""

    noun: ClassVar[str] = "error typology"

    name: str
    errors: dict[str, ErrorType]
    text: str = ""
    """Synthetic text of the examples."""
    correct: tuple[str, ...] = ()
    """Sentences about the text that have no error, for lessons."""
    other: str = ""
    """Code for an error of no kind; empty for none. It may be one of the errors, for words of its own."""
    lessons: tuple[Lesson, ...] = ()
    """Sentences of the qualification test; the tutorial has the examples of the errors."""
    aliases: dict[str, str] = {}
    """Other names of codes, in published or generated files."""

    def __post_init__(self) -> None:
        if not self.errors:
            raise ValueError("errors is empty: a typology needs at least one kind of error")
        bad = next((code for code in (*self.errors, self.other) if "+" in code or code == NO_ERROR), None)
        if bad is not None:
            raise ValueError(f"errors.{bad}: a code must not contain + or be {NO_ERROR}")
        if lost := [name for name, code in self.aliases.items() if code not in (*self.labels, "")]:
            raise ValueError(f"aliases.{lost[0]} names {self.aliases[lost[0]]}, which is no code")
        if odd := [one.expected for one in self.lessons if one.expected not in (*self.errors, "")]:
            raise ValueError(f"lessons: {odd[0]} is no code")
        if not self.text and any(one.wrong for one in self.errors.values()):
            raise ValueError("text is missing: the examples need a text that they are about")

    @property
    def labels(self) -> tuple[str, ...]:
        """Return all codes that annotators can choose, with the one for no error."""
        return (*self.errors, *([self.other] if self.other and self.other not in self.errors else []), NO_ERROR)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the codes of all errors except the one of no kind."""
        return tuple(code for code in self.errors if code != self.other)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the codes of each group, in the order of the groups."""
        names = dict.fromkeys(self.errors[code].group for code in self.kinds if self.errors[code].group)
        return {name: tuple(code for code in self.kinds if self.errors[code].group == name) for name in names}

    @property
    def options(self) -> dict[str, str]:
        """Return what annotators read for each code."""
        wording = {code: one.wording or one.definition for code, one in self.errors.items()}
        return wording | ({self.other: "something else"} if self.other not in ("", *self.errors) else {})


def typology(name: str = "") -> Typology:
    """Return a typology by name or file (default: FRANK's)."""
    return read_schema_file(name or "frank", "typology", Typology)


FRANK = typology("frank")
"""Factual errors of summaries: semantic frames, discourse, verifiability of content."""
