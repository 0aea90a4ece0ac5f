"""Metrics against each other: direction, correction, presets, swapping, and what is drawn anew."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars
import pytest

from assay.errors import AssayError, UsageError
from assay.meta import correlate, correlation_report, metric_differences
from assay.meta.correlate import CorrelateRequest
from assay.meta.directions import Better, direction_of, known_directions, parse_directions
from assay.meta.joined_scores import JoinedScores, join_scores
from assay.meta.resampling import resampling
from assay.meta.williams import pairwise_williams
from assay.stats.adjust import holm
from benchmarks.correlation_inference import World

# Numbers may be None; here that fails where they are compared.
correlate_metrics: Any = correlate.correlate_metrics
correlation_report_of: Any = correlation_report.correlation_report
pairwise_differences: Any = metric_differences.pairwise_differences
correlate_files: Any = correlation_report.correlate_files


def correlated(*, n: int = 200, human: tuple[float, float], between: float) -> polars.DataFrame:
    """Columns whose correlations are exactly these: people with two metrics, and the metrics with each other."""
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(n, 3))
    basis, _ = np.linalg.qr(raw - raw.mean(axis=0))
    wanted = np.array([[1, *human], [human[0], 1, between], [human[1], between, 1]])
    columns = basis @ np.linalg.cholesky(wanted).T
    return polars.DataFrame(
        {"id": [str(i) for i in range(n)], "human": columns[:, 0], "chrf": columns[:, 1]}
    ).with_columns(ter=columns[:, 2])


def test_a_metric_that_is_better_when_lower_is_turned() -> None:
    """.817 against TER's -.758: the same strength almost, not the opposite."""
    data = JoinedScores(correlated(human=(0.817, -0.758), between=-0.802), ("id",), ("chrf", "ter"))
    classical = CorrelateRequest("human", classical=True)
    both = pairwise_williams(data, classical)
    assert both.p["chrf"]["ter"] == both.p["ter"]["chrf"] == pytest.approx(0.019, abs=5e-4)
    left_out = pairwise_williams(data, CorrelateRequest("human"))
    assert left_out.p["chrf"]["ter"] == left_out.p["ter"]["chrf"] == pytest.approx(0.019, abs=0.02)
    assert "texts left out in turn" in left_out.method
    before = pairwise_williams(data, classical, "one-sided")
    assert before.p["chrf"]["ter"] == pytest.approx(0.0095, abs=3e-4)
    assert before.p["ter"]["chrf"] == pytest.approx(1 - 0.0095, abs=3e-4)
    assert both.directions["ter"].sign == -1
    assert both.between["chrf"]["ter"] == pytest.approx(-0.802)
    assert not both.warnings
    as_printed = pairwise_williams(data, CorrelateRequest("human"), "frank")
    assert (as_printed.p["chrf"]["ter"] or 1) < 1e-50


def test_unknown_directions_are_guessed_and_said() -> None:
    frame = correlated(human=(0.817, -0.758), between=-0.802).rename({"ter": "edits", "chrf": "TER"})
    data = JoinedScores(frame, ("id",), ("TER", "edits"))
    found = pairwise_williams(data, CorrelateRequest("human"))
    assert {name: way.why for name, way in found.directions.items()} == {"TER": "name", "edits": "sign"}
    assert "TER: better when lower, but r = +0.82 with 'human'" in found.warnings[0]
    assert "edits: direction unknown" in found.warnings[1]
    ways: dict[str, Better] = {"TER": "higher", "edits": "lower"}
    said = pairwise_williams(data, CorrelateRequest("human", directions=ways, classical=True))
    assert said.p["TER"]["edits"] == pytest.approx(0.019, abs=5e-4)
    assert not said.warnings
    ways = {"human": "lower", "edits": "higher"}
    worse = pairwise_williams(data, CorrelateRequest("human", directions=ways, classical=True))
    assert worse.p["TER"]["edits"] == pytest.approx(0.019, abs=5e-4)  # errors counted: a good metric is negative


def test_directions_are_those_of_the_metrics() -> None:
    assert (known_directions()["ter"], known_directions()["rouge1"]) == ("lower", "higher")
    assert direction_of("wer", "human", {}, 0.4).sign == -1
    assert (direction_of("mine", "human", {}, -0.1).sign, direction_of("mine", "human", {}, 0.1).why) == (-1, "sign")
    assert parse_directions(("a=lower", "b=c=higher")) == {"a": "lower", "b=c": "higher"}
    with pytest.raises(UsageError, match="use NAME=lower or NAME=higher"):
        parse_directions(("a=down",))


def world_data(world: World | None = None, metrics: int = 3, seed: int = 0) -> JoinedScores:
    world = world or World(10, 12)
    rng = np.random.default_rng(seed)
    people, *found = world.scores(rng, world.effects(rng, metrics))
    systems, inputs = world.table.systems, world.table.inputs
    assert systems is not None
    assert inputs is not None
    names = tuple(f"m{number}" for number in range(metrics))
    columns = {"id": [f"d{i}" for i in inputs], "system": [f"s{i}" for i in systems], "human": people}
    return JoinedScores(polars.DataFrame(columns | dict(zip(names, found, strict=True))), ("id", "system"), names)


def test_p_is_corrected_over_all_pairs() -> None:
    data = world_data()
    for tail, pairs in (("two-sided", 3), ("one-sided", 6), ("frank", 3)):
        found = pairwise_williams(data, CorrelateRequest("human"), tail)  # type: ignore[arg-type]
        keys = [(a, b) for a in data.metrics for b in data.metrics if a < b or (a != b and tail == "one-sided")]
        expected = holm([found.p[a][b] or math.nan for a, b in keys])
        assert [found.adjusted[a][b] for a, b in keys] == pytest.approx(expected.tolist())
        assert found.tests == pairs


def test_fitted_groups_cost_degrees_of_freedom() -> None:
    data = world_data()
    held, printed = (
        pairwise_williams(data, CorrelateRequest("human", ("system",), classical=True), tail)
        for tail in ("two-sided", "frank")
    )
    assert 2 * (printed.p["m0"]["m1"] or 0) < (held.p["m0"]["m1"] or 0) < 2.5 * (printed.p["m0"]["m1"] or 0)


@pytest.mark.parametrize(
    ("level", "given", "unit", "words"),
    [
        ("system", {}, "both", "10 systems and 12 inputs resampled independently"),
        ("system", {"resample": "systems"}, "systems", "10 systems resampled, inputs fixed"),
        ("global", {}, "both", "10 systems and 12 inputs resampled independently"),
        ("global", {"resample": "inputs"}, "inputs", "12 inputs resampled with all their texts, systems fixed"),
        ("global", {"resample": "texts"}, "texts", "120 texts resampled independently"),
        (
            "summary",
            {"cluster": "part"},
            "both",
            "10 systems and 10 groups of part resampled independently",
        ),
    ],
)
def test_what_is_drawn_is_said(level: str, given: dict[str, str], unit: str, words: str) -> None:
    data = world_data()
    data = JoinedScores(data.frame.with_columns(part=polars.col("id").str.slice(0, 2)), data.key, data.metrics)
    if "cluster" in given:
        words = words.replace("10 groups", f"{data.frame['part'].n_unique()} groups")
    request = CorrelateRequest("human", level=level, samples=40, methods=("pearson",), **given)  # type: ignore[arg-type]
    how = resampling(data.frame, request)
    assert (how.unit, how.drawn()) == (unit, words)
    report = correlation_report_of(data, request)
    assert report["resampled"] == f"40 resamples: {words}"
    if data.frame["part"].n_unique() >= 8 or "cluster" not in given:
        entry = report["metrics"]["m0"]["pearson"]
        assert entry["low"] < entry["r"] < entry["high"]


def test_differences_at_every_level() -> None:
    data = world_data(World(10, 12, 0.9, 1.0))
    random = np.random.default_rng(1)
    data = JoinedScores(data.frame.with_columns(noise=random.normal(size=120)), data.key, ("m0", "m1", "noise"))
    for level, least in (("system", 0.3), ("global", 0.05), ("summary", 0.05), ("within", 0.0)):
        request = CorrelateRequest("human", level=level, methods=("pearson", "kendall-b"), permutations=99)  # type: ignore[arg-type]
        found = pairwise_differences(data, request)
        assert list(found.pairs) == ["pearson", "kendall-b"]
        for pairs in found.pairs.values():
            one, other = pairs["m0"]["noise"], pairs["noise"]["m0"]
            assert one["difference"] == -other["difference"] > least
            assert one["p"] == other["p"] <= one["p_adjusted"]
        assert found.tests == 3
    estimates = correlate_metrics(data, CorrelateRequest("human", level="system", methods=("pearson",))).metrics
    gap = pairwise_differences(
        data, CorrelateRequest("human", level="system", methods=("pearson",), permutations=99)
    ).pairs
    assert gap["pearson"]["m0"]["m1"]["difference"] == pytest.approx(
        estimates["m0"]["pearson"]["r"] - estimates["m1"]["pearson"]["r"]
    )


def test_differences_turn_metrics_and_hold_controls_constant() -> None:
    data = world_data()
    turned = JoinedScores(data.frame.with_columns(m1=-polars.col("m1")), data.key, data.metrics)
    request = CorrelateRequest("human", ("system",), methods=("pearson",), permutations=199)
    before, after = (pairwise_differences(each, request) for each in (data, turned))
    assert after.pairs["pearson"]["m0"]["m1"]["p"] == before.pairs["pearson"]["m0"]["m1"]["p"]
    assert any("m1: direction unknown" in note for note in after.warnings)


def test_too_few_swaps_for_so_many_pairs_are_said() -> None:
    data = world_data(World(10, 12), 5)
    request = CorrelateRequest("human", level="system", methods=("pearson",), permutations=99)
    few = pairwise_differences(data, request)
    assert any("99 permutations are too few for 10 pairs" in note for note in few.warnings)
    enough = pairwise_differences(data, CorrelateRequest("human", methods=("pearson",), permutations=400))
    assert not any("too few" in note for note in enough.warnings)


def test_human_noise_is_reported_from_single_judgements() -> None:
    world = World(9, 20, 0.7, 1.0)
    data, rng = world_data(world, 1), np.random.default_rng(3)
    judgements, noisy = [], {}
    for row in data.frame.iter_rows(named=True):
        values = row["human"] + rng.normal(size=3)
        noisy[row["id"], row["system"]] = values.mean()
        judgements += [
            {"id": row["id"], "system": row["system"], "annotator": f"a{k}", "criterion": "human", "value": value}
            for k, value in enumerate(values.tolist())
        ]
    scores = data.frame.select("id", "system", "m0")
    found = correlate_files(judgements, [scores], CorrelateRequest("", methods=("pearson",), samples=60)).report
    noise, entry = found["human_noise"], found["metrics"]["m0"]["pearson"]
    assert noise["annotators"] == 3
    assert "all annotators judged all texts" in noise["assumed"]
    assert noise["ceiling"] == pytest.approx(math.sqrt(noise["reliability"]))
    assert entry["disattenuated"] == pytest.approx(entry["r"] / noise["ceiling"])
    assert entry["disattenuated_low"] < entry["disattenuated"] < entry["disattenuated_high"]
    for level in ("system", "summary", "within"):
        request = CorrelateRequest("", methods=("pearson",), level=level)
        other = correlate_files(judgements, [scores], request).report
        assert 0 < other["human_noise"]["reliability"] <= 1
    assert other["metrics"]["m0"]["pearson"]["disattenuated"] > other["metrics"]["m0"]["pearson"]["r"]
    means = [{"id": id, "system": system, "human": value} for (id, system), value in noisy.items()]
    assert "human_noise" not in correlate_files(means, [scores], CorrelateRequest("", methods=("pearson",))).report
    assert join_scores(means, scores).judgements is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"resample": "systems", "classical": True}, "--resample has no effect on classical values"),
        ({"samples": 50, "classical": True}, "--ci resamples for p and intervals, which --classical does not use"),
        ({"samples": 50, "resample": "all"}, "--resample all: unknown unit"),
        ({"samples": 50, "resample": "texts", "cluster": "id"}, "--cluster sets the inputs"),
        ({"directions": {"m0": "lower"}}, "--direction requires --williams or --differences"),
        ({"directions": {"m9": "lower"}, "differences": True}, "--direction m9: no such metric or human column"),
        ({"directions": {"m0": "down"}, "differences": True}, "use m0=lower or m0=higher"),
        ({"williams": "both"}, "--williams both: unknown test"),
        ({"level": "system", "williams": "frank"}, "Use --differences to compare metrics at other levels"),
        ({"methods": ("median",)}, "--method median: unknown method"),
    ],
)
def test_options_that_do_not_apply_are_refused(options: dict[str, Any], why: str) -> None:
    data = world_data()
    human, scores = data.frame.select("id", "system", "human"), data.frame.drop("human")
    with pytest.raises(UsageError, match=why):
        correlate_files(human, [scores], CorrelateRequest("human", **options))


def test_units_that_are_not_there() -> None:
    data = world_data()
    alone = JoinedScores(
        data.frame.drop("system").with_columns(id=polars.int_range(120).cast(str)), ("id",), data.metrics
    )
    with pytest.raises(AssayError, match="--resample both: no column model_name or system"):
        correlate_metrics(alone, CorrelateRequest("human", samples=50, resample="both"))
    assert resampling(alone.frame, CorrelateRequest("human")).unit == "texts"
