"""Noise of annotators: parity with Cronbach's alpha and ICC(1,k), levels, ceiling, correlation without noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pingouin
import pytest

from assay.stats.correlation import of_group_means, pearson
from assay.stats.crossed import Copies, Crossed, resample_units
from assay.stats.reliability import ceiling, disattenuated_interval, human_noise, reliability
from assay.stats.validation import UndefinedStatistic
from benchmarks.correlation_inference import World


def judged(texts: int, annotators: int, deviation: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.normal(size=texts)
    mild = rng.normal(size=annotators)
    return true, true[:, None] + mild + deviation * rng.normal(size=(texts, annotators))


def codes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    texts, raters = np.indices(values.shape)
    return texts.ravel(), raters.ravel()


def test_all_annotators_judged_all_texts() -> None:
    _, values = judged(60, 4, 1.2)
    noise = human_noise(values.ravel(), *codes(values))
    found = reliability(values.mean(axis=1), noise.variance, Crossed(60), "global")[0]
    alpha, _ = pingouin.cronbach_alpha(pd.DataFrame(values))
    assert (noise.complete, noise.annotators) == (True, 4)
    assert found == pytest.approx(alpha, abs=1e-9)


def test_annotators_differ_from_text_to_text() -> None:
    _, values = judged(60, 3, 1.2)
    texts, raters = codes(values)
    noise = human_noise(values.ravel(), texts, texts * 3 + raters)  # nobody judged two texts
    found = reliability(values.mean(axis=1), noise.variance, Crossed(60), "global")[0]
    frame = pd.DataFrame({"text": texts, "rater": raters, "value": values.ravel()})
    theirs = pingouin.intraclass_corr(frame, "text", "rater", "value").set_index("Type")["ICC"]
    assert not noise.complete
    assert found == pytest.approx(theirs[theirs.index.str.contains(r"1,?k")].iloc[0], abs=1e-9)


def test_one_judgement_has_the_usual_spread() -> None:
    values = np.array([1.0, 3.0, 2.0, 2.0, 6.0])
    noise = human_noise(values, np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0]))
    assert noise.variance.tolist() == [1.0, 0.0, 1.0]
    with pytest.raises(UndefinedStatistic, match="one judgement"):
        human_noise([1, 2, 3], np.arange(3), np.zeros(3, dtype=int))
    with pytest.raises(UndefinedStatistic, match="as much as texts differ"):
        ceiling(-0.1)


@pytest.mark.parametrize("level", ["global", "system", "summary", "within"])
def test_the_correlation_with_true_scores_comes_back(level: str) -> None:
    world = World(16, 60, 0.7, 1.0)
    rng = np.random.default_rng(5)
    people, metric = world.scores(rng, world.effects(rng))
    values = people[:, None] + 1.5 * rng.normal(size=(len(people), 3))
    noise, mean, table = human_noise(values.ravel(), *codes(values)), values.mean(axis=1), world.table
    groups = {"global": np.zeros(len(people), dtype=int), "summary": table.inputs, "within": table.systems}
    assert table.systems is not None
    if level == "system":
        true, seen = (of_group_means(metric, each, table.systems, "pearson").r for each in (people, mean))
    else:
        parts = [groups[level] == code for code in range(int(groups[level].max()) + 1)]  # type: ignore[union-attr]
        true, seen = (float(np.mean([pearson(metric[rows], y[rows]).r for rows in parts])) for y in (people, mean))
    reliable = reliability(mean, noise.variance, table, level)[0]  # type: ignore[arg-type]
    found = seen / ceiling(float(reliable))
    assert seen <= true + 0.01
    assert found == pytest.approx(true, abs=0.03)
    ends = disattenuated_interval(metric, mean, noise.variance, found, table, level, "inputs", 60, 0)  # type: ignore[arg-type]
    assert ends is not None
    assert ends[0] < found < ends[1]


def test_every_draw_has_a_reliability_about_that_of_all() -> None:
    world = World(12, 40, 0.7, 1.0)
    rng = np.random.default_rng(6)
    people, _ = world.scores(rng, world.effects(rng))
    values = people[:, None] + rng.normal(size=(len(people), 2))
    noise, mean = human_noise(values.ravel(), *codes(values)), values.mean(axis=1)
    for level in ("global", "system", "summary", "within"):
        whole = reliability(mean, noise.variance, world.table, level, Copies())[0]
        drawn = reliability(
            mean, noise.variance, world.table, level, next(resample_units(world.table, "inputs", 50, 1))
        )
        assert np.median(drawn) == pytest.approx(whole, abs=0.05)
