"""Items are identified by id, never by position; every mismatch names ids."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Items, join, read_examples, read_outputs, read_references, read_sources
from assay.records.read import read_systems


def outputs(*ids: str) -> Any:
    return read_outputs([{"id": id, "output": f"out {id}"} for id in ids])


def references(*ids: str) -> Any:
    return read_references([{"id": id, "references": [f"ref {id}"]} for id in ids])


def test_order_is_that_of_the_examples() -> None:
    items = join(outputs("c", "a", "b"), references("a", "b", "c"))
    assert items.ids == ["a", "b", "c"]
    assert items.outputs == ("out a", "out b", "out c")
    assert items.references == [("ref a",), ("ref b",), ("ref c",)]


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "twice in outputs": (outputs("a", "a"), references("a"), r"<outputs>: 1 id more than once: a"),
    "twice in references": (outputs("a"), references("a", "a"), r"<references>: 1 id more than once: a"),
    "unknown": (outputs("a", "z"), references("a"), r"<outputs>: 1 id not in <references>: z"),
    "missing": (outputs("a"), references("a", "b"), r"no output for 1 id of <references>: b"),
    "decimals": (outputs("1.0", "2.0"), references("1", "2"), r"written differently \(1.0 and 1\). Write them alike"),
    "zeros": (outputs("007", "008"), references("7", "8", "9"), r"written differently \(007 and 7\). Write them alike"),
    "nothing in common": (outputs("a"), references("b"), r"1 id not in <references>: a"),
    "lengths": (read_outputs(["a", "b"]), read_references(["a"]), r"<outputs> has 2 items but <references> has 1"),
    "transposed": (
        read_outputs(["a", "b", "c"]),
        read_references([["1", "2", "3"], ["4", "5", "6"]]),
        r"looks transposed: 2 lists of 3 texts for 3 outputs",
    ),
    "one side without ids": (
        read_outputs(["x"]),
        references("a", "b"),
        r"<outputs> has 1 item and no ids, but <references> has 2 items\. Add an \"id\" to every entry of <outputs>",
    ),
    "no outputs": (read_outputs([]), references("a"), r"<outputs>: no outputs"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    first, second, message = REFUSED[case]
    with pytest.raises(AssayError, match=message):
        join(first, second)


def test_first_ten_are_listed() -> None:
    many = [f"m{i:02d}" for i in range(25)]
    with pytest.raises(AssayError, match=r"25 ids of") as caught:
        join(outputs("a"), references("a", *many))
    listed = re.findall(r"m\d\d", str(caught.value))
    assert listed == many[:10]
    assert "and 15 more" in str(caught.value)


def test_missing_items_name_the_system_of_a_file_of_several() -> None:
    rows = [{"id": id, "output": "x", "system": name} for name, ids in (("big", "ab"), ("small", "a")) for id in ids]
    files = read_systems(rows)
    notes = [note for file in files for note in join(file, references("a", "b"), allow_missing=True).notes]
    assert notes == ["<outputs>: no output of small for 1 of 2 items; not scored"]


def test_allow_missing_scores_what_is_there_and_says_so() -> None:
    items = join(outputs("a", "z"), references("a", "b", "c"), allow_missing=True)
    assert items.ids == ["a"]
    assert any("no output for 2 of 3 items" in note for note in items.notes)
    assert any("1 output has an id" in note for note in items.notes)


def test_positions_when_one_side_has_no_ids() -> None:
    items = join(read_outputs(["x", "y"]), references("a", "b"))
    assert items.ids == ["a", "b"]
    assert any("joined by position" in note for note in items.notes)
    items = join(outputs("a", "b"), read_references(["r", "s"]))
    assert (items.ids, items.references) == (["a", "b"], [("r",), ("s",)])


def test_examples_references_and_sources_together() -> None:
    examples = read_examples([{"id": "a", "language": "de", "tags": {"t": "1"}}, {"id": "b"}])
    sources = read_sources([{"id": "b", "source": "sb"}, {"id": "a", "source": "sa"}])
    items = join(outputs("b", "a"), examples, references("a", "b"), sources, language="cs")
    assert items.sources == ["sa", "sb"]
    assert items.references == [("ref a",), ("ref b",)]
    assert [example.language for example in items.examples] == ["de", "cs"]
    with pytest.raises(AssayError, match=r"<sources>: no entry for 1 id of <examples>: b"):
        join(outputs("a", "b"), examples, read_sources([{"id": "a", "source": "x"}]))


def test_references_in_the_outputs_file() -> None:
    items = join(read_outputs([{"id": "a", "prediction": "p", "reference": "r", "document": "d"}]))
    assert (items.outputs, items.references, items.sources) == (("p",), [("r",)], ["d"])
    assert items.has("references")
    assert items.has("sources")
    assert not items.has("inputs")


def test_references_for_some_items_only() -> None:
    examples = read_examples([{"id": "a", "references": ["x"]}, {"id": "b"}])
    with pytest.raises(AssayError, match=r"1 item without references, while others have some: b"):
        join(outputs("a", "b"), examples)


@pytest.mark.parametrize(("count", "size", "sizes"), [(5, 2, [2, 2, 1]), (4, 4, [4]), (3, 10, [3])])
def test_shards_cover_everything(count: int, size: int, sizes: list[int]) -> None:
    items: Items = join(read_outputs([f"o{i}" for i in range(count)]))
    shards = list(items.shards(size))
    assert [len(shard) for shard in shards] == sizes
    assert [text for shard in shards for text in shard.outputs] == list(items.outputs)


def with_cut_lines(path: Path, rows: list[dict[str, Any]], *cut: int) -> Path:
    """JSONL whose lines of these numbers break off; an empty line in front of the third is not an item."""
    lines = [json.dumps(row) for row in rows]
    lines = [line[:-4] if number in cut else line for number, line in enumerate(lines, 1)]
    path.write_text("\n".join([*lines[:2], "", *lines[2:]]), encoding="utf-8")
    return path


@pytest.mark.parametrize("named", ["nobody", "outputs", "references"])
def test_unreadable_lines_do_not_shift_the_others(tmp_path: Path, named: str) -> None:
    texts = [f"text {i}" for i in range(1, 7)]
    ids = {side: [{"id": f"x{i}"} if side == named else {} for i in range(1, 7)] for side in ("outputs", "references")}
    given = [{**id, "output": text} for id, text in zip(ids["outputs"], texts, strict=True)]
    wanted = [{**id, "references": [text]} for id, text in zip(ids["references"], texts, strict=True)]
    o, r = with_cut_lines(tmp_path / "o", given, 2), with_cut_lines(tmp_path / "r", wanted, 5, 6)
    s = with_cut_lines(tmp_path / "s", [{"source": text} for text in texts], 1)
    read = read_outputs(o, skip_bad=True), read_references(r, skip_bad=True), read_sources(s, skip_bad=True)
    items = join(*read)
    assert items.outputs == ("text 3", "text 4")
    assert items.references == [("text 3",), ("text 4",)]
    assert items.sources == ["text 3", "text 4"]
    assert items.ids == (["3", "4"] if named == "nobody" else ["x3", "x4"])
    assert items.notes[:3] == (
        f"{o}:2: 1 unreadable line was left out",
        f"{r}:6: 2 unreadable lines were left out, this one first",
        f"{s}:1: 1 unreadable line was left out",
    )


def test_unreadable_lines_count_for_the_length(tmp_path: Path) -> None:
    rows = [{"output": str(i)} for i in range(4)]
    o = read_outputs(with_cut_lines(tmp_path / "o", rows, 4), skip_bad=True)
    with pytest.raises(AssayError, match=r"o has 4 items but <references> has 3"):
        join(o, read_references(["0", "1", "2"]))
    o = read_outputs(with_cut_lines(tmp_path / "o", rows, 3, 4), skip_bad=True)
    r = read_references(with_cut_lines(tmp_path / "r", [{"reference": "a"}] * 4, 1, 2), skip_bad=True)
    with pytest.raises(AssayError, match=r"no item is readable in both"):
        join(o, r)


def test_an_unanswerable_question_needs_no_reference() -> None:
    outputs = read_outputs([{"id": "a", "output": "x"}, {"id": "b", "output": "Nobody knows."}])
    asked = [
        {"id": "a", "references": ["x"], "tags": {"answerable": "true"}},
        {"id": "b", "tags": {"answerable": "No"}},
    ]
    assert join(outputs, read_examples(asked)).references == [("x",), ("",)]
    asked[1]["tags"] = {"answerable": "true"}
    with pytest.raises(AssayError, match=r"1 item without references, while others have some: b"):
        join(outputs, read_examples(asked))
    assert join(outputs, read_examples(asked), some_references=True).references == [("x",), ()]
