"""Memory of a personalised model: what the user wrote before, the responses to the most similar questions first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.inputs import Form
from assay.records.documents import read_json
from assay.records.files import to_json
from assay.records.types import Example
from assay.systems.neural.encode import form_of
from assay.systems.shots import Shots

MEMORY = "memory.json"
"""File of a model folder with the responses of its users."""


@dataclass
class Memory:
    """Past responses by user."""

    number: int
    """Number of responses that are read with an input."""
    past: dict[str, list[Example]]
    _near: dict[tuple[str, int], Shots] = field(default_factory=dict, init=False)

    @staticmethod
    def of_training(examples: Iterable[Example], number: int, form: Form | None) -> Memory:
        """Remember the first reference of every example."""
        past: dict[str, list[Example]] = {}
        for one in examples:
            past.setdefault(one.tags["user"], []).append(_plain(one, form))
        return Memory(number, past)

    @staticmethod
    def read(path: Path) -> Memory:
        content = read_json(path)
        try:
            past = {
                user: [Example(id=id, source=source, references=(response,)) for id, source, response in rows]
                for user, rows in content["users"].items()
            }
            return Memory(int(content["number"]), past)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise AssayError(f"{path}: not a memory of responses. Train the model again.") from None

    def to_json(self) -> str:
        users = {
            user: [[one.id, one.source, one.references[0]] for one in responses]
            for user, responses in self.past.items()
        }
        return to_json({"number": self.number, "users": users}) + "\n"

    def responses(self, user: str, example: Example, form: Form | None) -> list[str]:
        """Return responses of a user to the most similar inputs, the nearest first; never that of the example."""
        past = self.past.get(user, [])
        question = _plain(example, form)
        number = min(self.number, sum(one.id != question.id or one.source != question.source for one in past))
        if not number:
            return []
        near = self._near.setdefault((user, number), Shots(past, number, "nearest"))
        return [one.references[0] for one in reversed(near.of(question, lambda one: one.source or ""))]

    def tokens(self, tokenizer: Any, texts: Sequence[str], room: int) -> list[int]:
        """Return the tokens of responses, each with its end, as many as there is room for."""
        made: list[int] = []
        for text in texts:
            ids = list(tokenizer(text, verbose=False).input_ids)
            if len(made) + len(ids) > room:
                break
            made += ids
        return made


def _plain(example: Example, form: Form | None) -> Example:
    return Example(id=example.id, source=form_of(example, form).render(example), references=example.references[:1])
