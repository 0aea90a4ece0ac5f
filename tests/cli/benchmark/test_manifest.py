"""`assay benchmark`: what joins, what is frozen, what a new version changes, and what may still be compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.benchmark.manifest import published, read_manifest
from tests.conftest import Call, write_jsonl
from tests.support.made_benchmarks import DATA_CARD, MANIFEST, made

Run = Callable[..., Call]


@pytest.fixture
def frozen(here: Run, tmp_path: Path) -> Path:
    path = made(tmp_path)
    assert here("benchmark", "freeze", path).code == 0
    return path


def test_frozen_is_what_the_data_and_the_metrics_are(here: Run, frozen: Path) -> None:
    manifest = read_manifest(frozen, frozen=True)
    task = manifest.task("tides_test")
    assert (task.items, task.since, task.card_complete) == (24, "1", 100.0)
    assert len(task.sha256) == len(task.card_sha256) == 64
    assert list(task.signatures) == ["bleu", "chrf"]
    assert task.signatures["bleu"].startswith("bleu|nrefs:1|")
    assert list(task.held_back_signatures) == ["rouge1"]
    assert here("benchmark", "check", frozen, "--json").json == {"holds": True, "findings": []}
    assert "already frozen" in here("benchmark", "freeze", frozen).err


def test_items_count_and_not_their_file(here: Run, frozen: Path, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    text = (tmp_path / "other/tides.jsonl").read_text()
    (tmp_path / "other/tides.jsonl").write_text(text.replace('": ', '":   '))  # blanks between, and nothing else
    assert here("benchmark", "freeze", other).code == 0
    assert read_manifest(other).task("tides_test").sha256 == read_manifest(frozen).task("tides_test").sha256


def test_what_changed_is_found(here: Run, frozen: Path, tmp_path: Path) -> None:
    text = (tmp_path / "tides.jsonl").read_text()
    (tmp_path / "tides.jsonl").write_text(text.replace("port 3 ", "port 33 "))
    call = here("benchmark", "check", frozen, "--json")
    assert call.code == 1
    assert [(each["task"], each["grave"]) for each in call.json["findings"]] == [("tides_test", True)]
    assert "items changed (frozen: 24, sha256 " in call.json["findings"][0]["problem"]
    (tmp_path / "tides.jsonl").write_text(text)
    (tmp_path / "tides.md").write_text(DATA_CARD + "\nmore\n")
    call = here("benchmark", "check", frozen, "--json")
    assert call.code == 0  # said of the card, and numbers stand
    assert {each["problem"] for each in call.json["findings"]} == {"data card changed"}


def test_what_was_frozen_cannot_be_edited(here: Run, frozen: Path) -> None:
    frozen.write_text(frozen.read_text().replace('metrics = ["bleu", "chrf"]', 'metrics = ["bleu"]'))
    call = here("benchmark", "check", frozen)
    assert call.code == 1
    assert "edited after it was frozen" in call.err


REFUSED = {
    "no card": (MANIFEST.replace('card = "tides.md"\nmetrics = ["bleu"]', 'metrics = ["bleu"]'), "no data card"),
    "a card that is not there": (MANIFEST.replace('card = "tides.md"', 'card = "x.md"'), "x.md"),
    "a metric without what it needs": (MANIFEST.replace('metrics = ["bleu"]', 'metrics = ["sari"]'), "sari cannot be"),
    "public and held back": (
        MANIFEST.replace('held_back = ["rouge1"]', 'held_back = ["bleu"]'),
        "bleu is both public and held back",
    ),
    "no metrics": (MANIFEST.replace('\nmetrics = ["bleu"]\n', "\n"), "no public metric"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_join(here: Run, tmp_path: Path, kind: str) -> None:
    text, problem = REFUSED[kind]
    path = made(tmp_path, text)
    call = here("benchmark", "freeze", path, "--json")
    assert call.code == 1
    assert call.json["frozen"] is False
    assert any(problem in each["problem"] and each["remedy"] for each in call.json["findings"])
    assert path.read_text() == text  # and nothing was written


def test_a_card_must_say_enough(here: Run, tmp_path: Path) -> None:
    from assay.benchmark.cards.card import new_card
    from assay.benchmark.cards.template import template

    path = made(tmp_path, card=new_card(template("gem"), "Tides").markdown())
    call = here("benchmark", "freeze", path)
    assert call.code == 1
    assert "its card is 0 % complete; required: 50 %" in call.out
    path.write_text("cards_at_least = 0.0\n" + MANIFEST)
    assert here("benchmark", "freeze", path).code == 0


WRONG = {
    "a name that is no folder": ('name = "a/b"\nversion = "1"\n', "is not valid. Use letters, digits, . and _."),
    "an unknown field": ('name = "a"\nversion = "1"\nsize = 3\n', "unknown key size"),
    "a task twice": (MANIFEST.replace("winds_test", "tides_test"), "duplicate task tides_test. Rename one."),
    "a name submissions cannot have": (
        MANIFEST.replace("winds_test", "winds-test"),
        "rename it to winds_test, its name in submissions.",
    ),
    "metrics and a suite": (MANIFEST + 'suite = "gem-light"\n', "metrics and a suite"),
    "a challenge of nothing": (
        MANIFEST + '[[tasks]]\nname = "c"\nchallenge = "scramble"\n',
        "a challenge requires a parent task and no examples.",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_manifest_is_one_line(here: Run, tmp_path: Path, kind: str) -> None:
    text, problem = WRONG[kind]
    call = here("benchmark", "freeze", made(tmp_path, text))
    assert call.code == 1
    assert problem in call.err
    assert call.err.count("\n") == 1


def test_versions_add_replace_and_retire(here: Run, frozen: Path, tmp_path: Path) -> None:
    assert here("benchmark", "retire", frozen, "winds_test", "--why", "small").code == 2  # frozen, and no -o
    two = tmp_path / "2.toml"
    call = here("benchmark", "retire", frozen, "winds_test", "--why", "small", "--version", "2", "-o", two)
    assert call.code == 0, call.err
    arguments = ("--challenge", "scramble", "--parent", "tides_test", "--seed", "3", "--size", "5", "-m", "bleu")
    assert here("benchmark", "add", two, "tides-scrambled", *arguments).code == 0
    assert here("benchmark", "add", two, "tides_test", "-e", "tides.jsonl", "-m", "bleu").code == 1  # there already
    replaced = ("-e", "tides.jsonl", "--card", "tides.md", "-m", "bleu,wer", "--held-back", "chrf")
    assert here("benchmark", "add", two, "tides_test", *replaced, "--replace").code == 0
    call = here("benchmark", "freeze", two)
    assert call.code == 0, call.out
    manifest = read_manifest(two)
    assert (manifest.before, [task.name for task in manifest.tasks]) == ("1", ["tides_test", "tides_scrambled"])
    assert [(each.name, each.in_version, each.why) for each in manifest.retired] == [("winds_test", "2", "small")]
    scrambled = manifest.task("tides_scrambled")
    assert (scrambled.items, scrambled.seed, scrambled.since) == (5, 3, "2")
    found = here("benchmark", "diff", frozen, two, "--json").json
    assert (found["added"], found["retired"], found["replaced"]) == (["tides_scrambled"], ["winds_test"], [])
    assert found["comparable"] == {"tides_test": ["bleu", "chrf"]}
    assert found["metrics"] == {"tides_test": {"added": ["wer"], "dropped": ["rouge1"]}}
    assert "Comparable (same items" in here("benchmark", "diff", frozen, two).out


def test_other_items_are_never_compared(here: Run, frozen: Path, tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "references": ["The wind."]} for i in range(5)]
    write_jsonl(tmp_path / "new.jsonl", rows)
    two = tmp_path / "2.toml"
    new = ("-e", "new.jsonl", "--card", "tides.md", "-m", "bleu", "--replace", "--version", "2", "-o", two)
    assert here("benchmark", "add", frozen, "tides_test", *new).code == 0
    assert here("benchmark", "freeze", two).code == 0
    found = here("benchmark", "diff", frozen, two, "--json").json
    assert found["replaced"] == ["tides_test"]
    assert found["comparable"] == {"winds_test": ["bleu"]}
    assert (read_manifest(two).task("tides_test").since, read_manifest(two).task("winds_test").since) == ("2", "1")
    assert "not frozen" in here("benchmark", "diff", made(tmp_path / "draft"), two).err


def test_what_is_published_keeps_back_what_is_held_back(frozen: Path) -> None:
    manifest = read_manifest(frozen)
    task = published(manifest).task("tides_test")
    assert (task.held_back, task.held_back_signatures, task.examples) == ([], {}, "")
    assert task.held_back_digest == manifest.task("tides_test").held_back_digest != ""
    assert published(manifest).published_from == manifest.digest


def test_new_makes_a_manifest(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    assert here("benchmark", "new", "tides", "-o", path).code == 0
    assert here("benchmark", "new", "tides", "-o", path).code == 1
    call = here("benchmark", "freeze", path)
    assert call.code == 1
    assert "no tasks. Add one" in call.out
