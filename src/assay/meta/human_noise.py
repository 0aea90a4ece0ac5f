"""The noise of people: how reliable a mean over annotators is, and what every metric's correlation would be without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from assay.meta.correlate import Answer, Question, control_codes
from assay.meta.resampling import resampling
from assay.show.numbers import fixed
from assay.stats.crossed import Crossed
from assay.stats.reliability import HumanNoise, ceiling, disattenuated_interval, human_noise, reliability
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.meta.frames import Joined

ASSUMED = {
    True: "all annotators judged all texts: what makes one milder throughout is not counted as noise",
    False: "annotators differ from text to text: what makes one milder is counted as noise",
}
LEAST = 0.1
"""Reliability below which a correlation is not divided by its ceiling: it would be noise over noise, often beyond 1."""


def add_human_noise(data: Joined, question: Question, answer: Answer) -> dict[str, Any]:
    """Reliability and ceiling of the human column; every Pearson correlation gets its value without the noise.

    Empty where the human file has no single judgements of this criterion by several annotators.
    """
    given = _judgements(data, question.human)
    if given is None:
        return {}
    texts = given.select(data.key).unique(maintain_order=True).with_row_index("text")
    given = given.join(texts, on=list(data.key), how="left", maintain_order="left")
    codes = given["text"].to_numpy().astype(np.int64)
    try:
        noise = human_noise(given["value"].to_numpy(), codes, group_codes(given["annotator"].cast(str).to_numpy()))
        known = data.frame.drop_nulls(question.human)
        y, variance, table = _table(known, question, texts, noise)
        reliable = float(reliability(y, variance, table, question.level)[0])
        top = ceiling(reliable)
        if reliable < LEAST:
            raise UndefinedStatistic(
                f"the reliability of people's mean is {fixed(reliable, 2)}: what annotators differ about is nearly all "
                "that tells texts apart, so that nothing is said of correlations without that noise"
            )
    except UndefinedStatistic as why:
        return {"reliability": None, "ceiling": None, "why": str(why)}
    for metric, record in answer.metrics.items():
        entry = record.get("pearson", {})
        if entry.get("r") is not None:
            entry |= _without_noise(known.drop_nulls(metric), metric, question, texts, noise, entry)
    return {"annotators": noise.annotators, "reliability": reliable, "ceiling": top, "assumed": ASSUMED[noise.complete]}


def _judgements(data: Joined, human: str) -> polars.DataFrame | None:
    rows = data.judgements
    if rows is None or human not in rows["criterion"].unique() or not set(data.key) <= set(rows.columns):
        return None
    rows = rows.filter(rows["criterion"] == human).drop_nulls("value")
    rows = rows.join(data.frame.select(data.key), on=list(data.key), how="semi", maintain_order="left")
    several = rows.group_by(data.key).agg(polars.len().alias("judged"))
    return rows if len(several) and int(several["judged"].to_numpy().max()) > 1 else None


def _table(
    rows: polars.DataFrame, question: Question, texts: polars.DataFrame, noise: HumanNoise
) -> tuple[NDArray[np.float64], NDArray[np.float64], Crossed]:
    """Human scores, the noise of each, and which text is whose."""
    controls = control_codes(rows, question.controls)
    table = resampling(rows, question, group_codes(*controls) if controls else None).table
    key = [name for name in texts.columns if name != "text"]
    places = rows.select(key).join(texts, on=key, how="left", maintain_order="left")["text"].to_numpy().astype(np.int64)
    return rows[question.human].to_numpy().astype(float), noise.variance[places], table


def _without_noise(
    rows: polars.DataFrame,
    metric: str,
    question: Question,
    texts: polars.DataFrame,
    noise: HumanNoise,
    entry: dict[str, Any],
) -> dict[str, Any]:
    y, variance, table = _table(rows, question, texts, noise)
    try:
        value = entry["r"] / ceiling(float(reliability(y, variance, table, question.level)[0]))
    except UndefinedStatistic:
        return {"disattenuated": None}
    found: dict[str, Any] = {"disattenuated": value}
    if entry.get("low") is not None:
        x, unit = rows[metric].to_numpy().astype(float), resampling(rows, question).unit
        ends = disattenuated_interval(
            x, y, variance, value, table, question.level, unit, question.samples, question.seed
        )
        if ends is not None:
            found |= {"disattenuated_low": ends[0], "disattenuated_high": ends[1]}
    return found
