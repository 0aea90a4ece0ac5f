"""Short structures as text: meaning representations, concept sets, and the plain source."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.records.inputs import kind_of

if TYPE_CHECKING:
    from assay.records import Example, kinds

BRACKETED = re.compile(r"([^\[\],]+)\[([^\]]*)\](?:, |$)")


@dataclass(frozen=True)
class Slots(Form):
    name: ClassVar = "slots"
    about: ClassVar = "a meaning representation: slot[value], act(slot=value), or pairs"
    kind: ClassVar = "slots"
    reversible: ClassVar = (
        "style=brackets without an act, if no value is missing or contains ] and no name contains [ ] or ,"
    )

    order: Literal["given", "sorted"] = "given"
    style: Literal["brackets", "pairs"] = "brackets"

    def write(self, example: Example, structure: kinds.Slots) -> str:
        act = structure.act
        pairs = sorted(structure.slots, key=lambda pair: pair[0]) if self.order == "sorted" else structure.slots
        if self.style == "pairs":
            body = " | ".join(slot if value is None else f"{slot}: {value}" for slot, value in pairs)
            return f"{act} | {body}" if act else body
        if act:
            inside = ",".join(slot if value is None else f"{slot}={_quoted(str(value))}" for slot, value in pairs)
            return f"{act}({inside})"
        return ", ".join(f"{slot}[{value}]" for slot, value in pairs)

    def read(self, text: str) -> list[list[str]]:
        pairs, position = [], 0
        while position < len(text):
            match = BRACKETED.match(text, position)
            if not match:
                raise AssayError(f"{text[position : position + 40]!r} is not slot[value]")
            pairs.append([match[1], match[2]])
            position = match.end()
        return pairs


def _quoted(value: str) -> str:
    return f"'{value}'" if re.search(r"[\s,=()&]", value) else value


@dataclass(frozen=True)
class Concepts(Form):
    name: ClassVar = "concepts"
    about: ClassVar = "a set of concepts: in the original order, sorted, or shuffled with a seed"
    kind: ClassVar = "concepts"
    reversible: ClassVar = "in the written order, if no concept contains the separator"

    order: Literal["given", "sorted", "shuffled"] = "given"
    separator: str = " "
    seed: int = 0

    def write(self, example: Example, structure: kinds.Concepts) -> str:
        words = list(structure.concepts)
        if self.order == "sorted":
            words.sort()
        elif self.order == "shuffled":
            random.Random(f"{self.seed}\0{example.id}").shuffle(words)  # independent of other examples
        return self.separator.join(words)

    def read(self, text: str) -> list[str]:
        return text.split(self.separator)


@dataclass(frozen=True)
class Source(Form):
    name: ClassVar = "source"
    about: ClassVar = "the source text, with a prefix"
    kind: ClassVar = "text"

    prefix: str = ""

    def write(self, example: Example, structure: None) -> str:
        if example.source is None:
            raise AssayError(f"id {example.id}: no source text{_advice(kind_of(example))}")
        return self.prefix + example.source


def _advice(kind: str) -> str:
    """Return the remedy for an example without a source."""
    from assay.inputs import forms_of

    if not kind:
        return " and no structured input; there is nothing to write"
    options = " or ".join(f"--as {name}" for name in forms_of(kind))
    return f"; its {kind} input is written by {options}" if options else f", and no form writes {kind} inputs"
