"""Items are paired by id: numbers that differ by one, missing ids and lines in another order are refused or named."""

from __future__ import annotations

import random
from pathlib import Path

import polars
import pytest

import assay
from assay.errors import AssayError

DRAW = random.Random(0)
TEXTS = [" ".join(DRAW.choices([f"word{i}" for i in range(500)], k=12)) for _ in range(120)]


def frame(first: int) -> polars.DataFrame:
    return polars.DataFrame({"id": list(range(first, first + 120)), "output": TEXTS})


def references(first: int) -> dict[str, str]:
    return {str(i): text for i, text in enumerate(TEXTS, first)}


def test_a_list_and_a_frame_counted_from_zero_are_refused() -> None:
    """They were compared on 119 items, each with the next one."""
    listed = assay.score(TEXTS, TEXTS, metrics="rouge1", system="list")
    framed = assay.score(frame(0), references(0), metrics="rouge1", system="frame")
    for pair in ((listed, framed), (framed, listed)):
        with pytest.raises(AssayError, match=r"ids differ by one .* Count both from 0 or both from 1"):
            assay.compare(*pair)
        with pytest.raises(AssayError, match="ids differ by one"):
            assay.table(list(pair))


def test_a_list_next_to_the_same_numbers_is_named() -> None:
    listed = assay.score(TEXTS, TEXTS, metrics="rouge1", system="list")
    framed = assay.score(frame(1), references(1), metrics="rouge1", system="frame")
    compared = assay.compare(listed, framed)
    assert compared["rouge1"].difference == 0
    assert compared["rouge1"].n == 120
    assert any("list has no ids: its items were numbered from 1" in each for each in compared.warnings)


def test_a_list_next_to_other_ids_is_refused(tmp_path: Path) -> None:
    listed = assay.score(TEXTS, TEXTS, metrics="rouge1", system="list", save=tmp_path / "list")
    named = {f"{i}": text for i, text in enumerate(TEXTS, 50)}
    framed = assay.score(named, named, metrics="rouge1", system="frame")
    for each in (listed, assay.load_run(tmp_path / "list")):
        with pytest.raises(AssayError, match="list has no ids, and frame has other ids than the numbers 1 to 120"):
            assay.compare(each, framed)


def test_two_lists_are_compared_without_a_word() -> None:
    a, b = (assay.score(TEXTS, TEXTS, metrics="rouge1", system=name) for name in "ab")
    assert not any("ids" in each for each in assay.compare(a, b).warnings)


@pytest.mark.parametrize("allow_missing", [False, True])
def test_references_counted_from_another_number_are_refused(allow_missing: bool) -> None:
    with pytest.raises(AssayError, match="ids differ by one"):
        assay.score(frame(0), references(1), metrics="rouge1", allow_missing=allow_missing)


@pytest.mark.parametrize("prefix", ["", "item-"])
def test_plain_references_in_the_order_of_ids_are_refused(prefix: str) -> None:
    order = random.Random(1).sample(range(120), 120)
    outputs = {f"{prefix}{i}": TEXTS[i] for i in order}
    with pytest.raises(AssayError, match="has no ids, and its lines are in the order of the ids of"):
        assay.score(outputs, TEXTS, metrics="bleu")
    in_lines = assay.score(outputs, [TEXTS[i] for i in order], metrics="bleu")  # lines agree: joined by position
    assert in_lines.values["bleu"] == pytest.approx(100)
    assert any("joined by position" in note for note in in_lines.notes)


def test_plain_outputs_next_to_references_with_ids_in_another_order_are_refused() -> None:
    order = random.Random(1).sample(range(120), 120)
    with pytest.raises(AssayError, match=r"Sort .* by id, or add ids"):
        assay.score(TEXTS, {str(i): TEXTS[i] for i in order}, metrics="bleu")


def test_weak_outputs_with_ids_are_not_called_shuffled() -> None:
    """A system that fits no item was said to have lines in another order, although it has ids."""
    draw = random.Random(2)
    weak = {str(i): " ".join(draw.choices([f"word{k}" for k in range(500)], k=12)) for i in range(120)}
    result = assay.score(weak, references(0), metrics="rouge1")
    assert not any("another order" in note for note in result.notes)
    by_position = assay.score(list(weak.values()), TEXTS, metrics="rouge1")
    assert any("another order" in note for note in by_position.notes)


def test_rows_of_pandas_that_were_shuffled_need_ids() -> None:
    """A sorted or sampled frame keeps its index: its outputs were scored against the references of other items."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"output": TEXTS})
    shuffled = frame.sample(frac=1, random_state=1)
    for data in (shuffled, shuffled["output"]):
        with pytest.raises(AssayError, match=r"another order than their index.* reset_index"):
            assay.score(data, TEXTS, metrics="rouge1")
    right = assay.score(frame, TEXTS, metrics="rouge1").values
    assert assay.score(shuffled.sort_index(), TEXTS, metrics="rouge1").values == right
    named = shuffled.assign(id=[str(i) for i in shuffled.index])
    references = {str(i): text for i, text in enumerate(TEXTS)}
    assert assay.score(named, references, metrics="rouge1").values == pytest.approx(right)
