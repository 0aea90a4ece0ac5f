"""What outputs say of each slot of their inputs: how often values are said, left out and added, and by which items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics import MetricRequest
from assay.metrics.engine.statistics import Dense
from assay.metrics.structure.slot_error import COLUMNS, SlotError
from assay.metrics.structure.slot_forms import named
from assay.metrics.structure.slot_values import SlotComparison, SlotValue, compare_values
from assay.records.items import Items
from assay.records.types import Score
from assay.results.index import index_of
from assay.results.measurement import Measurement
from assay.results.result import Result
from assay.specs import Spec
from assay.stats.interval import check_resampling


class SlotCount(NamedTuple):
    """One slot over all items."""

    asked: int
    said: int
    added: int
    recall: Score
    missed: Counter[str]
    """The values that were left out, with how often."""
    made_up: Counter[str]
    """The values that nobody asked for."""
    items: list[str]
    """The ids of outputs that leave a value out or add one."""


class SlotReport(NamedTuple):
    result: Result
    """`slot_error` over all slots, as any metric has it."""
    slots: dict[str, SlotCount]
    said: list[SlotComparison]

    def to_dict(self) -> dict[str, Any]:
        """As `assay analyze slots --json` prints it."""
        slots = {slot: count._asdict() for slot, count in self.slots.items()}
        return {"system": self.result.system, "n": self.result.n, "scores": self.result.scores, "slots": slots}

    def rows(self) -> list[dict[str, Any]]:
        """Every value that was asked for or added, one a row."""
        ids = self.result.index["id"].to_list()
        return [
            {"id": id, "slot": each.slot, "value": each.value, "said": what}
            for id, said in zip(ids, self.said, strict=True)
            for what, values in (("yes", said.expressed), ("no", said.missing), ("added", said.added))
            for each in values
        ]

    def worst(self, items: Items, most: int) -> list[dict[str, Any]]:
        """The outputs with most errors: what they leave out and add."""
        errors = [len(said.missing) + len(said.added) for said in self.said]
        order = sorted((i for i, count in enumerate(errors) if count), key=lambda i: -errors[i])
        ids = self.result.index["id"].to_list()
        return [
            {
                "id": ids[i],
                "missing": [each._asdict() for each in self.said[i].missing],
                "added": [each._asdict() for each in self.said[i].added],
                "output": items.outputs[i],
            }
            for i in order[:most]
        ]


def report_slots(items: Items, forms: str = "", ci: int = 1000, seed: int = 0) -> SlotReport:
    """What the outputs of a system say of the values their inputs ask for."""
    check_resampling(ci, seed)
    metric = SlotError(forms)
    if why := metric.why_not() or metric.unfit(items):
        raise AssayError(f"{items.system}: {why}")
    table = metric.table()
    said = [compare_values(example, text, table) for example, text in zip(items.examples, items.outputs, strict=True)]
    index = index_of(items)
    names = Counter(each.slot for one in said for each in (*one.expressed, *one.missing))
    spelled = {named(name): name for name in names}

    def result(slot: str | None) -> Result:
        rows = np.array([_row(one, slot, spelled) for one in said], dtype=np.float64).reshape(len(said), len(COLUMNS))
        request = MetricRequest(Spec(metric.name), metric, None)
        measured = Measurement(request, metric.signature("any"), Dense(COLUMNS, rows))
        return Result(items.system, index, (measured,), ci=ci, seed=seed)

    whole = result(None)
    if not names:
        raise AssayError(f"{items.system}: no input has a value to say; give examples with slots, triples or acts")
    ids = index["id"].to_list()
    missed, made_up, wrong = _tallies(said, ids, spelled)
    counts = {}
    for slot, asked in [*names.most_common(), *((slot, 0) for slot in made_up if slot not in names)]:
        recall = result(slot).scores["slot_recall"] if asked else Score(value=None, why="no input asks for it")
        left_out = missed[slot].total()
        counts[slot] = SlotCount(
            asked, asked - left_out, made_up[slot].total(), recall, missed[slot], made_up[slot], wrong[slot]
        )
    return SlotReport(whole, counts, said)


def _slot_of(each: SlotValue, spelled: dict[str, str]) -> str:
    """Additions name a slot in plain words; the input may spell it otherwise."""
    return spelled.get(named(each.slot), each.slot)


def _row(said: SlotComparison, slot: str | None, spelled: dict[str, str]) -> list[float]:
    groups = (said.expressed, said.missing, said.added, said.repeated)
    counts = [sum(slot is None or _slot_of(each, spelled) == slot for each in group) for group in groups]
    checked = counts[0] + counts[1] > 0
    return [*counts, checked and not (counts[1] or counts[2]), checked] if checked else [0.0] * len(COLUMNS)


def _tallies(
    said: Sequence[SlotComparison], ids: Sequence[str], spelled: dict[str, str]
) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]], dict[str, list[str]]]:
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    made_up: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: dict[str, list[str]] = defaultdict(list)
    for id, one in zip(ids, said, strict=True):
        for into, values in ((missed, one.missing), (made_up, one.added)):
            for each in values:
                slot = _slot_of(each, spelled)
                into[slot][each.value] += 1
                if not wrong[slot] or wrong[slot][-1] != id:
                    wrong[slot].append(id)
    return missed, made_up, wrong
