"""Pairwise preferences by a model as judge: each pair is judged twice, in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from assay.judges.judge import Asker
from assay.judges.plain_text import Place, read_place
from assay.records.types import Example
from assay.systems.prompts import Prompt


class PairVerdict(NamedTuple):
    """The preferences of a judge for a pair in the original and the swapped order; None if the answer is unreadable."""

    id: str
    straight: Place | None
    swapped: Place | None


def preferences(
    asker: Asker, prompt: Prompt, criterion: str, examples: Sequence[Example], a: Sequence[str], b: Sequence[str]
) -> list[PairVerdict]:
    """Return the preference for each pair, with `a` as the first text and then as the second."""
    texts: dict[str, tuple[str, str]] = {}
    requests = []
    for example, one, other in zip(examples, a, b, strict=True):
        for order, pair in (("straight", (one, other)), ("swapped", (other, one))):
            id = f"{example.id}/{order}"
            texts[id] = pair
            requests.append(msgspec.structs.replace(example, id=id))

    def messages(example: Example) -> list[dict[str, str]]:
        first, second = texts[example.id]
        return prompt.messages(
            source=example.source or "", first=first, second=second, criterion=criterion,
            reference=next(iter(example.references), ""),
        )  # fmt: skip

    places: Mapping[str, Place | None] = {id: read_place(answer) for id, answer, _ in asker.reply(requests, messages)}
    return [PairVerdict(one.id, places.get(f"{one.id}/straight"), places.get(f"{one.id}/swapped")) for one in examples]
