"""Power of a comparison: the difference of `compare`, its correction, and the promise against simulation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.meta.comparison_power import PowerRequest, plan_comparison
from assay.results.compare import CompareRequest
from assay.results.equal_means import with_scores
from assay.stats.joint_power import JointTests, smallest
from assay.stats.power import power_of
from assay.stats.validation import UndefinedStatistic
from tests.conftest import Call

Run = Callable[..., Call]

SAMPLE = Path(assay.__file__).parent / "sample"
METRICS = "rouge1,rougeL,bleu,chrf,ter,mean_length"


def two() -> list[assay.Result]:
    outputs = {name: SAMPLE / "outputs" / name / "news.jsonl" for name in ("lead", "template")}
    return [assay.score(path, examples=SAMPLE / "news.jsonl", metrics=METRICS) for path in outputs.values()]


def test_the_difference_is_that_of_compare() -> None:
    a, b = two()
    planned, compared = assay.power(a, b), assay.compare(a, b)
    assert [row.metric for row in planned.rows] == list(compared)
    for row in planned.rows:
        assert row.difference == compared[row.metric].difference
    assert planned.comparison.how.words() == compared.how.words()


def test_one_test_is_student_s_t() -> None:
    tests = JointTests(np.eye(1))
    for shift, n in ((1.0, 20), (2.5, 50), (3.0, 400)):
        assert tests.powers(np.array([shift]), n)[0] == pytest.approx(power_of(shift, n**0.5, n), abs=0.025)


def test_correlated_tests_are_corrected_less_and_holm_is_bonferroni_at_first() -> None:
    alike = np.full((5, 5), 0.95) + 0.05 * np.eye(5)
    shifts = np.array([2.5, 0, 0, 0, 0.0])
    joint, apart = (JointTests(each).powers(shifts, 200)[0] for each in (alike, np.eye(5)))
    holm = JointTests(np.eye(5), joint=False)
    assert joint > apart + 0.05
    assert holm.critical((0, 1, 2, 3, 4)) == pytest.approx(2.5758, abs=1e-3)
    assert holm.powers(shifts, 200)[0] == pytest.approx(apart, abs=0.03)


def test_other_true_differences_give_power_by_steps() -> None:
    tests = JointTests(np.eye(4))
    alone = tests.powers(np.array([2.5, 0, 0, 0.0]), 200)[0]
    among = tests.powers(np.array([2.5, 8, 8, 8.0]), 200)[0]
    assert among > alone + 0.1
    assert among == pytest.approx(power_of(2.5, 201**0.5, 201), abs=0.03)


def test_skewed_differences_are_planned_with_the_test_that_compare_runs() -> None:
    """Most items gain a little and few lose much: `compare` corrects p for skewness and rejects far less often."""
    items = 60
    texts = ["x"] * items
    some = assay.score(texts, texts, metrics="rouge1")
    random = np.random.default_rng(29)

    def compared(losses: int) -> tuple[assay.Result, assay.Result]:
        values = np.where(np.arange(items) < losses, -0.25, 0.05) + random.normal(0, 0.01, items)
        return with_scores(some, {"s": 0 * values}), with_scores(some, {"s": values})

    planned = assay.power(*compared(6), effect={"s": 0.02}).rows[0]
    drawn = [compared(losses) for losses in random.binomial(items, 0.1, 120)]
    realised = np.mean([(assay.compare(*each, samples=200)["s"].p or 0) < 0.05 for each in drawn])
    assert planned.power == pytest.approx(realised, abs=0.05)
    t_test = CompareRequest(test="t")
    assert (plan_comparison(*compared(6), PowerRequest({"s": 0.02}, compare=t_test)).rows[0].power or 0) > 0.3


def test_items_detectable_difference_and_power_agree() -> None:
    a, b = two()
    first = {row.metric: row for row in assay.power(a, b, effect={"bleu": 1.0}).rows}["bleu"]
    assert first.effect == 1.0
    assert first.effect_from == "asked for"
    assert first.items_needed is not None
    again = {row.metric: row for row in assay.power(a, b, effect={"bleu": 1.0}, items=first.items_needed).rows}["bleu"]
    assert again.power == pytest.approx(0.8, abs=0.03)
    assert again.detectable == pytest.approx(1.0, rel=0.05)


def test_a_metric_that_depends_on_the_number_of_items_is_planned_at_its_size_only() -> None:
    outputs = {name: SAMPLE / "outputs" / name / "news.jsonl" for name in ("lead", "copy")}
    a, b = (assay.score(path, examples=SAMPLE / "news.jsonl", metrics="vocab-1,rouge1") for path in outputs.values())
    here, more = ({row.metric: row for row in assay.power(a, b, items=items).rows}["vocab-1"] for items in (None, 500))
    assert here.items_needed is None
    assert more.power is None
    assert "depends on the number of items" in more.why


def test_impossible_requests() -> None:
    a, b = two()
    for request, why in (
        (PowerRequest(power=0.01), "use 0 < alpha < power < 1"),
        (PowerRequest(items=1), "at least 2 items"),
        (PowerRequest(metrics=("nothing",)), "nothing: not a metric of both systems"),
        (PowerRequest(compare=CompareRequest(test="sign")), "power of the sign test is not computed"),
        (PowerRequest(compare=CompareRequest(correction="bh")), "Benjamini-Hochberg"),
        (PowerRequest(compare=CompareRequest(cluster="a,b")), "one cluster field"),
    ):
        with pytest.raises(assay.AssayError, match=why):
            plan_comparison(a, b, request)
    with pytest.raises(UndefinedStatistic):
        smallest(lambda number: False, 1.0, 100.0)


def test_the_command_plans_what_compare_tests(here: Run) -> None:
    files = [str(SAMPLE / "outputs" / name / "news.jsonl") for name in ("lead", "template")]
    shared = [*files, "-e", str(SAMPLE / "news.jsonl"), "-m", "chrf,bleu", "--json"]
    power = json.loads(here("analyze", "power", *shared, "--effect", "chrf=1").out)
    compared = json.loads(here("compare", *shared).out)
    assert power["family"] == compared["family"]
    for name, row in power["metrics"].items():
        assert row["difference"] == compared["metrics"][name]["difference"]
    assert power["metrics"]["chrf"]["effect"] == pytest.approx(1.0)


def test_means_of_items_are_named(here: Run, tmp_path: Path) -> None:
    paths = []
    for name in ("lead", "template"):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        outputs = str(SAMPLE / "outputs" / name / "news.jsonl")
        here("score", outputs, "-e", str(SAMPLE / "news.jsonl"), "-m", "chrf", "--per-example", paths[-1])
    shown = here("analyze", "power", *paths)
    assert "chrf: mean of item scores, not the corpus score that `assay compare` tests." in shown.out + shown.err
