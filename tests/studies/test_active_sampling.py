"""Samples by scores: exact inclusion probabilities, means without bias, and the files of `assay study assign`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars
import pytest

from assay.errors import AssayError, UsageError
from assay.meta.estimate import EstimateRequest, estimate_systems
from assay.records import Judgement
from assay.studies.active_sampling import Frame, inclusion, systematic
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def test_inclusion_is_exact() -> None:
    chance = inclusion(np.array([0.0, 1, 1, 2, 50]), 3)
    assert chance.sum() == pytest.approx(3)
    assert chance[4] == 1
    assert chance[0] < chance[1] == chance[2] < chance[3] < 1
    counts = np.zeros(5)
    for seed in range(2000):
        drawn = systematic(chance, seed)
        assert len(drawn) == 3
        counts[drawn] += 1
    assert counts / 2000 == pytest.approx(chance, abs=0.04)


def scored(rng: np.random.Generator, items: int) -> tuple[polars.DataFrame, np.ndarray]:
    """Two proxies with more noise on some inputs, where the judgements are lower."""
    noise = rng.gamma(1, 1, size=(items, 1))
    quality = rng.normal(size=(items, 2)) - noise
    proxies = [quality + noise * rng.normal(size=quality.shape) for _ in "ab"]
    rows = [
        {"id": str(i), "system": f"s{s}", "p": proxies[0][i, s], "q": proxies[1][i, s]}
        for i in range(items)
        for s in range(2)
    ]
    return polars.DataFrame(rows), quality


def test_the_weighted_mean_has_no_bias() -> None:
    weighted, plain, covered = [], [], []
    for seed in range(40):
        frame, truth = scored(np.random.default_rng(seed), 120)
        drawn = Frame([frame]).draw([str(i) for i in range(120)], 30, "active", seed)
        rows = [
            Judgement(id=id, system=f"s{s}", annotator="a", criterion="c", value=float(truth[int(id), s]))
            for id in drawn.ids
            for s in range(2)
        ]
        request = EstimateRequest(proxies=("p", "q"), finite=True, probability="probability")
        own = estimate_systems(rows, [drawn.scores], request)["systems"]["s0"]
        mean = truth[:, 0].mean()
        assert own["low"] is not None
        assert own["high"] is not None
        weighted.append(own["value"] - mean)
        plain.append(np.mean([truth[int(id), 0] for id in drawn.ids]) - mean)
        covered.append(own["low"] <= mean <= own["high"])
    assert abs(np.mean(weighted)) < 0.06
    assert np.mean(plain) < -0.1
    assert sum(covered) >= 34


def test_a_cheaper_sample_of_the_same_variance() -> None:
    """Costs from 1 to 16: for the same variance of the weighted mean, about a quarter less is spent."""
    rng = np.random.default_rng(3)
    cost, doubt = np.exp2(rng.integers(0, 5, 400), dtype=np.float64), np.ones(400)

    def variance_times_cost(chance: np.ndarray) -> float:
        return float((1 / chance).sum() * (chance * cost).sum())

    saved = variance_times_cost(inclusion(doubt, 40, cost)) / variance_times_cost(inclusion(doubt, 40))
    assert saved == pytest.approx(np.sqrt(cost).mean() ** 2 / cost.mean())  # Neyman's optimum
    assert saved < 0.85


def test_costs_are_no_proxy_and_checked() -> None:
    frame, _ = scored(np.random.default_rng(0), 60)
    ids = [str(i) for i in range(60)]
    words = frame.with_columns(words=polars.int_range(polars.len()) % 7 + 1)
    assert Frame([words], cost="words").proxies == ["p", "q"]
    drawn, plain = (Frame([words], ["p", "q"], cost).draw(ids, 20, "active", 0).scores for cost in ("words", None))
    ratio = (drawn["probability"] / plain["probability"]).to_numpy()
    total = words.group_by("id", maintain_order=True).agg(polars.col("words").sum())["words"].to_numpy()
    assert np.corrcoef(ratio[::2], np.sqrt(total))[0, 1] < -0.8
    with pytest.raises(UsageError, match="--cost word: no such score"):
        Frame([words], cost="word")
    with pytest.raises(AssayError, match="costs must be above 0"):
        Frame([words.with_columns(words=polars.lit(0))], cost="words")


def test_strata_are_levels_of_the_scores() -> None:
    frame, _ = scored(np.random.default_rng(0), 120)
    ids = [str(i) for i in range(120)]
    drawn = Frame([frame], ["p"]).draw(ids, 60, "stratified", 0)
    counts = drawn.scores.filter(polars.col("id").is_in(drawn.ids)).group_by("stratum").len()
    assert sorted(counts["len"]) == [40, 40, 40]
    with pytest.raises(UsageError, match="two or more proxies"):
        Frame([frame], ["p"]).draw(ids, 60, "active", 0)
    with pytest.raises(AssayError, match="id x: no scores"):
        Frame([frame]).draw([*ids, "x"], 60, "active", 0)


def test_assign_writes_the_probabilities(here: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    ids = [f"i{i}" for i in range(30)]
    a, b = (write_jsonl(tmp_path / f"{s}.jsonl", [{"id": id, "output": f"{s} {id}"} for id in ids]) for s in "ab")
    rows = [{"id": id, "system": s, "p": float(rng.normal()), "q": float(rng.normal())} for id in ids for s in "ab"]
    scores = write_jsonl(tmp_path / "scores.jsonl", rows)
    here("study", "new", "--preset", "recommended", "-o", tmp_path / "d.toml")
    text = (tmp_path / "d.toml").read_text()
    design = tmp_path / "design.toml"
    design.write_text("\n".join("items = 10" if line.startswith("items =") else line for line in text.splitlines()))
    words = ("study", "assign", design, a, b, "-o", tmp_path / "study.jsonl", "--sample", "active")
    assert "give --scores and --drawn" in here(*words).err
    call = here(*words, "--scores", scores, "--drawn", tmp_path / "drawn.jsonl")
    assert call.code == 0, call.err
    assert "--probability probability" in call.out
    drawn = [json.loads(line) for line in (tmp_path / "drawn.jsonl").read_text().splitlines()]
    assert sum(row["probability"] for row in drawn if row["system"] == "a") == pytest.approx(10)
    assert len(drawn) == 60
