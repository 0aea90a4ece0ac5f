"""`assay data markup`: class files checked, mentions as classes, the authors' files written and read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets import dataset
from assay.records import Example, read_examples, write_jsonl
from tests.conftest import Call

Run = Callable[..., Call]
ROOT = Path(__file__).parents[3]
CLASSES = ROOT / "examples/fomc/equivalence_classes.json"


def test_lint_names_every_defect(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([
        {"annotation": "evidence", "evaluation": "evidence",
         "equivalence_classes": [["dear bread", "dear bread", "idle ports"], ["idle ports"],
                                 ["a b c d e f [MOTIVE_START] g"], ["two  spaces"]]},
        {"annotation": "opinion", "evaluation": "opinion", "equivalence_classes": [["x"], ["y"]]},
    ]))  # fmt: skip
    schema = tmp_path / "s.toml"
    schema.write_text('name = "s"\n[[categories]]\nname = "evidence"\n')
    call = here("data", "markup", "lint", path, "--schema", schema, "--json")
    assert call.code == 1
    assert "3 errors; correct them" in call.err
    found = [(one["severity"], one["problem"]) for one in call.json["findings"]]
    for expected in (
        ("warning", "class 0: 'dear bread' occurs 2 times and is drawn as often"),
        ("error", "'idle ports' is in the classes 0, 1; the first is used"),
        ("error", "class 3: 'two  spaces' has white space that no target has"),
        ("warning", "class 2: 'a b c d e f [MOTIVE_START] g': unpaired MOTIVE marker"),
        ("warning", "'a b c d e f [MOTIVE_START] g' has no negative within 2 words, so it yields no instance"),
        ("error", "the schema s has no category opinion"),
        ("note", "class 1 has one member, 'y'"),
    ):
        assert expected in found
    targets = tmp_path / "t.jsonl"
    write_jsonl(targets, [Example(id="1", references=("[EVIDENCE_START] dear bread [EVIDENCE_END]",))])
    problems = [
        one["problem"] for one in here("data", "markup", "lint", path, "--targets", targets, "--json").json["findings"]
    ]
    assert "no target has a member of the classes 1, 2, 3" in problems
    assert "no target has a member of any class" in problems


def test_lint_of_the_published_classes(here: Run, shared_data: Callable[[str], Path]) -> None:
    call = here("data", "markup", "lint", shared_data("fomc/equivalence_classes.json"), "--json")
    assert call.code == 0, call.err
    found = call.json
    assert (found["evaluations"], found["classes"], found["members"], found["strings"]) == (15, 142, 914, 646)
    twice = [one for one in found["findings"] if "occurs 2 times" in one["problem"]]
    assert [one["evaluation"] for one in twice] == ["act modals (negative)"]
    without = [one for one in found["findings"] if "no negative" in one["problem"]]
    assert [one["evaluation"] for one in without] == ["act label modals (positive)"] * 2


EVENT = {
    "kind": "event", "document": ["Two boys burned a barn."],
    "template": {"type": "arson", "perpind": ["two boys"], "victim": ["an old man", "nobody"], "target": ["barn"]},
}  # fmt: skip


def muc4(id: str) -> dict[str, object]:
    def entity(*texts: str) -> list[dict[str, object]]:
        return [{"text": text, "start": 0} for text in texts]

    template = {
        "type": "arson", "PerpInd": [entity("two boys", "the boys"), entity("a soldier"), entity("the boys", "lads")],
        "PerpOrg": [], "Target": [entity("barn"), entity("mill", "old mill")], "Victim": [entity("an old man")],
        "Weapon": [],
    }  # fmt: skip
    return {"id": id, "source": "s", "input": {"kind": "events", "templates": [template]}}


def test_mentions_of_one_entity_are_a_class(here: Run, tmp_path: Path) -> None:
    summary = {"id": "doc.1", "references": ["two boys burned a barn of an old man."], "source": "s", "input": EVENT,
               "tags": {"document": "doc"}}  # fmt: skip
    for name, rows in (("s", [summary]), ("d", [muc4("doc")])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = [
        tmp_path / "s.jsonl",
        tmp_path / "d.jsonl",
        "-o",
        tmp_path / "m.jsonl",
        "--classes",
        tmp_path / "c.json",
    ]
    call = here("data", "markup", "mentions", *arguments, "--json")
    assert call.code == 0, call.err
    assert (call.json["fillers"], call.json["not among the mentions"], call.json["not in the summary"]) == (4, 1, 0)
    (marked,) = read_examples(tmp_path / "m.jsonl").examples
    assert marked.references[0] == (
        "[PERPIND_START] two boys [PERPIND_END] burned a [TARGET_START] barn [TARGET_END] of [VICTIM_START] an old man "
        "[VICTIM_END] ."
    )
    classes = json.loads((tmp_path / "c.json").read_text())
    found = {one["evaluation"]: one["equivalence_classes"] for one in classes}
    assert sorted(map(sorted, found["perpind"])) == [["a soldier"], ["lads", "the boys", "two boys"]]
    assert "victim" not in found  # one entity alone cannot be mistaken
    arguments = [tmp_path / "m.jsonl", "--classes", tmp_path / "c.json", "--plain", "--as", "source"]
    call = here("system", "choose", *arguments, "--system", "random", "-o", tmp_path / "x.jsonl", "--json")
    assert {name: row["n"] for name, row in call.json["evaluations"].items()} == {"perpind": 1, "target": 2}
    (tmp_path / "d.jsonl").write_text(json.dumps(muc4("other")) + "\n")
    given = [tmp_path / "s.jsonl", tmp_path / "d.jsonl", "-o", tmp_path / "n.jsonl", "--classes", tmp_path / "k.json"]
    call = here("data", "markup", "mentions", *given)
    assert (call.code, "no document doc among those with mentions" in call.err) == (1, True)


def test_mentions_of_the_published_corpora(here: Run, tmp_path: Path, shared_data: Callable[[str], Path]) -> None:
    write_jsonl(tmp_path / "s.jsonl", dataset("mucsum").read(shared_data("eks/data/mucsum"), "test"))
    write_jsonl(tmp_path / "d.jsonl", dataset("muc4").read(shared_data("muc4"), "test"))
    arguments = [
        tmp_path / "s.jsonl",
        tmp_path / "d.jsonl",
        "-o",
        tmp_path / "m.jsonl",
        "--classes",
        tmp_path / "c.json",
    ]
    call = here("data", "markup", "mentions", *arguments, "--json")
    assert call.json["fillers"] == 788
    assert call.json["targets"] == 200
    assert here("data", "markup", "lint", tmp_path / "c.json", "--json").json["errors"] == 0


def test_the_authors_files_and_back(here: Run, tmp_path: Path) -> None:
    corpus, choices = tmp_path / "t.jsonl", tmp_path / "x.jsonl"
    assert (
        here(
            "data", "synthesize", "announcements", "--classes", CLASSES, "--size", 10, "--split", "test", "-o", corpus
        ).code
        == 0
    )
    assert here("data", "markup", "export", corpus, "--as", "filtered", "-o", tmp_path / "f.json").code == 0
    entries = json.loads((tmp_path / "f.json").read_text())
    assert set(entries[0]) == {"src_sents", "tgt", "name", "tgt_i"}
    before, after = read_examples(corpus).examples, list(dataset("fomc").read(tmp_path / "f.json", "test"))
    assert [(one.id, one.references) for one in after] == [(one.id, one.references) for one in before]
    assert [(one.source or "").split() for one in after] == [(one.source or "").split() for one in before]
    call = here(
        "system", "choose", corpus, "--classes", CLASSES, "--goal", 5, "--system", "random", "-o", choices, "--json"
    )
    instances = tmp_path / "x.instances.jsonl"
    assert here("data", "markup", "export", instances, "--as", "instances", "-o", tmp_path / "i.json").code == 0
    again = list(dataset("fomc").read(tmp_path / "i.json", "test"))
    made = read_examples(instances).examples
    assert [one.input for one in again] == [one.input for one in made]
    assert [one.tags["target"] for one in again] == [one.tags["target"] for one in made]
    results = tmp_path / "r.json"
    assert (
        here("data", "markup", "export", choices, "--as", "results", "--instances", instances, "-o", results).code == 0
    )
    shown = here("data", "markup", "results", results, "--json").json["evaluations"]
    for name, row in call.json["evaluations"].items():
        assert (shown[name]["n"], shown[name]["correct"]) == (row["n"], row["correct"])
        assert shown[name]["low"] == pytest.approx(row["low"])
    pairs = {name: counts for name, counts in json.loads(results.read_text()).items() if "-pos_" in name}
    assert sum(n for _, n in pairs.values()) == len(made)


@pytest.mark.parametrize(
    ("text", "message"),
    [("[]", "not a results file"), ('{"act": [3, 2]}', "not [correct, total]"), ('{"a": 1}', "not [correct")],
)
def test_results_that_are_none(here: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "r.json").write_text(text)
    call = here("data", "markup", "results", tmp_path / "r.json")
    assert call.code == 1
    assert message in call.err


def test_scoring_with_and_without_markers(here: Run, tmp_path: Path) -> None:
    """One word of two, and two markers on each side, of which all agree: 1 of 2 or 3 of 4 words."""
    (tmp_path / "o.jsonl").write_text(json.dumps({"id": "1", "output": "[ACT_START] cut [ACT_END] rates"}) + "\n")
    (tmp_path / "e.jsonl").write_text(
        json.dumps({"id": "1", "references": ["[ACT_START] cut [ACT_END] prices"]}) + "\n"
    )
    arguments = ["score", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "-m", "rouge1", "--json", "--text"]
    assert here(*arguments, "without-markers").json["scores"]["rouge1"]["value"] == pytest.approx(0.5)
    assert here(*arguments, "with-markers").json["scores"]["rouge1"]["value"] == pytest.approx(0.75)
    assert here(*arguments, "other").code == 2


def test_a_source_that_differs_between_targets(here: Run, tmp_path: Path) -> None:
    rows = [{"src_sents": [text], "tgt": "t", "name": "n", "tgt_i": i} for i, text in enumerate(("a", "b"))]
    (tmp_path / "f.json").write_text(json.dumps(rows))
    call = here("data", "read", "fomc", tmp_path / "f.json")
    assert call.code == 1
    assert "differ from those of the other targets of n" in call.err


def test_statistics_of_nothing_are_refused(here: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no corpus\n")
    call = here("data", "markup", "stats", tmp_path / "notes.txt")
    assert call.code == 1
    assert "no item has a target" in " ".join(call.err.split())


def test_all_statements_with_a_problem_are_counted(here: Run, tmp_path: Path) -> None:
    rows = [{"id": f"s{i}", "text": "Rates.", "spans": []} for i in range(23)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = here("data", "markup", "targets", tmp_path / "a.jsonl", "-o", tmp_path / "t.jsonl")
    problems = int(re.findall(r"and ([\d,]+) more problems", " ".join(call.err.split()))[0])
    assert problems + 20 == 23
    missing = here("data", "markup", "targets", tmp_path / "none.jsonl", "-o", tmp_path / "u.jsonl")
    assert "none.jsonl: no such file. Check the path." in missing.err


def test_spans_that_are_read_back_differently_are_counted(here: Run, tmp_path: Path) -> None:
    """A second span of the same category inside the first was lost on the way back, without a word."""
    whole = {"category": "std_sentence", "start": 0, "end": 11}
    spans = [whole, *({"category": name, "start": 0, "end": 3} for name in ("actor", "reference", "act")),
             {"category": "act", "start": 0, "end": 10}]  # fmt: skip
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", "text": "Fed (acted).", "spans": spans}) + "\n")
    call = here("data", "markup", "targets", tmp_path / "a.jsonl", "-o", tmp_path / "t.jsonl", "--json")
    assert call.json["warnings"] == [
        "1 of 1: ends in parentheses, which are read as a comment",
        "1 of 1: a span of act overlaps another of the same category",
        "1 of 1: a statement has several of act, where the schema allows one",
    ]
    assert "problems" not in call.json
