"""Joining human and metric files: keys, refusals, and what is said about missing rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from assay.errors import AssayError
from assay.meta.joined_scores import human_column, join_scores, read_frame
from assay.meta.score_files import read_scores
from tests.conftest import Call

Find = Callable[[str], Path]


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


def test_judgements_of_sentences_are_answered_with_the_export_that_has_a_row_per_text() -> None:
    judged = [
        {"id": "a", "system": "s", "annotator": "x", "criterion": "factual", "value": "NoE", "unit": "sentence:0"}
    ]
    with pytest.raises(AssayError, match="`assay study export --as frank`"):
        read_frame(judged, "human")


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


def test_several_files_of_the_same_texts_are_joined(tmp_path: Path) -> None:
    """One file per metric, with the key names of FRANK or ours, and ids such as `input/system`."""
    human = tmp_path / "human.json"
    human.write_text(json.dumps([{"hash": i, "model_name": "s", "Factuality": n} for n, i in enumerate("abc")]))
    first = tmp_path / "released.json"
    first.write_text(json.dumps([{"hash": i, "model_name": "s", "Old": n} for n, i in enumerate("abc")]))
    second, third = tmp_path / "mine.jsonl", tmp_path / "more.jsonl"
    second.write_text(
        "".join(json.dumps({"id": f"{i}/s", "system": "s", "New": n}) + "\n" for n, i in enumerate("cba"))
    )
    third.write_text("".join(json.dumps({"id": i, "system": "s", "New": n + 5}) + "\n" for n, i in enumerate("abc")))
    table, notes = read_scores([first, second, third])
    joined = join_scores(human, table)
    assert joined.metrics == ("Old", "New", "New (more)")
    assert joined.frame["New"].to_list() == [2, 1, 0]
    assert joined.frame["New (more)"].to_list() == [5, 6, 7]
    assert not notes


def test_one_file_per_system_and_per_metric(tmp_path: Path) -> None:
    files = []
    for metric in ("A", "B"):
        for system in ("x", "y"):
            path = tmp_path / f"{system}.{metric}.jsonl"
            path.write_text("".join(json.dumps({"id": i, metric: 1.0 + len(metric)}) + "\n" for i in "ab"))
            files.append(path)
    table, _ = read_scores(files)
    assert sorted(table.columns) == ["A", "B", "id", "system"]
    assert table.select("id", "system").rows() == [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")]
    assert table.null_count().row(0) == (0, 0, 0, 0)


def test_a_file_that_adds_nothing_or_lacks_items_is_refused(tmp_path: Path) -> None:
    files: dict[str, list[dict[str, object]]] = {
        "a": [{"id": i, "system": "s", "M": 1.0} for i in "ab"],
        "b": [{"id": "a", "system": "s", "N": 1.0}],
        "c": [{"id": i, "system": "s"} for i in "ab"],
    }
    for name, records in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    with pytest.raises(AssayError, match=r"1 of the 2 items of .*a\.jsonl are missing"):
        read_scores([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    table, notes = read_scores([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], allow_missing=True)
    assert (len(table), len(notes)) == (1, 1)
    with pytest.raises(AssayError, match="no numeric column"):
        read_scores([tmp_path / "a.jsonl", tmp_path / "c.jsonl"])


def test_my_metrics_in_the_table_of_frank(here: Callable[..., Call], tmp_path: Path, shared_data: Find) -> None:
    """Two further score files change no released value: FactCC stays at .204."""
    released = shared_data("frank")
    scores = json.loads((released / "baseline_factuality_metrics_outputs.json").read_text())
    for name in ("one", "two"):
        own = [
            {"id": f"{row['hash']}/{row['model_name']}", "system": row["model_name"], name: number % 7}
            for number, row in enumerate(scores)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in own))
    files = [released / "baseline_factuality_metrics_outputs.json", tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    options = [each for path in files for each in ("--scores", path)]
    human = ("--human", released / "human_annotations.json", "--control", "model_name", "--classical", "--json")
    together = here("metric", "correlate", *human, *options).json["metrics"]
    alone = here("metric", "correlate", *human, *options[:2]).json["metrics"]
    assert {name: together[name]["pearson"]["r"] for name in alone} == {n: v["pearson"]["r"] for n, v in alone.items()}
    assert together["FactCC"]["pearson"]["r"] == pytest.approx(0.2039, abs=5e-5)
    assert {"one", "two"} <= together.keys()
