"""Controllable simplification as a system: placeholders and control tokens before the model, entities after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from assay.errors import AssayError
from assay.inputs.controls import NAMES
from assay.inputs.placeholders import Restored, restoration_notes, restore
from assay.inputs.simplification import ORACLE, Preparation, Prepared, control_tokens, inference_items
from assay.inputs.taggers import Tagger, tagger
from assay.records.files import digest_of, read_text
from assay.records.types import Example
from assay.systems.base import Answer
from assay.systems.neural.hugging_face import Model
from assay.systems.neural.simplification_recipe import preparation, read_chain

CONTROL_VALUE = re.compile(r"<([A-Za-z]+)_([\d.]+)>")


@dataclass(eq=False)
class Simplifier(Model):
    """A model of `assay system train simplification`. Every item is answered; none is dropped."""

    name: ClassVar = "simplifier"
    about: ClassVar = "a model of `assay system train simplification`, with requested control values"
    abilities: ClassVar = ("generate",)
    presets: ClassVar = {}
    citation: ClassVar = "Srivatsa et al. (2021), SimpleNER; Martin et al. (2020), Controllable Sentence Simplification"

    nbchars: str = ""
    """Requested character ratio: a number, off, or oracle, from the reference (default: as trained)."""
    levsim: str = ""
    """Requested similarity to the source."""
    wordrank: str = ""
    """Requested ratio of the frequency ranks of words."""
    entities: str = ""
    """Tagger of entities (default: as trained; none: no placeholders)."""

    restored: list[Restored] = field(default_factory=list, init=False)

    @cached_property
    def chain(self) -> dict[str, Any]:
        return read_chain(self.path)

    @cached_property
    def how(self) -> Preparation:
        return preparation(self.chain, nbchars=self.nbchars, levsim=self.levsim, wordrank=self.wordrank)

    @cached_property
    def tag(self) -> Tagger | None:
        name = self.entities or self.chain["entities"]
        return tagger(name) if name and name != "none" else None

    def fingerprint(self) -> list[Any]:
        """Return what answers depend on, with the content of a list of entities."""
        file = Path(self.entities or self.chain["entities"] or "none")
        return [*super().fingerprint(), digest_of(self.chain), digest_of(read_text(file)) if file.is_file() else ""]

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        ready = [self._known(one) for one in inference_items(examples, self.how, self.tag)]
        for one, answer in zip(ready, super().generate([item.example for item in ready]), strict=True):
            done = restore(answer.text, one.placed.table)
            self.restored.append(done)
            details = {**answer.details, "controls": one.controls, "controls_from": self.kind_of_controls()}
            if one.placed.table:
                details |= {"entities": one.placed.table, "dropped": done.dropped}
            if done.unknown:
                details["unresolved"] = done.unknown
            yield Answer(answer.id, done.text, details)

    def _known(self, one: Prepared) -> Prepared:
        """Return an item whose control values are all in the vocabulary: those of a reference are moved to the nearest
        trained value.

        Raises:
            AssayError: A requested value was not in the training data, so that the model cannot know its token.
        """
        trained = self.trained_values
        strange = [name for name, value in one.controls.items() if value not in trained.get(name, ())]
        if not strange:
            return one
        if self.kind_of_controls() != ORACLE:
            name = strange[0]
            listed = ", ".join(f"{value:.2f}" for value in sorted(trained.get(name, ())))
            raise AssayError(f"{name}={one.controls[name]:.2f} was not in the training data, which has {listed}")
        self.seen["moved"] += 1
        near = {name: min(trained[name], key=lambda known: abs(known - one.controls[name])) for name in strange}
        controls = {**one.controls, **near}
        text = (one.example.source or "").split(" ", len(controls))[-1]
        source = " ".join([*control_tokens(controls), text])
        return one._replace(controls=controls, example=msgspec.structs.replace(one.example, source=source))

    @cached_property
    def trained_values(self) -> dict[str, set[float]]:
        """The values of each control that are tokens of the model."""
        keys = {printed: name for name, printed in NAMES.items()}
        values: dict[str, set[float]] = {}
        for token in self.loaded.tokenizer.get_vocab():
            if match := CONTROL_VALUE.fullmatch(token):
                values.setdefault(keys.get(match[1], match[1]), set()).add(float(match[2]))
        return values

    def kind_of_controls(self) -> str:
        return ORACLE if ORACLE in self.how.controls.values() else "fixed"

    def usage(self) -> dict[str, Any]:
        used = super().usage()
        notes = restoration_notes(self.restored)
        if self.seen["moved"]:
            notes.append(f"{self.seen['moved']} items: control values moved to the nearest one of the training data")
        if self.kind_of_controls() == ORACLE:
            notes.append("control values are computed from the references: scores are not comparable with fixed ones")
        return used | ({"warnings": [*used.get("warnings", ()), *notes]} if notes else {})
