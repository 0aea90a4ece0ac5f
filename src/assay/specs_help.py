"""What the options of a dataclass mean: the text that stands under each field in its source."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args, get_origin

from assay.specs import is_setting, type_of


class Option(NamedTuple):
    """One option, as it is shown to people."""

    name: str
    default: Any
    values: str
    """Its type, or what there is to choose from."""
    meaning: str
    """Empty where the source says nothing, or is not there."""
    setting: bool = False
    """Whether it only says how to work, and changes nothing of what comes out."""


def options_of(cls: type) -> list[Option]:
    """The options of a dataclass, in order."""
    said = meanings(cls)
    return [
        Option(field.name, _default(field), _values(cls, field), said.get(field.name, ""), is_setting(field))
        for field in dataclasses.fields(cls)
        if field.init
    ]


def meanings(cls: type) -> dict[str, str]:
    """Field to the text under it, those of the base classes included."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if dataclasses.is_dataclass(base):
            found |= _own(base)
    return found


def _own(cls: type) -> dict[str, str]:
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    except (OSError, TypeError, SyntaxError, ValueError):  # a class without its source
        return {}
    lines = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        field.target.id: " ".join(below.value.value.split())
        for field, below in pairwise(lines)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }


def _default(field: dataclasses.Field[Any]) -> Any:
    """None where there is none."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default


def _values(cls: type, field: dataclasses.Field[Any]) -> str:
    """What there is to choose from, also where the choice has a name of its own; else the type as it is written."""
    hint = type_of(cls, field)
    if get_origin(hint) is Literal:
        return ", ".join(map(str, get_args(hint)))
    if bool in (kinds := get_args(hint)):
        return ", ".join(["true", "false", *(str(word) for kind in kinds for word in get_args(kind))])
    return field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))
