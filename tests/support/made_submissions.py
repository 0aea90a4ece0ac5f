"""A valid submission, and invalid ones with the location and the text of their finding."""

from __future__ import annotations

from typing import Any

from assay.benchmark.cards.card import new_card
from assay.benchmark.cards.template import template

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


KEYS = [f"p{i}" for i in range(N)]
TEXTS = [text(i) for i in range(N)]
BROKEN: dict[str, tuple[dict[str, Any], str, str | None, str]] = {
    "no name": ({"submission_name": None}, "", None, "submission_name is missing"),
    "no tasks": ({"tasks": {}}, "", None, "no tasks"),
    "a task nobody knows": (task(name="tide_test"), "tide_test", None, "unknown task"),
    "one task twice": (
        {"tasks": {"tides_test": {"values": TEXTS}, "tides-test": {"values": TEXTS}}},
        "tides_test", None, "duplicate task (tides-test is the same task)",
    ),
    "values are no list": (task("text"), "tides_test", None, '"values" is not a list'),
    "fewer keys than values": (task(keys=KEYS[:3]), "tides_test", None, "24 values but 3 keys"),
    "keys are no list": (task(keys="p0"), "tides_test", None, "no list of keys"),
    "a key is a number": (task(keys=[*KEYS[:-1], 7]), "tides_test", "7", "key is not a string"),
    "a value is a number": (task([*TEXTS[:-1], 3], KEYS), "tides_test", "p23", "output is 3, not a string"),
    "an object without a text": (
        task([*TEXTS[:-1], {"gem_id": "p23"}]), "tides_test", "p23", "output is None, not a string"
    ),
    "a key twice": (task(keys=[*KEYS[:-1], "p0"]), "tides_test", "p0", "duplicate id"),
    "a key of no item": (task(keys=[*KEYS[:-1], "q"]), "tides_test", "q", "id is not an item of the task"),
    "an item without output": (task(TEXTS[:-1], KEYS[:-1]), "tides_test", "p23", "item has no output"),
    "too few, without keys": (task(TEXTS[:-1]), "tides_test", None, "23 outputs for 24 items"),
    "rows in place of inputs": (task([*TEXTS, *TEXTS]), "tides_test", None, "48 outputs for 24 items"),
    "GEM ids beyond the items": (
        task(keys=[f"tides-test-{i + 1}" for i in range(N)]), "tides_test", None, "beyond the 24 items"
    ),
    "ids of another set": (task(keys=[f"x{i}" for i in range(N)]), "tides_test", None, "24 ids not in"),
    "one GEM id of no item": (
        task(keys=[*(f"tides-test-{i}" for i in range(N - 1)), "tides-test-x"]),
        "tides_test", "tides-test-x", "id is not an item of the task",
    ),
    "a GEM id in other digits": (
        task(keys=["tides-test-\u0660", *(f"tides-test-{i}" for i in range(1, N))]),
        "tides_test", "tides-test-\u0660", "id is not an item of the task",
    ),
    "an item by both of its ids": (
        task(keys=["tides-test-1", *KEYS[1:]]), "tides_test", None, "tides-test-1 is item p1, which is repeated"
    ),
    "an id without end": (
        task(keys=["x" * 9999, *KEYS[1:]]), "tides_test", "x" * 100 + "…", "id is not an item of the task"
    ),
    "no outputs": (task([]), "tides_test", None, "no outputs"),
    "an empty output": (task(["  ", *TEXTS[1:]], KEYS), "tides_test", "p0", "output is empty"),
    "an output without visible characters": (
        task(["\u200b\u00a0\ufeff", *TEXTS[1:]], KEYS), "tides_test", "p0", "output is empty"
    ),
    "the references in capitals": (
        task([f" THE SEA AT PORT {i} IS {WORDS[i % 12]}" for i in range(N)], KEYS),
        "tides_test", "p0", "24 of 24 outputs equal a reference",
    ),
    "the references": (
        task([f"The sea at port {i} is {WORDS[i % 12]}." for i in range(N)], KEYS),
        "tides_test", "p0", "24 of 24 outputs equal a reference",
    ),
    "parameters with a unit": ({"param_count": "3B"}, "", None, "param_count is '3B'"),
    "less than no parameters": ({"param_count": -1}, "", None, "param_count is -1"),
    "no card": ({"model_card": None}, "", None, "no model card"),
    "an empty card": (
        {"model_card": new_card(template("model")).markdown()},
        "", None, "Measuring Impact: placeholder is not replaced",
    ),
    "a card without measurement": (
        {"model_card": CARD.replace(ANSWERS["Measuring Impact"], "we hope")}, "", None, "proposes no measurement"
    ),
}  # fmt: skip
