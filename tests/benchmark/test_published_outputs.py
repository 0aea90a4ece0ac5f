"""Three teams of WebNLG 2020 and two tasks, from published files to a bundle that opens; in `score` and `run`, too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.explorer.overview import overview_of
from assay.store.library import open_results
from tests.conftest import Call
from tests.support.made_benchmarks import DATA_CARD
from tests.support.made_submissions import CARD

Run = Callable[..., Call]
LANGUAGES = ("en", "ru")
TEAMS = {"bt5": LANGUAGES, "FBConvAI": LANGUAGES, "cuni-ufal": ("ru",)}
"""Who answered what: a submission may leave tasks out."""


def submission(team: str, outputs: Path, with_keys: bool) -> dict[str, Any]:
    tasks = {}
    for language in TEAMS[team]:
        lines = (outputs / language / f"{team}.txt").read_text(encoding="utf-8").splitlines()
        keys = [f"web_nlg_{language}-test-{i}" for i in range(len(lines))]
        tasks[f"web_nlg_{language}_test"] = {"values": lines, **({"keys": keys} if with_keys else {})}
    return {"submission_name": team, "param_count": 1, "model_card": CARD, "tasks": tasks}


@pytest.mark.slow
def test_validated_scored_and_bundled(here: Run, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    webnlg = shared_data("webnlg")
    (tmp_path / "card.md").write_text(DATA_CARD)
    manifest, store = tmp_path / "1.toml", tmp_path / "store"
    assert here("benchmark", "new", "webnlg", "-o", manifest).code == 0
    for language in LANGUAGES:
        data = ("-e", f"web_nlg_{language}:{webnlg / language / 'test'}", "--card", "card.md")
        added = here(
            "benchmark", "add", manifest, f"web_nlg_{language}_test", *data, "-m", "bleu", "--held-back", "chrf"
        )
        assert added.code == 0, added.err
    frozen = here("benchmark", "freeze", manifest, "--json").json
    assert {name: task["items"] for name, task in frozen["tasks"].items()} == {
        "web_nlg_en_test": 1779,
        "web_nlg_ru_test": 1102,
    }
    for number, team in enumerate(TEAMS):
        path = tmp_path / f"{team}.json"
        path.write_text(json.dumps(submission(team, webnlg / "outputs-2020", bool(number % 2))))
        assert here("benchmark", "validate", path, "--benchmark", manifest).code == 0
        call = here("benchmark", "submit", path, "--benchmark", manifest, "-o", store, "--json")
        assert call.code == 0, call.err
        assert set(call.json["scores"]) == {f"web_nlg_{language}_test" for language in TEAMS[team]}
    bundle = tmp_path / "webnlg.zip"
    assert here("benchmark", "bundle", store, "-o", bundle, "--json").json["submissions"] == 3
    overview = overview_of(open_results([bundle]))
    assert overview.problems == []
    assert {(line.system, line.dataset) for line in overview.runs if line.kind == "whole"} == {
        (team, f"web_nlg_{language}_test") for team, languages in TEAMS.items() for language in languages
    }
    assert not [name for name in overview.axes if name.startswith("chrf")]

    # the same file in `score`, one result a task, and in `run`, a dataset each
    path = tmp_path / "bt5.json"
    files = {f"web_nlg_{language}_test": f"web_nlg_{language}:{webnlg / language / 'test'}" for language in LANGUAGES}
    given = [word for name, file in files.items() for word in ("--task", f"{name}={file}")]
    scored = here("score", path, *given, "-m", "bleu", "--json").json["tasks"]
    stored = {name: assay.load_run(store / "1/results" / name / "bt5").scores["bleu"].value for name in files}
    assert {name: result["scores"]["bleu"]["value"] for name, result in scored.items()} == stored
    sets = "".join(
        f'[[datasets]]\nname = "{name}"\nexamples = "store/1/results/{name}/examples.jsonl"\nmetrics = ["bleu"]\n'
        for name in files
    )
    (tmp_path / "c.toml").write_text(
        f'name = "c"\nci = 0\n{sets}[[systems]]\nname = "bt5"\noutputs = "bt5.json"\n', encoding="utf-8"
    )
    results = assay.run(tmp_path / "c.toml", tmp_path / "r")
    assert {name: results[name]["bt5"].scores["bleu"].value for name in files} == stored


def test_several_tasks_in_score(here: Run, tmp_path: Path) -> None:
    tasks = {name: {"values": ["a b", "c d"]} for name in ("news_test", "tides-test", "other")}
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"submission_name": "x", "tasks": tasks}))
    examples = tmp_path / "e.json"
    examples.write_text(json.dumps([{"id": "1", "references": ["a b"]}, {"id": "2", "references": ["c e"]}]))
    given = ("--task", f"news-test={examples}", "--task", f"tides_test={examples}", "-m", "wer")
    call = here("score", path, *given, "--save", tmp_path / "runs", "--json")
    assert call.code == 0, call.err
    assert {name: result["scores"]["wer"]["value"] for name, result in call.json["tasks"].items()} == {
        "news_test": 25.0,
        "tides_test": 25.0,
    }
    assert call.json["not_scored"] == ["other"]
    assert sorted(folder.name for folder in (tmp_path / "runs").iterdir()) == ["news_test", "tides_test"]
    assert "Not scored (no examples): other" in here("score", path, *given).out
    assert here("score", path, *given, "--by", "language").code == 2
    assert here("score", path, "--task", f"nothing={examples}").code == 1
    assert here("score", examples, *given).code == 1


def test_a_dataset_that_a_submission_lacks_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"tasks": {name: {"values": ["a b"]} for name in ("one", "two")}}))
    (tmp_path / "e.json").write_text(json.dumps([{"id": "1", "references": ["a b"]}]))
    sets = "".join(
        f'[[datasets]]\nname = "{name}"\nexamples = "e.json"\nmetrics = ["wer"]\n' for name in ("one", "three")
    )
    (tmp_path / "c.toml").write_text(f'name = "c"\n{sets}[[systems]]\nname = "x"\noutputs = "s.json"\n')
    folder = assay.run(tmp_path / "c.toml", tmp_path / "r")
    assert folder["one"]["x"].scores["wer"].value == 0
    assert [(entry.dataset, entry.failed) for entry in folder.missing] == [("three", False)]
