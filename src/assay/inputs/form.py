"""What a form is: a named way to write an example's input as text, with options, and back where that is possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import AssayError, blaming
from assay.records.inputs import KINDS, kind_of, read_input
from assay.specs import WithOptions

if TYPE_CHECKING:
    from assay.records.kinds import Input
    from assay.records.types import Example


@dataclass(frozen=True)
class Form(WithOptions):
    """One linearization; the fields of a subclass are its options."""

    noun: ClassVar = "form"
    about: ClassVar[str]
    kind: ClassVar[str]
    """The kind of input it writes (`event`, `triples`, ...; `records.kinds` has them), or `text` for the source."""
    usual: ClassVar[bool] = True
    """Whether its kind is written so where no form was asked for; of several that say so, the first in the table."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    reversible: ClassVar[str] = "no"
    """Whether `read` gives back what was written, and under which condition."""

    def render(self, example: Example) -> str:
        """The text of one example; what is wrong with it is said with its id."""
        try:
            with blaming(f"form {self.name}", self):
                return self.write(example, self.given(example))
        except AssayError as error:
            if str(error).startswith(f"id {example.id}"):
                raise
            raise AssayError(f"id {example.id}: {error}") from None

    def given(self, example: Example) -> Input | None:
        """The input as the kind this form writes; None where it writes the source."""
        if self.kind == "text":
            return None
        if kind_of(example) != self.kind:
            found = kind_of(example) or "no structured input"
            raise AssayError(f"id {example.id}: form {self.name} writes {self.kind} inputs; this one has {found}")
        if self.kind not in KINDS:
            raise AssayError(f"form {self.name}: nobody says what {self.kind} inputs hold; register the kind")
        return read_input(example, KINDS.get(self.kind))

    def write(self, example: Example, given: Any) -> str:
        """The text of an input, which is of the kind named."""
        raise NotImplementedError

    def warnings(self, example: Example) -> list[str]:
        """What a person should know about the text of this example; the same words for the same trouble."""
        return []

    def read(self, text: str) -> Any:
        """The structure again, for forms that allow it."""
        raise AssayError(f"form {self.name} cannot be read back")
