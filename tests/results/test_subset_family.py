"""Comparisons by subset: one family of tests over all subsets."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.results.compare import CompareRequest
from assay.results.many_systems import ManySystems, SubsetFamily
from assay.results.paper_table import subsets_of
from assay.results.verdict import is_significant

WORDS = "the cat sat on a mat and saw one dog run past it".split()


def null(groups: int, each: int, seed: int) -> list[assay.Result]:
    """Two systems without a true difference on groups of items."""
    random = np.random.default_rng(seed)
    references = [" ".join(random.choice(WORDS, 9)) for _ in range(groups * each)]
    examples = [
        assay.Example(id=str(i), references=(text,), tags={"group": str(i // each)})
        for i, text in enumerate(references)
    ]
    outputs = {
        name: [" ".join(word for word in text.split() if random.random() > 0.2) or "x" for text in references]
        for name in "ab"
    }
    return list(assay.score_all(outputs, examples=examples, metrics="rouge1,chrf").values())


@pytest.mark.parametrize("test", ["permutation", "t"])
def test_p_is_corrected_over_all_subsets(test: str) -> None:
    results, request = null(5, 14, 0), CompareRequest(test=test, samples=200)
    alone = [ManySystems(members, request) for _, members in subsets_of(results, "group")]
    family = SubsetFamily()
    together = [ManySystems(members, request, family=family) for _, members in subsets_of(results, "group")]
    for one, joint in zip(alone, together, strict=True):
        (before,), (after,) = one.with_first(), joint.with_first()
        assert after.how.tests == 10
        assert "over 10 tests" in after.how.words()
        assert "on 5 subsets" in after.how.words()
        for name, row in before.items():
            assert (after[name].p_adjusted or 0) >= (row.p_adjusted or 0) - 0.02
    assert before.how.tests == 2


def test_false_claims_in_any_subset_are_rare() -> None:
    """20 groups: corrected within each, most simulations had a false claim; 8 of 25 come once in 50,000."""
    request = CompareRequest(samples=100, intervals=False)
    false = 0
    for seed in range(25):
        family = SubsetFamily()
        subsets = subsets_of(null(20, 8, seed), "group")
        tested = [ManySystems(members, request, intervals=False, family=family) for _, members in subsets]
        rows = [row for each in tested for row in each.with_first()[0].values()]
        false += any(is_significant(row.p_adjusted) for row in rows)
    assert false < 8


def test_tables_say_so() -> None:
    made = assay.table(null(3, 10, 1), by="group", samples=100)
    whole, *parts = made.sets
    assert whole.rankings is not None
    assert whole.rankings.how.tests == 2
    assert {each.rankings.how.tests for each in parts if each.rankings} == {6}


def test_groups_of_one_system_are_one_family_with_pooled_differences() -> None:
    result = null(6, 40, 2)[0]
    differences = assay.group_differences(result, "group", samples=200)
    assert "simultaneous over all groups and metrics" in " ".join(differences.notes())
    for row in differences.rows:
        assert row.pooled is not None
        assert row.difference is not None
        assert abs(row.pooled) <= abs(row.difference) + 0.02  # towards the mean, which is near 0
        assert row.pooled_low is not None
        assert row.pooled_high is not None
        assert row.pooled_low < row.pooled < row.pooled_high
    shown = differences.to_dict()["metrics"]["rouge1"][0]
    assert {"pooled", "pooled_low", "pooled_high"} <= set(shown)
