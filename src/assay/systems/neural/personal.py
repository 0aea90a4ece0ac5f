"""A model of personalised responses as a system; the user of an item is its tag `user`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from assay.records.types import Example
from assay.systems.neural.hugging_face import Model
from assay.systems.neural.memory import MEMORY, Memory
from assay.systems.neural.personal_objective import person_ids, person_of, token


@dataclass(eq=False)
class PersonalModel(Model):
    name: ClassVar = "personal"
    about: ClassVar = "a model of `assay system train personal`: responses for the tag `user` of each item"
    abilities: ClassVar = ("generate",)
    presets: ClassVar = {"sampling": {"sample": True, "top_k": 2}}
    citation: ClassVar = "Wang, Luo, Yang (2021), Personalized Response Generation with Tensor Factorization"

    def source_ids(self, example: Example) -> list[int]:
        _, tokenizer, _ = self.loaded
        vocabulary = tokenizer.get_vocab()
        for kind, name in zip(("question", "user"), person_of(example), strict=True):
            self.seen[kind] += token(kind, name) not in vocabulary
        made = [*person_ids(tokenizer, example), *super().source_ids(example)]
        if self.memory is None:
            return made
        texts = self.memory.responses(person_of(example)[1], example, self.form)
        return made + self.memory.tokens(tokenizer, texts, self.window())

    @cached_property
    def memory(self) -> Memory | None:
        """What the users of the training data wrote, if the model reads it."""
        path = Path(self.path) / MEMORY
        return Memory.read(path) if path.exists() else None

    def usage(self) -> dict[str, Any]:
        used = super().usage()
        notes = [
            f"{self.seen[kind]} items have a {kind} that was not in the training data: no personal factors for it"
            for kind in ("user", "question")
            if self.seen[kind]
        ]
        return used | ({"warnings": [*used.get("warnings", ()), *notes]} if notes else {})
