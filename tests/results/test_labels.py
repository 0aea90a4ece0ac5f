"""One name, one way to compute it: a number with other than the usual options says so wherever it is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.explorer.queries import Queries
from assay.metrics import METRICS, resolve
from assay.results.measurement import label_of
from tests.conftest import OUTPUTS, REFERENCES, Call

Run = Callable[..., Call]


@pytest.mark.parametrize(
    ("spec", "label"),
    [
        ("rouge1", "rouge1"),
        ("rouge1:stemmer=false", "rouge1"),
        ("rouge1:stemmer=true", "rouge1:stemmer"),
        ("rouge1:stemmer", "rouge1:stemmer"),
        ("rouge1:gem", "rouge1:gem"),
        ("rouge1:gem:multi=max", "rouge1:gem:multi=max"),
        ("rouge1:gem:stemmer=false", "rouge1:gem:stemmer=false"),
        ("rouge1:gem:stemmer=true", "rouge1:gem"),
        ("bleu:smoothing=floor:lowercase=true", "bleu:lowercase:smoothing=floor"),
        ("chrf:word_order=1", "chrf:word_order=1"),
    ],
)
def test_what_is_not_usual_stands_in_the_label(spec: str, label: str) -> None:
    (request,) = resolve(spec)
    assert label_of(request, request.parts()[0]) == label


@pytest.mark.parametrize("name", list(METRICS))
def test_a_metric_as_it_comes_has_its_bare_name(name: str) -> None:
    (request,) = resolve([name])
    assert {part.name for part in request.parts()} == {label_of(request, part) for part in request.parts()}


@pytest.mark.parametrize("name", list(METRICS))
def test_every_preset_is_told_from_the_metric_itself_and_can_be_asked_for_again(name: str) -> None:
    for preset in METRICS.get(name).presets:
        (request,) = resolve([f"{name}:{preset}"])
        if request.metric == METRICS.get(name)():  # a name for the default
            continue
        label = label_of(request, request.parts()[0])
        (again,) = resolve([label])
        assert ":" in label
        assert again.metric == request.metric


def test_keys_stay_and_labels_tell(toy: Path, here: Run) -> None:
    files = (toy / "outputs.jsonl", "-r", toy / "references.jsonl")
    plain = here("score", *files, "-m", "rouge1", "--json").json["scores"]["rouge1"]
    stemmed = here("score", *files, "--suite", "summarization", "--json").json["scores"]["rouge1"]
    assert (plain["label"], stemmed["label"]) == ("rouge1", "rouge1:stemmer")
    printed = here("score", *files, "--suite", "summarization").out
    assert "suite summarization (rouge:stemmer=true)" in printed
    assert "rouge1:stemmer " in printed
    assert "rouge1 " not in printed
    result = assay.score(OUTPUTS, REFERENCES, metrics="rouge1:stemmer=true,bleu")
    assert result.scores["rouge1"].label == "rouge1:stemmer"
    assert "rouge1:stemmer" in repr(result)
    assert result.to_frame()["label"].to_list()[0] == "rouge1:stemmer"


def test_comparisons_verdicts_and_margins_say_it(toy: Path, here: Run) -> None:
    other = toy / "other.jsonl"
    other.write_text((toy / "outputs.jsonl").read_text().replace("Thornbeck", "Wexley"))
    common = ("compare", toy / "outputs.jsonl", other, "-r", toy / "references.jsonl", "-m", "rouge1:stemmer=true,ter")
    shown = here(*common, "--margin", "rouge1:stemmer=5").out
    assert "rouge1:stemmer" in shown
    assert "rouge1 " not in shown
    for name in ("rouge1", "rouge1:stemmer"):
        row = here(*common, "--json", "--margin", f"{name}=5").json["metrics"]["rouge1"]
        assert (row["label"], row["margin"]) == ("rouge1:stemmer", 0.05)
    several = here("compare", toy / "outputs.jsonl", other, other, *common[3:]).out
    assert several.count("rouge1:stemmer") >= 2


def test_reports_and_pages_say_it(toy: Path, here: Run) -> None:
    for name in ("outputs", "again"):
        (toy / f"{name}.jsonl").write_text((toy / "outputs.jsonl").read_text())
        files = (toy / f"{name}.jsonl", "-r", toy / "references.jsonl")
        here("score", *files, "--suite", "summarization", "--save", toy / "runs" / name)
    assert here("report", toy / "runs", "-o", toy / "report.md").code == 0
    assert "| rouge1:stemmer ↑ |" in (toy / "report.md").read_text(encoding="utf-8")
    queries = Queries([toy / "runs"])
    labels = {axis["name"]: axis["label"] for axis in json.loads(queries.overview_json)["axes"]}
    assert (labels["rouge1"], labels["chrf"]) == ("rouge1:stemmer", "chrf")
    (compared,), _ = queries.comparisons()
    assert compared.metrics["rouge1"].label == "rouge1:stemmer"


def test_options_that_differ_between_runs_stand_in_no_label(toy: Path, here: Run) -> None:
    for name, metric in (("plain", "rouge1"), ("stemmed", "rouge1:stemmer")):
        files = (toy / "outputs.jsonl", "-r", toy / "references.jsonl")
        here("score", *files, "-m", metric, "--save", toy / "runs" / name)
    overview = Queries([toy / "runs"]).overview
    assert overview.axes["rouge1"].printed == "rouge1"
    assert any("signatures differ" in note for note in overview.notes_of_all())


def test_each_dataset_prints_its_own_options(tmp_path: Path, here: Run) -> None:
    """Summaries are stemmed and descriptions are not: in one results folder the tables say which."""
    config = 'name = "t"\nci = 0\n'
    for name, metric in (("news", "rouge1:stemmer"), ("places", "rouge1")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "a", "references": ["the old mills"]}) + "\n")
        config += f'[[datasets]]\nname = "{name}"\nexamples = "{name}.jsonl"\nmetrics = ["{metric}"]\n'
    (tmp_path / "o.jsonl").write_text(json.dumps({"id": "a", "output": "the old mill"}) + "\n")
    (tmp_path / "t.toml").write_text(config + '[[systems]]\nname = "s"\noutputs = "o.jsonl"\n')
    assert here("run", tmp_path / "t.toml", "-o", tmp_path / "out").code == 0
    assert here("report", tmp_path / "out", "-o", tmp_path / "r.md").code == 0
    news, places = (tmp_path / "r.md").read_text(encoding="utf-8").split("## places")
    assert "| rouge1:stemmer" in news
    assert "| rouge1:stemmer" not in places
