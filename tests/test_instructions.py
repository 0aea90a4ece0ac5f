"""The gate on instruction counts: what it compares, and that a slower workload fails it."""

from __future__ import annotations

import json

import pytest

from benchmarks.instructions import STORED, slower, total, workloads


def test_every_workload_runs_and_has_a_stored_count() -> None:
    every = workloads()
    for work in every.values():
        work()
    counts = json.loads(STORED.read_text())
    assert counts
    for stored in counts.values():
        assert stored.keys() == every.keys()
        assert min(stored.values()) > 100_000  # less would be a workload that does nothing


@pytest.mark.parametrize(("count", "fails"), [(100, False), (109, False), (112, True), (50, False)])
def test_a_slower_workload_fails(count: int, fails: bool) -> None:
    lines = slower({"bleu": count}, {"bleu": 100})
    assert bool(lines) == fails
    assert not fails or lines == ["bleu: 112 instructions, 1.12 times the stored 100"]


def test_a_new_workload_is_named() -> None:
    assert slower({"new": 1}, {}) == ["new: not stored. Store it with --write."]


@pytest.mark.parametrize("text", ["events: Ir\nsummary: 1234\n", "fn=(1) a\ntotals: 1234\n"])
def test_totals_are_read(text: str) -> None:
    assert total(text) == 1234
