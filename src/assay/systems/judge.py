"""A model as a judge: ratings by prompt, where an answer that cannot be read stays unscored and is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.records import Example, Judgement
from assay.systems.prompts import Prompt

RATING = re.compile(r"(?:rating|score)\s*[:=]?\s*\**\s*(\d+(?:\.\d+)?)\s*\**\s*(?:/\s*\d+)?", re.IGNORECASE)
ALONE = re.compile(r"\s*\**(\d+(?:\.\d+)?)\**\s*(?:/\s*\d+)?\s*\.?\s*")


class Asker(Protocol):
    """Whoever answers chat messages: an endpoint, or a model on this machine."""

    def ask(
        self, asked: Sequence[tuple[str, list[dict[str, str]]]]
    ) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]: ...


@dataclass
class Verdicts:
    """The ratings that could be read, and the answers that could not, by id."""

    judgements: list[Judgement] = field(default_factory=list)
    unscored: dict[str, str] = field(default_factory=dict)


def read_rating(answer: str, low: float, high: float) -> float | None:
    """The one rating in an answer; None if there is none, if there are several, or if it is off the scale."""
    alone = ALONE.fullmatch(answer)
    found = [alone[1]] if alone else RATING.findall(answer)
    if len({*found}) != 1:
        return None
    value = float(found[0])
    return value if low <= value <= high else None


def judge(
    asker: Asker,
    name: str,
    prompt: Prompt,
    examples: Sequence[Example],
    outputs: Mapping[str, str],
    *,
    system: str,
    criterion: str,
    scale: tuple[float, float] = (1, 5),
) -> Verdicts:
    """Ask about every output; `name` is the annotator of the judgements."""
    asked = [
        (
            example.id,
            prompt.messages(source=example.source or "", output=outputs[example.id], criterion=criterion,
                            reference=next(iter(example.references), "")),
        )
        for example in examples
        if example.id in outputs
    ]  # fmt: skip
    verdicts = Verdicts()
    for id, (answer, _) in asker.ask(asked):
        value = read_rating(answer, *scale)
        if value is None:
            verdicts.unscored[id] = answer
        else:
            verdicts.judgements.append(
                Judgement(id=id, system=system, annotator=name, criterion=criterion, value=value)
            )
    order = {example.id: i for i, example in enumerate(examples)}
    verdicts.judgements.sort(key=lambda judgement: order[judgement.id])
    return verdicts
