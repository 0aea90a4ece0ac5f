"""Items after a date that speak of something new: what a system trained before it cannot have met."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags, each
from assay.errors import AssayError
from assay.records.types import Example

DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}|\d{2}/\d{2}/\d{4}")


@dataclass(frozen=True)
class Period(Contrast):
    """Keywords are looked for as beginnings of words, in any case, in the source and the title; one is enough."""

    after: str = ""
    """The first day of the period, 2020-07-01; any if not said."""
    before: str = ""
    """The first day after it."""
    keywords: str = ""
    """Beginnings of words with + between them, covid+corona+lockdown; any text if not said."""
    date: str = "date"
    """The tag that holds the day: 2020-07-31, 20200731 or 31/07/2020."""

    name: ClassVar = "period"
    about: ClassVar = "whether an item falls into a period and speaks of something"
    gives: ClassVar = "period: inside, outside; none where the day is not known"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def __post_init__(self) -> None:
        if not (self.after or self.before or self.keywords):
            raise AssayError("contrast period: say after=2020-07-01, before=… or keywords=covid+corona")
        for option in ("after", "before"):
            if getattr(self, option) and day_of(getattr(self, option)) is None:
                raise AssayError(f"contrast period: {option}={getattr(self, option)}: write a day as 2020-07-01")

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        words = [re.escape(word.strip()) for word in self.keywords.split("+") if word.strip()]
        spoken = re.compile(rf"\b(?:{'|'.join(words)})", re.IGNORECASE) if words else None
        first, last = day_of(self.after), day_of(self.before)

        def tags(example: Example) -> Tags:
            day = day_of(example.tags.get(self.date, ""))
            if day is None and (first or last):
                return {}
            timely = not day or ((first is None or first <= day) and (last is None or day < last))
            text = f"{example.tags.get('title', '')}\n{example.source or ''}"
            return {"period": "inside" if timely and (spoken is None or spoken.search(text)) else "outside"}

        return each(examples, tags)


def day_of(text: str) -> datetime.date | None:
    """The first day that a text names; None for none."""
    found = DAY.search(text)
    if found is None:
        return None
    digits = re.sub(r"\D", "", found[0])
    order = digits[4:] + digits[2:4] + digits[:2] if "/" in found[0] else digits
    try:
        return datetime.date(int(order[:4]), int(order[4:6]), int(order[6:]))
    except ValueError:
        return None
