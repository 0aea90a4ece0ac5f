"""Metrics against people on small synthetic tables: levels, warnings, refusals, ablation."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars
import pytest

from assay.errors import AssayError
from assay.meta import correlate, correlation_report
from assay.meta.ablation import ablate, flipped_scores
from assay.meta.correlate import CorrelateRequest, split_by
from assay.meta.joined_scores import JoinedScores
from assay.meta.williams import pairwise_williams
from assay.stats.correlation import pearson

# Numbers may be None; here that fails where they are compared.
correlate_metrics: Any = correlate.correlate_metrics
correlation_report_of: Any = correlation_report.correlation_report


def table(n: int = 120, seed: int = 0) -> JoinedScores:
    """Three systems of different quality; `good` follows people inside systems, `lazy` only knows the system."""
    rng = np.random.default_rng(seed)
    system = np.repeat(["a", "b", "c"], n // 3)
    level = np.repeat([0.0, 2.0, 4.0], n // 3)
    noise = rng.normal(size=n)
    frame = polars.DataFrame(
        {
            "id": [f"d{i % (n // 3)}" for i in range(n)],
            "system": system,
            "human": level + noise,
            "good": level + noise + rng.normal(size=n),
            "lazy": level + rng.normal(size=n),
            "flat": np.full(n, 0.3),
        }
    )
    return JoinedScores(frame, ("id", "system"), ("good", "lazy", "flat"))


def test_raw_and_partial_are_told_apart() -> None:
    answer = correlate_metrics(table(), CorrelateRequest("human", ("system",)))
    good, lazy = answer.metrics["good"]["pearson"], answer.metrics["lazy"]["pearson"]
    assert good["r"] > 0.5 > 0.2 > abs(lazy["r"])
    assert lazy["raw"] > 0.6
    assert any("lazy" in note and "Raw and partial" in note for note in answer.warnings)
    assert good["df_classical"] == 116
    assert good["p_classical"] == good["p_corrected_df"] != good["p_uncounted_df"]
    printed = CorrelateRequest("human", ("system",), counted_df=False, classical=True)
    plain = correlate_metrics(table(), printed).metrics["good"]["pearson"]
    assert (plain["df"], plain["p"]) == (118, good["p_uncounted_df"])
    assert "low" not in plain


def test_p_and_interval_say_the_same() -> None:
    for seed in range(12):
        data = table(seed=seed)
        for level in ("global", "summary", "within"):
            for samples in (0, 60):
                found = correlate_metrics(data, CorrelateRequest("human", level=level, samples=samples)).metrics["lazy"]
                for record in found.values():
                    assert (record["p"] < 0.05) == (not record["low"] <= 0 <= record["high"])


def test_three_systems_are_fixed_and_said() -> None:
    report = correlation_report_of(table(), CorrelateRequest("human"))
    assert "inputs left out in turn: holds for other inputs of these systems" in report["resampled"]
    assert any("3 systems are too few for a statement about other systems" in note for note in report["warnings"])
    system = correlation_report_of(table(), CorrelateRequest("human", level="system"))["metrics"]["good"]["pearson"]
    assert system["p"] is system["low"] is None
    assert "3 systems are too few" in system["why_no_p"]
    assert system["p_classical"] is not None


def test_constant_metric_has_a_reason_and_no_number() -> None:
    for level in ("global", "summary", "system", "within"):
        record = correlate_metrics(table(), CorrelateRequest("human", level=level)).metrics["flat"]["pearson"]
        assert record["r"] is None
        assert "constant" in record["why"]


def test_levels_agree_with_a_plain_loop() -> None:
    data = table()
    frame = data.frame
    within = [pearson(part["good"], part["human"]).r for part in frame.partition_by("system")]
    assert correlate_metrics(data, CorrelateRequest("human", level="within")).metrics["good"]["pearson"][
        "r"
    ] == pytest.approx(np.mean(within))
    summary = [pearson(part["good"], part["human"]).r for part in frame.partition_by("id")]
    found = correlate_metrics(data, CorrelateRequest("human", level="summary")).metrics["good"]["pearson"]
    assert found["r"] == pytest.approx(np.mean(summary))
    assert found["low"] < found["r"] < found["high"]
    averaged = CorrelateRequest("human", level="summary", classical=True)
    assert correlate_metrics(data, averaged).metrics["good"]["pearson"]["p"] is None
    for level in ("within", "summary"):
        record = correlate_metrics(data, CorrelateRequest("human", level=level, samples=60, cluster="id")).metrics[
            "good"
        ]["pearson"]
        assert record["low"] < record["r"] <= record["high"]
    few = correlate_metrics(data, CorrelateRequest("human", level="system", samples=60)).metrics["good"]["pearson"]
    assert few["low"] is None
    assert "3 systems are too few for an interval" in few["why_no_interval"]
    means = frame.group_by("system").agg(polars.col("good", "human").mean())
    system = correlate_metrics(data, CorrelateRequest("human", level="system")).metrics["good"]["pearson"]
    assert system["r"] == pytest.approx(pearson(means["good"], means["human"]).r)
    assert system["n"] == 3


def test_missing_scores_are_counted() -> None:
    data = table()
    holes = data.frame.with_columns(
        polars.when(polars.int_range(polars.len()) < 5).then(None).otherwise("good").alias("good"),
        polars.when(polars.int_range(polars.len()) == 9).then(None).otherwise("human").alias("human"),
    )
    answer = correlate_metrics(JoinedScores(holes, data.key, data.metrics), CorrelateRequest("human"))
    assert (answer.n, answer.metrics["good"]["pearson"]["n"], answer.metrics["lazy"]["pearson"]["n"]) == (119, 114, 119)
    assert any("good: 5 of 119" in note for note in answer.warnings)
    assert any("1 rows without 'human'" in note for note in answer.warnings)


def test_rank_bias_is_reported_when_one_value_dominates() -> None:
    rng = np.random.default_rng(3)
    system = np.repeat(["a", "b", "c", "d"], 100)
    chance = np.repeat([0.02, 0.05, 0.1, 0.3], 100)
    frame = polars.DataFrame(
        {
            "id": [str(i) for i in range(400)],
            "system": system,
            "human": (rng.random(400) < chance).astype(float),
            "skewed": rng.exponential(np.repeat([1.0, 2.0, 4.0, 8.0], 100)),
        }
    )
    data = JoinedScores(frame, ("id", "system"), ("skewed",))
    answer = correlate_metrics(data, CorrelateRequest("human", ("system",), permutations=200))
    record = answer.metrics["skewed"]["spearman"]
    assert record["reading"] == "within_r"
    assert abs(record["null_mean"]) > 0.05
    assert abs(record["within_r"]) < 0.15
    assert any("Use the rank correlation within groups" in note for note in answer.warnings)
    assert "null_mean" not in correlate_metrics(data, CorrelateRequest("human")).metrics["skewed"]["spearman"]


def test_intervals_detection_and_pairs() -> None:
    question = CorrelateRequest(
        "human", samples=100, cluster="id", positive=2.0, pairwise=True, methods=("pearson", "kendall-b")
    )
    record = correlate_metrics(table(), question).metrics["good"]
    for method in question.methods:
        assert record[method]["low"] < record[method]["r"] < record[method]["high"]
    assert 0.5 < record["detection"]["roc_auc"] <= 1
    assert 0.5 < record["pairwise"]["accuracy"] <= 1
    nothing = correlate_metrics(table(), CorrelateRequest("human", positive=99.0)).metrics["good"]["detection"]
    assert nothing["roc_auc"] is None
    assert "same label" in nothing["why"]


def test_subsets_and_unknown_columns() -> None:
    parts = split_by(table(), "system")
    assert list(parts) == ["a", "b", "c"]
    assert len(parts["a"].frame) == 40
    with pytest.raises(AssayError, match="--by nope: no such column"):
        split_by(table(), "nope")
    with pytest.raises(AssayError, match="--control nope: no such column"):
        correlate_metrics(table(), CorrelateRequest("human", ("nope",)))
    with pytest.raises(AssayError, match="no metric"):
        correlate_metrics(JoinedScores(table().frame, ("id",), ()), CorrelateRequest("human"))


def test_williams_is_symmetric_and_refuses_few_rows() -> None:
    data = JoinedScores(table().frame, ("id", "system"), ("good", "lazy"))
    found = pairwise_williams(data, CorrelateRequest("human", ("system",)))
    assert found.p["good"]["lazy"] == found.p["lazy"]["good"]
    assert (found.p["good"]["lazy"] or 1) < 0.001
    assert found.between["good"]["lazy"] == found.between["lazy"]["good"]
    assert not found.warnings
    few = JoinedScores(data.frame.head(3), data.key, data.metrics)
    found = pairwise_williams(few, CorrelateRequest("human"))
    assert found.p["good"]["lazy"] is None
    assert found.adjusted["good"]["lazy"] is None
    assert "at least 4" in found.warnings[0]
    same = JoinedScores(data.frame.with_columns(twin=polars.col("good") * 2), data.key, ("good", "twin"))
    assert pairwise_williams(same, CorrelateRequest("human")).p["good"]["twin"] == 1
    assert pairwise_williams(same, CorrelateRequest("human"), "frank").p["good"]["twin"] == 0.5


def test_ablation_forms_agree() -> None:
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, 4, 200)  # 0 right, 1 and 2 errors of two kinds, 3 an error without a kind
    one, two, other = ((kinds == k).astype(float) for k in (1, 2, 3))
    fact = 1 - one - two - other
    frame = polars.DataFrame(
        {"id": [str(i) for i in range(200)], "Factuality": fact, "m": fact - one + rng.normal(size=200)}
    )
    coded = frame.with_columns(One=1 - one - other, Two=1 - two - other, Other=1 - other)
    flipped = frame.with_columns(Flip_One=fact + one)
    shares = frame.with_columns(One=one)
    question = CorrelateRequest("Factuality")
    for each, name in ((coded, "One"), (flipped, "One"), (flipped, "Flip_One"), (shares, "One")):
        assert flipped_scores(each, "Factuality", name) == pytest.approx(fact + one)
    assert flipped_scores(coded, "Factuality", "Other") == pytest.approx(fact)
    found = ablate(JoinedScores(coded, ("id",), ("m",)), question, ["One", "Two", "Other"])
    assert (found["One"]["m"] or 0) > (found["Two"]["m"] or 0)
    assert found["Other"]["m"] == 0
    everything = ablate(JoinedScores(flipped, ("id",), ("m",)), question, ["all"])
    assert everything["Flip_One"]["m"] == pytest.approx(found["One"]["m"])
    with pytest.raises(AssayError, match="no numeric column 'Nope'"):
        ablate(JoinedScores(coded, ("id",), ("m",)), question, ["Nope"])
    with pytest.raises(AssayError, match=r"is outside 0 to 1"):
        ablate(JoinedScores(frame.with_columns(One=one * 5 + 1), ("id",), ("m",)), question, ["One"])
    with pytest.raises(AssayError, match="has no Flip_"):
        ablate(JoinedScores(frame, ("id",), ("m",)), question, ["all"])
