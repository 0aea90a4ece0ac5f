"""From a submission to results and a bundle: nothing of a broken one is stored, nothing that is held back is shown."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.benchmark.manifest import read_manifest
from assay.benchmark.submission_record import system_name
from assay.benchmark.submission_store import StoredVersion
from assay.explorer.overview import overview_of
from assay.explorer.queries import Queries
from assay.store.library import open_results
from tests.conftest import Call, read_jsonl
from tests.support.made_benchmarks import DATA_CARD, MANIFEST, made
from tests.support.made_submissions import BROKEN, CARD, KEYS, TEXTS, good, task

Run = Callable[..., Call]


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from assay.benchmark.freezing import freeze
    from assay.benchmark.manifest import write_manifest

    path = made(tmp_path_factory.mktemp("benchmark"))
    write_manifest(path, freeze(read_manifest(path), path.parent).manifest)
    return path


def written(folder: Path, **changes: Any) -> Path:
    given = good(**changes)
    path = folder / f"{len(list(folder.glob('*.json')))}.json"
    path.write_text(json.dumps(given))
    return path


@pytest.mark.parametrize("kind", BROKEN)
def test_nothing_is_stored_of_a_broken_one(here: Run, tmp_path: Path, benchmark: Path, kind: str) -> None:
    changes, where, id, problem = BROKEN[kind]
    call = here(
        "benchmark",
        "submit",
        written(tmp_path, **changes),
        "--benchmark",
        benchmark,
        "-o",
        tmp_path / "store",
        "--json",
    )
    assert call.code == 1
    assert (call.json["stored"], call.json["valid"]) == (False, False)
    hits = [each for each in call.json["findings"] if each["grave"] and problem in each["problem"]]
    assert [(each["task"], each["id"]) for each in hits][:1] == [(where, id)]
    assert all(each["remedy"] for each in hits)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"tasks": 3}', '{"a": 1}'])
def test_nor_of_what_is_no_submission(here: Run, tmp_path: Path, benchmark: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    call = here("benchmark", "submit", tmp_path / "x.json", "--benchmark", benchmark, "-o", tmp_path / "store")
    assert (call.code, call.out) == (1, "")
    assert not (tmp_path / "store").exists()


def test_a_date_that_is_none_is_refused(here: Run, tmp_path: Path, benchmark: Path) -> None:
    path = written(tmp_path, anonymous_until="soon")
    call = here("benchmark", "submit", path, "--benchmark", benchmark, "-o", tmp_path / "store", "--json")
    assert call.code == 1
    assert "anonymous_until is 'soon'" in [each["problem"] for each in call.json["findings"]]
    assert (
        here("benchmark", "submit", path, "--benchmark", benchmark, "-o", "x", "--anonymous-until", "2027-1-1").code
        == 2
    )


def test_taken_scored_and_held_back(here: Run, tmp_path: Path, benchmark: Path) -> None:
    store, copy = tmp_path / "store", tmp_path / "mine"
    path = written(tmp_path, tasks=task(keys=KEYS)["tasks"] | {"winds_test": {"values": TEXTS[:4]}})
    call = here("benchmark", "submit", path, "--benchmark", benchmark, "-o", store, "--copy", copy, "--json")
    assert call.code == 0, call.err
    at_once = assay.score(TEXTS, [f"The sea at port {i} is {_word(i)}." for i in range(24)], metrics="bleu,rouge1")
    assert call.json["scores"]["tides_test"]["bleu"]["value"] == at_once.scores["bleu"].value
    assert set(call.json["scores"]) == {"tides_test", "winds_test"}
    assert call.json["held_back"] == 1
    assert "rouge" not in call.out
    held = assay.load_run(store / "1/held-back/tides_test/tides")
    assert held.scores["rouge1"].value == at_once.scores["rouge1"].value
    for folder in (store / "1/results", copy):
        overview = overview_of(open_results([folder]))
        assert overview.problems == []
        assert {line.dataset for line in overview.runs} == {"tides_test", "winds_test"}
        assert not [name for name in overview.axes if "rouge" in name]
    everything = b"".join(file.read_bytes() for file in copy.rglob("*") if file.is_file())
    assert b"rouge" not in everything
    cards = [card for card in Queries([copy]).cards if (card.kind, card.name) == ("system", "tides")]
    assert "Measuring Impact" in [section.heading for section in cards[0].sections]
    (data,) = [card for card in Queries([copy]).cards if (card.kind, card.name) == ("dataset", "tides_test")]
    assert "written by a person" in [section.text for section in data.sections]
    assert here("store", "verify", store / "1/results").code == 0
    assert here("store", "verify", copy).code == 0


def contents(folder: Path) -> dict[Path, bytes]:
    """Of all files but the logs, which say when somebody called."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.name != "log.jsonl")
    return {file: file.read_bytes() for file in files}


def _word(i: int) -> str:
    from tests.support.made_submissions import WORDS

    return WORDS[i % 12]


def test_the_same_again_changes_nothing_and_another_of_its_name_is_refused(
    here: Run, tmp_path: Path, benchmark: Path
) -> None:
    store = tmp_path / "store"
    arguments = ("--benchmark", benchmark, "-o", store)
    path = written(tmp_path)
    assert here("benchmark", "submit", path, *arguments).code == 0
    before = contents(store)
    assert here("benchmark", "submit", path, *arguments).code == 0
    assert contents(store) == before
    call = here("benchmark", "submit", written(tmp_path, **task(TEXTS[::-1], KEYS)), *arguments)
    assert call.code == 1
    assert "submission tides exists. Choose another submission_name." in call.err
    assert len(StoredVersion.of(store / "1").records()) == 1


def test_a_store_keeps_to_its_benchmark(here: Run, tmp_path: Path, benchmark: Path) -> None:
    store = tmp_path / "store"
    path = written(tmp_path)
    assert here("benchmark", "submit", path, "--benchmark", benchmark, "-o", store).code == 0
    other = made(tmp_path / "other", MANIFEST.replace('"bleu", "chrf"', '"bleu"'))
    assert here("benchmark", "freeze", other).code == 0
    call = here("benchmark", "submit", path, "--benchmark", other, "-o", store)
    assert call.code == 1
    assert "contains a different tides 1. Create a new version." in call.err
    other = made(tmp_path / "third", MANIFEST.replace('name = "tides"', 'name = "winds"'))
    assert here("benchmark", "freeze", other).code == 0
    assert (
        "contains benchmark tides. Use another store for winds."
        in here("benchmark", "submit", path, "--benchmark", other, "-o", store).err
    )
    draft = made(tmp_path / "draft")
    assert (
        "not frozen. Run `assay benchmark freeze` first."
        in here("benchmark", "submit", path, "--benchmark", draft, "-o", store).err
    )
    assert (
        here("benchmark", "validate", path, "--benchmark", store / "1/benchmark.toml").code == 0
    )  # the store has the items
    assert here("benchmark", "validate", path, "--benchmark", benchmark, "--task", "a=b").code == 2


def test_anonymous_until_a_day(here: Run, tmp_path: Path, benchmark: Path) -> None:
    store = tmp_path / "store"
    secret = written(tmp_path, submission_name="harbour-team", description="by harbour-team")
    arguments = ("--benchmark", benchmark, "-o", store)
    assert here("benchmark", "submit", secret, *arguments, "--anonymous-until", "2027-01-31").code == 0
    assert here("benchmark", "submit", written(tmp_path, submission_name="open"), *arguments).code == 0
    early, late = tmp_path / "early.zip", tmp_path / "late"
    assert here("benchmark", "bundle", store, "-o", early, "--as-of", "2027-01-30").code == 0
    assert here("benchmark", "bundle", store, "-o", late, "--as-of", "2027-01-31").code == 0
    with zipfile.ZipFile(early) as archive:
        names = archive.namelist()
        assert not [name for name in names if "harbour" in name or b"harbour" in archive.read(name)]
        assert "cards/systems/open.md" in names
        assert "cards/systems/anonymous-1.md" not in names
        assert "cards/tasks/tides_test.md" in names
    hidden, shown = (overview_of(open_results([path])) for path in (early, late))
    assert hidden.problems == shown.problems == []
    assert {line.system for line in hidden.runs} == {"anonymous-1", "open"}
    assert {line.system for line in shown.runs} == {"harbour-team", "open"}
    values = [{line.scores["bleu"].value for line in each.runs if line.system != "open"} for each in (hidden, shown)]
    assert values[0] == values[1]
    assert here("store", "verify", late).code == 0


def test_a_bundle_is_the_same_bytes_and_opens_everywhere(here: Run, tmp_path: Path, benchmark: Path) -> None:
    store = tmp_path / "store"
    assert here("benchmark", "submit", written(tmp_path), "--benchmark", benchmark, "-o", store).code == 0
    for name in ("a.zip", "b.zip"):
        assert here("benchmark", "bundle", store, "-o", tmp_path / name, "--json").json["submissions"] == 1
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    full = here("benchmark", "bundle", store, "-o", tmp_path / "a.zip")
    assert "already exists. Write to another place, or delete it." in full.err
    assert here("report", tmp_path / "a.zip", "-o", tmp_path / "r.html", "--plain").code == 0
    assert "sea" in (tmp_path / "r.html").read_text()  # texts come along
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        record = json.loads(archive.read("exports/tides.json"))
    assert record["model_info"]["name"] == "tides"
    assert b"rouge" not in (tmp_path / "a.zip").read_bytes()


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "a\\..\\b"])
def test_a_hostile_archive_is_refused(here: Run, tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("results.json", "{}")
        archive.writestr(name, "x")
    call = here("report", path, "-o", tmp_path / "r.md")
    assert call.code == 1
    assert "points outside the archive" in call.err
    assert not (tmp_path / "out.txt").exists()


def test_a_new_metric_needs_no_author(here: Run, tmp_path: Path, benchmark: Path) -> None:
    store = tmp_path / "store"
    for name in ("one", "two"):
        path = written(tmp_path, submission_name=name)
        assert here("benchmark", "submit", path, "--benchmark", benchmark, "-o", store).code == 0
    call = here("benchmark", "rescore", store, "-m", "wer", "--json")
    assert call.code == 0, call.err
    assert call.json["scored"] == 2
    for name in ("one", "two"):
        run = store / "1/results/tides_test" / name
        outputs = [row["output"] for row in read_jsonl(run / "outputs.jsonl")]
        fresh = assay.score(outputs, [[f"The sea at port {i} is {_word(i)}."] for i in range(24)], metrics="wer")
        assert assay.load_run(run).scores["wer"].value == fresh.scores["wer"].value
    held = here("benchmark", "rescore", store, "-m", "rouge1")
    assert held.code == 1
    assert "rouge is held back" in held.err.replace("\n  ", " ")
    assert not [entry for entry in assay.load_run(store / "1/results/tides_test/one").scores if "rouge" in entry]
    assert "not a submission store" in here("benchmark", "rescore", tmp_path / "nothing", "-m", "wer").err


def test_a_new_version_takes_over_what_is_the_same(here: Run, tmp_path: Path, benchmark: Path) -> None:
    store, two = tmp_path / "store", benchmark.parent / f"{tmp_path.name}.toml"
    both = task(keys=KEYS)["tasks"] | {"winds_test": {"values": TEXTS[:4]}}
    assert here("benchmark", "submit", written(tmp_path, tasks=both), "--benchmark", benchmark, "-o", store).code == 0
    before = contents(store / "1")
    new = ("-e", "tides.jsonl", "--card", "tides.md", "-m", "bleu,wer", "--replace")
    assert here("benchmark", "add", benchmark, "tides_test", *new, "--version", "2", "-o", two).code == 0
    assert here("benchmark", "retire", two, "winds_test", "--why", "small").code == 0
    assert here("benchmark", "freeze", two).code == 0
    call = here("benchmark", "rescore", store, "--benchmark", two, "--json")
    assert call.code == 0, call.err
    assert [(one["version"], one["task"]) for one in call.json["runs"]] == [("2", "tides_test")]
    assert contents(store / "1") == before
    found = here("benchmark", "diff", store / "1", store / "2", "--json").json
    assert [(row["version"], row["number"]) for row in found["numbers"]] == [("1", "bleu"), ("2", "bleu")]
    assert found["numbers"][0]["value"] == found["numbers"][1]["value"]
    assert found["not_comparable"] == []
    assert "Choose one with --version." in here("benchmark", "bundle", store, "-o", tmp_path / "b").err
    assert here("benchmark", "bundle", store, "--version", "2", "-o", tmp_path / "b").code == 0
    listed = json.loads((tmp_path / "b/submissions.json").read_text())["submissions"]
    assert [(each["name"], each["from_version"]) for each in listed] == [("tides", "1")]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("bart", "bart"),
        ("../up", "up-"),
        ("a b", "a-b-"),
        ("///", "submission-"),
        ("ш", "ш"),
        ("anonymous-1", "anonymous-1-"),
    ],
)
def test_names_become_folders(name: str, folder: str) -> None:
    made_of = system_name(name)
    assert made_of == folder if folder == name else made_of.startswith(folder)
    assert system_name("a b") != system_name("a/b")


def test_interrupted_scoring_goes_on(
    here: Run, tmp_path: Path, benchmark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    path = written(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(StoredVersion, "score", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert here("benchmark", "submit", path, "--benchmark", benchmark, "-o", store).code == 130
    assert [record.name for record in StoredVersion.of(store / "1").records()] == ["tides"]
    assert here("benchmark", "rescore", store, "--json").json["scored"] == 1
    assert assay.load_run(store / "1/results/tides_test/tides").scores["bleu"].value is not None


def test_cards_are_whole(benchmark: Path) -> None:
    assert "written by a person" in DATA_CARD
    assert "compare the share" in CARD


@pytest.mark.parametrize("text", ["{", "[]", '{"systems": {"tides": 3}}'])
def test_cards_that_cannot_be_read_are_named(here: Run, tmp_path: Path, benchmark: Path, text: str) -> None:
    assert here("benchmark", "submit", written(tmp_path), "--benchmark", benchmark, "-o", tmp_path / "store").code == 0
    results = tmp_path / "store/1/results"
    (results / "cards.json").write_text(text)
    overview = overview_of(open_results([results]))
    assert [problem for problem in overview.problems if "results/cards.json" in problem]
    assert overview.runs
