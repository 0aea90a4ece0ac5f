"""Joining human and metric files: keys, refusals, and what is said about missing rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest

from assay.errors import AssayError
from assay.meta.joined_scores import human_column, join_scores, read_frame


def rows(n: int, **columns: Any) -> list[dict[str, Any]]:
    return [{"id": f"i{i}", **{name: value(i) for name, value in columns.items()}} for i in range(n)]


def test_join_by_id_keeps_the_human_order() -> None:
    human = rows(3, quality=float)
    scores = list(reversed(rows(3, a=lambda i: i * 2.0, note=lambda i: f"n{i}")))
    data = join_scores(human, scores)
    assert data.key == ("id",)
    assert data.metrics == ("a",)
    assert data.frame["a"].to_list() == [0, 2, 4]
    assert data.frame["note"].to_list() == ["n0", "n1", "n2"]


def test_join_by_id_and_system() -> None:
    human = [{"id": 1, "system": s, "v": i} for i, s in enumerate("ab")]
    scores = [{"id": "1", "system": s, "m": i} for i, s in enumerate("ba")]
    data = join_scores(human, scores)
    assert data.key == ("id", "system")
    assert data.frame["m"].to_list() == [1, 0]


def test_numbers_in_text_files(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text("hash,model_name,score,label\n01,a,0.5,x\n02,a,,y\n")
    frame = read_frame(path, "human")
    assert frame["hash"].to_list() == ["01", "02"]
    assert frame["score"].to_list() == [0.5, None]
    assert frame["label"].dtype == polars.String


def test_bare_nan_is_a_missing_score(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    path.write_text('[{"id": "a", "m": NaN}, {"id": "b", "m": 1.0}]')
    assert read_frame(path, "scores")["m"].to_list() == [None, 1.0]


def test_nested_scores_become_columns() -> None:
    human = [{"id": str(i), "n": 1, "human": {"coherence": float(i), "n": 2.0}} for i in range(3)]
    frame = read_frame(human, "human")
    assert frame["coherence"].to_list() == [0, 1, 2]
    assert frame["human.n"].to_list() == [2, 2, 2]


def test_different_item_sets_are_named() -> None:
    with pytest.raises(AssayError, match=r"1 of the 3 items of .* are missing \(first: id i2\).*--allow-missing"):
        join_scores(rows(3, v=float), rows(2, m=float))
    data = join_scores(rows(3, v=float), rows(2, m=float), allow_missing=True)
    assert len(data.frame) == 2
    assert "1 of 3 items" in data.notes[0]
    with pytest.raises(AssayError, match="have no common id"):
        join_scores([{"id": "x", "v": 1}], rows(2, m=float), allow_missing=True)


def test_duplicates_and_missing_keys() -> None:
    with pytest.raises(AssayError, match="id i0 is repeated"):
        join_scores(rows(1, v=float) * 2, rows(1, m=float))
    with pytest.raises(AssayError, match="have no common key"):
        join_scores([{"item": 1, "v": 1}], rows(1, m=float))


def test_same_column_in_both_files_is_told_apart() -> None:
    data = join_scores(rows(3, v=float), rows(3, v=lambda i: 3.0 - i))
    assert data.metrics == ("v (scores)",)


def test_one_file_for_both(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps(rows(4, Factuality=float, m=lambda i: i**2)))
    data = join_scores(path, path)
    assert set(data.metrics) == {"Factuality", "m"}


def test_which_column_is_human() -> None:
    frame = polars.DataFrame({"id": ["a"], "x": [1.0], "y": [2.0], "t": ["z"]})
    assert human_column(frame, ("id",), "y", ()) == "y"
    assert human_column(frame, ("id",), None, ("x",)) == "y"
    for asked, why in ((None, "--column"), ("nope", "has no column 'nope'"), ("t", "is text, not numbers")):
        with pytest.raises(AssayError, match=why):
            human_column(frame, ("id",), asked, ())


def test_files_of_two_systems_are_joined_by_item() -> None:
    one, other = ([{"id": "x", "system": name, "m": value}] for name, value in (("a", 1.0), ("b", 2.0)))
    with pytest.raises(AssayError, match="have no common id and system"):
        join_scores(one, other)
    assert join_scores(one, other, two_systems=True).frame["m (scores)"].to_list() == [2.0]
