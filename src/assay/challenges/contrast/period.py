"""Items after a date that mention a new topic, which a system trained earlier cannot have seen."""

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
    """Keywords match beginnings of words, ignoring case, in the source and the title; one match is enough."""

    after: str = ""
    """First day of the period, e.g. 2020-07-01 (default: no limit)."""
    before: str = ""
    """First day after the period (default: no limit)."""
    keywords: str = ""
    """Beginnings of words joined by +, e.g. covid+corona+lockdown (default: any text)."""
    date: str = "date"
    """Tag of the day: 2020-07-31, 20200731 or 31/07/2020."""

    name: ClassVar = "period"
    about: ClassVar = "whether an item is in a period and mentions a keyword"
    gives: ClassVar = "period: inside, outside; none if the day is unknown"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def __post_init__(self) -> None:
        if not (self.after or self.before or self.keywords):
            raise AssayError("contrast period: pass after=2020-07-01, before=… or keywords=covid+corona")
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
    """Return the first day in a text; None if there is none."""
    match = DAY.search(text)
    if match is None:
        return None
    digits = re.sub(r"\D", "", match[0])
    order = digits[4:] + digits[2:4] + digits[:2] if "/" in match[0] else digits
    try:
        return datetime.date(int(order[:4]), int(order[4:6]), int(order[6:]))
    except ValueError:
        return None
