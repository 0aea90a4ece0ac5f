"""Judges in an audit: ratings as a metric, and position bias of pairwise judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from assay.errors import AssayError
from assay.judges.calls import Call
from assay.judges.judge import Asker, Judge
from assay.judges.preference import preferences
from assay.meta.audit.report import PositionRecord, ShareRecord
from assay.metrics import MetricRequest
from assay.metrics.engine.imported import Imported
from assay.records.files import digest_of
from assay.records.items import Items
from assay.results.index import index_of
from assay.results.measurement import Measurement
from assay.results.result import Result
from assay.specs import Spec
from assay.stats.interval import wilson_interval
from assay.systems.base import System
from assay.systems.prompts import Prompt


@dataclass(frozen=True)
class Ratings:
    """A judge that rates single texts."""

    judge: Judge
    asker: System

    def __post_init__(self) -> None:
        self.judge.refuse(self.asker)
        if why := self.asker.why_not():
            raise AssayError(f"system {self.asker.spec or self.asker.name}: {why}")

    def __call__(self, items: Items) -> Result:
        """Return the ratings of all texts. Unreadable ratings are left out and counted in the notes; the means before
        and after are then of nearly the same items."""
        calls = [
            Call(
                key=str(place), example=example, systems=(items.system,), texts=(text,), criteria=self.judge.form.names
            )
            for place, (example, text) in enumerate(zip(items.examples, items.outputs, strict=True))
        ]
        judge = self.judge.with_calls(calls)
        examples = judge.items(calls)
        verdicts = list(judge.verdicts(cast("Asker", self.asker), examples))
        scores = {verdict.id: float(verdict.value) for verdict in verdicts if verdict.value is not None}
        if not scores:
            first = verdicts[0].answer[:60] if verdicts else ""
            raise AssayError(
                f"{self.judge.annotator}: none of {len(verdicts)} answers has a rating (first: {first!r})."
            )
        column = f"judge.{self.judge.form.names[0]}"
        metric = Imported(column, "higher", digest_of(self.judge.title(), sorted(scores.items())))
        request = MetricRequest(Spec(metric.name, (("column", column),)), metric, None)
        rows = metric.rows_from(scores, [each.id for each in examples])
        signature = f"{metric.signature('any')}|{self.judge.title()}"
        unread = len(verdicts) - len(scores)
        notes = (f"{self.judge.annotator}: {unread} of {len(verdicts)} answers could not be parsed.",) if unread else ()
        return Result(items.system, index_of(items), (Measurement(request, signature, rows),), notes=notes)


def positions(asker: System, prompt: Prompt, criterion: str, systems: Sequence[Items]) -> list[PositionRecord]:
    """Return, for every pair of systems, how often a pairwise judge keeps its choice when the order is swapped, and how
    often it prefers the first position otherwise.

    Raises:
        AssayError: The system cannot answer chat messages.
    """
    if not hasattr(asker, "reply"):
        raise AssayError(f"System {asker.name} cannot judge: it has no chat. Use chat:MODEL or hf:MODEL.")
    rows: list[PositionRecord] = []
    for a, b in combinations(systems, 2):
        shared = [i for i, (one, other) in enumerate(zip(a.outputs, b.outputs, strict=True)) if one != other]
        examples = [a.examples[i] for i in shared]
        texts = ([items.outputs[i] for i in shared] for items in (a, b))
        answers = preferences(cast("Asker", asker), prompt, criterion, examples, *texts)
        read = [(one.straight, one.swapped) for one in answers if one.straight and one.swapped]
        kinds = Counter(_kind(*pair) for pair in read)
        moved = kinds["first"] + kinds["second"]
        rows.append({
            "a": a.system, "b": b.system, "criterion": criterion, "n": len(read), "unread": len(answers) - len(read),
            "consistent": _share(kinds["a"] + kinds["b"] + kinds["equal"], len(read)),
            "first_where_not": _share(kinds["first"], moved), "prefers_a": kinds["a"], "prefers_b": kinds["b"],
            "equal": kinds["equal"],
        })  # fmt: skip
    return rows


def _kind(straight: str, swapped: str) -> str:
    """Return the combined result of both orders: a text, `equal`, a position, or `unclear`."""
    if straight == swapped:
        return straight  # the same position twice, or `equal` twice
    if "equal" in (straight, swapped):
        return "unclear"
    return "a" if straight == "first" else "b"


def _share(count: int, n: int) -> ShareRecord:
    if not n:
        return {"value": None, "low": None, "high": None}
    low, high = wilson_interval(count, n)
    return {"value": count / n, "low": low, "high": high}
