"""Embedding diversity: the mean over pairs, its confidence interval, and the published study of decoding."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.metrics import Dense, SumMetric, resolve
from assay.models.cache import Cache
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.stats.resample import all_items, bootstrap
from tests.support import score

pytestmark = pytest.mark.skipif(bool(why_not := Encoder().why_not()), reason=str(why_not))

TEXTS = ["A cat sat.", "Two dogs ran home.", "The tax rose by a tenth.", "A cat sat down.", "Rain fell all day."]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def test_it_is_the_mean_over_all_pairs(tmp_path: Path) -> None:
    vectors = Encoder().vectors(TEXTS, Context(Cache(tmp_path / "values"))).astype(np.float64)
    pairs = [1 - float(vectors[i] @ vectors[j]) for i in range(5) for j in range(i)]
    assert score("embedding_diversity", TEXTS)["embedding_diversity"] == pytest.approx(np.mean(pairs), abs=1e-6)


def test_equal_outputs_score_0_and_one_output_is_undefined() -> None:
    assert score("embedding_diversity", ["A cat sat."] * 4)["embedding_diversity"] == pytest.approx(0, abs=1e-6)
    assert np.isnan(score("embedding_diversity", ["A cat sat."])["embedding_diversity"])
    result = assay.score(["A cat sat."], metrics="embedding_diversity")
    assert result.scores["embedding_diversity"].value is None


def test_coverage_of_the_interval() -> None:
    """A bootstrap would count pairs of a text with itself; the true value is known here."""
    rng = np.random.default_rng(5)
    metric = resolve("embedding_diversity")[0].metric
    assert isinstance(metric, SumMetric)
    columns = metric.columns() or ()

    def rows(n: int) -> Dense:
        vectors = np.zeros((n, 384))
        vectors[:, :6] = rng.standard_normal((n, 6)) + np.eye(6)[0]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        squares = np.square(vectors).sum(axis=1)
        return Dense(columns, np.column_stack([vectors, squares, np.ones(n)]))

    truth = float(metric.fold(rows(20_000), all_items(20_000))["embedding_diversity"][0])
    inside = 0
    for _ in range(200):
        made = rows(60)
        value = metric.fold(made, all_items(60))["embedding_diversity"][0]
        total = made.values.sum(axis=0)
        without = metric.values(total - made.values)["embedding_diversity"]
        units = 60 * value - 59 * without
        (resamples,) = bootstrap(60, 300, 0)
        spread = resamples.sums(units[:, None])[:, 0] / 60
        low, high = np.quantile(spread - spread.mean() + value, [0.025, 0.975])
        inside += low <= truth <= high
    assert 180 <= inside <= 199


def test_two_systems_differ_significantly() -> None:
    words = "cat dog tax rain boat law king stone".split()
    alike = [f"the {word} is here, and the {word} stays here" for word in words] * 2
    other = [f"{a} {b}" for a in words for b in ("runs wild", "was sold by a lawyer")]
    one, two = (assay.score(texts, metrics="embedding_diversity", ci=200) for texts in (alike, other))
    score_one = one.scores["embedding_diversity"]
    low, value, high = (number or 0.0 for number in (score_one.low, score_one.value, score_one.high))
    assert 0 < low < value < high
    actual = assay.compare(one, two)["embedding_diversity"]
    assert actual.p is not None


@pytest.mark.slow
@pytest.mark.parametrize(("p", "diversity"), [(0.0, 0.6747), (0.9, 0.8244)])
def test_the_study_of_decoding_methods(shared_data: Callable[[str], Path], p: float, diversity: float) -> None:
    """Greedy decoding and the most diverse setting, a hundred stories each, truncated after 256 tokens as in
    sentence-transformers. (The others, from .3 to 1: .8017, .8013, .8030, then .8055, .8003.)"""
    with shared_data("narrative/complete_human_annotations.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row[""]: row["response"] for row in csv.DictReader(stream) if row[""].endswith(f"_{p}")}
    stories = [text for id, text in rows.items() if id.count("_") == 1]
    assert len(stories) == 100
    assert score("embedding_diversity:narrative", stories)["embedding_diversity"] == pytest.approx(diversity, abs=6e-5)
