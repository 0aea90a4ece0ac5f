"""Groups of entities as text: background, context and names, with the published ablations and separator variants."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.inputs.form import Form
from assay.records import kinds
from assay.records.inputs import read_input

if TYPE_CHECKING:
    from assay.records import Example

MARKS = {"v1": ("§", "£", "µ"), "v2": ("Information:", "Article:", "Entity:"), "v3": ("<w>", "<a>", "<e>"),
         "v4": ("W", "A", "E")}  # fmt: skip
"""Separator variants: the marker before each background, before the article and before each entity."""


def group_text(structure: kinds.Entities, variant: str, words: int) -> str:
    """`v0` background, context, names; `va` without background; `vb` without context; `vc` names only.

    A text longer than `words` is cut at the start: background is removed first.
    """
    background = [text for text in structure.background if text]
    names = ", ".join(structure.entities)
    context = f"{structure.title}: {structure.context}"
    if variant in MARKS:
        before, article, entity = MARKS[variant]
        pieces = [f"{before} {text}" for text in background]
        pieces.append(f"{article} {structure.title}. {structure.context}")
        pieces += [f"{entity} {name}" for name in structure.entities]
    else:
        shown = {"v0": [*background, context], "va": [context], "vb": background, "vc": []}
        pieces = [*shown[variant], names]
    text = " ".join(pieces)
    split = text.split()
    return text if len(split) <= words else " ".join(split[-words:])


@dataclass(frozen=True)
class Entities(Form):
    name: ClassVar = "entities"
    about: ClassVar = "background, article and names of a group; va, vb, vc omit parts, v1 to v4 mark them"
    kind: ClassVar = "entities"

    variant: Literal["v0", "va", "vb", "vc", "v1", "v2", "v3", "v4"] = "v0"
    words: int = 750
    """Maximum number of words; longer texts are cut at the start."""

    def __post_init__(self) -> None:
        self.require("words", 1)

    def warnings(self, example: Example) -> list[str]:
        whole = group_text(read_input(example, kinds.Entities), self.variant, sys.maxsize)
        return [f"is longer than {self.words} words; its start was cut"] if len(whole.split()) > self.words else []

    def write(self, example: Example, structure: kinds.Entities) -> str:
        return group_text(structure, self.variant, self.words)
