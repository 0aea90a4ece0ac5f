"""A metric added to a saved run later: from its own texts, with the numbers it would have had at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.execution.added_metrics import add_metrics
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
OUTPUTS = ["the cat sat on the mat", "a dog ran", "rain fell all day"]
REFERENCES = ["the cat lay on the mat", "a dog ran home", "it rained all day"]


def saved(path: Path) -> Path:
    assay.score(OUTPUTS, REFERENCES, metrics="rouge", save=path)
    return path


def test_a_new_metric_comes_from_the_stored_texts(here: Run, tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    at_once = assay.score(OUTPUTS, REFERENCES, metrics="chrf").scores["chrf"]
    call = here("score", run, "-m", "chrf,rouge1", "--json")
    assert call.code == 0, call.err
    assert call.json["scores"]["chrf"]["value"] == at_once.value
    assert call.json["scores"]["chrf"]["signature"] == at_once.signature
    assert {"chrf", "rouge1", "rouge2"} <= set(assay.load_run(run).scores)  # and it stays, beside what was there
    assert "from stored texts, kept there" in here("score", run, "-m", "bleu").out
    assert "from stored statistics" in here("score", run, "-m", "bleu").out
    assert here("store", "verify", run).code == 0


def test_runs_of_a_results_folder_share_their_examples(here: Run, tmp_path: Path) -> None:
    assay.run("sample", tmp_path / "r", only=["lead"])
    run = tmp_path / "r/news/lead"
    call = here("score", run, "-m", "wer", "--json")
    assert call.code == 0, call.err
    outputs = write_jsonl(
        tmp_path / "o.jsonl",
        [{"id": id, "output": text} for id, text in _texts(run)],
    )
    again = here("score", outputs, "-e", tmp_path / "r/news/examples.jsonl", "-m", "wer", "--json")
    assert call.json["scores"]["wer"]["value"] == again.json["scores"]["wer"]["value"]
    assert here("store", "verify", tmp_path / "r").code == 0


def _texts(run: Path) -> list[tuple[str, str]]:
    from tests.conftest import read_jsonl

    return [(row["id"], row["output"]) for row in read_jsonl(run / "outputs.jsonl")]


def test_other_texts_than_those_scored_are_refused(here: Run, tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    file = run / "outputs.jsonl"
    file.write_text(file.read_text().replace("cat", "cow"))
    call = here("score", run, "-m", "chrf")
    assert (call.code, call.out) == (1, "")
    assert "outputs.jsonl: missing or damaged" in call.err
    with pytest.raises(AssayError, match="missing or damaged"):
        add_metrics(run, "chrf")


def test_what_the_texts_do_not_allow_is_said(here: Run, tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    call = here("score", run, "-m", "sari")
    assert call.code == 1
    assert "sari cannot be computed from its texts (needs sources" in call.err
