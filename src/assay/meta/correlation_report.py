"""Correlation of metric scores with human scores, from two files to one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, get_args

from assay.errors import UsageError
from assay.execution.executors import SERIAL, Executor
from assay.meta.ablation import ablate
from assay.meta.correlate import (
    CorrelateRequest,
    Correlations,
    Tail,
    correlate_metrics,
    require_correlations,
    split_by,
)
from assay.meta.correlation_records import CorrelationsRecord, DirectionRecord, FamilyRecord
from assay.meta.directions import Direction, check_directions
from assay.meta.human_noise import add_human_noise
from assay.meta.joined_scores import JoinedScores, columns_of, human_column, join_scores
from assay.meta.metric_differences import pairwise_differences
from assay.meta.resampling import check_resampling_options, resampling
from assay.meta.score_files import read_scores
from assay.meta.williams import pairwise_williams
from assay.records.types import Data
from assay.stats.correlation import Method
from assay.stats.crossed import Level

METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall-b", "kendall-c")
LEVELS: tuple[Level, ...] = get_args(Level)
TAILS: tuple[Tail, ...] = get_args(Tail)


class CorrelationReport(NamedTuple):
    """The joined scores, the request with its human column, and the report (`assay metric correlate --json`)."""

    data: JoinedScores
    request: CorrelateRequest
    report: CorrelationsRecord


def correlate_files(
    human: Data,
    scores: Sequence[Data],
    request: CorrelateRequest,
    *,
    by: str | None = None,
    allow_missing: bool = False,
    executor: Executor = SERIAL,
) -> CorrelationReport:
    """Correlate every metric of `scores` with human scores.

    Args:
        human: Human scores or single judgements, one row per text or judgement.
        scores: Metric scores of the same texts; several files are systems, named by their files.
        request: Methods, level, controls, tests and resampling.
        by: Also report each value of this column.
        allow_missing: Use the rows that both have.
        executor: Runs metrics in parallel if there are resamples.

    Raises:
        UsageError: Options are unknown or do not apply.
        AssayError: The files cannot be joined, or no metric can be correlated.
    """
    _check(request)
    table, notes = read_scores(scores, allow_missing)
    data = join_scores(human, table, allow_missing)
    data = replace(data, notes=(*notes, *data.notes))
    column = human_column(data.frame, data.key, request.human or None, data.metrics)
    request = replace(request, human=column)
    if column in data.metrics:
        data = replace(data, metrics=tuple(metric for metric in data.metrics if metric != column))
    if request.cluster:
        columns_of(data.frame, [request.cluster], "--cluster")
    check_directions(request.directions, (*data.metrics, column))
    report = correlation_report(data, request, executor=executor)
    if by:
        parts = split_by(data, by).items()
        report["by"] = {
            value: correlation_report(part, request, whole=False, executor=executor) for value, part in parts
        }
    return CorrelationReport(data, request, report)


def _check(request: CorrelateRequest) -> None:
    """Raise UsageError for options that do not exist or do not apply at this level."""
    unknown = [name for name in request.methods if name not in METHODS]
    if unknown or not request.methods:
        raise UsageError(f"--method {unknown[0] if unknown else ''}: unknown method. Use one of {', '.join(METHODS)}.")
    if request.level not in LEVELS:
        raise UsageError(f"--level {request.level}: unknown level. Use one of {', '.join(LEVELS)}.")
    if request.williams is not None and request.williams not in TAILS:
        raise UsageError(f"--williams {request.williams}: unknown test. Use one of {', '.join(TAILS)}.")
    if request.level != "global":
        for name, value in (("williams", request.williams), ("control", request.controls)):
            if value:
                instead = " Use --differences to compare metrics at other levels." if name == "williams" else ""
                raise UsageError(f"--{name} requires --level global.{instead}")
    check_resampling_options(request)
    if request.directions and not (request.williams or request.differences):
        raise UsageError("--direction requires --williams or --differences.")


def correlation_report(
    data: JoinedScores, request: CorrelateRequest, whole: bool = True, executor: Executor = SERIAL
) -> CorrelationsRecord:
    """Return the report of one table.

    Args:
        data: Human scores joined with metric scores.
        request: Methods, level, controls, tests and resampling.
        whole: Raise AssayError if no metric has a correlation; parts of a table may have none.
        executor: Runs metrics in parallel if there are resamples.
    """
    correlations = correlate_metrics(data, request, executor)
    if whole:
        require_correlations(correlations)
    noise = add_human_noise(data, request, correlations)
    report = _report(correlations, request)
    if not request.classical:
        how = resampling(data.frame.drop_nulls(request.human), request)
        report["resampled"] = f"{request.samples:,} resamples: {how.drawn()}" if request.samples else how.left_out()
        report["warnings"] += [how.note] if how.note and whole else []
    if noise:
        report["human_noise"] = noise
    if request.williams:
        tested = pairwise_williams(data, request, request.williams)
        report |= {"williams": tested.p, "williams_adjusted": tested.adjusted, "metric_correlation": tested.between}
        report["williams_test"] = {
            "tail": request.williams, "method": tested.method, **_family(tested.tests, tested.directions),
        }  # fmt: skip
        report["warnings"] += tested.warnings
    if request.differences:
        permuted = pairwise_differences(data, request)
        report["differences"] = permuted.pairs
        report["differences_test"] = {
            "swapped": permuted.swapped, "swaps": request.permutations, "seed": request.seed,
            **_family(permuted.tests, permuted.directions),
        }  # fmt: skip
        report["warnings"] += [note for note in permuted.warnings if note not in report["warnings"]]
    if request.ablate:
        report["ablation"] = ablate(data, request, request.ablate)
    return report


def _family(tests: int, directions: dict[str, Direction]) -> FamilyRecord:
    """Return the number of pairs in the Holm correction, and the direction of each metric."""
    signs: dict[str, DirectionRecord] = {
        name: {"sign": way.sign, "known_by": way.why} for name, way in directions.items()
    }
    return {"correction": "holm", "tests": tests, "directions": signs}


def _report(correlations: Correlations, request: CorrelateRequest) -> CorrelationsRecord:
    return {
        "n": correlations.n,
        "human": correlations.human,
        "controls": list(request.controls),
        "level": request.level,
        "metrics": correlations.metrics,
        "williams": {},
        "williams_adjusted": {},
        "differences": {},
        "metric_correlation": {},
        "ablation": {},
        "warnings": correlations.warnings,
    }
