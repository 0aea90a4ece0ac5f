"""SARI: the three definitions, against published values and plain counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import resolve
from tests.support import score

GADGETS = "Over 40 gadgets are presently licensed ."
GADGET_REFERENCES = [
    "Over 40 gadgets are presently sold .",
    "Over 40 gadgets are today licensed .",
    "40 gadgets are today licensed .",
]
FEW = st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("Over 40 you today get in .", 0.2682782411698074),
        ("Over 40 gadgets are today shown .", 0.5889995423074249),
        ("Over 40 gadgets are presently shown .", 0.5071608864657479),
    ],
)
def test_vectors_of_the_original_script(output: str, expected: float) -> None:
    """The examples of the script with other words: SARI depends only on which words are equal."""
    actual = score("sari:xu2016", [output], [GADGET_REFERENCES], [GADGETS])["sari"]
    assert actual == pytest.approx(100 * expected, abs=1e-10)


def test_gem_vector() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    assert score("sari:gem", OUTPUTS, REFERENCES, OUTPUTS)["sari"] == pytest.approx(49.37, abs=5e-3)
    # The references as outputs, the sources still the same. Short of 100: the second source has two full stops and its
    # reference one, so that one is deleted which the reference also has.
    assert score("sari:gem", REFERENCES, REFERENCES, OUTPUTS)["sari"] == pytest.approx(99.07, abs=5e-3)


def test_perfect_output_need_not_reach_100() -> None:
    """The only reference keeps no 4-gram of the source, so keep has no F1 at order 4."""
    source = "She was chiefly noted for the weaving of baskets ."
    reference = "She was mainly noted for the making of baskets ."
    assert score("sari", [reference], [reference], [source])["sari"] == pytest.approx(91.6667, abs=5e-5)
    assert score("sari:gem", [reference], [reference], [source])["sari"] == pytest.approx(100)


@pytest.mark.parametrize("spec", ["sari", "sari:gem", "sari:xu2016"])
def test_trailing_white_space_has_no_effect(spec: str) -> None:
    clean = ["a b c"], [["a b", "b c d"]], ["a b c d"]
    spaced = ["a b c \n"], [["a b  ", "b c  d"]], ["a b c d\t"]
    assert score(spec, *spaced) == score(spec, *clean)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("folder", "source", "reference", "count", "output", "expected"),
    [
        ("asset/dataset", "asset.test.orig", "asset.test.simp.{}", 10, "asset.test.orig", (20.7338, 0, 62.2015, 0)),
        ("asset/dataset", "asset.valid.orig", "asset.valid.simp.{}", 10, "asset.valid.orig", (22.5348, 0, 67.6043, 0)),
        (
            "turkcorpus",
            "test.truecase.detok.orig",
            "test.truecase.detok.simp.{}",
            8,
            "test.truecase.detok.orig",
            (26.2912, 0, 78.8736, 0),
        ),
        (
            "turkcorpus",
            "test.truecase.detok.orig",
            "test.truecase.detok.simp.{}",
            8,
            "outputs/ACCESS",
            (41.381, 6.5798, 72.7864, 44.7769),
        ),
    ],
)
def test_published_sets(
    shared_data: Callable[[str], Path],
    folder: str,
    source: str,
    reference: str,
    count: int,
    output: str,
    expected: tuple[float, ...],
) -> None:
    place = shared_data(folder)
    output_path = place / output
    if output_path.is_dir():
        output_path = next(path for path in sorted(output_path.rglob("*")) if path.is_file() and "test" in path.name)
    streams = [lines(place / reference.format(k)) for k in range(count)]
    values = score("sari", lines(output_path), list(zip(*streams, strict=True)), lines(place / source))
    assert list(values.values()) == pytest.approx(expected, abs=6e-5)


def test_one_published_item(shared_data: Callable[[str], Path]) -> None:
    """Item 5 of TurkCorpus: its source, and two of its references, against all references."""
    place = shared_data("turkcorpus")
    source = lines(place / "tune.truecase.detok.orig")[4]
    references = [lines(place / f"tune.truecase.detok.simp.{k}")[4] for k in range(8)]
    expected = {
        source: (23.3403, 0, 70.0208, 0), references[0]: (51.2172, 42.9277, 47.9588, 62.7652),
        references[3]: (47.1589, 40.2581, 34.3626, 66.856),
    }  # fmt: skip
    for output, values in expected.items():
        assert list(score("sari", [output], [references], [source]).values()) == pytest.approx(values, abs=6e-5)


def test_one_reference_against_the_others(shared_data: Callable[[str], Path]) -> None:
    place = shared_data("turkcorpus")
    references = [lines(place / f"test.truecase.detok.simp.{k}") for k in range(8)]
    values = score(
        "sari", references[0], list(zip(*references[1:], strict=True)), lines(place / "test.truecase.detok.orig")
    )
    assert list(values.values()) == pytest.approx((39.7116, 5.8937, 69.7868, 43.4542), abs=6e-5)


@given(output=FEW, source=FEW, references=st.lists(FEW, min_size=1, max_size=3))
def test_hugging_face_by_counting(output: str, source: str, references: list[str]) -> None:
    expected = plain(source, output, references)
    assert score("sari:gem", [output], [references], [source])["sari"] == pytest.approx(100 * expected, abs=1e-9)


def plain(source: str, output: str, references: list[str]) -> float:
    """The definition of the `evaluate` package, with Counters."""
    total = 0.0
    k = len(references)
    for n in (1, 2, 3, 4):

        def grams(text: str, n: int = n) -> Counter[tuple[str, ...]]:
            words = text.split(" ")
            return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

        s = Counter({g: c * k for g, c in grams(source).items()})
        c = Counter({g: v * k for g, v in grams(output).items()})
        r: Counter[tuple[str, ...]] = sum((grams(text) for text in references), Counter())
        kept, keepable = s & c, s & r
        good = kept & r
        precision = sum(good[g] / kept[g] for g in good) / len(kept) if kept else 1
        recall = sum(good.values()) / sum(keepable.values()) if keepable else 1
        total += 2 * precision * recall / (precision + recall) if precision + recall else 0
        deleted = s - c
        right = deleted - r
        total += sum(right[g] / deleted[g] for g in right) / len(deleted) if deleted else 1
        added, addable = set(c) - set(s), set(r) - set(s)
        hits = len(added & set(r))
        precision = hits / len(added) if added else 1
        recall = hits / len(addable) if addable else 1
        total += 2 * precision * recall / (precision + recall) if precision + recall else 0
    return total / 12


@pytest.mark.parametrize("spec", ["sari", "sari:gem", "sari:xu2016"])
def test_scores_by_length_of_n_grams(spec: str) -> None:
    """An operation is the mean of its four lengths, and no other score changes."""
    texts = ["Over 40 gadgets are today shown ."], [GADGET_REFERENCES], [GADGETS]
    plain, single = score(spec, *texts), score(f"{spec}:by_order=true", *texts)
    assert {name: single[name] for name in plain} == plain
    for operation in ("add", "keep", "delete"):
        orders = [single[f"sari.{operation}-{n}"] for n in range(1, 5)]
        assert sum(orders) / 4 == pytest.approx(plain[f"sari.{operation}"])
    if spec == "sari:xu2016":  # added are "today" and "shown", in the references "sold" and "today"
        assert single["sari.add-1"] == pytest.approx(100 * 2 * (1 / 2) * (1 / 2) / (1 / 2 + 1 / 2))


def test_statistics_by_length_are_not_shared_with_others() -> None:
    plain, single = (resolve(spec)[0].metric for spec in ("sari:gem", "sari:gem:by_order=true"))
    assert plain.signature("1") == single.signature("1")
    assert plain.statistics_key() != single.statistics_key()
