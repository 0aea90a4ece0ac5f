"""The embedded sample is complete, well formed and exactly what its script writes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.records import kind_of, read_examples
from assay.records.inputs import known_input

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "src" / "assay" / "sample"
SCRIPT = ROOT / "tools" / "make_sample.py"
LANGUAGES = {
    "news": {"en": 28, "de": 4, "cs": 4, "ru": 2, "th": 2},
    "places": {"en": 30, "cs": 4, "de": 3, "ru": 2, "th": 1},
    "simple": {"en": 34, "de": 3, "cs": 3},
    "dialog": {"en": 26, "cs": 2, "de": 2},
}
REFERENCES = {"news": {1}, "places": {1, 2, 3}, "simple": {3}, "dialog": {1, 2}}
SYSTEMS = ("lead", "copy", "template", "rewrite")
SCALES = {"faithfulness": {0, 1}, "fluency": {1, 2, 3, 4, 5}, "simplicity": {1, 2, 3, 4, 5}}
FILES = sorted(path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*.jsonl"))


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def ids(name: str) -> list[str]:
    return [row["id"] for row in rows(name)]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *options], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_has_its_number_of_examples(name: str) -> None:
    assert Counter(row["language"] for row in rows(name)) == LANGUAGES[name]


@pytest.mark.parametrize("name", LANGUAGES)
def test_examples_are_complete_records(name: str) -> None:
    fields = ["id", "references", "source", "input", "language", "split", "parent", "tags"]
    for number, row in enumerate(rows(name), start=1):
        assert list(row) == fields
        assert row["id"] == f"{name}-{number:02d}"
        assert row["source"].strip()
        assert all(isinstance(tag, str) for tag in row["tags"].values())
        assert len(row["references"]) in REFERENCES[name]
        assert all(isinstance(text, str) and text.strip() == text != "" for text in row["references"])


def test_news_documents_have_the_stated_size() -> None:
    for row in rows("news"):
        if row["language"] != "th":  # Thai is written without spaces between words
            assert 80 <= len(row["source"].split()) <= 160, row["id"]


def test_tags_and_sources_agree_with_the_typed_input() -> None:
    for row in rows("places"):
        slots = row["input"]["slots"]
        assert row["tags"]["slots"] == str(len(slots))
        assert 2 <= len(slots) <= 7
        assert row["source"] == ", ".join(f"{slot}[{value}]" for slot, value in slots)
    for row in rows("dialog"):
        acts = row["input"]["acts"]
        assert row["tags"] == {"act": acts[0]["act"], "acts": str(len(acts))}
        assert row["source"] == row["input"]["context"][-1]["text"]


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_answers_every_example_once(system: str, name: str) -> None:
    outputs = rows(f"outputs/{system}/{name}")
    assert [row["id"] for row in outputs] == ids(name)
    assert {row["system"] for row in outputs} == {system}


def test_only_rewrite_has_empty_outputs_for_slots_in_russian_and_thai() -> None:
    empty = {
        (system, row["id"])
        for system in SYSTEMS
        for name in LANGUAGES
        for row in rows(f"outputs/{system}/{name}")
        if not row["output"]
    }
    uncovered = {row["id"] for row in rows("places") if row["language"] in ("ru", "th")}
    assert empty == {("rewrite", id) for id in uncovered}


def test_no_two_systems_have_the_same_outputs() -> None:
    for name in LANGUAGES:
        answers = [tuple(row["output"] for row in rows(f"outputs/{system}/{name}")) for system in SYSTEMS]
        assert len(set(answers)) == len(SYSTEMS)


def test_judgements_cover_known_outputs_and_are_marked_as_synthetic() -> None:
    judgements = rows("judgements")
    known = {(row["id"], system) for system in SYSTEMS for n in LANGUAGES for row in rows(f"outputs/{system}/{n}")}
    assert {(row["id"], row["system"]) for row in judgements} <= known
    keys = Counter((row["id"], row["system"], row["criterion"], row["annotator"]) for row in judgements)
    assert set(keys.values()) == {1}
    assert {row["annotator"] for row in judgements} == {"annotator-1", "annotator-2", "annotator-3"}
    assert {row["method"] for row in judgements} == {"synthetic"}
    items = {c: {row["id"] for row in judgements if row["criterion"] == c} for c in SCALES}
    assert {c: len(each) for c, each in items.items()} == {"faithfulness": 12, "fluency": 12, "simplicity": 10}
    assert len(judgements) == (12 + 12 + 10) * len(SYSTEMS) * 3
    for row in judgements:
        assert row["value"] in SCALES[row["criterion"]]
        assert row["unit"] == "summary"
        assert row["seconds"] > 0


@pytest.mark.parametrize("name", FILES)
def test_files_are_strict_json_in_composed_unicode_with_one_newline_at_the_end(name: str) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    text = (SAMPLE / name).read_bytes().decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert text.endswith("}\n")
    for line in text[:-1].split("\n"):
        row = json.loads(line, parse_constant=refuse)
        assert json.dumps(row, ensure_ascii=False) == line


def test_files_are_what_the_script_writes() -> None:
    result = run("--check")
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_script_finds_and_repairs_a_changed_a_missing_and_a_stray_file(tmp_path: Path) -> None:
    copy = tmp_path / "sample"
    shutil.copytree(SAMPLE, copy)
    with (copy / "judgements.jsonl").open("a") as file:
        file.write("{}\n")
    (copy / "outputs/lead/news.jsonl").unlink()
    (copy / "outputs/lead/stray.jsonl").touch()
    result = run("--check", "--folder", str(copy))
    assert result.returncode == 1
    assert len(result.stdout.splitlines()) == 3
    assert run("--folder", str(copy)).returncode == 0
    assert sorted(p.relative_to(copy).as_posix() for p in copy.rglob("*.jsonl")) == FILES
    assert all((copy / name).read_bytes() == (SAMPLE / name).read_bytes() for name in FILES)


@pytest.mark.slow
@pytest.mark.parametrize("check", [("mypy", "--strict"), ("ruff", "check"), ("ruff", "format", "--check")])
def test_the_scripts_are_typed_and_formatted(check: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", *check, str(SCRIPT), str(SCRIPT.with_name("sample_systems.py"))]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_systems_read_the_input_and_never_the_references(tmp_path: Path) -> None:
    copy = tmp_path / "sample"
    shutil.copytree(SAMPLE, copy)
    for name in LANGUAGES:
        changed = [row | {"references": ["none"]} for row in rows(name)]
        (copy / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed), encoding="utf-8")
    assert run("--check", "--folder", str(copy)).returncode == 0


@pytest.mark.parametrize(("name", "metric", "better"), [("places", "chrf", "b"), ("news", "chrf", None)])
def test_rewrite_is_better_than_template_in_places_but_not_in_news(name: str, metric: str, better: str | None) -> None:
    a, b = (
        assay.score(SAMPLE / f"outputs/{system}/{name}.jsonl", examples=SAMPLE / f"{name}.jsonl", metrics=metric)
        for system in ("template", "rewrite")
    )
    assert assay.compare(a, b)[metric].better == better


@pytest.mark.parametrize(("name", "kind"), [("places", "slots"), ("dialog", "acts")])
def test_structured_inputs_are_of_a_kind_that_commands_read(name: str, kind: str) -> None:
    examples = read_examples(SAMPLE / f"{name}.jsonl").examples
    assert {kind_of(example) for example in examples} == {kind}
    assert all(known_input(example) for example in examples)
    result = assay.score(
        SAMPLE / f"outputs/copy/{name}.jsonl", examples=SAMPLE / f"{name}.jsonl", metrics=["slot_error"]
    )
    assert (result.scores["slot_recall"].value or 0) > 0.9
