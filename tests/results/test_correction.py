"""One correction for two and for many systems, what it guarantees, and when no result can be significant."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.results.sentences import conclusion
from assay.results.verdict import Procedure, fewest_units
from assay.stats.all_pairs import smallest_p, step_down

METRICS = "rouge,chrf,bleu,mean_length,ter"
WORDS = "the cat sat on a mat and saw one dog run past it".split()


def systems(n: int, count: int, seed: int = 0) -> dict[str, assay.Result]:
    """Systems that drop more and more words of the reference."""
    random = np.random.default_rng(seed)
    references = [" ".join(random.choice(WORDS, 9)) for _ in range(n)]
    outputs = {
        chr(ord("a") + k): [
            " ".join(w for w in text.split() if random.random() > 0.1 * k) or "x" for text in references
        ]
        for k in range(1, count + 1)
    }
    return assay.score_all(outputs, references, metrics=METRICS)


@pytest.mark.parametrize("n", [8, 30])
def test_a_third_system_never_makes_p_of_a_pair_smaller(n: int) -> None:
    results = list(systems(n, 4).values())
    two = assay.compare(results[0], results[1])
    assert two.how.correction == "max-t"
    for count in (2, 3, 4):
        more = assay.compare_all(results[0], results[1:count])[0]
        assert more.how.correction == "max-t"
        for name, row in two.items():
            assert more[name].p == row.p
            if row.p_adjusted is not None:
                assert (more[name].p_adjusted or 0) >= row.p_adjusted


def test_adding_tests_never_lowers_an_adjusted_p() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        null = np.abs(random.normal(size=(200, 6)))
        observed = np.abs(random.normal(1.5, 1, size=6))
        for kept in range(1, 6):
            fewer, more = step_down(observed[:kept], null[:, :kept]), step_down(observed, null)
            assert (more[:kept] >= fewer - 1e-12).all()


def test_a_family_of_one_pair_is_corrected_alone() -> None:
    results = list(systems(20, 3).values())
    alone = assay.compare(results[0], results[1])
    of_pair = assay.compare_all(results[0], results[1:], family="pair")[0]
    assert {name: row.p_adjusted for name, row in of_pair.items()} == {
        name: row.p_adjusted for name, row in alone.items()
    }


def test_other_tests_use_holm_and_refuse_max_t() -> None:
    a, b = systems(20, 2).values()
    assert assay.compare(a, b, test="t").how.correction == "holm"
    with pytest.raises(assay.AssayError, match="max-t needs the permutation test"):
        assay.compare(a, b, test="t", correction="max-t")


def test_eight_items_can_be_significant_after_max_t_and_not_after_holm() -> None:
    a, b = systems(8, 2).values()
    joint, holm = assay.compare(a, b), assay.compare(a, b, correction="holm")
    assert joint.how.attainable
    assert "could be significant" not in conclusion([joint])
    assert holm.how.tests == 8
    assert holm.how.smallest == pytest.approx(2 / 2**8)
    assert not holm.how.attainable
    assert (
        "No result could be significant: with 8 items no p below .008 exists; 8 tests need .006. At least 9 items with "
        "different outputs are required." in conclusion([holm])
    )


@pytest.mark.parametrize(("test", "smallest"), [("sign", 2 / 2**8), ("wilcoxon", 2 / 2**8), ("t", 0.0)])
def test_other_tests_know_their_smallest_p(test: str, smallest: float) -> None:
    outputs = {"a": [f"w{i} " * 3 for i in range(8)], "b": [f"w{i} " * (4 + i) for i in range(8)]}
    results = assay.score_all(outputs, [f"w{i} " * 20 for i in range(8)], metrics="mean_length")
    row = assay.compare(results["a"], results["b"], test=test)["mean_length"]
    assert row.smallest_p == pytest.approx(smallest)


def test_few_changed_items_of_many_cannot_be_significant() -> None:
    references = [f"the cat sat on mat {i}" for i in range(60)]
    changed = [f"cat {text}" if i < 4 else text for i, text in enumerate(references)]
    results = assay.score_all({"a": references, "b": changed}, references, metrics="rouge1,chrf")
    said = conclusion([assay.compare(results["a"], results["b"])])
    assert "too few of the 60 items differ: no p below .1" in said
    same = assay.score_all({"a": references, "b": list(references)}, references, metrics="rouge1")
    assert "the scores do not change when items swap systems" in conclusion([assay.compare(same["a"], same["b"])])


def test_the_number_of_items_for_a_significant_result() -> None:
    assert fewest_units() == 6
    for tests in (1, 2, 5, 8, 23):
        fewest = fewest_units(tests)
        assert 2 / 2**fewest * tests < 0.05 <= 2 / 2 ** (fewest - 1) * tests


def test_smallest_p_of_permutations() -> None:
    null = np.array([3.0, 1.0, 3.0, 0.5])
    assert smallest_p(null, exact=True) == 0.5
    assert smallest_p(null) == pytest.approx(2 / 5)
    assert smallest_p(np.append(null, np.inf), exact=True) == pytest.approx(3 / 5)


def test_one_test_is_not_called_corrected() -> None:
    assert Procedure("t test", tests=1).words() == "t test; p < .05, one test"
    assert Procedure("t test", family="metric", tests=1, pairs=3).words() == "t test; p < .05, one test per metric"
