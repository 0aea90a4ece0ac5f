"""Promises about stored files, each on a few cases; `python -m benchmarks.flips` and `pairs` try hundreds."""

from __future__ import annotations

from pathlib import Path

from benchmarks.flips import KINDS, run_flips
from benchmarks.pairs import run_pairs


def test_a_flipped_bit_that_changes_a_number_is_seen(tmp_path: Path) -> None:
    found = run_flips(3, seed=1, base=tmp_path)
    assert set(found) == set(KINDS)
    assert {kind: counts["unseen"] for kind, counts in found.items() if counts["unseen"]} == {}
    assert sum(counts["said"] for counts in found.values()) > len(KINDS)


def test_two_processes_on_one_folder_lose_nothing(tmp_path: Path) -> None:
    counts, wrong = run_pairs(18, seed=1, base=tmp_path)
    assert wrong == []
    assert counts["refused"] > 0
