"""Planted faults in the texts of a results folder are found, each as what it is, and sound systems are not accused."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assay.metrics.checks.implausible import find_implausible
from assay.records import Example, Items
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
SHIPS = ("Albatross", "Beacon", "Curlew", "Dolphin", "Egret", "Fulmar", "Gannet")
CARGO = ("timber", "salt", "wool", "grain", "copper", "glass", "tea", "coal", "paper", "tin", "rope")
PORTS = ("Odense", "Turku", "Gdynia", "Visby", "Ystad")
N = 60


def facts(i: int) -> tuple[str, str, str, int]:
    return SHIPS[i % 7], CARGO[i % 11], PORTS[i % 5], 3 + i


def example(i: int) -> Example:
    ship, cargo, port, day = facts(i)
    text = f"On day {day} the {ship} reached {port} with a full load of {cargo} for the merchants."
    return Example(id=f"v{i}", references=(text, f"{port} received {cargo} from the {ship} on day {day}."))


EXAMPLES = tuple(example(i) for i in range(N))
FORMS = {
    "sound": "The {0} brought {1} to {2} and unloaded it there on day {3}.",
    "b": "{2} saw the ship {0} come in carrying nothing but {1}, day {3}.",
    "c": "Day {3} in {2}: {1} arrived aboard a vessel that people call {0}.",
    "d": "{1} was what {0} carried into the port of {2} on the day {3} at last.",
}


def texts_of(form: str) -> list[str]:
    return [FORMS[form].format(*facts(i)) for i in range(N)]


SOUND, OTHER = texts_of("sound"), texts_of("b")


def changed(texts: Sequence[str], every: int, change: Callable[[int], str]) -> list[str]:
    return [change(i) if i % every == 0 else text for i, text in enumerate(texts)]


FAULTS = {
    "shifted": ([*SOUND[1:], SOUND[0]], "misaligned"),
    "shuffled": (random.Random(3).sample(SOUND, N), "misaligned"),
    "empty": (changed(texts_of("c"), 20, lambda _: " "), "empty"),
    "leaked": (changed(texts_of("d"), 5, lambda i: EXAMPLES[i].references[i % 2].upper()), "leak"),
    "copied": (changed(OTHER, 20, lambda i: SOUND[i]), "copy"),
    "edited": ([text.replace("but ", "except ") for text in OTHER], "copy"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_planted_fault_is_found_as_what_it_is(fault: str) -> None:
    texts, kind = FAULTS[fault]
    systems = [Items(tuple(each), EXAMPLES, name) for name, each in (("sound", SOUND), ("b", OTHER), ("x", texts))]
    assert list(find_implausible(systems[:2])) == []
    (found,) = find_implausible(systems)
    assert (found.kind, found.systems[-1]) == (kind, "x")


def test_faults_of_a_results_folder_are_printed_and_in_json(here: Run, tmp_path: Path) -> None:
    """Five planted faults, five anomalies: and nothing about the two sound systems."""
    write_jsonl(tmp_path / "examples.jsonl", [{"id": e.id, "references": list(e.references)} for e in EXAMPLES])
    planted = {name: FAULTS[name] for name in ("shifted", "shuffled", "empty", "leaked", "copied")}
    for name, texts in {"sound": SOUND, "b": OTHER, **{name: texts for name, (texts, _) in planted.items()}}.items():
        rows = [{"id": e.id, "output": text} for e, text in zip(EXAMPLES, texts, strict=True)]
        file = write_jsonl(tmp_path / f"{name}.jsonl", rows)
        saved = here(
            "score", file, "-e", tmp_path / "examples.jsonl", "-m", "rouge", "--save", tmp_path / "runs" / name
        )
        assert saved.code == 0, saved.err
    said = here("store", "anomalies", tmp_path / "runs", "--json").json["anomalies"]
    found = {(each["kind"], *sorted(each["systems"])) for each in said}
    assert found == {("copy", "b", "copied"), *((kind, name) for name, (_, kind) in planted.items() if kind != "copy")}
    assert len(said) == len(planted)
    printed = here("store", "anomalies", tmp_path / "runs")
    assert "5 anomalies" in printed.out
    assert "systems with nearly the same outputs: 1" in printed.out
    assert here("store", "anomalies", tmp_path / "runs", "--fail").code == 1
    (tmp_path / "runs" / "b" / "outputs.jsonl").write_text("{")
    assert "outputs.jsonl is damaged" in here("store", "anomalies", tmp_path / "runs").err


def test_systems_that_keep_their_source_are_no_copies_and_no_leaks() -> None:
    """Texts to simplify: both systems change a word now and then, and references often keep the sentence, too."""
    kept = [Example(id=e.id, source=text, references=(text,)) for e, text in zip(EXAMPLES, SOUND, strict=True)]
    one = changed(SOUND, 7, lambda i: SOUND[i].replace("brought", "took"))
    two = changed(SOUND, 9, lambda i: SOUND[i].replace("unloaded", "left"))
    systems = [Items(tuple(texts), tuple(kept), name) for name, texts in (("one", one), ("two", two))]
    assert list(find_implausible(systems)) == []


def test_short_answers_may_equal_their_references() -> None:
    short = tuple(Example(id=e.id, references=(CARGO[i % 11],)) for i, e in enumerate(EXAMPLES))
    right = tuple(CARGO[i % 11] for i in range(N))
    assert [each.kind for each in find_implausible([Items(right, short, "a"), Items(right, short, "b")])] == []


def test_empty_outputs_count_where_a_text_is_expected() -> None:
    blank = tuple(Example(id=e.id, references=("",)) for e in EXAMPLES)
    assert list(find_implausible([Items(("",) * N, blank, "a")])) == []
    one = Items((*SOUND[1:], ""), EXAMPLES[1:] + EXAMPLES[:1], "a")
    (found,) = find_implausible([one])
    assert found.problem.startswith("1 of 60 outputs are empty (v0)")
