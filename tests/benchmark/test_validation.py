"""Submissions that can be taken, and twenty-two kinds that cannot: each is named with its place and a remedy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.card import new_card
from assay.benchmark.card_template import template
from assay.benchmark.submission import parse_submission
from assay.benchmark.validation import Validated, validate
from assay.errors import AssayError
from assay.records.read import ExampleFile, read_examples
from conftest import Call, write_jsonl

Run = Callable[..., Call]
ANSWERS = {
    "Real-World Use": "a port reads tides aloud; errors of names hurt small ports",
    "Measuring Impact": "compare the share of wrong names in small and large ports",
    "Model Description": "a template",
    "Dataset Details": "none were left out",
    "Evaluation details": "BLEU on test and validation data",
}
CARD = new_card(template("model"), "tides").markdown()
for heading, answer in ANSWERS.items():
    level = "## " if heading == "Evaluation details" else "### "
    CARD = CARD.replace(f"{level}{heading}\n\n[More Information Needed]", f"{level}{heading}\n\n{answer}")
WORDS = "calm low high grey green cold deep wild slow dark warm wide".split()
N = 24


def text(i: int) -> str:
    return f"At port {i} the sea is {WORDS[i % 12]} and {WORDS[(5 * i + i // 12) % 12]} today."


@pytest.fixture
def tasks() -> dict[str, ExampleFile]:
    rows = [
        {"id": f"p{i}", "references": [f"The sea at port {i} is {WORDS[i % 12]}."], "split": "test"} for i in range(N)
    ]
    return {"tides_test": read_examples(rows), "winds_test": read_examples(rows[:4])}


def good(**changes: Any) -> dict[str, Any]:
    made = {
        "submission_name": "tides",
        "param_count": 0,
        "model_card": CARD,
        "tasks": {"tides_test": {"values": [text(i) for i in range(N)], "keys": [f"p{i}" for i in range(N)]}},
    }
    return {key: value for key, value in {**made, **changes}.items() if value is not None}


def task(values: list[Any] | Any = None, keys: Any = None, name: str = "tides_test") -> dict[str, Any]:
    values = [text(i) for i in range(N)] if values is None else values
    return {"tasks": {name: {"values": values, **({} if keys is None else {"keys": keys})}}}


def checked(given: dict[str, Any], tasks: dict[str, ExampleFile]) -> Validated:
    return validate(parse_submission(given, "s.json"), tasks)


KEYS = [f"p{i}" for i in range(N)]
TEXTS = [text(i) for i in range(N)]
BROKEN: dict[str, tuple[dict[str, Any], str, str | None, str]] = {
    "no name": ({"submission_name": None}, "", None, "no submission_name"),
    "no tasks": ({"tasks": {}}, "", None, "no tasks"),
    "a task nobody knows": (task(name="tide_test"), "tide_test", None, "no such task"),
    "one task twice": (
        {"tasks": {"tides_test": {"values": TEXTS}, "tides-test": {"values": TEXTS}}}, "tides_test", None, "stands twice"  # noqa: E501
    ),
    "values are no list": (task("text"), "tides_test", None, "no list under values"),
    "fewer keys than values": (task(keys=KEYS[:3]), "tides_test", None, "24 values but 3 keys"),
    "keys are no list": (task(keys="p0"), "tides_test", None, "no list of keys"),
    "a key is a number": (task(keys=[*KEYS[:-1], 7]), "tides_test", "7", "a key is no text"),
    "a value is a number": (task([*TEXTS[:-1], 3], KEYS), "tides_test", "p23", "is 3 and no text"),
    "an object without a text": (task([*TEXTS[:-1], {"gem_id": "p23"}]), "tides_test", "p23", "is None and no text"),
    "a key twice": (task(keys=[*KEYS[:-1], "p0"]), "tides_test", "p0", "stands more than once"),
    "a key of no item": (task(keys=[*KEYS[:-1], "q"]), "tides_test", "q", "is no item of the task"),
    "an item without output": (task(TEXTS[:-1], KEYS[:-1]), "tides_test", "p23", "has no output"),
    "too few, without keys": (task(TEXTS[:-1]), "tides_test", None, "23 outputs for 24 items"),
    "rows in place of inputs": (task([*TEXTS, *TEXTS]), "tides_test", None, "48 outputs for 24 items"),
    "GEM ids beyond the items": (
        task(keys=[f"tides-test-{i + 1}" for i in range(N)]), "tides_test", None, "beyond the 24 items"
    ),
    "ids of another set": (task(keys=[f"x{i}" for i in range(N)]), "tides_test", None, "24 ids not in"),
    "no outputs": (task([]), "tides_test", None, "no outputs"),
    "an empty output": (task(["  ", *TEXTS[1:]], KEYS), "tides_test", "p0", "is empty"),
    "the references": (
        task([f"The sea at port {i} is {WORDS[i % 12]}." for i in range(N)], KEYS), "tides_test", "p0", "24 of 24 outputs equal"  # noqa: E501
    ),
    "parameters with a unit": ({"param_count": "3B"}, "", None, "param_count is '3B'"),
    "less than no parameters": ({"param_count": -1}, "", None, "param_count is -1"),
    "no card": ({"model_card": None}, "", None, "no model card"),
    "an empty card": (
        {"model_card": new_card(template("model")).markdown()}, "", None, "Measuring Impact: still the placeholder"
    ),
    "a card without measurement": (
        {"model_card": CARD.replace(ANSWERS["Measuring Impact"], "we hope")}, "", None, "proposes no measurement"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_wrong_is_named(tasks: dict[str, ExampleFile], kind: str) -> None:
    changes, where, id, problem = BROKEN[kind]
    found = checked(good(**changes), tasks)
    assert not found.valid
    hits = [each for each in found.findings if each.grave and problem in each.problem]
    assert [(each.task, each.id) for each in hits][:1] == [(where, id)]
    assert all(each.remedy for each in found.findings)


def test_a_good_one_is_taken_with_any_ids_and_any_order(tasks: dict[str, ExampleFile]) -> None:
    for keys in (KEYS, None, [f"tides-test-{i}" for i in range(N)]):
        found = checked(good(**task(keys=keys)), tasks)
        assert found.valid, [each.plain() for each in found.findings]
        assert found.items["tides_test"].outputs[3] == text(3)
    turned = checked(good(**task(TEXTS[::-1], KEYS[::-1])), tasks)
    assert turned.items["tides_test"].outputs[3] == text(3)


def test_several_tasks_and_parts_of_a_benchmark_are_legal(tasks: dict[str, ExampleFile]) -> None:
    given = good()
    given["tasks"]["winds-test"] = {"values": [{"generated": text(i), "gem_id": f"p{i}"} for i in range(4)]}
    found = checked(given, tasks)
    assert found.valid
    assert sorted(found.items) == ["tides_test", "winds_test"]


def test_missing_parameters_are_only_said(tasks: dict[str, ExampleFile]) -> None:
    found = checked(good(param_count=None), tasks)
    assert found.valid
    assert [each.problem for each in found.findings if each.problem == "no param_count"]


@pytest.mark.parametrize("given", [[], {}, {"tasks": []}, "x"])
def test_what_is_no_submission_is_refused(given: Any) -> None:
    with pytest.raises(AssayError, match=r"s\.json: no object under"):
        parse_submission(given, "s.json")


def test_the_command(here: Run, tmp_path: Path) -> None:
    path, card = tmp_path / "s.json", tmp_path / "card.md"
    path.write_text(json.dumps(good(model_card=None)))
    card.write_text(CARD)
    rows = [{"id": f"p{i}", "references": ["The sea."], "split": "test"} for i in range(N)]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    call = here("validate", path, "--task", f"tides_test={examples}", "--card", card)
    assert call.code == 0
    assert "24 outputs: can be taken" in call.out
    call = here("validate", path, "--task", f"tides-test={examples}", "--json")
    assert call.code == 1
    assert call.json["valid"] is False
    assert [each["problem"] for each in call.json["findings"] if each["grave"]] == ["no model card"]
    assert here("validate", path, "--task", "x").code == 2
    path.write_text("{")
    call = here("validate", path)
    assert (call.code, call.out) == (1, "")
    assert "not JSON" in call.err


def test_a_submission_of_published_outputs(here: Run, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    """Three teams, two tasks each, under GEM's ids and under none."""
    for number, team in enumerate(["bt5", "FBConvAI", "cuni-ufal"]):
        made: dict[str, Any] = {"submission_name": team, "param_count": 1, "model_card": CARD, "tasks": {}}
        arguments = []
        for language in ("en", "ru"):
            path = shared_data(f"webnlg/outputs-2020/{language}") / f"{team}.txt"
            if not path.exists():
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            keys = [f"web_nlg_{language}-test-{i}" for i in range(len(lines))]
            made["tasks"][f"web_nlg_{language}_test"] = {"values": lines, **({"keys": keys} if number % 2 else {})}
            arguments += [
                "--task",
                f"web_nlg_{language}_test=web_nlg_{language}:{shared_data(f'webnlg/{language}')}/test",
            ]
        file = tmp_path / f"{team}.json"
        file.write_text(json.dumps(made))
        found = here("validate", file, *arguments, "--json").json
        grave = [each for each in found["findings"] if each["grave"]]
        assert found["valid"], grave
