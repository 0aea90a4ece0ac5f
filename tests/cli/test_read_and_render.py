"""`assay read`, `render`, `forms`, `filter` and `datasets` as a person calls them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Here = Callable[..., Any]

MILL = {
    "type": "arson", "completion": "attempted", "date": [], "location": ["mill"], "perpind": [], "perporg": [],
    "target": ["a barn"], "victim": [], "weapon": [],
}  # fmt: skip


@pytest.fixture
def mucsum(tmp_path: Path) -> Path:
    """A folder in MUCSUM's layout with two invented events in test and one in dev."""

    def item(number: int) -> dict[str, Any]:
        return {
            "instance_id": f"DOC.{number}",
            "document": ["a barn burned near the mill.", "nobody was hurt.", "the old barn stood."],
            "template": MILL,
            "summary": ["somebody tried to burn the old barn."],
        }

    folder = tmp_path / "mucsum"
    folder.mkdir()
    (folder / "test.json").write_text(json.dumps({"DOC": [item(1), item(2)]}))
    (folder / "dev.json").write_text(json.dumps({"DOC": [item(3)]}))
    return folder


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_read_then_render(here: Here, mucsum: Path, tmp_path: Path) -> None:
    examples, inputs = tmp_path / "e.jsonl", tmp_path / "i.jsonl"
    call = here("read", "mucsum", mucsum, "--split", "test", "-o", examples)
    assert call.code == 0
    assert "2 examples (test 2)" in call.out
    assert "dropped     nothing" in call.out
    assert [row["id"] for row in rows(examples)] == ["DOC.1", "DOC.2"]
    call = here("render", examples, "--as", "event-template:fields=template_only:separator=SEP", "-o", inputs)
    assert call.code == 0
    assert rows(inputs)[0] == {
        "id": "DOC.1",
        "text": "SEPstage of completion: attemptedSEPdate: SEPlocation: millSEPindividual perpetrators: SEP"
        "organizations responsible: SEPphysical targets: a barnSEPevent type: arsonSEPvictims: SEPweapons: SEP",
    }


def test_rendered_lines_go_to_standard_output(run: Here, mucsum: Path, tmp_path: Path) -> None:
    piped = run("read", "mucsum", mucsum, "-o", "-")
    assert piped.code == 0
    assert len(piped.out.splitlines()) == 3
    assert "3 examples" in piped.err
    examples = tmp_path / "e.jsonl"
    examples.write_text(piped.out, encoding="utf-8")
    call = run("render", examples, "--as", "event-template:compat=eks-release", "--fields", "template_only")
    assert [json.loads(line)["id"] for line in call.out.splitlines()] == ["DOC.3", "DOC.1", "DOC.2"]
    assert "date: stage of completion: attempted" in call.out


def test_json_report(here: Here, mucsum: Path) -> None:
    call = here("read", "mucsum", mucsum, "--json")
    assert call.json["splits"] == {"validation": 1, "test": 2}
    assert call.json["bad"] == []
    assert here("read", "mucsum", mucsum, "--json", "-o", "-").code == 2


def test_a_bad_record_is_one_line_and_exit_1_or_a_count(here: Here, mucsum: Path, tmp_path: Path) -> None:
    path = mucsum / "test.json"
    damaged = json.loads(path.read_text())
    template = {key: value for key, value in MILL.items() if key != "weapon"}
    damaged["OTHER"] = [{**damaged["DOC"][0], "instance_id": "OTHER.1", "template": template}]
    path.write_text(json.dumps(damaged))
    call = here("read", "mucsum", path, "-o", tmp_path / "e.jsonl")
    assert call.code == 1
    assert call.out == ""
    assert len(call.err.splitlines()) == 1
    for part in (str(path), "OTHER", "field 'weapon' is missing", "--lenient"):
        assert part in call.err
    assert not (tmp_path / "e.jsonl").exists()
    call = here("read", "mucsum", path, "-o", tmp_path / "e.jsonl", "--lenient")
    assert call.code == 0
    assert "unreadable  1: field 'weapon' is missing; first at" in call.out
    assert len(rows(tmp_path / "e.jsonl")) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (("read", "mucsom", "x"), 1, "did you mean mucsum"),
        (("read", "mucsum", "nowhere"), 1, "no such file or folder"),
        (("read", "mucsum", ".", "--split", "third"), 2, "no split 'third'; there is train, validation, test"),
        (("read", "e2e_nlg:rows=x", "."), 1, "choose one of mr, pair"),
        (("read", "mucsum", "."), 1, "found none of"),
        (("read", "mucsum", ".", "--judgements", "j.jsonl"), 1, "publishes no judgements"),
        (("read", "mucsum", ".", "--gem"), 2, "GEM changed nothing in it after reading, so leave --gem out"),
        (("read", "mucsum", ".", "--scores", "nofile"), 2, "--scores: it goes with --gem and xsum only"),
        (("read", "xsum", ".", "--scores", "nofile"), 2, "--scores: it goes with --gem and xsum only"),
        (("read", "xsum", ".", "--gem", "--seed", "1"), 2, "--seed: it goes with --gem and wiki_lingua only"),
        (("render", "nowhere.jsonl", "--as", "acts"), 1, "no such file"),
        (("render", "nowhere.jsonl"), 2, "--as"),
        (("render", "nowhere.jsonl", "--as", "act"), 1, "did you mean acts"),
        (("render", "nowhere.jsonl", "--as", "acts:contxt=5"), 1, "did you mean context"),
        (("forms", "acs"), 1, "did you mean acts"),
        (("datasets", "mucsom"), 1, "did you mean mucsum"),
    ],
)
def test_mistakes_are_answered(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    call = here(*arguments)
    assert (call.code, part in call.err) == (code, True), call.err
    assert "Traceback" not in call.err


def test_render_names_the_example_that_does_not_fit(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"id": "a", "input": {"kind": "event", "template": {}}}\n')
    call = here("render", path, "--as", "event-template")
    assert (call.code, "id a" in call.err, "document" in call.err) == (1, True, True)
    path.write_text('{"id": "a", "source": "s"}\n')
    call = here("render", path, "--as", "triples")
    assert "id a: form triples writes triples inputs; this one has no structured input" in call.err


def test_render_refuses_an_id_that_stands_twice(here: Here, tmp_path: Path) -> None:
    path, output = tmp_path / "e.jsonl", tmp_path / "i.jsonl"
    path.write_text('{"id": "a", "source": "s"}\n{"id": "b", "source": "s"}\n{"id": "a", "source": "t"}\n')
    call = here("render", path, "--as", "source", "-o", output)
    assert (call.code, output.exists()) == (1, False)
    assert f"{path}: 1 id more than once: a; keep one of each" in call.err


def test_render_warns_once_for_each_kind_of_trouble(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    rows = [
        {"id": "a", "input": {"kind": "drs", "clauses": [["b1", "REF", "e1"], ["b1", "Agent", "e1", "x1"]]}},
        {"id": "b", "input": {"kind": "drs", "clauses": [["b1", "REF", "e1"]]}},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = here("render", path, "--as", "drs", "-o", tmp_path / "i.jsonl")
    assert call.code == 0
    assert "! 1 of 2: has a referent that no REF clause introduces; it is written @0" in call.err
    path.write_text(json.dumps({"id": "a", "source": "a b", "references": ["a"]}))
    call = here("render", path, "--as", "controls:nbchars=oracle")
    assert "! 1 of 1: holds control values computed from the reference" in call.err
    group = {"kind": "entities", "entities": ["A", "B"], "background": ["x y z", ""], "title": "T", "context": "c"}
    path.write_text(json.dumps({"id": "a", "input": group}))
    assert "its front was cut" in here("render", path, "--as", "entities:words=3").err
    marked = {"kind": "annotated", "text": "It rose", "spans": [{"category": "std_sentence", "start": 0, "end": 7}]}
    path.write_text(json.dumps({"id": "a", "input": marked}))
    assert "lacks a mandatory category" in here("render", path, "--as", "annotated").err


def test_forms(here: Here) -> None:
    assert "event-template" in here("forms").out
    one = here("forms", "event-template").out
    assert "separator=</s>" in one
    assert "event-template:eks-release" in one
    assert here("forms", "--json").json["forms"]["acts"]["options"]["context"] == 0


def test_datasets(here: Here, mucsum: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_DATASETS", str(tmp_path / "cache"))
    listed = here("datasets")
    assert "mucsum" in listed.out
    assert "1,114" in listed.out
    assert here("datasets", "--json").json["datasets"]["turk"]["references"] == "8"
    card = here("datasets", "mucsum", "--path", mucsum)
    assert "words in a reference" in card.out
    assert "first event of each document" in card.out
    measured = here("datasets", "mucsum", "--path", mucsum, "--json").json["datasets"]["mucsum"]["measured"]
    over = {(s["name"], s["over"]): s["value"] for s in measured["test"]["statistics"]}
    assert over["words in a reference", "all references"] == 8
    assert over["events in a document", "documents"] == 2
    assert measured["test"]["counts"]["type"] == {"arson": 2}
    assert "nothing: give --path" in here("datasets", "mucsum").out


def test_fetching_offline_says_what_to_do(here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    call = here("datasets", "fetch", "common_gen", "--to", tmp_path / "cg")
    assert call.code == 1
    assert "Download commongen" in call.err
    assert not (tmp_path / "cg").exists()


def test_selecting(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({
        "a": {"utility": 10, "size": "large"},
        "b": {"utility": 10, "size": "large"},
        "c": {"utility": 5, "size": "small"},
        "survey": {"tasks": [10, 14]},
    }))  # fmt: skip
    call = here("datasets", "select", path, "--size", 2, "--rule", "equal:size", "--json")
    assert call.json == {
        "chosen": ["a", "c"], "utility": 15, "considered": 3, "allowed": 2,
        "survey": {"tasks": {"mean": 12, "median": 12, "n": 2}},
    }  # fmt: skip
    assert "utility 15.000" in here("datasets", "select", path, "--size", 2, "--rule", "equal:size").out
    assert here("datasets", "select", path, "--size", 2, "--rule", "equal").code == 2


def test_filtering(here: Here, mucsum: Path, tmp_path: Path) -> None:
    examples, output = tmp_path / "e.jsonl", tmp_path / "o.jsonl"
    here("read", "mucsum", mucsum, "--split", "test", "-o", examples)
    call = here("filter", examples, "--strategy", "oracle", "--budget", 4, "-o", output, "--json")
    assert call.json["kept"] == 2
    assert {row["source"] for row in rows(output)} == {"the old barn stood."}
    here("filter", examples, "--strategy", "lead", "--budget", 9, "-o", output)
    assert rows(output)[0]["input"]["document"] == ["a barn burned near the mill.", "nobody was hurt."]
    scores = tmp_path / "s.jsonl"
    scores.write_text('{"id": "DOC.1", "scores": [1, 3, 2]}\n{"id": "DOC.2", "scores": [3, 2, 1]}\n')
    assert here("filter", examples, "--strategy", scores, "--budget", 5, "-o", output).code == 0
    assert [row["source"] for row in rows(output)] == ["nobody was hurt.", "a barn burned near the mill."]
    assert here("filter", examples, "--strategy", tmp_path / "none", "--budget", 5, "-o", output).code == 1
    wrong = here("filter", examples, "--strategy", "lead", "--budget", 5, "--tokenizer", "whitespace+x", "-o", output)
    assert wrong.code == 2


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (['{"id": "DOC.1", "scores": [0.1, NaN, 0.3]}'], "line 1: id DOC.1 has a score that is not finite"),
        (['{"id": "DOC.1", "scores": [1, 2, 1e999]}'], "line 1"),
        (['{"id": "DOC.1", "scores": [1, 2, true]}'], "line 1: needs an id and a list of numbers"),
        (['{"id": "DOC.1", "scores": [1, 2, 3]}'] * 2, "line 2: id DOC.1 stands twice"),
        (['{"id": "DOC.1", "scores": [1, 2]}'], " id DOC.1: 2 scores for 3 sentences"),
    ],
)
def test_scores_that_could_not_choose(here: Here, mucsum: Path, tmp_path: Path, lines: list[str], part: str) -> None:
    examples, scores, output = tmp_path / "e.jsonl", tmp_path / "s.jsonl", tmp_path / "o.jsonl"
    here("read", "mucsum", mucsum, "--split", "test", "-o", examples)
    scores.write_text("\n".join(lines) + "\n")
    call = here("filter", examples, "--strategy", scores, "--budget", 5, "-o", output)
    assert call.code == 1
    assert call.err.startswith(f"assay: {scores}")
    assert part in call.err
    assert not output.exists()


def test_judgements_and_outputs(here: Here, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared_data("frank")
    judged, outputs = tmp_path / "j.jsonl", tmp_path / "o.jsonl"
    call = here("read", "frank", folder, "--split", "valid", "--judgements", judged, "--outputs", outputs, "--json")
    assert call.json["examples"] == 671
    assert call.json["outputs"] == len(rows(outputs)) == 671
    assert call.json["judgements"] == len(rows(judged)) == 671 * 12


def test_what_was_not_published_is_said_before_anything_is_written(here: Here, mucsum: Path, tmp_path: Path) -> None:
    for option in ("--judgements", "--outputs"):
        call = here("read", "mucsum", mucsum, "-o", tmp_path / "e.jsonl", option, tmp_path / "more.jsonl")
        assert call.code == 1
        assert "mucsum: publishes no" in call.err
        assert not (tmp_path / "e.jsonl").exists()


def test_gem_changes_are_counted(here: Here, tmp_path: Path) -> None:
    source, scores = tmp_path / "test.jsonl", tmp_path / "scores.jsonl"
    source.write_text("".join(json.dumps({"id": str(i), "document": "d", "summary": "s"}) + "\n" for i in range(3)))
    scores.write_text("".join(json.dumps({"id": str(i), "score": 0.7 + i / 10}) + "\n" for i in range(3)))
    call = here("read", "xsum", source, "--gem", "--scores", scores, "-o", tmp_path / "e.jsonl")
    assert call.code == 0
    assert "faithfulness above 0.8: 3 to 1" in call.out
    assert [row["id"] for row in rows(tmp_path / "e.jsonl")] == ["2"]
    assert here("read", "xsum", source, "--gem").code == 1
