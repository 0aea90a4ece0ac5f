"""Released with event-keyed summarization: runs by name, ratings with their sources, prompts as they were sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets import dataset
from assay.errors import AssayError
from assay.systems.prompts import prompt
from tests.conftest import Call

Find = Callable[[str], Path]
Run = Callable[..., Call]


def test_all_released_runs_and_ratings_are_read(shared_data: Find) -> None:
    home = shared_data("eks")
    outputs = list(dataset("eks").outputs(home))
    runs = Counter(one.system for one in outputs)
    assert len(runs) == 32
    assert set(runs.values()) == {209}
    assert "pegasus-large.doc_only.1338" not in runs  # never released
    ratings = list(dataset("eks").judgements(home))
    assert len(ratings) == 540
    assert Counter(one.annotator for one in ratings) == {"a1": 180, "a2": 180, "a3": 180}
    assert {one.system for one in ratings} - {"reference"} <= set(runs)
    means = {
        system: sum(float(one.value) for one in ratings if one.system == system) / 90
        for system in {one.system for one in ratings}
    }
    assert means["reference"] == pytest.approx(4.133, abs=1e-3)
    assert means["gpt4.temp_and_doc.prompt1"] == pytest.approx(3.622, abs=1e-3)


def test_the_rated_texts_are_those_of_the_named_runs(shared_data: Find) -> None:
    home = shared_data("eks")
    texts = {(one.system, one.id): one.output.lower().split() for one in dataset("eks").outputs(home)}
    study = json.loads((home / "data/human_study/a1_data_with_model_names.json").read_text())
    from assay.datasets.eks import RATED

    for id, form in study.items():
        for name, rated in form.items():
            if name.startswith("summary ") and rated["model"] != "ref":
                assert texts[RATED[rated["model"]], id] == " ".join(rated["text"]).lower().split()


def test_events_first_reads_one_event_per_document(shared_data: Find) -> None:
    folder = shared_data("eks/data/mucsum")
    assert len(list(dataset("mucsum:events=first").read(folder, "test"))) == 126
    assert len(list(dataset("mucsum").read(folder, "test"))) == 209


def test_a_released_run_is_a_prompt(shared_data: Find, tmp_path: Path) -> None:
    run = shared_data("eks/model_outputs/chatgpt/temp_and_doc/prompt1_test_preds.jsonl")
    messages = prompt(str(run)).messages(text="{as it is}")
    assert [one["role"] for one in messages] == ["system", "user"]
    assert messages[1]["content"] == "{as it is}"
    (tmp_path / "x.jsonl").write_text('{"system_prompt": "a"}\n{"system_prompt": "b {c}"}\n')
    with pytest.raises(AssayError, match="2 different values of system_prompt"):
        prompt(str(tmp_path / "x.jsonl"))
    (tmp_path / "y.jsonl").write_text('{"system_prompt": "b {c}"}\n' * 2)
    assert prompt(str(tmp_path / "y.jsonl")).messages(text="t")[0]["content"] == "b {c}"


def test_missing_outputs_are_reported(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="pass the folder of the release"):
        list(dataset("eks").outputs(tmp_path))


def test_a_rating_of_an_unknown_model_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "data/human_study"
    folder.mkdir(parents=True)
    form = {"x.1": {"document": [], "summary 1": {"text": ["a"], "score": 3, "model": "gpt9"}}}
    (folder / "a1_data_with_model_names.json").write_text(json.dumps(form))
    with pytest.raises(AssayError, match="is not one of ref, bart"):
        list(dataset("eks").judgements(tmp_path))
    (folder / "a1_data_with_model_names.json").write_text(json.dumps({"x.1": {"document": []}}))
    with pytest.raises(AssayError, match="is missing"):
        list(dataset("eks").judgements(tmp_path))
