"""Verdicts of a judge on one call, as rows of the answers file, and as judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from assay.judges.calls import Call
from assay.judges.form import JudgeForm
from assay.judges.reading import Reading
from assay.records.types import JUDGE_METHOD, Judgement

LONGEST = 400
"""Maximum number of stored characters of an answer."""
WINS = {"first": (1.0, 0.0), "second": (0.0, 1.0), "equal": (0.5, 0.5)}
"""Values of both texts of a pair, as in a study with pairwise preferences."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict of a judge on one call."""

    id: str
    """Id of the call."""
    system: str
    annotator: str
    criterion: str = ""
    """The only criterion, with its `value`; several have `values`."""
    value: float | str | None = None
    """None if the answer has no value; `failure` states its kind."""
    values: dict[str, float | str] = {}
    failure: str = ""
    """Kind of failure: timeout, refusal, unreadable or error."""
    why: str = ""
    item: str = ""
    """Id of the item, where it differs from that of the call."""
    systems: tuple[str, ...] = ()
    """Systems of compared texts, in the order in which they were shown."""
    order: str = ""
    draw: int = 0
    expected: dict[str, float] = {}
    """Expected rating by criterion, from token probabilities."""
    probabilities: dict[str, dict[str, float]] = {}
    spans: tuple[tuple[str, str, str, int | None, int | None], ...] = ()
    form: str = ""
    """Signature of the form."""
    answer: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: bool = False
    cut: bool = False

    @classmethod
    def of(
        cls, call: Call, annotator: str, form: JudgeForm, reading: Reading, *, answer: str,
        probabilities: Mapping[str, Mapping[str, float]], expected: Mapping[str, float], **spent: Any,
    ) -> Verdict:  # fmt: skip
        """Return the verdict of a reading."""
        one = len(call.criteria) == 1
        compared = len(call.systems) > 1
        name = call.criteria[0] if one else ""
        return cls(
            id=call.key, system="" if compared else call.systems[0], annotator=annotator, criterion=name,
            value=reading.values.get(name) if one else None, values={} if one else dict(reading.values),
            failure=reading.failure or "", why=reading.why if reading.failure else "",
            item=call.example.id if call.example.id != call.key else "", systems=call.systems if compared else (),
            order=call.order, draw=call.draw, expected=dict(expected),
            probabilities={key: dict(value) for key, value in probabilities.items()}, spans=tuple(reading.spans),
            form=form.signature, answer=answer, **spent,
        )  # fmt: skip

    @property
    def all_values(self) -> dict[str, float | str]:
        return self.values or ({} if self.value is None else {self.criterion: self.value})

    def judgements(self, form: JudgeForm, expected: bool = False) -> Iterator[Judgement]:
        """Yield the judgements of the verdict: none for a failure.

        Args:
            expected: use expected ratings where token probabilities are known.
        """
        name = self.annotator + (f"#{self.draw + 1}" if self.draw else "")
        common: dict[str, Any] = {
            "id": self.item or self.id,
            "annotator": name,
            "method": JUDGE_METHOD,
            "question": f"{form.name}-{form.version}",
        }
        for criterion, value in self.all_values.items():
            if form.kind == "pairwise":
                for i, won in enumerate(WINS[str(value)]):
                    yield Judgement(
                        **common, system=self.systems[i], criterion=criterion, value=won, position=i + 1,
                        unit=f"against:{self.systems[1 - i]}",
                    )  # fmt: skip
            elif form.kind == "ranking":
                for letter, rank in ranks(str(value)).items():
                    place = ord(letter) - 65
                    system = self.systems[place]
                    yield Judgement(**common, system=system, criterion=criterion, value=rank, position=place + 1)
            else:
                shown = self.expected.get(criterion, value) if expected else value
                yield Judgement(**common, system=self.system, criterion=criterion, value=shown)
        for _, category, severity, start, end in self.spans:
            if start is not None:
                yield Judgement(
                    **common, system=self.system, criterion=f"{self.criterion}.spans", value=f"{category}/{severity}",
                    unit=f"span:{start}-{end}",
                )  # fmt: skip


def ranks(order: str) -> dict[str, float]:
    """Return the rank of each letter in `B > A = C`, from 1; equal letters share the mean rank."""
    ranked: dict[str, float] = {}
    for group in order.split(" > "):
        letters = group.split(" = ")
        first = len(ranked) + 1
        ranked |= dict.fromkeys(letters, first + (len(letters) - 1) / 2)
    return ranked
