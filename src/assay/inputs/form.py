"""The interface of forms: write an example's input as text, with options, and read it back where possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import AssayError, blaming
from assay.records.inputs import KINDS, kind_of, read_input
from assay.specs import WithOptions

if TYPE_CHECKING:
    from assay.records.kinds import Input
    from assay.records.types import Example


CONTENT = {"slots": "slots", "acts": "acts", "triples": "triples", "concepts": "concepts", "table": "highlighted",
           "drs": "clauses", "entities": "entities"}  # fmt: skip
"""Field by kind of input without which there is nothing to write; an event without fillers is an error already."""


@dataclass(frozen=True)
class Form(WithOptions):
    """One linearization; the fields of a subclass are its options."""

    noun: ClassVar = "form"
    about: ClassVar[str]
    kind: ClassVar[str]
    """Kind of input that it writes (`event`, `triples`, … of `records.kinds`), or `text` for the source."""
    usual: ClassVar[bool] = True
    """Whether it is the default form of its kind; of several, the first in the table."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    reversible: ClassVar[str] = "no"
    """Whether `read` restores the input, and under which condition."""

    def render(self, example: Example) -> str:
        """Return the text of one example; errors name its id."""
        try:
            with blaming(f"form {self.name}", self):
                return self.write(example, self.structure(example))
        except AssayError as error:
            if str(error).startswith(f"id {example.id}"):
                raise
            raise AssayError(f"id {example.id}: {error}") from None

    def structure(self, example: Example) -> Input | None:
        """Return the parsed input; None if the form writes the source."""
        if self.kind == "text":
            return None
        if kind_of(example) != self.kind:
            kind = kind_of(example) or "no structured input"
            raise AssayError(f"id {example.id}: form {self.name} writes {self.kind} inputs; this one has {kind}")
        if self.kind not in KINDS:
            raise AssayError(f"form {self.name}: input kind {self.kind} is not registered; register it")
        return read_input(example, KINDS.get(self.kind))

    def write(self, example: Example, structure: Any) -> str:
        """Return the text of an input of this form's kind."""
        raise NotImplementedError

    def warnings(self, example: Example) -> list[str]:
        """Return warnings about the text of this example; the same problem has the same wording."""
        return []

    def notes(self, example: Example) -> list[str]:
        """Return the warnings, and whether the input is empty: the text is then too, or has punctuation only."""
        content = (example.input or {}).get(CONTENT.get(self.kind, ""), True)
        return [
            *self.warnings(example),
            *([] if content else [f"has no {CONTENT[self.kind]}: there is nothing to write"]),
        ]

    def units(self, text: str) -> list[str]:
        """Return the words of a text that a tokenizer should not split, such as concepts."""
        return []

    def tokens(self, example: Example) -> Iterable[str]:
        """Return the marks in the text of an example that a trained tokenizer must not split."""
        return ()

    def read(self, text: str) -> Any:
        """Return the structure of a text, for reversible forms."""
        raise AssayError(f"form {self.name} cannot be read back")
