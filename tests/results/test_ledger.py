"""A ledger of tries: what counts as one, what a failed one reveals, and how often chance passes a system."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import AssayError, UsageError
from assay.results.ledger import Entry, enter, read_ledger
from assay.results.result import Result

N = 150


def scored(right: np.ndarray, name: str) -> Result:
    outputs = {str(i): "yes" if each else "no" for i, each in enumerate(right)}
    return assay.score(outputs, dict.fromkeys(outputs, "yes"), metrics="exact_match", system=name)


def tried(path: Path, right: np.ndarray, base: Result, name: str = "new", tries: int | None = None) -> Entry:
    return enter(path, assay.check(scored(right, name), base, {"exact_match": 8}), tries)


@pytest.fixture
def base() -> Result:
    return scored(np.arange(N) % 10 > 0, "old")


def test_a_good_system_passes_and_is_counted_once(tmp_path: Path, base: Result) -> None:
    path = tmp_path / "ledger.jsonl"
    good, bad = np.ones(N, dtype=bool), np.arange(N) % 2 == 0
    first = tried(path, good, base)
    assert (first.passed, first.look.number, first.level) == (True, 1, 0.05 / 20)
    second = tried(path, bad, base, "bad")
    assert (second.passed, second.look.number) == (False, 2)
    assert "bad does not pass: try 2 of 20" in second.words()
    again = tried(path, good, base, "renamed")
    assert (again.repeated, again.look.number, again.passed) == (True, 1, True)
    assert len(read_ledger(path)[1]) == 2


def test_used_up_and_damaged_ledgers_are_refused(tmp_path: Path, base: Result) -> None:
    path = tmp_path / "ledger.jsonl"
    rng = np.random.default_rng(0)
    for _ in range(2):
        tried(path, rng.random(N) < 0.9, base, tries=2)
    with pytest.raises(UsageError, match="all 2 tries on this test set are used"):
        tried(path, rng.random(N) < 0.9, base)
    with pytest.raises(UsageError, match="was created with 2"):
        tried(path, rng.random(N) < 0.9, base, tries=3)
    path.write_text(path.read_text() + "{\n")
    with pytest.raises(AssayError, match=r"ledger\.jsonl:4: no line of a ledger"):
        tried(path, rng.random(N) < 0.9, base)


def test_fourteen_tries_at_the_margin_rarely_pass(tmp_path: Path) -> None:
    """Systems that are worse by exactly the margin: by the level of one test, many of 14 tries together would pass."""
    rng = np.random.default_rng(1)
    passed = alone = 0
    for run in range(2):
        base = scored(rng.random(N) < 0.95, "old")
        entries = []
        for _ in range(14):
            check = assay.check(scored(rng.random(N) < 0.87, "new"), base, {"exact_match": 8})
            entries.append((check.passed, enter(tmp_path / f"{run}.jsonl", check).passed))
        alone += any(single for single, _ in entries)
        passed += any(both for _, both in entries)
    assert passed <= 1
    assert passed <= alone
