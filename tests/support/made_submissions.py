"""A submission that can be taken, and twenty-five kinds that cannot: with the place and the words of the finding."""

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
    "one GEM id of no item": (
        task(keys=[*(f"tides-test-{i}" for i in range(N - 1)), "tides-test-x"]), "tides_test", "tides-test-x", "is no item"  # noqa: E501
    ),
    "a GEM id in other digits": (
        task(keys=["tides-test-\u0660", *(f"tides-test-{i}" for i in range(1, N))]), "tides_test", "tides-test-\u0660", "is no item"  # noqa: E501
    ),
    "an item by both of its ids": (
        task(keys=["tides-test-1", *KEYS[1:]]), "tides_test", None, "tides-test-1 is p1, which has another output"
    ),
    "an id without end": (task(keys=["x" * 9999, *KEYS[1:]]), "tides_test", "x" * 100 + "…", "is no item"),
    "no outputs": (task([]), "tides_test", None, "no outputs"),
    "an empty output": (task(["  ", *TEXTS[1:]], KEYS), "tides_test", "p0", "is empty"),
    "an output that nobody sees": (task(["\u200b\u00a0\ufeff", *TEXTS[1:]], KEYS), "tides_test", "p0", "is empty"),
    "the references in capitals": (
        task([f" THE SEA AT PORT {i} IS {WORDS[i % 12]}" for i in range(N)], KEYS), "tides_test", "p0", "24 of 24 outputs equal"  # noqa: E501
    ),
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
