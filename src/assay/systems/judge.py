"""A model as a judge: ratings by prompt, where an answer that cannot be read stays unscored and is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

import msgspec

from assay.errors import AssayError
from assay.inputs import Form
from assay.records.files import digest_of
from assay.records.inputs import read_input
from assay.records.kinds import Judged
from assay.records.types import Example, Judgement
from assay.systems.base import Answer, Row, System, spent
from assay.systems.prompts import Messages, Prompt
from assay.systems.tasks import Task

LONGEST = 400
"""Characters of an answer that are kept."""
N = r"((?:(?<!\w)-)?(?:\d+(?:\.\d+)?|(?<![\w.])\.\d+))"
NUMBER = re.compile(N)
"""Whatever has digits, also inside words (4th): what it means is not guessed."""
RATING = re.compile(rf"\b(?:rating|score)(?:\s+(?:is|of))?\s*[:=]?\s*{N}(?!\w)", re.IGNORECASE)
ALONE = re.compile(rf"\s*:?\s*{N}\s*\.?\s*")
COUNTED = "zero|one|two|three|four|five|six|seven|eight|nine|ten"
UNCLEAR = re.compile(rf"\d\s*(?:[/%+]|(?:out\s+)?of\b|(?:[-,]|to\b|or\b|and\b)\s*(?:{COUNTED})\b)", re.IGNORECASE)
"""A number that is no plain rating: 3/10 and 3 of ten, 3 or four, 3+, 3 %."""
LETTERS = {ord("*"): "", ord("`"): "", ord("–"): "-", ord("—"): "-", ord("−"): "-"}


class Asker(Protocol):
    """Whoever answers chat messages about examples: an endpoint, or a model on this machine."""

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]: ...


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a judge said about one output."""

    id: str
    system: str
    annotator: str
    criterion: str
    value: float | None = None
    """None where the answer could not be read."""
    answer: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: bool = False
    cut: bool = False

    def judgement(self) -> Judgement | None:
        if self.value is None:
            return None
        return Judgement(
            id=self.id, system=self.system, annotator=self.annotator, criterion=self.criterion, value=self.value
        )


@dataclass(frozen=True)
class Judge(Task):
    """A verdict on every output (`items`). A prompt may use {source}, {output}, {reference}, {criterion}, {low} and
    {high}."""

    name: ClassVar = "judge"
    about: ClassVar = "outputs"

    annotator: str
    """What the judge is called in its judgements."""
    prompt: Prompt
    criterion: str
    scale: tuple[float, float] = (1, 5)
    form: Form | None = None
    """How inputs are shown; the source as it is if None."""

    def __post_init__(self) -> None:
        if not self.scale[0] < self.scale[1]:
            raise AssayError(f"scale {self.scale[0]:g}-{self.scale[1]:g}: the lower end comes first, e.g. 1-5")

    def title(self) -> str:
        low, high = self.scale
        return f"{self.name} {self.criterion} {low:g}-{high:g} by {self.annotator} {digest_of(*self.prompt)}"

    def refuse(self, system: System) -> None:
        if not hasattr(system, "reply"):
            raise AssayError(f"system {system.name} cannot judge: it does not chat; use chat:MODEL or hf:MODEL")

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        return (msgspec.to_builtins(verdict) for verdict in self.verdicts(cast(Asker, system), batch))

    def items(self, examples: Sequence[Example], outputs: Mapping[str, str], system: str) -> list[Example]:
        """What is judged: examples with the output in place of the input. Only the source may be cut to fit."""
        return [
            msgspec.structs.replace(
                example, source=self.form.render(example) if self.form else example.source or "",
                input=Judged(output=outputs[example.id], system=system).plain(),
            )
            for example in examples
            if example.id in outputs
        ]  # fmt: skip

    def messages(self, item: Example) -> list[dict[str, str]]:
        low, high = (f"{end:g}" for end in self.scale)
        given = read_input(item, Judged)
        return self.prompt.messages(
            source=item.source or "", output=given.output or "", reference=next(iter(item.references), ""),
            criterion=self.criterion, low=low, high=high,
        )  # fmt: skip

    def verdicts(self, asker: Asker, items: Sequence[Example]) -> Iterator[Verdict]:
        """As the answers come."""
        systems = {item.id: read_input(item, Judged).system or "" for item in items}
        for id, answer, details in asker.reply(items, self.messages):
            yield Verdict(
                id=id, system=systems[id], annotator=self.annotator, criterion=self.criterion,
                value=read_rating(answer, *self.scale), answer=answer[:LONGEST], **spent(details),
            )  # fmt: skip


def read_rating(answer: str, low: float, high: float) -> float | None:
    """The one rating in an answer; None if there is none, if there are several, or if it is off the scale.

    The scale may be said beside it (`Rating (1-5): 4`), or its end (`4/5`, `4 out of 5`). Any other number may be
    another rating, or the end of another scale: the answer is then left unread.
    """
    plain = _without_scale(answer.translate(LETTERS), low, high)
    alone = ALONE.fullmatch(plain)
    ratings = {float(number) for number in ([alone[1]] if alone else RATING.findall(plain))}
    if len(ratings) != 1 or ratings != {float(number) for number in NUMBER.findall(plain)} or UNCLEAR.search(plain):
        return None
    (value,) = ratings
    return value if low <= value <= high else None


def _without_scale(text: str, low: float, high: float) -> str:
    """The text where it does not speak of the scale that was asked for."""
    first, last = (rf"{re.escape(f'{end:g}')}(?:\.0+)?(?!\.?\d)" for end in (low, high))
    both = rf"{first}\s*(?:-|to)\s*{last}"
    of = r"/|out\s+of\b|of\b"
    said = [
        rf"\([^()\d]*{both}\s*\)",  # Rating (1-5): 4
        rf"(?:on\s+)?(?:an?\s+|the\s+)?\bscale\s+(?:of\s+|from\s+)?{both}",  # 4 on a scale of 1 to 5
        rf"(?:(?<=rating)|(?<=score))\s+{both}(?=\s*:)",  # Rating 1-5: 4
        rf"(?<=\d)\s*(?:{of})\s*{last}(?!\s*(?:{of}))",  # 4/5
    ]
    if high == 100:
        said.append(r"(?<=\d)\s*%")
    return re.sub("|".join(said), "", text, flags=re.IGNORECASE)
