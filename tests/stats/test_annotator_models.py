"""Models of annotators find the truth at least as often as the majority does, and see who guesses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.stats.annotator_models import MODELS, dawid_skene, mace, majority
from assay.stats.validation import UndefinedStatistic

Codes = NDArray[np.int64]


def crowd(seed: int, accuracy: list[float], items: int = 150, labels: int = 3, each: int = 5) -> tuple[Codes, ...]:
    """Truth, items, annotators and labels; who is wrong says any other label, each item is seen by `each` people."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(labels, size=items)
    item = np.repeat(np.arange(items), each)
    who = np.concatenate([draw.choice(len(accuracy), each, replace=False) for _ in range(items)])
    right = draw.random(len(item)) < np.array(accuracy)[who]
    wrong = (truth[item] + draw.integers(1, labels, size=len(item))) % labels
    return truth, item, who, np.where(right, truth[item], wrong)


def test_ties_of_the_majority_are_shared() -> None:
    found = majority([0, 0, 1, 1, 1], [0, 1, 0, 1, 2], [0, 1, 2, 2, 0])
    assert found.labels.tolist() == [[0.5, 0.5, 0], [0, 0, 1]]
    assert found.competence.tolist() == [0.75, 0.75, 0]


@pytest.mark.parametrize("model", ["dawid-skene", "mace"])
def test_models_beat_the_majority_where_people_differ(model: str) -> None:
    """Held-out truth, 20 crowds: four careful people among eight who guess."""
    gains = []
    for seed in range(20):
        truth, item, who, label = crowd(seed, [0.95] * 4 + [1 / 3] * 8)
        right = {name: float(np.mean(fit(item, who, label).best == truth)) for name, fit in MODELS.items()}
        gains.append(right[model] - right["majority"])
    assert np.mean(gains) > 0.05
    assert np.mean(np.array(gains) > 0) >= 0.9


@pytest.mark.parametrize(("model", "most"), [("dawid-skene", 0.03), ("mace", 0.02)])
def test_models_lose_little_where_people_are_alike(model: str, most: float) -> None:
    """There the majority cannot be beaten; a table for each person costs Dawid and Skene more than one number."""
    gains = []
    for seed in range(20):
        truth, item, who, label = crowd(seed, [0.75] * 10)
        right = {name: float(np.mean(fit(item, who, label).best == truth)) for name, fit in MODELS.items()}
        gains.append(right[model] - right["majority"])
    assert np.mean(gains) > -most


def test_who_guesses_is_seen() -> None:
    _, item, who, label = crowd(1, [0.9] * 6 + [1 / 3] * 2, items=300)
    for fit in (dawid_skene, mace):
        found = fit(item, who, label)
        assert found.converged
        assert found.competence[:6].min() > found.competence[6:].max() + 0.3


def test_a_bias_is_turned_round_by_dawid_and_skene_alone() -> None:
    """Somebody who always says the opposite is as informative as somebody who is right."""
    draw = np.random.default_rng(0)
    truth = draw.integers(2, size=200)
    noisy = [np.where(draw.random(200) < 0.8, truth, 1 - truth) for _ in range(3)]
    label = np.concatenate([*noisy, 1 - truth])
    item, who = np.tile(np.arange(200), 4), np.repeat(np.arange(4), 200)
    assert np.mean(dawid_skene(item, who, label).best == truth) > 0.95
    assert np.mean(majority(item, who, label).best == truth) < 0.9
    assert dawid_skene(item, who, label).competence[3] < 0.1


def test_names_of_labels_do_not_matter() -> None:
    _, item, who, label = crowd(3, [0.8] * 5, items=40)
    for fit in MODELS.values():
        turned = fit(item, who, 2 - label).labels[:, ::-1]
        assert turned == pytest.approx(fit(item, who, label).labels, abs=1e-5)


def test_nothing_to_go_by() -> None:
    with pytest.raises(UndefinedStatistic, match="no answers"):
        mace([], [], [])
    with pytest.raises(UndefinedStatistic, match="every answer needs"):
        majority([0], [0, 1], [0])
