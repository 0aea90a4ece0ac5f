"""Slot report: for each slot of the inputs, how often its values are expressed, missing or added in the outputs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypedDict

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

    required: int
    """Values in the inputs."""
    expressed: int
    added: int
    recall: Score
    missing_values: Counter[str]
    """Values that are missing, with their number."""
    added_values: Counter[str]
    """Values that are not in the input, with their number."""
    items: list[str]
    """Ids of outputs with a missing or added value."""

    def to_dict(self) -> dict[str, object]:
        """Return the counts as `assay analyze slots --json` prints them."""
        return {
            "asked": self.required, "said": self.expressed, "added": self.added, "recall": self.recall,
            "missed": self.missing_values, "made_up": self.added_values, "items": self.items,
        }  # fmt: skip


class SlotErrors(TypedDict):
    """One output with its missing and added values, each as slot and value."""

    id: str
    missing: list[dict[str, str]]
    added: list[dict[str, str]]
    output: str


class SlotReport(NamedTuple):
    """Slot errors of one system."""

    result: Result
    """`slot_error` over all slots."""
    slots: dict[str, SlotCount]
    comparisons: list[SlotComparison]
    """Expressed, missing and added values of each output."""

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay analyze slots --json` prints."""
        slots = {slot: count.to_dict() for slot, count in self.slots.items()}
        return {"system": self.result.system, "n": self.result.n, "scores": self.result.scores, "slots": slots}

    def rows(self) -> list[dict[str, object]]:
        """Return one row for every value that is required or added."""
        ids = self.result.index.ids
        return [
            {"id": id, "slot": each.slot, "value": each.value, "said": what}
            for id, one in zip(ids, self.comparisons, strict=True)
            for what, values in (("yes", one.expressed), ("no", one.missing), ("added", one.added))
            for each in values
        ]

    def worst(self, items: Items, most: int) -> list[SlotErrors]:
        """Return the outputs with most errors, at most `most`, with their missing and added values."""
        errors = [len(one.missing) + len(one.added) for one in self.comparisons]
        order = sorted((i for i, count in enumerate(errors) if count), key=lambda i: -errors[i])
        ids = self.result.index.ids
        return [
            {
                "id": ids[i],
                "missing": [each._asdict() for each in self.comparisons[i].missing],
                "added": [each._asdict() for each in self.comparisons[i].added],
                "output": items.outputs[i],
            }
            for i in order[:most]
        ]


def report_slots(items: Items, forms: str = "", ci: int = 1000, seed: int = 0) -> SlotReport:
    """Compare the outputs of a system with the values of their inputs.

    Args:
        items: Outputs with inputs that have slots, triples or dialog acts.
        forms: JSON file of surface forms of values.
        ci: Number of bootstrap resamples for confidence intervals (0: no intervals).
        seed: Random seed.

    Raises:
        AssayError: The inputs have no values.
    """
    check_resampling(ci, seed)
    metric = SlotError(forms)
    if why := metric.why_not() or metric.unfit(items):
        raise AssayError(f"{items.system}: {why}")
    table = metric.table()
    comparisons = [
        compare_values(example, text, table) for example, text in zip(items.examples, items.outputs, strict=True)
    ]
    index = index_of(items)
    names = Counter(each.slot for one in comparisons for each in (*one.expressed, *one.missing))
    spelled = {named(name): name for name in names}

    def result(slot: str | None) -> Result:
        counts = [_row(one, slot, spelled) for one in comparisons]
        rows = np.array(counts, dtype=np.float64).reshape(len(comparisons), len(COLUMNS))
        request = MetricRequest(Spec(metric.name), metric, None)
        measured = Measurement(request, metric.signature("any"), Dense(COLUMNS, rows))
        return Result(items.system, index, (measured,), ci=ci, seed=seed)

    whole = result(None)
    if not names:
        raise AssayError(f"{items.system}: the inputs have no values. Give examples with slots, triples or acts.")
    ids = index.ids
    missing, added, wrong = _tallies(comparisons, ids, spelled)
    counts = {}
    for slot, required in [*names.most_common(), *((slot, 0) for slot in added if slot not in names)]:
        recall = result(slot).scores["slot_recall"] if required else Score(value=None, why="in no input")
        expressed = required - missing[slot].total()
        counts[slot] = SlotCount(
            required, expressed, added[slot].total(), recall, missing[slot], added[slot], wrong[slot]
        )
    return SlotReport(whole, counts, comparisons)


def _slot_of(each: SlotValue, spelled: dict[str, str]) -> str:
    """Return the slot of a value as the inputs spell it; added values have a normalised name."""
    return spelled.get(named(each.slot), each.slot)


def _row(one: SlotComparison, slot: str | None, spelled: dict[str, str]) -> list[float]:
    groups = (one.expressed, one.missing, one.added, one.repeated)
    counts = [sum(slot is None or _slot_of(each, spelled) == slot for each in group) for group in groups]
    checked = counts[0] + counts[1] > 0
    return [*counts, checked and not (counts[1] or counts[2]), checked] if checked else [0.0] * len(COLUMNS)


def _tallies(
    comparisons: Sequence[SlotComparison], ids: Sequence[str], spelled: dict[str, str]
) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]], dict[str, list[str]]]:
    missing: dict[str, Counter[str]] = defaultdict(Counter)
    added: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: dict[str, list[str]] = defaultdict(list)
    for id, one in zip(ids, comparisons, strict=True):
        for into, values in ((missing, one.missing), (added, one.added)):
            for each in values:
                slot = _slot_of(each, spelled)
                into[slot][each.value] += 1
                if not wrong[slot] or wrong[slot][-1] != id:
                    wrong[slot].append(id)
    return missing, added, wrong
