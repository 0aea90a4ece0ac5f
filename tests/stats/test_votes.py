"""Votes on errors: first whether, then which; and the order of votes decides nothing."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.votes import Verdict, error_shares, errors_of, verdict

VOTE = st.lists(st.sampled_from(["RelE", "EntE", "OutE"]), max_size=3, unique=True)


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        (["NoE", "NoE", "RelE"], Verdict(False)),
        (["NoE", "RelE", "RelE"], Verdict(True, "RelE")),
        (["NoE", "RelE", "EntE"], Verdict(True)),
        (["OutE", "RelE", "EntE"], Verdict(True)),
        (["OutE", "EntE", "EntE"], Verdict(True, "EntE")),
        (["RelE+OutE", "OutE", "NoE"], Verdict(True, "OutE")),
        (["RelE+OutE", "OutE+RelE", "NoE"], Verdict(True, None, ("OutE", "RelE"))),
        (["NoE", "EntE"], Verdict(True)),
        (["EntE"], Verdict(True, "EntE")),
        (["ok"], Verdict(False)),
    ],
)
def test_by_hand(votes: list[str], expected: Verdict) -> None:
    for order in permutations(votes):
        assert verdict([errors_of(vote) for vote in order]) == expected


def test_nobody_asked() -> None:
    assert verdict([]) == Verdict(False)


@given(st.lists(st.lists(VOTE, min_size=3, max_size=3), min_size=1, max_size=8))
def test_shares_add_up_to_the_wrong_sentences(sentences: list[list[list[str]]]) -> None:
    found = [verdict(votes) for votes in sentences]
    wrong = sum(sum(map(bool, votes)) >= 2 for votes in sentences)
    shares = error_shares(found, ("RelE", "EntE", "OutE"))
    assert sum(shares.values()) == pytest.approx(wrong / len(sentences))
    assert all(found[i] == verdict(list(reversed(votes))) for i, votes in enumerate(sentences))
