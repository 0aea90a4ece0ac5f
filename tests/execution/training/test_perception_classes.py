"""Classifiers of source and perception: held-out F above length, the label rule, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.datasets.synthetic_rated import synthetic_rated, synthetic_sources
from assay.errors import AssayError
from assay.execution.training.perception_classes import (
    Labelled,
    by_source,
    held_out,
    perceived_human,
    train_classes,
)
from assay.metrics.human.perception import Perception
from assay.models.encoder import Encoder
from assay.records.types import Example
from assay.stats.penalised import f_score, logistic_ridge, macro_f, ridges, sigmoid
from assay.systems.perceived import Perceived


def test_labels_of_mean_ratings() -> None:
    assert perceived_human(12 / 7, 3.0, "lower")
    assert not perceived_human(3.0, 3.0, "lower")  # exactly 3 is not human
    assert perceived_human(3.5, 3.0, "higher")
    assert not perceived_human(3.0, 3.0, "higher")


def test_logistic_regression_recovers_its_weights() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 3))
    labels = rng.random(4000) < sigmoid(x @ np.array([2.0, -1.0, 0.0]) + 0.5)
    fitted = logistic_ridge(x, labels, 1e-3)
    assert fitted.weights / fitted.spreads == pytest.approx([2.0, -1.0, 0.0], abs=0.2)
    assert logistic_ridge(x[:10], labels[:10], 1.0)(x).shape == (4000,)  # fewer rows than it would take
    (line,) = ridges(x, x @ np.array([1.0, 2.0, 3.0]), (1e-9,))
    assert line(x[:5]) == pytest.approx(x[:5] @ np.array([1.0, 2.0, 3.0]), abs=1e-6)
    assert sigmoid(np.array([-800.0, 0.0, 800.0])).tolist() == [0.0, 0.5, 1.0]


def test_f_scores() -> None:
    labels, guess = np.array([True, True, False, False]), np.array([True, False, False, False])
    assert f_score(labels, guess) == pytest.approx(2 / 3)
    assert macro_f(labels, guess) == pytest.approx((2 / 3 + 0.8) / 2)
    assert f_score(~labels & labels, ~labels & labels) == 0


def test_held_out_items_are_not_seen() -> None:
    rng = np.random.default_rng(1)
    x = np.column_stack([rng.normal(size=200), rng.normal(size=200)])
    labels = rng.random(200) < 0.5
    guess = held_out(x, labels, np.arange(200) % 5) >= 0.5
    assert 0.3 < (guess == labels).mean() < 0.7  # nothing to learn


def test_sources_need_two_kinds_of_texts() -> None:
    texts = synthetic_sources(40)
    assert sum(each.human for each in by_source(texts, "human")) == 20
    with pytest.raises(AssayError, match="one of human, machine"):
        by_source(texts, "people")
    with pytest.raises(AssayError, match="no tag `system`"):
        by_source([Example(id="a", input={"kind": "judged", "output": "b"})], "human")


def test_perceived_learns_labels_from_the_surface() -> None:
    texts = synthetic_rated(300)
    learner = Perceived(encoder="surface")
    learner.prepare([one for one in texts if one.split == "train"])
    test = [one for one in texts if one.split == "test"]
    right = sum(answer.text == one.references[0] for answer, one in zip(learner.generate(test), test, strict=True))
    assert right / len(test) > 0.65
    ratings = Perceived(encoder="surface", target="rating")
    ratings.prepare(texts)
    assert all(1 <= float(answer.text) <= 5 for answer in ratings.generate(test))
    with pytest.raises(AssayError, match="must be machine or human"):
        Perceived(encoder="surface").prepare([Example(id="x", source="a", references=("robot",),
                                                      input={"kind": "judged", "output": "a"})])  # fmt: skip
    with pytest.raises(AssayError, match="no rating of fluency"):
        Perceived(encoder="surface", target="rating", criterion="fluency").prepare(texts)


def test_a_classifier_is_a_metric(tmp_path: Path) -> None:
    encoder = Encoder("minilm")
    if why := encoder.why_not():
        pytest.skip(why)
    texts = [Labelled(f"a{i} calm text" if i % 2 else f"# {i} / {i} %", bool(i % 2), str(i)) for i in range(40)]
    lines: list[str] = []
    made = train_classes("source", texts, encoder, np.arange(40) % 4, tmp_path, "", 0, lines.append)
    assert made["test"][0]["f"] > 0.9
    assert any("does not say how readers perceive" in line for line in lines)
    metric = Perception(model=str(tmp_path))
    assert metric.regression.link == "logistic"
    assert metric.parts()[0].bounds == (0.0, 1.0)
    assert "detector of the source" in (tmp_path / "README.md").read_text(encoding="utf-8")
