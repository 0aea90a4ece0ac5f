"""Challenge sets compared with their original items: the join, several files, several children, and errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.records import Example
from assay.results.parents import compare_with_parents, with_parents
from assay.results.result import Result

WORDS = "ferry harbour tide rain boat north town sea wind night".split()


def scored(examples: Sequence[Example], outputs: Sequence[str], system: str = "bart") -> Result:
    rows = [{"id": example.id, "output": output} for example, output in zip(examples, outputs, strict=True)]
    return assay.score(rows, examples=list(examples), metrics="rouge1,bleu,distinct-2", system=system)


def parents(n: int, first: int = 0) -> list[Example]:
    return [Example(id=f"p{i}", references=(_text(i),)) for i in range(first, first + n)]


def children(of: Sequence[Example], copies: int = 1, kind: str = "typos") -> list[Example]:
    return [
        Example(id=f"{one.id}/{k}", parent=one.id, references=one.references, tags={"challenge": kind})
        for one in of
        for k in range(copies)
    ]


def _text(i: int) -> str:
    return " ".join(np.random.default_rng(i).choice(WORDS, 8))


def worse(text: str, i: int) -> str:
    words = text.split()
    words[i % 8] = "x"
    return " ".join(words)


def test_every_child_is_compared_with_its_parent() -> None:
    kept = parents(30)
    made = children(list(reversed(kept)))[:24]
    plain = scored(kept, [worse(one.references[0], i) if i % 3 else one.references[0] for i, one in enumerate(kept)])
    damaged = [" ".join(["x"] * (2 + i % 6) + one.references[0].split()[2 + i % 6 :]) for i, one in enumerate(made)]
    changed = scored(made, damaged)
    (found,) = compare_with_parents([plain, changed])
    assert (found.a.system, found.b.system) == ("bart (parents)", "bart (typos)")
    values = dict(zip(plain.per_example["id"], plain.per_example["rouge1"], strict=True))
    expected = np.mean([values[one.parent or ""] for one in made])
    assert found["rouge1"].a == pytest.approx(expected)
    assert found["rouge1"].b == pytest.approx(changed.scores["rouge1"].value)
    assert found["rouge1"].n == 24
    assert found["rouge1"].low is not None
    assert found["rouge1"].low <= (found["rouge1"].difference or 0) <= (found["rouge1"].high or 0) < 0
    assert found["rouge1"].better == "a"


def test_the_same_as_comparing_under_one_id() -> None:
    """Joined by parents, the scores are those of a comparison of two systems on the same items."""
    kept = parents(40)
    outputs = [worse(one.references[0], i) for i, one in enumerate(kept)]
    made = children(kept)
    found = compare_with_parents([scored(kept, [one.references[0] for one in kept]), scored(made, outputs)])[0]
    twin = assay.compare(scored(kept, [one.references[0] for one in kept], "a"), scored(kept, outputs, "b"))
    for name in ("rouge1", "bleu", "distinct-2"):
        for field in ("a", "b", "difference", "low", "high", "p"):
            assert getattr(found[name], field) == pytest.approx(getattr(twin[name], field)), (name, field)


def test_parents_in_several_files_and_several_children() -> None:
    first, second = parents(12), parents(12, 12)
    made = children([*first, *second], copies=3)
    outputs = [worse(one.references[0], i) for i, one in enumerate(made)]
    files = [scored(part, [one.references[0] for one in part]) for part in (first, second)]
    (found,) = compare_with_parents([files[1], scored(made, outputs), files[0]])
    assert found["rouge1"].a == pytest.approx(1.0)
    assert found["rouge1"].n == 72
    assert found.a.clusters_by == found.b.clusters_by == "parent"
    assert found.a.units == 24
    whole = scored([*first, *second], [one.references[0] for one in (*first, *second)])
    (same,) = compare_with_parents([whole, scored(made, outputs)])
    assert same["bleu"].difference == pytest.approx(found["bleu"].difference)
    assert same["distinct-2"].a == pytest.approx(found["distinct-2"].a)


def test_several_systems_and_sets() -> None:
    kept = parents(10)
    texts = [one.references[0] for one in kept]
    plain = [scored(kept, texts, name) for name in ("bart", "t5")]
    sets = [scored(children(kept, kind=kind), texts, name) for name in ("bart", "t5") for kind in ("typos", "casing")]
    found = compare_with_parents([*plain, *sets])
    assert [each.b.system for each in found] == ["bart (typos)", "bart (casing)", "t5 (typos)", "t5 (casing)"]
    assert all(each["rouge1"].difference == 0 for each in found)
    assert found[0].how.tests >= 4


def test_changed_references_are_meant() -> None:
    kept = parents(10)
    made = [Example(id=f"{one.id}/n", parent=one.id, references=("other words here",)) for one in kept]
    (found,) = compare_with_parents([scored(kept, ["x y"] * 10), scored(made, ["x y"] * 10)])
    assert not found.apart
    assert found.b.system == "bart (changed)"


def test_what_cannot_be_joined() -> None:
    kept = parents(10)
    texts = [one.references[0] for one in kept]
    plain, made = scored(kept, texts), children(kept)
    with pytest.raises(AssayError, match="No result has items with a parent"):
        compare_with_parents([plain])
    with pytest.raises(AssayError, match="its parents are not among the results"):
        compare_with_parents([scored(made, texts)])
    with pytest.raises(AssayError, match="none of its 10 parents is an item of bart"):
        compare_with_parents([scored(parents(5, 50), ["x"] * 5), scored(made, texts)])
    with pytest.raises(AssayError, match="Give the runs of one system the same name"):
        compare_with_parents([scored(kept, texts, "a"), scored(kept, texts, "b"), scored(made, texts, "c")])
    notes: list[str] = []
    original, _ = with_parents(scored(made, texts), [scored(kept[:7], texts[:7])], notes)
    assert original.n == 7
    assert "3 of 10 challenge items are left out: their parent is not among the results (first: p7)" in notes[0]


def test_parents_of_another_system_are_called_by_its_name() -> None:
    kept = parents(12)
    made = children(kept)
    plain = scored(kept, [one.references[0] for one in kept], "other")
    (found,) = compare_with_parents([plain, scored(made, ["x"] * 12)])
    assert (found.a.system, found.b.system) == ("other (parents)", "bart (typos)")
    assert "other is used as the same system" in found.warnings[0]


def test_originals_and_changed_items_in_one_result() -> None:
    kept = parents(12)
    made = children(kept)
    texts = [one.references[0] for one in kept]
    (apart,) = compare_with_parents([scored(kept, texts), scored(made, ["x"] * 12)])
    (together,) = compare_with_parents([scored([*kept, *made], [*texts, *["x"] * 12])])
    assert together["rouge1"].difference == apart["rouge1"].difference == -1
    assert together["rouge1"].n == 12
