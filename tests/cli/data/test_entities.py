"""`assay data entities`: groups out of a corpus, crowd answers by the published rules, rankings for anyone's own
data."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets import dataset
from assay.datasets.crowd_phrases import COLUMNS
from assay.datasets.entity_groups import clean_name, cut_background, windows
from assay.records import read_examples, write_jsonl
from assay.records.inputs import read_input
from assay.records.kinds import Entities
from tests.conftest import Call

Run = Callable[..., Call]


@pytest.mark.parametrize(
    ("name", "kind", "clean"),
    [
        ("Bush, George W (Pres)", "person", "George W. Bush"), ("Smith, John Paul Jr", "person", "John Paul Smith Jr."),
        ("Microsoft Corp", "org", "Microsoft Corp."), ("London (England)", "location", "London"),
        ("Cher", "person", "Cher"), ("Alpha Corporation", "org", "Alpha Corporation"),
    ],
)  # fmt: skip
def test_names(name: str, kind: str, clean: str) -> None:
    assert clean_name(name, kind) == clean


def test_background_is_cut_at_whole_sentences() -> None:
    first, second = "A" * 300 + ".", "B" * 400 + "."
    assert cut_background(f"{first} {second}") == first
    assert cut_background("C" * 700 + ". D.") == "C" * 700 + "."
    assert cut_background("Alpha (born 1 May) is x.\nNext paragraph.") == "Alpha is x."
    assert cut_background("") == ""


@pytest.mark.parametrize(
    ("mentioned", "expected"),
    [
        ([{0}, {0}], [(0, 2)]),  # one sentence at the start gets the next
        ([{2}, {2}], [(1, 3)]),  # else the one before
        ([{0}, {1}], [(0, 2)]),
        ([{0}, {2}], []),  # too far apart for two
        ([{0}, {1}, {2}], [(0, 3)]),
        ([{0, 3}, {1, 3}], [(0, 2), (2, 4)]),
    ],
)
def test_windows(mentioned: list[set[int]], expected: list[tuple[int, int]]) -> None:
    assert list(windows(mentioned, 4)) == expected


CORPUS = {
    "id": "d1", "title": "Ports Idle",
    "text": "Ada met Ben in Wexley. Cleo was in Norby. Ada and Cleo left. Rain fell.",
    "entities": [
        {"name": "Love, Ada", "type": "person", "mentions": [0, 42], "background": "Ada (b. 1) built engines."},
        {"name": "Ben", "type": "person", "mentions": [8]},
        {"name": "Cleo", "type": "person", "mentions": [23, 50]},
        {"name": "Wexley", "type": "location", "mentions": [15]},
        {"name": "Norby", "type": "location", "mentions": [35]},
    ],
}  # fmt: skip


def test_extraction(here: Run, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(json.dumps(CORPUS) + "\n")
    call = here("data", "entities", "extract", tmp_path / "c.jsonl", "-o", tmp_path / "i.jsonl", "--json")
    assert call.code == 0, call.err
    found = read_examples(tmp_path / "i.jsonl").examples
    shown = {(tuple(given.entities), given.context) for one in found if (given := read_input(one, Entities))}
    assert (("Ada Love", "Ben"), "Ada met Ben in Wexley. Cleo was in Norby.") in shown
    assert (("Ada Love", "Cleo"), "Cleo was in Norby. Ada and Cleo left.") in shown
    assert (("Wexley", "Norby"), "Ada met Ben in Wexley. Cleo was in Norby.") in shown
    assert call.json["types"]["location"] == 1
    first = read_input(found[0], Entities)
    assert (first.background[0], first.title) == ("Ada built engines.", "Ports Idle")
    broken = {**CORPUS, "entities": [{"name": "x", "type": "person", "mentions": [999]}]}
    (tmp_path / "b.jsonl").write_text(json.dumps(broken) + "\n")
    call = here("data", "entities", "extract", tmp_path / "b.jsonl", "-o", tmp_path / "x.jsonl")
    assert (call.code, "list of places inside the text" in call.err) == (1, True)


def test_extraction_from_muc4(here: Run, tmp_path: Path, shared_data: Callable[[str], Path]) -> None:
    write_jsonl(tmp_path / "m.jsonl", dataset("muc4").read(shared_data("muc4"), "test"))
    call = here(
        "data", "entities", "extract", tmp_path / "m.jsonl", "-o", tmp_path / "i.jsonl", "--limit", 40, "--json"
    )
    assert call.code == 0, call.err
    assert call.json["instances"] == 40
    for one in read_examples(tmp_path / "i.jsonl").examples:
        assert 2 <= len(read_input(one, Entities).entities) <= 6


def crowd(path: Path, rows: list[tuple[str, str, str, str, str]]) -> Path:
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows([id, worker, "40", one, two, box] for id, worker, one, two, box in rows)
    return path


def test_the_crowd_by_the_published_rules(here: Run, tmp_path: Path) -> None:
    """Four answers are one too few; a ticked box drops its text; two people must have found something."""
    (tmp_path / "c.jsonl").write_text(json.dumps(CORPUS) + "\n")
    here("data", "entities", "extract", tmp_path / "c.jsonl", "-o", tmp_path / "i.jsonl")
    ids = [one.id for one in read_examples(tmp_path / "i.jsonl").examples]
    rows = [(id, worker, "The two friends", "these people", "") for id in ids for worker in ("a", "b")]
    rows += [(ids[0], "few", "ports", "", "")]
    rows[0] = (ids[0], "a", "cities", "", "true")  # ticked: no answer, so this instance has one annotator left
    rows[2] = (ids[1], "a", "people", "white and black", "")  # says nothing, discarded: one annotator left
    path = crowd(tmp_path / "a.csv", rows)
    arguments = ["data", "entities", "crowd", path, "--instances", tmp_path / "i.jsonl", "-o", tmp_path / "g.jsonl"]
    call = here(*arguments, "--assignments", len(ids), "--json", "--discarded", tmp_path / "d.csv")
    assert call.code == 0, call.err
    funnel = call.json["funnel"]
    assert (funnel["records"], funnel["workers"], funnel["workers kept"]) == (2 * len(ids) + 1, 3, 2)
    assert funnel["instances kept"] == len(ids) - 2
    gold = read_examples(tmp_path / "g.jsonl").examples
    assert gold[0].references == ("friends", "these people")
    assert read_input(gold[0], Entities).background  # what was told of the entities is kept
    assert "white and black" in (tmp_path / "d.csv").read_text()
    call = here(*arguments[:-1], tmp_path / "e.jsonl", "--assignments", 1, "--extended")
    assert read_examples(tmp_path / "e.jsonl").examples[1].references == ("friends",)
    crowd(path, [("nobody", "a", "x", "", "")])
    call = here(*arguments[:-1], tmp_path / "f.jsonl", "--assignments", 1)
    assert (call.code, "has answers and is no instance" in call.err) == (1, True)


def test_rankings_of_ones_own(here: Run, tmp_path: Path) -> None:
    rows = []
    for i in range(40):
        given = Entities(type="person", entities=[f"A{i % 25}", f"B{i}"], background=["", ""], title="t", context="c")
        rows.append({"id": str(i), "references": [f"phrase {i}", f"other {i % 7}"], "input": given.plain(), "tags": {}})
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = here("data", "entities", "rank", tmp_path / "g.jsonl", "-o", tmp_path / "r.jsonl", "--json")
    assert call.code == 0, call.err
    assert call.json["splits"] == {"train": 20, "validation": 10, "test": 10}
    made = read_examples(tmp_path / "r.jsonl").examples
    seen = {name for one in made if one.split == "train" for name in read_input(one, Entities).entities}
    test = [one for one in made if one.split == "test"]
    assert call.json["unseen"]["test"] == {
        "unseen": sum(not seen & set(read_input(one, Entities).entities) for one in test), "n": 10,
    }  # fmt: skip
    call = here("data", "entities", "rank", tmp_path / "g.jsonl", "-o", tmp_path / "s.jsonl", "--size", 60)
    assert (call.code, "cannot fill 60 candidates" in call.err) == (1, True)
