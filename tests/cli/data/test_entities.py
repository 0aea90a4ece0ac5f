"""`assay data entities`: groups out of a corpus, crowd answers by the published rules, rankings for anyone's own
data."""

from __future__ import annotations

import csv
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets import dataset
from assay.datasets.crowd_phrases import COLUMNS
from assay.datasets.entity_groups import cut_background, windows
from assay.inputs.entity_types import TESA
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
    assert TESA.clean_name(name, kind) == clean


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


def test_one_list_of_names_does_not_fill_the_sample(here: Run, tmp_path: Path) -> None:
    """A document with 40 people in one sentence has 3.8 million groups; each document gets its share."""
    names = [f"Person{i}" for i in range(40)]
    text = ", ".join(names) + " met. They left."
    listed = {"id": "list", "text": text, "entities": [
        {"name": name, "type": "person", "mentions": [text.index(name)]} for name in names]}  # fmt: skip
    few = [
        {"id": f"d{i}", "text": "Ada met Ben. Then Cleo came.", "entities": [
            {"name": "Ada", "type": "person", "mentions": [0]}, {"name": "Ben", "type": "person", "mentions": [8]},
            {"name": "Cleo", "type": "person", "mentions": [18]}]}
        for i in range(9)
    ]  # fmt: skip
    path = tmp_path / "c.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in [listed, *few]))
    started = time.process_time()
    call = here("data", "entities", "extract", path, "-o", tmp_path / "i.jsonl", "--limit", "20", "--json")
    assert time.process_time() - started < 5
    documents = Counter(one.tags["document"] for one in read_examples(tmp_path / "i.jsonl").examples)
    assert set(documents.values()) == {2}  # 20 instances of 10 documents
    assert call.json["left_out"]["instances beyond 20 of a document"] > 0
    call = here("data", "entities", "extract", path, "-o", tmp_path / "i.jsonl", "--per-document", "3", "--json")
    assert call.json["instances"] == 30
    call = here("data", "entities", "extract", path, "-o", tmp_path / "i.jsonl", "--min-mentions", "2")
    assert call.code == 1


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
    assert (call.code, "has answers but no instance" in call.err) == (1, True)


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


def test_entities_of_conll_files(here: Run, tmp_path: Path) -> None:
    """BIOES and BIO tags; a mention in the next sentence is the same entity; labels of no type are counted."""
    lines = ["-DOCSTART- -X- O", "", "Ada B-PER", "Reed E-PER", "met O", "Bo S-PER", ". O", "", "Ada B-PER",
             "Reed I-PER", "left O", "on O", "Monday B-DATE", "# newdoc id = second", "Oslo B-GPE"]  # fmt: skip
    (tmp_path / "n.conll").write_text("\n".join(lines))
    call = here("data", "entities", "import", tmp_path / "n.conll", "--from", "conll", "-o", tmp_path / "c.jsonl")
    assert call.code == 0, call.err
    assert "left out: 1 mentions labelled DATE" in call.err
    first, second = (json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines())
    assert first["text"] == "Ada Reed met Bo. Ada Reed left on Monday"
    assert first["entities"] == [
        {"name": "Ada Reed", "type": "person", "mentions": [0, 17]}, {"name": "Bo", "type": "person", "mentions": [13]},
    ]  # fmt: skip
    assert (second["id"], second["entities"][0]["type"]) == ("second", "location")
    (tmp_path / "b.conll").write_text("Ada person\n")
    call = here("data", "entities", "import", tmp_path / "b.conll", "--from", "conll", "-o", tmp_path / "c.jsonl")
    assert call.code == 1
    assert "line 1" in call.err or ":1" in call.err
    assert here("data", "entities", "import", tmp_path / "n.conll", "-o", tmp_path / "c.jsonl").code == 2


def test_entities_of_spacy_files(here: Run, tmp_path: Path) -> None:
    document = {"text": "Ada met Bo.", "ents": [{"start": 0, "end": 3, "label": "PERSON"}], "tokens": []}
    (tmp_path / "s.jsonl").write_text(json.dumps(document) + "\n")
    arguments = ("data", "entities", "import", tmp_path / "s.jsonl", "--from", "spacy", "-o", tmp_path / "c.jsonl")
    assert here(*arguments, "--json").json == {"documents": 1, "entities": 1, "left_out": {}}
    document["ents"] = [{"start": 0, "end": 99, "label": "PERSON"}]
    (tmp_path / "s.jsonl").write_text(json.dumps(document) + "\n")
    call = here(*arguments)
    assert call.code == 1
    assert "outside the text of 11 characters" in call.err
