"""All pairs: groups without a significant difference, possible ranks, and the familywise error rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from assay.stats.all_pairs import rank_ranges, step_down, tied_groups

WORDS = "the a cat dog sat ran on mat in house tree big".split()


def test_groups_are_the_largest_and_may_overlap() -> None:
    apart = {
        ("a", "b"): False,
        ("b", "c"): False,
        ("a", "c"): True,
        ("a", "d"): True,
        ("b", "d"): True,
        ("c", "d"): True,
    }
    assert tied_groups("abcd", apart) == [["a", "b"], ["b", "c"], ["d"]]
    assert rank_ranges("abcd", apart) == {"a": (1, 2), "b": (1, 3), "c": (2, 3), "d": (4, 4)}


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_groups_cover_all_systems_and_no_significant_pair(seed: int, k: int) -> None:
    chance = np.random.default_rng(seed)
    systems = [f"s{i}" for i in range(k)]
    apart = {(a, b): bool(chance.integers(2)) for i, a in enumerate(systems) for b in systems[i + 1 :]}
    groups = tied_groups(systems, apart)
    assert {system for group in groups for system in group} == set(systems)
    for group in groups:
        assert not any(apart[a, b] for i, a in enumerate(group) for b in group[i + 1 :])
        assert not any(set(group) < set(other) for other in groups)
    for (a, b), significant in apart.items():
        assert significant != any(a in group and b in group for group in groups)


def test_step_down_by_hand() -> None:
    """Three differences, four permutations: each is compared with the maxima of those not yet rejected."""
    null = np.array([[1.0, 2.0, 0.5], [3.0, 0.1, 0.2], [0.2, 0.3, 1.5], [0.4, 0.2, 0.1]])
    assert step_down(np.array([2.5, 1.8, 0.3]), null, exact=True).tolist() == [0.25, 0.25, 0.5]
    assert step_down(np.array([2.5, 1.8, 0.3]), null).tolist() == pytest.approx([2 / 5, 2 / 5, 3 / 5])


def test_one_pair_is_not_corrected() -> None:
    null = np.abs(np.random.default_rng(0).normal(size=(999, 1)))
    (p,) = step_down(np.array([2.0]), null)
    assert p == pytest.approx(((null >= 2).sum() + 1) / 1000)


def test_the_familywise_error_rate_is_kept() -> None:
    """Six systems from one distribution: in at most about one of twenty sets any difference is significant."""
    chance = np.random.default_rng(0)
    rejected = 0
    for _ in range(100):
        references = [" ".join(chance.choice(WORDS, 6)) for _ in range(25)]
        systems = {f"s{i}": [" ".join(chance.choice(WORDS, 6)) for _ in references] for i in range(6)}
        results = assay.score_all(systems, references, metrics="rouge1")
        ranking = assay.compare_pairs(list(results.values()), samples=200).by_name["rouge1"]
        rejected += len(ranking.groups) > 1
    assert rejected <= 12  # 5 are expected; 13 or more come once in a thousand


def test_a_ranking_agrees_with_its_intervals() -> None:
    chance = np.random.default_rng(2)
    references = [" ".join(chance.choice(WORDS, 8)) for _ in range(60)]
    systems = {
        f"s{i}": [" ".join(np.where(chance.random(8) < (1 + i) / 8, text.split(), "x")) for text in references]
        for i in range(4)
    }
    results = assay.score_all(systems, references, metrics="rouge1,ter,entropy-2")
    rankings = assay.compare_pairs(list(results.values()))
    assert rankings.by_name["rouge1"].systems == ["s3", "s2", "s1", "s0"]
    assert rankings.by_name["ter"].systems == ["s3", "s2", "s1", "s0"]  # the lower the better
    for ranking in rankings.by_name.values():
        for pair in ranking.pairs:
            assert pair.low is not None
            assert pair.high is not None
            assert (pair.p_adjusted < 0.05) == (not pair.low <= 0 <= pair.high)
    with pytest.raises(AssayError, match="each with its own system name"):
        assay.compare_pairs([results["s0"], results["s0"]])
