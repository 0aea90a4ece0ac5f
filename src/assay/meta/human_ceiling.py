"""Texts of several people about the same items: each in turn is the reference of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_outputs
from assay.metrics import MetricRequest
from assay.records.read import read_outputs
from assay.records.types import Data, Example
from assay.results.result import Result


class Crossed(NamedTuple):
    """What one person's texts score where another's are the references."""

    reference: str
    output: str
    result: Result


def cross_scores(
    texts: Mapping[str, Data],
    requests: Sequence[MetricRequest],
    *,
    sources: Mapping[str, str] | None = None,
    ci: int = 0,
    seed: int = 0,
    executor: Executor = SERIAL,
) -> list[Crossed]:
    """Every ordered pair of writers on the items that all have written about; a pair differs from its reverse in
    precision and recall, and in nothing that is symmetric."""
    if len(texts) < 2:
        raise AssayError("who writes alone agrees with nobody; give the texts of two people or more")
    read = {name: read_outputs(data) for name, data in texts.items()}
    by_id = {name: dict(zip(found.ids, found.texts, strict=True)) for name, found in read.items()}
    common = [id for id in next(iter(by_id.values())) if all(id in own for own in by_id.values())]
    if not common:
        raise AssayError(f"{', '.join(texts)}: no item that all have written about; are the ids the same?")
    made = []
    for reference, output in permutations(texts, 2):
        examples = [Example(id=id, references=(by_id[reference][id],), source=(sources or {}).get(id)) for id in common]
        rows: list[dict[str, Any]] = [{"id": id, "output": by_id[output][id]} for id in common]
        request = ScoreRequest(examples=examples, requests=requests, ci=ci, seed=seed, executor=executor)
        scored = score_outputs(rows, request)
        made.append(Crossed(reference, output, scored.result))
    return made
