"""What a form is: a named way to write an example's input as text, with options, and back where that is possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.records import Example


@dataclass(frozen=True)
class Form:
    """One linearization; the fields of a subclass are its options."""

    name: ClassVar[str]
    about: ClassVar[str]
    kind: ClassVar[str]
    """The kind of input it writes (`event`, `triples`, ...), or `text` for the source."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    reversible: ClassVar[str] = "no"
    """Whether `read` gives back what was written, and under which condition."""

    def render(self, example: Example) -> str:
        """The text of one example."""
        given = example.input or {}
        if self.kind != "text" and given.get("kind") != self.kind:
            found = given.get("kind") or "no structured input"
            raise AssayError(f"id {example.id}: form {self.name} writes {self.kind} inputs; this one has {found}")
        return self.write(example, given)

    def write(self, example: Example, given: dict[str, Any]) -> str:
        raise NotImplementedError

    def warnings(self, example: Example) -> list[str]:
        """What a person should know about the text of this example; the same words for the same trouble."""
        return []

    def read(self, text: str) -> Any:
        """The structure again, for forms that allow it."""
        raise AssayError(f"form {self.name} cannot be read back")
