"""Options are explained by the text under their field."""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass
from typing import Literal

import pytest

from assay.specs_help import Option, options_of
from assay.systems import SYSTEMS
from assay.systems.neural.recipe import Recipe


@dataclass
class Base:
    size: int = 3
    """How
    large."""
    quiet: bool = False


@dataclass
class Made(Base):
    size: int = 4
    names: list[str] = field(default_factory=list)
    """Whose."""
    kind: Literal["a", "b"] = "a"
    hidden: int = field(default=0, init=False)
    """Not an option."""


def test_options_with_their_meanings() -> None:
    assert options_of(Made) == [
        Option("size", 4, "int", "How large."),
        Option("quiet", False, "bool", ""),
        Option("names", [], "list[str]", "Whose."),
        Option("kind", "a", "a, b", ""),
    ]


def test_a_class_without_source() -> None:
    assert options_of(make_dataclass("Nowhere", [("x", int, 1)])) == [Option("x", 1, "int", "")]


@pytest.mark.parametrize("cls", [Recipe, *(SYSTEMS.get(name) for name in SYSTEMS)])
def test_every_option_says_what_it_means(cls: type) -> None:
    assert [option.name for option in options_of(cls) if not option.meaning] == []
