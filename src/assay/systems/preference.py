"""A model that says which of two texts is better: asked twice, with the texts in either place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from assay.records.types import Example
from assay.systems.judge import Asker
from assay.systems.prompts import Prompt

Place = Literal["first", "second", "equal"]
WORDS: dict[str, Place] = {
    "first": "first", "1": "first", "a": "first", "second": "second", "2": "second", "b": "second",
    "equal": "equal", "tie": "equal", "neither": "equal", "both": "equal",
}  # fmt: skip
SAID = re.compile(r"\b(first|second|equal|tie|neither|both)\b", re.IGNORECASE)


class Asked(NamedTuple):
    """What a judge said of two texts in this order, and with their places changed; None where it cannot be read."""

    id: str
    straight: Place | None
    swapped: Place | None


def preferences(
    asker: Asker, prompt: Prompt, criterion: str, examples: Sequence[Example], a: Sequence[str], b: Sequence[str]
) -> list[Asked]:
    """Which of each pair is better, with `a` in the first place and then in the second."""
    texts: dict[str, tuple[str, str]] = {}
    asked = []
    for example, one, other in zip(examples, a, b, strict=True):
        for order, pair in (("straight", (one, other)), ("swapped", (other, one))):
            id = f"{example.id}/{order}"
            texts[id] = pair
            asked.append(msgspec.structs.replace(example, id=id))

    def messages(example: Example) -> list[dict[str, str]]:
        first, second = texts[example.id]
        return prompt.messages(
            source=example.source or "", first=first, second=second, criterion=criterion,
            reference=next(iter(example.references), ""),
        )  # fmt: skip

    said: Mapping[str, Place | None] = {id: read_place(answer) for id, answer, _ in asker.reply(asked, messages)}
    return [Asked(one.id, said.get(f"{one.id}/straight"), said.get(f"{one.id}/swapped")) for one in examples]


def read_place(answer: str) -> Place | None:
    """The one place an answer names; None where it names none, or several."""
    plain = answer.strip().strip("*`\"'.()[] \n").lower()
    if plain in WORDS:
        return WORDS[plain]
    named = {WORDS[word.lower()] for word in SAID.findall(answer)}
    return named.pop() if len(named) == 1 else None
