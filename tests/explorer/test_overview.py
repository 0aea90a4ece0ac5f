"""The overview: every line of every file, true zeros, reasons for gaps, parents, and what damage leaves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.explorer.cards import published
from assay.explorer.overview import overview_of
from assay.explorer.queries import Queries
from assay.store.foreign.gem import split_name
from assay.store.library import open_results

Shared = Callable[[str], Path]


def payload(*paths: Path) -> dict[str, Any]:
    """As the page reads it."""
    found: dict[str, Any] = json.loads(Queries(paths).overview_json)
    return found


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("a_challenge_test_typo", ("a", "challenge_test_typo", "challenge", "challenge_test_typo_parent")),
        ("totto_challenge_test_scramble_parent", ("totto", "challenge_test_scramble_parent", "parent", None)),
        ("mlsum_de_challenge_test_covid", ("mlsum_de", "challenge_test_covid", "challenge", "test")),
        ("e2e_nlg_challenge_train_sample", ("e2e_nlg", "challenge_train_sample", "challenge", "test")),
        ("web_nlg_en_test", ("web_nlg_en", "test", "split", None)),
        ("schema_guided_dialog_val", ("schema_guided_dialog", "validation", "split", None)),
        ("a_test_contrast_challenge_size-length_10", ("a", "test_size-length_10", "subset", "test")),
        ("something", ("something", "", "whole", None)),
    ],
)  # fmt: skip
def test_gem_keys_are_parsed_into_dataset_subset_and_kind(key: str, expected: tuple[str, ...]) -> None:
    assert split_name(key) == expected


def test_every_published_set_is_a_run(shared_data: Shared) -> None:
    folder = shared_data("gem/results")
    library = open_results([folder])
    overview = overview_of(library)
    base = [line for line in overview.runs if line.system == "T5-base (Baseline)"]
    assert len(base) == 970
    files = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*.scores.json")]
    assert len(overview.runs) == sum(isinstance(value, dict) for scores in files for value in scores.values())
    assert len({(line.system, line.dataset, line.subset) for line in overview.runs}) == len(overview.runs)
    assert library.problems == []
    zeros = sum(
        1
        for scores in files
        for value in scores.values()
        if isinstance(value, dict) and "rouge2" in value and value["rouge2"]["fmeasure"] == 0
    )
    assert zeros > 0
    shown = [line.scores["rouge2"].value for line in overview.runs if "rouge2" in line.scores]
    assert shown.count(0.0) == zeros
    gaps = [line.scores["msttr"] for line in base if "msttr" in line.scores and line.scores["msttr"].value is None]
    assert gaps
    assert all(score.why for score in gaps)


@pytest.mark.parametrize(
    ("system", "dataset", "subset", "bleu", "parent"),
    [
        ("t5-small", "wiki_auto_asset_turk", "challenge_test_asset_bfp02", 51.03, 92.40),
        ("t5-small", "wiki_auto_asset_turk", "challenge_test_asset_bfp05", 39.41, 92.40),
        ("t5-small", "wiki_auto_asset_turk", "challenge_test_asset_backtranslation", 40.18, 92.40),
        ("t5-small", "wiki_auto_asset_turk", "challenge_test_asset_nopunc", 65.55, 92.40),
        ("NUIG-DSI", "web_nlg_en", "challenge_test_numbers", 41.33, 41.85),
        ("NUIG-DSI", "web_nlg_en", "challenge_test_scramble", 41.74, 42.22),
        ("NUIG-DSI", "e2e_nlg", "challenge_test_scramble", 30.52, 30.98),
        ("FB_NLG", "schema_guided_dialog", "challenge_test_backtranslation", 38.36, 40.56),
        ("FB_NLG", "schema_guided_dialog", "challenge_test_scramble", 37.84, 38.82),
        ("mT5_small", "e2e_nlg", "challenge_test_scramble", 25.04, 32.28),
        ("mT5_small", "mlsum_de", "challenge_test_covid", 19.09, 39.13),
        ("mT5_small", "mlsum_es", "challenge_test_covid", 3.38, 8.39),
    ],
)
def test_challenge_sets_are_linked_to_their_original_items(
    gem: dict[str, Any], system: str, dataset: str, subset: str, bleu: float, parent: float
) -> None:
    runs = gem["runs"]
    axis = next(axis for axis in gem["axes"] if axis["name"] == "bleu")
    found = next(
        i
        for i in range(len(runs["system"]))
        if gem["systems"][runs["system"][i]] == system
        and gem["datasets"][runs["dataset"][i]] == dataset
        and runs["subset"][i] == subset
    )
    assert axis["values"][found] == pytest.approx(bleu, abs=0.006)
    assert axis["values"][runs["parent"][found]] == pytest.approx(parent, abs=0.006)


@pytest.fixture(scope="module")
def gem(shared_data: Shared) -> dict[str, Any]:
    return payload(shared_data("gem/results"))


def test_overview_has_the_scores_of_the_runs(sample: Path) -> None:
    overview = payload(sample)
    assert set(overview["systems"]) == {"lead", "copy", "template", "rewrite"}
    names = [axis["name"] for axis in overview["axes"]]
    assert names.index("rouge1") < names.index("distinct-2") < names.index("mean_length")
    runs = overview["runs"]
    whole = [i for i, subset in enumerate(runs["subset"]) if subset == ""]
    assert len(whole) == 16
    assert "language=de" in runs["subset"]
    axis = next(axis for axis in overview["axes"] if axis["name"] == "rouge1")
    for i in whole:
        system, dataset = overview["systems"][runs["system"][i]], overview["datasets"][runs["dataset"][i]]
        stored = json.loads((sample / dataset / system / "run.json").read_text(encoding="utf-8"))
        assert axis["values"][i] == stored["scores"]["rouge1"]["value"]
        assert axis["low"][i] == stored["scores"]["rouge1"]["low"]
    assert any("Small sample" in note for note in overview["notes"])


def test_different_signatures_are_noted(sample: Path, tmp_path: Path) -> None:
    scores = {
        "submission_name": "lead",
        "news": {"N": 40, "rouge1": {"fmeasure": 0.4, "precision": 0.1, "recall": 0.2}},
    }
    (tmp_path / "gem.json").write_text(json.dumps(scores), encoding="utf-8")
    overview = payload(sample, tmp_path / "gem.json")
    assert any("signatures differ" in note and "rouge1" in note for note in overview["notes"])


@pytest.fixture
def damaged(sample: Path, tmp_path: Path) -> Path:
    shutil.copytree(sample, tmp_path / "damaged")
    return tmp_path / "damaged"


def test_truncated_results_manifest_is_named(damaged: Path) -> None:
    text = (damaged / "results.json").read_text(encoding="utf-8")
    (damaged / "results.json").write_text(text[: len(text) // 2], encoding="utf-8")
    overview = payload(damaged)
    assert len([subset for subset in overview["runs"]["subset"] if subset == ""]) == 16
    assert "results.json" in overview["problems"][0]


def test_missing_statistics_keep_other_scores(damaged: Path) -> None:
    gone = next((damaged / "news" / "lead" / "statistics").glob("rouge*"))
    gone.unlink()
    queries = Queries([damaged])
    overview = json.loads(queries.overview_json)
    assert any(gone.name in problem for problem in overview["problems"])
    runs = overview["runs"]
    here = [i for i in range(len(runs["system"])) if overview["systems"][runs["system"][i]] == "lead"]
    axis = next(axis for axis in overview["axes"] if axis["name"] == "rouge1")
    assert axis["values"][here[0]] is not None  # the manifest has the score on all items
    assert queries.examples("news").total == 40
    assert "chrf" in queries.comparison("news", "lead", "copy").metrics


def test_truncated_run_manifest_and_missing_items_are_named(damaged: Path) -> None:
    (damaged / "news" / "lead" / "run.json").write_text('{"format": 1, "scores"', encoding="utf-8")
    (damaged / "news" / "copy" / "items.parquet").unlink()
    (damaged / "simple" / "rewrite" / "outputs.jsonl").write_text('{"id": "simple-01", "out', encoding="utf-8")
    queries = Queries([damaged])
    overview = json.loads(queries.overview_json)
    said = " ".join(overview["problems"])
    assert "news/lead/run.json" in said
    assert "items.parquet" in said
    runs = overview["runs"]
    there = zip(runs["system"], runs["dataset"], strict=True)
    systems = {overview["systems"][i] for i, d in there if overview["datasets"][d] == "news"}
    assert systems == {"copy", "template", "rewrite"}
    assert any("damaged" in note for note in queries.examples("simple").notes)


def test_damaged_judgements_are_named(damaged: Path) -> None:
    (damaged / "news" / "judgements.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    overview = payload(damaged)
    assert overview["judged"] == ["simple"]
    assert any("judgements.jsonl" in problem for problem in overview["problems"])


def test_published_datasets_have_cards() -> None:
    card = published("web_nlg_en")
    assert card is not None
    assert card.sizes["test"] == 1779
    assert card.licence
    assert published("nowhere") is None
