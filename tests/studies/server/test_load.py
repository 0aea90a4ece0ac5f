"""A small run of the benchmark: annotators answer while the server is killed and restarted."""

from __future__ import annotations

import pytest

pytest.importorskip("psutil", reason="needs psutil")

from benchmarks.annotation import Trial, hold


@pytest.mark.slow
def test_every_acknowledged_answer_is_stored_exactly_once() -> None:
    trial = Trial(people=12, items=3, kills=2, pause=(0.05, 0.2), again=(0.2, 0.6))
    outcome = hold(trial)
    assert outcome.faults(trial) == []
    assert outcome.starts == 3
    assert len(outcome.seen.acknowledged) == 36
