"""What the differences of two systems are worth to annotators, where judged systems of the dataset's task are known."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.datasets import DATASETS
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.results.comparison import Comparison


def task_of(dataset: str) -> str | None:
    """Return the task of a published dataset, by its name (`web_nlg_en`, `web_nlg_en-test`); None for others."""
    name = dataset.casefold().replace("-", "_")
    known = [each for each in DATASETS if re.match(rf"{re.escape(each)}(?![a-z0-9])", name)]
    return DATASETS.get(max(known, key=len)).card.task if known else None


def worth_of(dataset: str, compared: Comparison) -> list[str]:
    """Return one sentence for each metric with evidence of a difference of this size; the difference is a - b."""
    from assay.meta.meaning import meanings_of, tasks

    try:
        task = task_of(dataset)
    except AssayError:
        return []
    if task not in tasks():
        return []
    known = [each for each in meanings_of(compared, task).values() if not isinstance(each, str)]
    return [
        ". ".join([replace(each, difference=-each.difference).sentence(), *each.warnings])
        + f" ({task}: {each.pairs} pairs of {each.systems} judged systems)."
        for each in known
    ]
