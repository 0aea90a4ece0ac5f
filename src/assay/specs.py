"""`NAME:key=value:preset`: how a metric, a system or a form is named with its options, on every command."""

from __future__ import annotations

import dataclasses
import difflib
import re
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from assay.errors import AssayError

T = TypeVar("T")

COLON = re.compile(r":(?!//|\d+(?:[/:]|$))")
"""Where a spec is cut; the colons of a URL (`http://host:8000/v1`) belong to the value."""


class Spec(NamedTuple):
    """A name with its options as they were written."""

    name: str
    options: tuple[tuple[str, str], ...] = ()
    presets: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ":".join((self.name, *self.presets, *(f"{key}={value}" for key, value in self.options)))


def parse(text: str) -> Spec:
    """One spec; a part without ``=`` is the name of a preset."""
    name, *parts = COLON.split(text.strip())
    if not name:
        raise AssayError(f"'{text}': a name must stand before the first colon")
    options = tuple((key.strip(), value) for key, sign, value in (part.partition("=") for part in parts) if sign)
    presets = tuple(part.strip() for part in parts if part and "=" not in part)
    return Spec(name, options, presets)


def parse_list(text: str) -> list[Spec]:
    """Specs separated by commas."""
    return [parse(part) for part in text.split(",") if part.strip()]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` (did you mean x?)`` or nothing; to be put behind an error."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def build(cls: type[T], spec: Spec, presets: Mapping[str, Mapping[str, Any]] | None = None) -> T:
    """An instance of a dataclass from a spec: presets first, then options, each checked against the field's type."""
    presets = presets or {}
    values: dict[str, Any] = {}
    for preset in spec.presets:
        if preset not in presets:
            listed = f"; it has {', '.join(presets)}" if presets else "; it has none"
            raise AssayError(f"{spec.name}: no preset {preset}{did_you_mean(preset, presets)}{listed}")
        values.update(presets[preset])
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}  # type: ignore[arg-type]
    for key, text in spec.options:
        if key not in fields:
            listed = ", ".join(fields) or "none"
            raise AssayError(f"{spec.name}: no option {key}{did_you_mean(key, fields)}; it has: {listed}")
        values[key] = _convert(text, _hint(cls, fields[key]), f"{spec.name}:{key}")
    return cls(**values)


def _hint(cls: type, field: dataclasses.Field[Any]) -> Any:
    """The type of a field. Annotations are strings; each means what it means in the module that wrote it."""
    if not isinstance(field.type, str):
        return field.type
    owner = next(base for base in cls.__mro__ if field.name in vars(base).get("__annotations__", {}))
    return eval(field.type, vars(sys.modules[owner.__module__]))


def _convert(text: str, hint: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        choices = typing.get_args(hint)
        for choice in choices:
            if text == str(choice):
                return choice
        raise AssayError(f"{where}={text}: choose one of {', '.join(map(str, choices))}")
    if origin in (typing.Union, types.UnionType):
        if text.lower() == "none":
            return None
        (hint,) = (arg for arg in typing.get_args(hint) if arg is not type(None))
        return _convert(text, hint, where)
    if hint is bool:
        if text.lower() in ("true", "yes", "1", "on"):
            return True
        if text.lower() in ("false", "no", "0", "off"):
            return False
        raise AssayError(f"{where}={text}: give true or false")
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            raise AssayError(f"{where}={text}: give a {'whole ' if hint is int else ''}number") from None
    return text
