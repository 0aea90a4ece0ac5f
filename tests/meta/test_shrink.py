"""Smaller test sets: balanced subsets are better than random ones, and the stated loss holds for new systems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.meta.shrink import shrink
from assay.stats.balanced_subset import balanced_subset, leave_out_systems
from assay.stats.validation import UndefinedStatistic
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def scores(seed: int, items: int = 200, systems: int = 9) -> np.ndarray:
    """Items differ in difficulty, which all systems share, and in what they favour."""
    rng = np.random.default_rng(seed)
    difficulty, topic = rng.normal(size=(2, items, 1))
    taste, level = rng.normal(size=(2, 1, systems)) * 0.5
    return np.asarray(level - difficulty + taste * topic + rng.normal(size=(items, systems)) * 0.6)


def rows(values: np.ndarray) -> list[dict[str, object]]:
    return [
        {"id": f"i{i}", "system": f"s{s}", "score": float(values[i, s])}
        for i in range(values.shape[0])
        for s in range(values.shape[1])
    ]


def test_a_balanced_subset_has_the_means_of_all() -> None:
    values = scores(0)
    kept = balanced_subset(values, 20)
    assert len({*kept.tolist()}) == 20
    apart = values[kept].mean(axis=0) - values.mean(axis=0)
    random = values.std(axis=0) * np.sqrt(0.9 / 20)
    assert np.abs(apart / random).max() < 0.2  # the tiers of the known systems stay
    assert balanced_subset(values, 20).tolist() == kept.tolist()
    assert balanced_subset(values, 20, 1).tolist() != kept.tolist()
    with pytest.raises(UndefinedStatistic, match="keep fewer"):
        balanced_subset(values, 200)
    with pytest.raises(UndefinedStatistic, match="all scores of each system are equal"):
        balanced_subset(np.ones((9, 5)), 3)


def test_new_systems_lose_what_was_stated() -> None:
    """Systems that were never seen: the stated interval covers, and the error is below that of random items."""
    covered, errors, random = [], [], []
    for seed in range(25):
        values = scores(seed, systems=12)
        known, new = values[:, :8], values[:, 8:]
        kept = balanced_subset(known, 20, seed)
        left = leave_out_systems(known, 20, seed)
        apart = new[kept].mean(axis=0) - new.mean(axis=0)
        errors += apart.tolist()
        random.append(float(np.sqrt((left.random**2).mean())))
        covered += (np.abs(apart) <= 2.365 * left.error).tolist()
    assert np.mean(covered) >= 0.9
    assert np.sqrt(np.mean(np.square(errors))) < 0.8 * np.mean(random)


def test_the_command_writes_ids_and_says_what_is_lost(here: Run, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "scores.jsonl", rows(scores(3)))
    words = ("benchmark", "shrink", path, "--keep", 25)
    call = here(*words, "-o", tmp_path / "kept.jsonl")
    assert call.code == 0, call.err
    ids = [json.loads(line)["id"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert len({*ids}) == 25
    assert "25 of 200 items: the mean of a new system" in call.out
    report = here(*words, "--json").json
    assert report["ids"] == ids
    assert report["error"] < report["random"]
    assert report["worth"] > 25
    assert report["same_order"] > 0.8
    assert report["significant"] <= report["pairs"] == 36


def test_what_cannot_be_shrunk_is_refused(here: Run, tmp_path: Path) -> None:
    few = write_jsonl(tmp_path / "few.jsonl", rows(scores(3, 30, 3)))
    assert "3 systems; 4 are needed" in here("benchmark", "shrink", few, "--keep", 5).err
    both = write_jsonl(tmp_path / "both.jsonl", [{**row, "other": 1.0} for row in rows(scores(3, 30, 5))])
    assert "choose one of score, other" in here("benchmark", "shrink", both, "--keep", 5).err
    twice = write_jsonl(tmp_path / "twice.jsonl", rows(scores(3, 30, 5)) + rows(scores(3, 1, 5)))
    assert "two rows for the same id" in here("benchmark", "shrink", twice, "--keep", 5).err
    holes = [row for row in rows(scores(3, 30, 5)) if row != rows(scores(3, 30, 5))[0]]
    assert "1 of 30 items are left out" in " ".join(shrink([_frame(holes)], 5).notes)


def _frame(table: list[dict[str, object]]) -> object:
    import polars

    return polars.DataFrame(table)
