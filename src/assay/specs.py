"""Specs, `NAME:key=value:preset`: metrics, systems, forms and other components with their options."""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from assay.errors import AssayError, UsageError

T = TypeVar("T")
SPELLED = dict.fromkeys(("true", "yes", "1", "on"), True) | dict.fromkeys(("false", "no", "0", "off"), False)

COLON = re.compile(r":(?!//|\d+(?:[/:]|$))")
"""Colons that separate the parts of a spec; those of a URL (`http://host:8000/v1`) do not."""

SERVED = ("chat", "completions", "spacy", "stanza")
"""Values of an option that name a server or package, whose model follows after a colon."""


class Spec(NamedTuple):
    """A name with its options as text."""

    name: str
    options: tuple[tuple[str, str], ...] = ()
    presets: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ":".join((self.name, *self.presets, *(f"{key}={value}" for key, value in self.options)))


class WithOptions:
    """Base class of metrics, systems, forms and perturbations: a name, and dataclass fields that are its options."""

    noun: ClassVar[str]
    """What it is called in messages, e.g. "metric"."""
    name: ClassVar[str]

    def require(self, option: str, low: float, high: float = math.inf) -> None:
        """Check the range of an option; to be called in `__post_init__`. None passes.

        Raises:
            AssayError: The value is below `low`, above `high`, or infinite.
        """
        value = getattr(self, option)
        if value is not None and not (low <= value <= high and value != math.inf):
            span = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            raise AssayError(f"{self.noun} {self.name}: {option}={value} must be {span}")


def parse(text: str) -> Spec:
    """Parse one spec; a part without ``=`` is the name of a preset."""
    name, *parts = COLON.split(text.strip())
    parts = _with_served(parts)
    if not name:
        raise AssayError(f"'{text}': the name before the first colon is missing")
    options = tuple((key.strip(), value) for key, sign, value in (part.partition("=") for part in parts) if sign)
    presets = tuple(part.strip() for part in parts if part and "=" not in part)
    keys = [key for key, _ in options]
    if repeated := [key for key in dict.fromkeys(keys) if keys.count(key) > 1]:
        raise UsageError(f"{text.strip()}: {repeated[0]} is given {keys.count(repeated[0])} times; keep one")
    return Spec(name, options, presets)


def _with_served(parts: list[str]) -> list[str]:
    """Return the parts with the model of a server joined to the option that names it: `model=chat:NAME`."""
    joined: list[str] = []
    for part in parts:
        if joined and "=" not in part and joined[-1].partition("=")[2] in SERVED:
            joined[-1] += f":{part}"
        else:
            joined.append(part)
    return joined


def parse_list(text: str) -> list[Spec]:
    """Parse specs separated by commas."""
    return [parse(part) for part in text.split(",") if part.strip()]


def setting(default: T) -> T:
    """Return a dataclass field for an option that does not change results, such as a batch size, device or timeout.

    It is not part of signatures, cache keys and equality: two metrics that differ only in settings are equal. A
    subclass that changes the default has to use `setting` again.
    """
    field: T = dataclasses.field(default=default, compare=False, metadata={"setting": True})
    return field


def is_setting(field: dataclasses.Field[Any]) -> bool:
    return bool(field.metadata.get("setting"))


def options(made: Any) -> dict[str, Any]:
    """Return all options of an instance, by name."""
    return {field.name: getattr(made, field.name) for field in dataclasses.fields(made) if field.init}


def choices(made: Any) -> dict[str, Any]:
    """Return the options of an instance that can change its results, by name."""
    settings = {field.name for field in dataclasses.fields(made) if is_setting(field)}
    return {name: value for name, value in options(made).items() if name not in settings}


def spelled(value: Any) -> str:
    """Return the value of an option as it is written in a spec."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean x?)`` for the most similar name, or an empty string."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def build(cls: type[T], spec: Spec, presets: Mapping[str, Mapping[str, Any]] | None = None) -> T:
    """Create an instance of a dataclass from a spec: presets first, then options.

    Raises:
        AssayError: A preset or option does not exist, or a value does not have the type of its field.
    """
    presets = presets or {}
    values: dict[str, Any] = {}
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}  # type: ignore[arg-type]
    for preset in spec.presets:
        if preset in fields and bool in _kinds(type_of(cls, fields[preset])):
            values[preset] = True  # `rouge:stemmer` is short for `rouge:stemmer=true`
            continue
        if preset not in presets:
            listed = f"; it has {', '.join(presets)}" if presets else "; it has none"
            raise AssayError(f"{spec.name}: no preset {preset}{did_you_mean(preset, presets)}{listed}")
        values.update(presets[preset])
    for key, text in spec.options:
        if key not in fields:
            listed = ", ".join(fields) or "none"
            raise AssayError(f"{spec.name}: no option {key}{did_you_mean(key, fields)}; it has: {listed}")
        values[key] = _convert(text, type_of(cls, fields[key]), f"{spec.name}:{key}")
    return cls(**values)


def type_of(cls: type, field: dataclasses.Field[Any]) -> Any:
    """Return the type of a field, resolved in the module of the class that defines it.

    Only this annotation is resolved: those of other fields may name types that exist for type checkers alone.
    """
    owner = next(base for base in cls.__mro__ if field.name in vars(base).get("__annotations__", {}))
    alone = types.SimpleNamespace(__annotations__={field.name: field.type})
    return typing.get_type_hints(alone, vars(sys.modules[owner.__module__]))[field.name]


def _convert(text: str, hint: Any, where: str) -> Any:
    try:
        return msgspec.convert(_plain(text, _kinds(hint)), hint, dec_hook=lambda kind, value: kind(value))
    except (msgspec.ValidationError, ValueError):
        raise AssayError(f"{where}={text}: {_wanted(hint)}") from None


def _kinds(hint: Any) -> set[Any]:
    """Return the plain types that a value can have."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {type(choice) for choice in inner}
    return set().union(*map(_kinds, inner)) if origin in (typing.Union, types.UnionType) else {hint}


def _plain(text: str, kinds: set[Any]) -> Any:
    """Return the text converted to the first of these types that fits, else unchanged."""
    if type(None) in kinds and text.lower() == "none":
        return None
    if bool in kinds and text.lower() in SPELLED:
        return SPELLED[text.lower()]
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _wanted(hint: Any) -> str:
    """Return which values a type allows, for an error message."""
    arguments = [one for one in typing.get_args(hint) if one is not type(None)]
    if typing.get_origin(hint) is typing.Literal:
        return f"choose one of {', '.join(map(str, arguments))}"
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(map(_wanted, arguments))
    known = {bool: "give true or false", int: "give an integer", float: "give a number"}
    return known.get(hint, f"give {getattr(hint, '__name__', hint)}")
