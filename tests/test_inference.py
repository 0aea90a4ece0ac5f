"""The promises of inference in a reduced simulation on real outputs; `python -m benchmarks inference` has it whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import assay
from benchmarks.inference import Tally, coverage, error_rate, family_wise, gap_coverage, simulate
from tests.conftest import DATA

SIMULATIONS = 120


def surely_off(share: float | None, promised: float) -> float:
    """By how many standard errors a share of so many simulations lies beyond what is promised."""
    return 0.0 if share is None else (share - promised) / np.sqrt(promised * (1 - promised) / SIMULATIONS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "folder"), [("WebNLG", "webnlg"), ("Turk", "turkcorpus"), ("MUCSUM", "eks")])
@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_cover_and_tests_keep_their_level(
    shared_data: Callable[[str], Path], name: str, folder: str, clustered: bool
) -> None:
    """With 50 items: coverage is not below 90 %, and no more than 6 % are rejected, by three standard errors."""
    shared_data(folder)
    tallies: dict[str, Tally] = simulate(name, 50, clustered, range(SIMULATIONS))
    for number, tally in tallies.items():
        for share in (rate(name, clustered, number, tally) for rate in (coverage, gap_coverage)):
            assert surely_off(share, 0.90) > -3, (number, share)
        assert surely_off(error_rate(name, clustered, number, tally), 0.06) < 3, number
        assert tally.disagree == 0, number
    assert surely_off(family_wise(tallies), 0.06) < 3


def test_p_and_interval_agree_in_a_thousand_comparisons() -> None:
    rng = np.random.default_rng(0)
    words = np.array("the a cat dog sat ran on mat in house".split())
    agreed = 0
    for number in range(250):
        n = int(rng.integers(10, 40))
        references = [" ".join(rng.choice(words, 6)) for _ in range(n)]
        wrong = rng.random(2) * 0.6

        texts = {
            name: [" ".join(np.where(rng.random(6) < share, "x", text.split())) for text in references]
            for name, share in zip("ab", wrong, strict=True)
        }
        results = assay.score_all(texts, references, metrics="rouge1,bleu,chrf,ter")
        for row in assay.compare(results["a"], results["b"], samples=99, seed=number).values():
            if row.low is not None and row.high is not None and row.p is not None:
                assert (row.p < 0.05) == (not row.low <= 0 <= row.high)
                agreed += 1
    assert agreed > 800


@pytest.fixture(autouse=True)
def released_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks read released data from where the tests do."""
    monkeypatch.setenv("ASSAY_DATA", str(DATA))
