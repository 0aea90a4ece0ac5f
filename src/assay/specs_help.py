"""Documentation of options: the string literal below each field of a dataclass, read from its source."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args, get_origin

from assay.specs import is_setting, type_of


class Option(NamedTuple):
    """One option with its documentation."""

    name: str
    default: Any
    values: str
    """Type or choices."""
    meaning: str
    """Documentation; empty if there is none or the source is not available."""
    setting: bool = False
    """Whether results do not depend on it (see `specs.setting`)."""


def options_of(cls: type) -> list[Option]:
    """Return the options of a dataclass, in order."""
    documented = meanings(cls)
    return [
        Option(field.name, _default(field), _values(cls, field), documented.get(field.name, ""), is_setting(field))
        for field in dataclasses.fields(cls)
        if field.init
    ]


def meanings(cls: type) -> dict[str, str]:
    """Return the documentation of each option, those of base classes included."""
    texts: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if dataclasses.is_dataclass(base):
            texts |= _own(base)
    options = {field.name for field in dataclasses.fields(cls) if field.init}
    return {name: text for name, text in texts.items() if name in options}


def _own(cls: type) -> dict[str, str]:
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    except (OSError, TypeError, SyntaxError, ValueError):  # the source is not available
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
    """Return the default of a field, or None if it has none."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default


def _values(cls: type, field: dataclasses.Field[Any]) -> str:
    """Return the choices of a field, resolved if they are a named type, else its type as written."""
    hint = type_of(cls, field)
    if get_origin(hint) is Literal:
        return ", ".join(map(str, get_args(hint)))
    if bool in (kinds := get_args(hint)):
        return ", ".join(["true", "false", *(str(word) for kind in kinds for word in get_args(kind))])
    return field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))
