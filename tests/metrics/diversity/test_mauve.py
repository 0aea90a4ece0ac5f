"""MAUVE: the curve of the package, its value for distinct clusters, coverage of confidence intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import assay
from assay.metrics import Dense, Metric, SumMetric, resolve
from assay.metrics.diversity.mauve import Mauve, area, frontier
from assay.metrics.engine.clusters import clusters, reduced
from assay.models.encoder import Encoder
from assay.stats.resample import all_items, bootstrap
from tests.support import items
from tests.support.tiny_models import save_tiny

Points = NDArray[np.float64]
COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12).filter(
    lambda pairs: all(sum(side) for side in zip(*pairs, strict=True))
)


def package() -> Any:
    return pytest.importorskip("mauve.compute_mauve", reason="needs the packages mauve-text and faiss-cpu")


def rows_of(outputs: Points, references: Points) -> Dense:
    size = outputs.shape[1]
    columns = (*(f"output{i}" for i in range(size)), *(f"reference{i}" for i in range(size)))
    return Dense(columns, np.column_stack([outputs, references]))


class Ready:
    """The metric over precomputed vectors."""

    def __new__(cls, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Any:
        metric = resolve("mauve:" + ":".join(f"{k}={v}" for k, v in options.items()))[0].metric
        monkeypatch.setattr(type(metric), "columns", lambda self: None)
        return metric


def value(metric: Metric, rows: Dense) -> dict[str, float]:
    return {name: float(actual[0]) for name, actual in metric.fold(rows, all_items(len(rows))).items()}


@given(pairs=COUNTS)
def test_the_curve_equals_the_package(pairs: list[tuple[int, int]]) -> None:
    theirs = package()
    p, q = (np.array(side) / sum(side) for side in zip(*pairs, strict=True))
    curve = theirs.get_divergence_curve_for_multinomials(p, q, np.linspace(1e-6, 1 - 1e-6, 25), 5)
    x, y = curve.T
    one, other = np.lexsort((-y, x)), np.lexsort((-x, y))
    auc = theirs.compute_area_under_curve
    expected = (auc(x[one], y[one]) + auc(y[other], x[other])) / 2
    assert float(area(p[None], q[None], 5.0)[0]) == pytest.approx(expected, abs=1e-9)
    assert float(frontier(p[None], q[None])[0]) == pytest.approx(theirs.get_fronter_integral(p, q), abs=1e-9)


def blobs(rng: np.random.Generator, shares: list[float], n: int, centres: Points) -> Points:
    where = rng.choice(len(shares), n, p=shares)
    actual: Points = centres[where] + rng.normal(0, 0.01, (n, centres.shape[1]))
    return actual


def test_distinct_clusters_give_the_value_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """K-means from random centres finds the same clusters only if they are distinct."""
    rng = np.random.default_rng(3)
    centres = np.linalg.qr(rng.normal(size=(8, 8)))[0][:6]
    p, q = (blobs(rng, shares, 300, centres) for shares in ([0.3, 0.3, 0.2, 0.1, 0.05, 0.05], [1 / 6] * 6))
    theirs = package().compute_mauve(p_features=p, q_features=q, num_buckets=6, kmeans_num_redo=50, verbose=False)
    actual = value(Ready(monkeypatch, buckets=6, redo=50), rows_of(p, q))
    assert actual["mauve"] == pytest.approx(theirs.mauve, abs=1e-6)
    assert actual["mauve.star"] == pytest.approx(theirs.mauve_star, abs=1e-6)
    assert actual["mauve.frontier"] == pytest.approx(theirs.frontier_integral, abs=1e-6)


def test_other_values_are_in_the_range_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    p, q = rng.standard_normal((200, 20)), rng.standard_normal((200, 20)) + 0.3
    theirs = [package().compute_mauve(p_features=p, q_features=q, verbose=False, seed=seed).mauve for seed in range(12)]
    unit = [points / np.linalg.norm(points, axis=1, keepdims=True) for points in (p, q)]
    ours = [value(Ready(monkeypatch, seed=seed), rows_of(*unit))["mauve"] for seed in range(12)]
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * np.hypot(np.std(ours), np.std(theirs)) / np.sqrt(12)


def test_clusters_do_not_depend_on_the_order_of_items(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    metric = Ready(monkeypatch)
    rows = rows_of(rng.standard_normal((80, 5)), rng.standard_normal((80, 5)))
    mixed = Dense(rows.columns, rows.values[rng.permutation(80)])
    assert value(metric, mixed) == pytest.approx(value(metric, rows), abs=1e-9)
    same = rows_of(rows.values[:, :5], rows.values[:, :5])
    assert value(metric, same) == pytest.approx({"mauve": 1, "mauve.star": 1, "mauve.frontier": 0}, abs=1e-6)


def test_equal_texts_are_not_split_by_rounding() -> None:
    """Vectors of a text differ by about 1e-8 with the texts of its batch."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        points = np.repeat(rng.normal(size=(5, 6)), [3, 1, 4, 1, 2], axis=0)
        expected = clusters(points, 3, 5, 25)
        moved = clusters(points + rng.normal(0, 3e-8, points.shape), 3, 5, 25)
        assert np.array_equal(expected[:, None] == expected, moved[:, None] == moved)


def test_kmeans_against_scikit_learn() -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    points = np.random.default_rng(5).normal(size=(150, 4))
    labels = clusters(points, 6, 20, 0)
    means = np.array([points[labels == i].mean(axis=0) for i in range(6)])
    mine = float(np.square(points - means[labels]).sum())
    theirs = cluster.KMeans(6, n_init=20, random_state=0).fit(points).inertia_
    assert mine == pytest.approx(theirs, rel=0.02)
    assert reduced(np.zeros((4, 3)), 0.9).shape == (4, 1)


def test_coverage_of_the_interval_in_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are around the mean for sets of this size, since the value depends on the number of items."""
    rng = np.random.default_rng(7)
    metric = Ready(monkeypatch, buckets=5)
    assert isinstance(metric, SumMetric)
    centres = np.eye(6)[:5]

    def made() -> tuple[float, NDArray[np.float64]]:
        p, q = (blobs(rng, shares, 100, centres) for shares in ([0.4, 0.3, 0.15, 0.1, 0.05], [0.2] * 5))
        sums = metric.summands(rows_of(p, q))
        total = sums.sum(axis=0, keepdims=True)
        actual = metric.values(np.vstack([total, total - sums]))["mauve"]
        return float(actual[0]), 100 * actual[0] - 99 * actual[1:]

    drawn = [made() for _ in range(150)]
    truth, inside = np.mean([one for one, _ in drawn]), 0
    for number, units in drawn:
        (resamples,) = bootstrap(100, 200, 0)
        spread = resamples.sums(units[:, None])[:, 0] / 100
        low, high = np.quantile(spread - spread.mean() + number, [0.025, 0.975])
        inside += low <= truth <= high
    assert 0.88 <= inside / 150 <= 0.995


def test_two_systems_and_their_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    spec = f"mauve:model={save_tiny(tmp_path / 'encoder', 'encoder')}"
    words = "cat dog tax rain boat law king stone".split()
    people = [f"the {a} met the {b}" for a in words for b in words]
    near = [people[(7 * i) % 40] for i in range(64)]
    far = ["zz 9"] * 60 + people[60:]
    one, other = (assay.score(texts, people, metrics=spec, ci=100) for texts in (near, far))
    score = one.scores["mauve"]
    assert 0 <= (score.low or 0) <= (score.value or 0) <= (score.high or 0) <= 1
    assert (score.value or 0) > (other.scores["mauve"].value or 0)
    compared = assay.compare(one, other)["mauve"]
    assert compared.p is not None
    swapped = assay.compare(one, other, test="permutation", samples=200)["mauve"]
    assert swapped.p is not None
    few = assay.score(["a", "b"], [["a", "c"], ["b"]], metrics=spec)
    assert any("1 item has several references" in note for note in few.notes)


def test_the_encoder_is_in_the_signature() -> None:
    if why := Encoder().why_not():
        pytest.skip(why)
    assert "|buckets:none|scale:5.0|variance:0.9|redo:5|seed:25|" in resolve("mauve")[0].metric.signature("1")


def test_few_items_give_a_warning() -> None:
    few, many = (items(["a boat"] * n, [["a ship"]] * n) for n in (999, 1000))
    assert any("below 1,000 items" in note for note in Mauve().notes(few))
    assert Mauve().notes(many) == []


def test_equal_sets_score_exactly_1() -> None:
    shares = np.random.default_rng(0).dirichlet(np.ones(7), size=200)
    actual = area(shares, shares, 5.0)
    assert actual.max() <= 1
    assert actual == pytest.approx(1)
