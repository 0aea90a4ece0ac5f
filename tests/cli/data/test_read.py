"""`assay data read`: published files to examples, what was left out, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import read_jsonl

Here = Callable[..., Any]


def test_read_then_render(here: Here, mucsum: Path, tmp_path: Path) -> None:
    examples, inputs = tmp_path / "e.jsonl", tmp_path / "i.jsonl"
    call = here("data", "read", "mucsum", mucsum, "--split", "test", "-o", examples)
    assert call.code == 0
    assert "2 examples (test 2)" in call.out
    assert "dropped     nothing" in call.out
    assert [row["id"] for row in read_jsonl(examples)] == ["DOC.1", "DOC.2"]
    call = here("data", "render", examples, "--as", "event-template:fields=template_only:separator=SEP", "-o", inputs)
    assert call.code == 0
    assert read_jsonl(inputs)[0] == {
        "id": "DOC.1",
        "text": "SEPstage of completion: attemptedSEPdate: SEPlocation: millSEPindividual perpetrators: SEP"
        "organizations responsible: SEPphysical targets: a barnSEPevent type: arsonSEPvictims: SEPweapons: SEP",
    }


def test_json_report(here: Here, mucsum: Path) -> None:
    call = here("data", "read", "mucsum", mucsum, "--json")
    assert call.json["splits"] == {"validation": 1, "test": 2}
    assert call.json["bad"] == []
    assert here("data", "read", "mucsum", mucsum, "--json", "-o", "-").code == 2


def test_a_bad_record_is_one_line_and_exit_1_or_a_count(here: Here, mucsum: Path, tmp_path: Path) -> None:
    path = mucsum / "test.json"
    damaged = json.loads(path.read_text())
    other = {**damaged["DOC"][0], "instance_id": "OTHER.1"}
    other["template"] = {key: value for key, value in other["template"].items() if key != "weapon"}
    damaged["OTHER"] = [other]
    path.write_text(json.dumps(damaged))
    call = here("data", "read", "mucsum", path, "-o", tmp_path / "e.jsonl")
    assert call.code == 1
    assert call.out == ""
    assert len(call.err.splitlines()) == 1
    for part in (str(path), "OTHER", "field 'weapon' is missing", "--skip-bad"):
        assert part in call.err
    assert not (tmp_path / "e.jsonl").exists()
    call = here("data", "read", "mucsum", path, "-o", tmp_path / "e.jsonl", "--lenient")
    assert call.code == 0
    assert "unreadable  1: field 'weapon' is missing; first at" in call.out
    assert len(read_jsonl(tmp_path / "e.jsonl")) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (("data", "read", "mucsom", "x"), 1, "did you mean mucsum"),
        (("data", "read", "mucsum", "nowhere"), 1, "no such file or folder"),
        (("data", "read", "mucsum", ".", "--split", "third"), 2, "no split 'third'; there is train, validation, test"),
        (("data", "read", "e2e_nlg:rows=x", "."), 1, "choose one of mr, pair"),
        (("data", "read", "mucsum", "."), 1, "found none of"),
        (("data", "read", "mucsum", ".", "--judgements", "j.jsonl"), 1, "publishes no judgements"),
        (("data", "read", "mucsum", ".", "--gem"), 2, "GEM did not change it; omit --gem"),
        (("data", "read", "mucsum", ".", "--scores", "nofile"), 2, "--scores requires --gem and dataset xsum"),
        (("data", "read", "xsum", ".", "--scores", "nofile"), 2, "--scores requires --gem and dataset xsum"),
        (("data", "read", "xsum", ".", "--gem", "--seed", "1"), 2, "--seed requires --gem and dataset wiki_lingua"),
        (("data", "render", "nowhere.jsonl", "--as", "acts"), 1, "no such file"),
        (("data", "render", "nowhere.jsonl"), 2, "--as"),
        (("data", "render", "nowhere.jsonl", "--as", "act"), 1, "did you mean acts"),
        (("data", "render", "nowhere.jsonl", "--as", "acts:contxt=5"), 1, "did you mean context"),
        (("data", "forms", "acs"), 1, "did you mean acts"),
        (("data", "show", "mucsom"), 1, "did you mean mucsum"),
    ],
)
def test_mistakes_are_answered(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    call = here(*arguments)
    assert (call.code, part in call.err) == (code, True), call.err
    assert "Traceback" not in call.err


def test_judgements_and_outputs(here: Here, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared_data("frank")
    judged, outputs = tmp_path / "j.jsonl", tmp_path / "o.jsonl"
    call = here(
        "data", "read", "frank", folder, "--split", "valid", "--judgements", judged, "--outputs", outputs, "--json"
    )
    assert call.json["examples"] == 671
    assert call.json["outputs"] == len(read_jsonl(outputs)) == 671
    assert call.json["judgements"] == len(read_jsonl(judged)) == 671 * 12


def test_what_was_not_published_is_said_before_anything_is_written(here: Here, mucsum: Path, tmp_path: Path) -> None:
    for option in ("--judgements", "--outputs"):
        call = here("data", "read", "mucsum", mucsum, "-o", tmp_path / "e.jsonl", option, tmp_path / "more.jsonl")
        assert call.code == 1
        assert "mucsum: publishes no" in call.err
        assert not (tmp_path / "e.jsonl").exists()


def test_gem_changes_are_counted(here: Here, tmp_path: Path) -> None:
    source, scores = tmp_path / "test.jsonl", tmp_path / "scores.jsonl"
    source.write_text("".join(json.dumps({"id": str(i), "document": "d", "summary": "s"}) + "\n" for i in range(3)))
    scores.write_text("".join(json.dumps({"id": str(i), "score": 0.7 + i / 10}) + "\n" for i in range(3)))
    call = here("data", "read", "xsum", source, "--gem", "--scores", scores, "-o", tmp_path / "e.jsonl")
    assert call.code == 0
    assert "faithfulness above 0.8: 3 to 1" in call.out
    assert [row["id"] for row in read_jsonl(tmp_path / "e.jsonl")] == ["2"]
    assert here("data", "read", "xsum", source, "--gem").code == 1


@pytest.mark.parametrize("second", ["train.jsonl", "test.jsonl"])
def test_an_id_that_stands_twice_is_refused_with_both_places(here: Here, tmp_path: Path, second: str) -> None:
    """Within a split or over splits: whatever is joined by id later would take one of them for the other."""
    rows = {name: [json.dumps({"id": name, "document": "d", "summary": "s"})] for name in ("train.jsonl", "test.jsonl")}
    rows[second].append(json.dumps({"id": "train.jsonl", "document": "e", "summary": "t"}))
    for name, lines in rows.items():
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    call = here("data", "read", "xsum", tmp_path, "-o", tmp_path / "e.jsonl")
    assert call.code == 1
    first, again = tmp_path / "train.jsonl", tmp_path / second
    assert f"{again}:2: id train.jsonl is not unique, first at {first}:1. Correct it" in call.err
    assert not (tmp_path / "e.jsonl").exists()
    call = here("data", "read", "xsum", tmp_path, "-o", tmp_path / "e.jsonl", "--skip-bad")
    assert call.code == 0
    assert "unreadable  1: an id is not unique; first at" in call.out
    assert len(read_jsonl(tmp_path / "e.jsonl")) == 2


def test_a_part_of_a_split_is_said_to_be_one(here: Here, mucsum: Path) -> None:
    call = here("data", "read", "mucsum", mucsum)
    assert "test is a part of what was published: 2 of 209 examples" in call.out
    assert here("data", "read", "mucsum", mucsum, "--json").json["notes"] == [
        "validation is a part of what was published: 1 of 191 examples",
        "test is a part of what was published: 2 of 209 examples",
    ]
