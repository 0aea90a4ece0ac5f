"""Reliability of mean human judgements, and correlations corrected for it (disattenuated)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

from assay.meta.correlate import CorrelateRequest, Correlations, control_codes
from assay.meta.resampling import resampling
from assay.show.numbers import fixed
from assay.stats.crossed import Crossed
from assay.stats.reliability import HumanNoise, ceiling, disattenuated_interval, human_noise, reliability
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.meta.correlation_records import CorrelationRecord, NoiseRecord
    from assay.meta.joined_scores import JoinedScores

ASSUMED = {
    True: "all annotators judged all texts: differences in leniency are not counted as noise",
    False: "annotators differ between texts: differences in leniency are counted as noise",
}
LEAST = 0.1
"""Minimum reliability for a disattenuated correlation; below, it would be unstable and often above 1."""


def add_human_noise(data: JoinedScores, request: CorrelateRequest, answer: Correlations) -> NoiseRecord:
    """Return reliability and ceiling of the human column, and add disattenuated values to Pearson correlations.

    Empty if the human file has no single judgements of this criterion by several annotators.
    """
    rows = _judgements(data, request.human)
    if rows is None:
        return {}
    texts = rows.select(data.key).unique(maintain_order=True).with_row_index("text")
    rows = rows.join(texts, on=list(data.key), how="left", maintain_order="left")
    codes = rows["text"].to_numpy().astype(np.int64)
    try:
        noise = human_noise(rows["value"].to_numpy(), codes, group_codes(rows["annotator"].cast(str).to_numpy()))
        known = data.frame.drop_nulls(request.human)
        y, variance, table = _table(known, request, texts, noise)
        reliable = float(reliability(y, variance, table, request.level)[0])
        top = ceiling(reliable)
        if reliable < LEAST:
            raise UndefinedStatistic(
                f"reliability of mean human judgements is {fixed(reliable, 2)}: too low for disattenuated correlations"
            )
    except UndefinedStatistic as why:
        return {"reliability": None, "ceiling": None, "why": str(why)}
    for metric, record in answer.metrics.items():
        entry = record.get("pearson", {})
        if (r := entry.get("r")) is not None:
            entry |= _without_noise(known.drop_nulls(metric), metric, request, texts, noise, entry, r)
    return {"annotators": noise.annotators, "reliability": reliable, "ceiling": top, "assumed": ASSUMED[noise.complete]}


def _judgements(data: JoinedScores, human: str) -> polars.DataFrame | None:
    rows = data.judgements
    if rows is None or human not in rows["criterion"].unique() or not set(data.key) <= set(rows.columns):
        return None
    rows = rows.filter(rows["criterion"] == human).drop_nulls("value")
    rows = rows.join(data.frame.select(data.key), on=list(data.key), how="semi", maintain_order="left")
    several = rows.group_by(data.key).agg(polars.len().alias("judged"))
    return rows if len(several) and int(several["judged"].to_numpy().max()) > 1 else None


def _table(
    rows: polars.DataFrame, request: CorrelateRequest, texts: polars.DataFrame, noise: HumanNoise
) -> tuple[NDArray[np.float64], NDArray[np.float64], Crossed]:
    """Return human scores, the error variance of each, and the crossed design of the texts."""
    controls = control_codes(rows, request.controls)
    table = resampling(rows, request, group_codes(*controls) if controls else None).table
    key = [name for name in texts.columns if name != "text"]
    places = rows.select(key).join(texts, on=key, how="left", maintain_order="left")["text"].to_numpy().astype(np.int64)
    return rows[request.human].to_numpy().astype(float), noise.variance[places], table


def _without_noise(
    rows: polars.DataFrame,
    metric: str,
    request: CorrelateRequest,
    texts: polars.DataFrame,
    noise: HumanNoise,
    entry: CorrelationRecord,
    r: float,
) -> CorrelationRecord:
    y, variance, table = _table(rows, request, texts, noise)
    try:
        value = r / ceiling(float(reliability(y, variance, table, request.level)[0]))
    except UndefinedStatistic:
        return {"disattenuated": None}
    record: CorrelationRecord = {"disattenuated": value}
    if entry.get("low") is not None and request.samples:
        x, unit = rows[metric].to_numpy().astype(float), resampling(rows, request).unit
        ends = disattenuated_interval(x, y, variance, value, table, request.level, unit, request.samples, request.seed)
        if ends is not None:
            record |= {"disattenuated_low": ends[0], "disattenuated_high": ends[1]}
    return record
