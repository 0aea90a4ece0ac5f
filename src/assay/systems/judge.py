"""A model as judge: ratings by prompt; unreadable answers stay unscored and are counted."""

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
"""Maximum number of stored characters of an answer."""
N = r"((?:(?<!\w)-)?(?:\d+(?:\.\d+)?|(?<![\w.])\.\d+))"
NUMBER = re.compile(N)
"""Matches all digits, also inside words (4th): their meaning is not guessed."""
RATING = re.compile(rf"\b(?:rating|score)(?:\s+(?:is|of))?\s*[:=]?\s*{N}(?!\w)", re.IGNORECASE)
ALONE = re.compile(rf"\s*:?\s*{N}\s*\.?\s*")
COUNTED = "zero|one|two|three|four|five|six|seven|eight|nine|ten"
UNCLEAR = re.compile(rf"\d\s*(?:[/%+]|(?:out\s+)?of\b|(?:[-,]|to\b|or\b|and\b)\s*(?:{COUNTED})\b)", re.IGNORECASE)
"""Matches a number that is not a plain rating: 3/10, 3 of ten, 3 or four, 3+, 3 %."""
LETTERS = {ord("*"): "", ord("`"): "", ord("–"): "-", ord("—"): "-", ord("−"): "-"}


class Asker(Protocol):
    """A system that answers chat messages about examples: an endpoint or a local model."""

    def reply(self, examples: Sequence[Example], messages: Messages) -> Iterator[Answer]: ...


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict of a judge on one output."""

    id: str
    system: str
    annotator: str
    criterion: str
    value: float | None = None
    """Rating; None if the answer is unreadable."""
    answer: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: bool = False
    cut: bool = False

    def judgement(self) -> Judgement | None:
        """Return the verdict as a judgement, or None without a rating."""
        if self.value is None:
            return None
        return Judgement(
            id=self.id, system=self.system, annotator=self.annotator, criterion=self.criterion, value=self.value
        )


@dataclass(frozen=True)
class Judge(Task):
    """Rate every output (`items`). A prompt may use {source}, {output}, {reference}, {criterion}, {low} and {high}."""

    name: ClassVar = "judge"
    about: ClassVar = "outputs"

    annotator: str
    """Name of the judge in its judgements."""
    prompt: Prompt
    criterion: str
    scale: tuple[float, float] = (1, 5)
    form: Form | None = None
    """How inputs are written (default: the plain source)."""

    def __post_init__(self) -> None:
        if not self.scale[0] < self.scale[1]:
            raise AssayError(f"scale {self.scale[0]:g}-{self.scale[1]:g}: write the lower end first, e.g. 1-5")

    def title(self) -> str:
        low, high = self.scale
        return f"{self.name} {self.criterion} {low:g}-{high:g} by {self.annotator} {digest_of(*self.prompt)}"

    def refuse(self, system: System) -> None:
        if not hasattr(system, "reply"):
            raise AssayError(f"system {system.name} cannot judge: it does not chat; use chat:MODEL or hf:MODEL")

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        return (msgspec.to_builtins(verdict) for verdict in self.verdicts(cast(Asker, system), batch))

    def items(self, examples: Sequence[Example], outputs: Mapping[str, str], system: str) -> list[Example]:
        """Return the examples with the output as input. Only the source may be truncated."""
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
        judged = read_input(item, Judged)
        return self.prompt.messages(
            source=item.source or "", output=judged.output or "", reference=next(iter(item.references), ""),
            criterion=self.criterion, low=low, high=high,
        )  # fmt: skip

    def verdicts(self, asker: Asker, items: Sequence[Example]) -> Iterator[Verdict]:
        """Yield verdicts as the answers arrive."""
        systems = {item.id: read_input(item, Judged).system or "" for item in items}
        for id, answer, details in asker.reply(items, self.messages):
            yield Verdict(
                id=id, system=systems[id], annotator=self.annotator, criterion=self.criterion,
                value=read_rating(answer, *self.scale), answer=answer[:LONGEST], **spent(details),
            )  # fmt: skip


def read_rating(answer: str, low: float, high: float) -> float | None:
    """Return the rating in an answer; None if there is none, more than one, or one outside the scale.

    The answer may state the scale (`Rating (1-5): 4`) or its upper end (`4/5`, `4 out of 5`). With any other number
    the answer is ambiguous and returns None.
    """
    plain = _without_scale(answer.translate(LETTERS), low, high)
    alone = ALONE.fullmatch(plain)
    ratings = {float(number) for number in ([alone[1]] if alone else RATING.findall(plain))}
    if len(ratings) != 1 or ratings != {float(number) for number in NUMBER.findall(plain)} or UNCLEAR.search(plain):
        return None
    (value,) = ratings
    return value if low <= value <= high else None


def _without_scale(text: str, low: float, high: float) -> str:
    """Remove mentions of the requested scale from the text."""
    first, last = (rf"{re.escape(f'{end:g}')}(?:\.0+)?(?!\.?\d)" for end in (low, high))
    both = rf"{first}\s*(?:-|to)\s*{last}"
    of = r"/|out\s+of\b|of\b"
    mentions = [
        rf"\([^()\d]*{both}\s*\)",  # Rating (1-5): 4
        rf"(?:on\s+)?(?:an?\s+|the\s+)?\bscale\s+(?:of\s+|from\s+)?{both}",  # 4 on a scale of 1 to 5
        rf"(?:(?<=rating)|(?<=score))\s+{both}(?=\s*:)",  # Rating 1-5: 4
        rf"(?<=\d)\s*(?:{of})\s*{last}(?!\s*(?:{of}))",  # 4/5
    ]
    if high == 100:
        mentions.append(r"(?<=\d)\s*%")
    return re.sub("|".join(mentions), "", text, flags=re.IGNORECASE)
