"""Biases of a judge of pairs: planted preferences for a system, for length and for the first place are found."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from assay.meta.judge_biases import judge_biases
from assay.meta.judge_labels import Cell, once, read_labels
from assay.meta.judge_validation import ValidationRequest, validate_judges
from assay.records import Judgement

SYSTEMS = "abcd"
Texts = dict[tuple[str, str], str]


def pairs(
    seed: int, *, favour: float = 0.0, length: float = 0.0, systems: str = SYSTEMS, items: int = 50
) -> tuple[list[Judgement], Texts]:
    """Preferences of three annotators and a judge that favours system b and longer texts by shares of pairs."""
    draw = np.random.default_rng(seed)
    rows: list[Judgement] = []
    texts: Texts = {}

    def add(id: str, name: str, one: str, other: str, share: float) -> None:
        value, method = float(draw.random() < share), "judge" if name == "judge" else ""
        for place, (system, against, won) in enumerate([(one, other, value), (other, one, 1 - value)], 1):
            rows.append(
                Judgement(
                    id=id, system=system, annotator=name, criterion="p", value=won, unit=f"against:{against}",
                    position=place, method=method,
                )
            )  # fmt: skip

    for i in range(items):
        id, quality = str(i), {system: draw.normal() for system in systems}
        words = {system: int(2 ** draw.uniform(3, 6)) for system in systems}
        texts |= {(id, system): "w " * words[system] for system in systems}
        for one, other in combinations(systems, 2):
            share = 1 / (1 + np.exp(quality[other] - quality[one]))
            for name in ("p1", "p2", "p3"):
                add(id, name, one, other, share)
            more = favour * ((one == "b") - (other == "b")) + length * np.log2((1 + words[one]) / (1 + words[other]))
            judged = float(np.clip(share / 2 + 0.25 + more, 0, 1))
            add(id, "judge", one, other, judged)
            add(id, "judge", other, one, 1 - judged)
    return rows, texts


def test_planted_sizes_are_within_the_intervals() -> None:
    covered: dict[str, int] = {}
    runs = 30
    for seed in range(runs):
        rows, texts = pairs(seed, favour=0.15, length=0.05)
        biases, _ = judge_biases(read_labels(rows, ["judge"], None), "judge", texts, "b")
        truth = {"system:b": 0.15, "self_preference": 0.15, "length": 0.05, "position": 0.0}
        for bias in biases:
            planted = truth.get(bias.name, -0.05)
            covered[bias.name] = covered.get(bias.name, 0) + (bias.low <= planted <= bias.high)
    assert set(covered) == {*(f"system:{name}" for name in SYSTEMS), "self_preference", "length", "position"}
    assert min(covered.values()) >= 0.8 * runs


def test_an_unbiased_judge_is_rarely_called_biased() -> None:
    called = 0
    for seed in range(30):
        rows, texts = pairs(seed)
        called += any(bias.significant for bias in judge_biases(read_labels(rows, [], None), "judge", texts, "b")[0])
    assert called <= 4


def test_a_pair_counts_once() -> None:
    rows, _ = pairs(1, systems="ab", items=40)
    found = validate_judges(rows, ValidationRequest())["judge"]
    assert found.n == 40
    assert found.test is not None
    assert {each.n for each in found.test.annotators} == {40}
    assert found.clustered is None
    assert [bias.name for bias in found.biases] == ["system:a", "position"]
    one = {Cell("1", "b", "against:a", "p"): 1.0}
    assert once(one) == {Cell("1", "a", "against:b", "p"): 0.0}
