"""The human ceiling: texts of several writers for the same items, each scored against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_outputs
from assay.metrics import MetricRequest
from assay.records.read import read_outputs
from assay.records.types import Data, Example
from assay.results.result import Result


class CeilingScore(NamedTuple):
    """The scores of one writer with another as reference."""

    reference: str
    output: str
    result: Result


def human_ceiling(
    texts: Mapping[str, Data],
    requests: Sequence[MetricRequest],
    *,
    sources: Mapping[str, str] | None = None,
    ci: int = 0,
    seed: int = 0,
    executor: Executor = SERIAL,
) -> list[CeilingScore]:
    """Score every ordered pair of writers on the items that all have; only asymmetric metrics depend on the order.

    Args:
        texts: Texts by writer.
        requests: Metrics.
        sources: Source texts by item id.
        ci: Number of bootstrap resamples for confidence intervals (0: no intervals).
        seed: Random seed.
        executor: Runs the metrics.

    Raises:
        AssayError: There are fewer than two writers, or no common item.
    """
    if len(texts) < 2:
        raise AssayError("The human ceiling requires the texts of two or more authors. Pass one file per author.")
    read = {name: read_outputs(data) for name, data in texts.items()}
    by_id = {name: dict(zip(file.ids, file.texts, strict=True)) for name, file in read.items()}
    common = [id for id in next(iter(by_id.values())) if all(id in own for own in by_id.values())]
    if not common:
        raise AssayError(f"{', '.join(texts)}: no common item. Use the same ids in all files.")
    scores = []
    for reference, output in permutations(texts, 2):
        examples = [Example(id=id, references=(by_id[reference][id],), source=(sources or {}).get(id)) for id in common]
        rows: list[dict[str, object]] = [{"id": id, "output": by_id[output][id]} for id in common]
        request = ScoreRequest(examples=examples, requests=requests, ci=ci, seed=seed, executor=executor)
        scored = score_outputs(rows, request)
        scores.append(CeilingScore(reference, output, scored.result))
    return scores
