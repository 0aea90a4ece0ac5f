"""What a form is: a named way to write an example's input as text, with options, and back where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, UsageError

if TYPE_CHECKING:
    from assay.records import Example

Options = Mapping[str, str]


@dataclass(frozen=True)
class Form:
    """One linearization. `options` has the default of each; `choices` the allowed values where they are few."""

    name: str
    about: str
    kind: str
    """The kind of input it writes (`event`, `triples`, ...), or `text` for the source."""
    write: Callable[[Example, Options], str]
    options: Options = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    presets: Mapping[str, Options] = field(default_factory=dict)
    """Named settings, e.g. the behaviour of a released program."""
    parse: Callable[[str, Options], Any] | None = None

    def settle(self, given: Options) -> dict[str, str]:
        """All options with their values; an unknown name or value is refused with what there is."""
        chosen = dict(self.options)
        for key, value in given.items():
            if key not in self.options:
                raise UsageError(f"{self.name}: no option '{key}'; there is {', '.join(self.options) or 'none'}")
            allowed = self.choices.get(key)
            if allowed and value not in allowed:
                raise UsageError(f"{self.name}: {key} is one of {', '.join(allowed)}, not {value!r}")
            chosen[key] = value
            chosen.update(self.presets.get(value, {}) if key == "compat" else {})
        return chosen

    def render(self, example: Example, options: Options | None = None) -> str:
        """The text of one example; options must have been settled."""
        if self.kind != "text" and structure(example).get("kind") != self.kind:
            found = structure(example).get("kind") or "no structured input"
            raise AssayError(f"id {example.id}: form {self.name} writes {self.kind} inputs; this one has {found}")
        return self.write(example, self.settle({}) if options is None else options)


def structure(example: Example) -> dict[str, Any]:
    return example.input or {}


def flag(options: Options, name: str) -> bool:
    return options[name] == "true"


TRUE_FALSE = ("true", "false")
