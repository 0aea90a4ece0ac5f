"""Damaged outputs files: each damage is named with system, items and remedy, and sound files are left alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from assay.metrics.checks.linter import lint_damage
from assay.records import Items
from tests.conftest import Call, write_jsonl
from tests.support import items

NAMES = ("Aromi", "Blue Lamp", "Cotto", "The Dove", "Ebury", "Fitz", "Giro", "Harbour")
FOODS = ("fish", "noodles", "pies", "curry", "salads", "soup", "bread")
PLACES = ("by the river", "in the centre", "near the station", "behind the mill", "on the hill")


def sound(n: int = 280) -> Items:
    """Different items with references in other words."""
    facts = [(NAMES[i % 8], FOODS[i % 7], PLACES[i % 5], 3 + i) for i in range(n)]
    outputs = [f"{name} serves {food} {place} for {price} pounds." for name, food, place, price in facts]
    references = [
        f"For {price} pounds you get {food} at {name} {place}, as we have heard." for name, food, place, price in facts
    ]
    return items(outputs, references)


def said(outputs: Sequence[str], given: Items) -> str:
    return " | ".join(lint_damage(replace(given, outputs=tuple(outputs), system="bart")))


def some(texts: Sequence[str], change: Callable[[str], str], every: int = 10) -> list[str]:
    return [change(text) if i % every == 0 else text for i, text in enumerate(texts)]


GIVEN = sound()
TEXTS = list(GIVEN.outputs)


def test_sound_files_are_left_alone() -> None:
    assert lint_damage(GIVEN) == []
    assert lint_damage(items(["a b"] * 3, ["c d"] * 3)) == []


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ([f'"{text}"' for text in TEXTS], "280 of 280 outputs (0, 1, 2 …) are wrapped in quotes"),
        (some(TEXTS, lambda text: f"«{text}»"), "28 of 280 outputs (0, 10, 20 …) are wrapped in quotes"),
        (some(TEXTS, lambda text: f"```\n{text}\n```", 50), "6 of 280 outputs (0, 50, 100 …) have Markdown fences"),
        (some(TEXTS, lambda text: f"**{text}**"), "have Markdown marks"),
        (some(TEXTS, lambda text: f"Sure, here is the text: {text}", 50), "begin with words to the user"),
        (some(TEXTS, lambda text: "I'm sorry, but I cannot do that.", 50), "begin with words to the user"),
        ([f"Description: {text}" for text in TEXTS], "begin with"),
        ([f"{text} <end>" for text in TEXTS], "end with"),
        (some(TEXTS, lambda text: "There is nothing to say about it."), "are all 'There is nothing to say about "),
        ([text[:45] for text in TEXTS], "stop in mid-sentence at 45 characters"),
        ([" ".join(text.split()[:8]) for text in TEXTS], "stop in mid-sentence at 8 words"),
        (TEXTS[1:] + TEXTS[:1], "fit the next item better than their own, all through the file"),
        (TEXTS[-1:] + TEXTS[:-1], "fit the previous item better than their own, all through the file"),
        ([*TEXTS[:140], *TEXTS[141:], TEXTS[0]], "item better than their own, from about item 1"),
        (random.Random(0).sample(TEXTS, len(TEXTS)), "the lines may be in another order"),
        (some(TEXTS, lambda text: "Tento podnik nabízí velmi dobrá jídla u řeky", 5), "another language"),
        (some(TEXTS, lambda text: "Здесь подают очень вкусную еду у реки", 5), "another language"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_damage_is_named_with_system_items_and_remedy(damaged: list[str], words: str) -> None:
    found = said(damaged, GIVEN)
    assert words in found
    assert found.startswith("bart: ")
    assert "; " in found or "(--join-on)" in found


def test_what_the_references_have_is_no_damage() -> None:
    quoted = items([f'"{text}"' for text in TEXTS], [f'"{text}"' for text in TEXTS])
    assert "quotes" not in said(quoted.outputs, quoted)
    polite = items(["Sure, I will book it."] * 40, [f"Sure, I can do that for {i}." for i in range(40)])
    assert "words to the user" not in said(polite.outputs, polite)


def test_the_same_words_for_the_same_matter_are_no_damage() -> None:
    """Thanks are answered alike; a text that fits its items is not a stuck system."""
    thanks = items(
        ["You are welcome." if i % 8 == 0 else text for i, text in enumerate(TEXTS)],
        [f"You are welcome, {i}." if i % 8 == 0 else e.references[0] for i, e in enumerate(GIVEN.examples)],
    )
    assert "are all" not in said(thanks.outputs, thanks)


def test_two_quoted_words_are_no_quoted_text() -> None:
    given = items(['"Dune" is by the author of "Ubik"'] * 20, [f"Text number {i}." for i in range(20)])
    assert "quotes" not in said(given.outputs, given)


def test_a_large_set_is_looked_at_in_part_and_says_so() -> None:
    given = sound(2500)
    assert "834 of 834 outputs looked at" in said([f'"{text}"' for text in given.outputs], given)


def test_published_files(shared_data: Callable[[str], Path]) -> None:
    """One released file is in quotes; the others of that task are sound, and are noticed once shuffled."""
    from assay.datasets import dataset
    from assay.execution.loading import load_items

    examples = list(dataset("e2e_nlg:version=original").read(shared_data("e2e"), "test"))
    found = {
        name: lint_damage(load_items(shared_data(f"e2e/outputs/{name}.tsv"), examples=examples))
        for name in ("tnt1", "slug", "chen", "tgen")
    }
    assert "630 of 630 outputs" in found.pop("tnt1")[0]
    assert found == {"slug": [], "chen": [], "tgen": []}


def test_commands_say_it(here: Callable[..., Call], tmp_path: Path) -> None:
    """`score`, `compare` and `run` warn with the name of the system."""
    examples = write_jsonl(tmp_path / "e.jsonl", map(msgspec.to_builtins, GIVEN.examples))
    rows = {"sound": TEXTS, "quoted": [f'"{text}"' for text in TEXTS]}
    for name, texts in rows.items():
        write_jsonl(tmp_path / f"{name}.jsonl", [{"id": str(i), "output": text} for i, text in enumerate(texts)])
    call = here("score", tmp_path / "quoted.jsonl", "-e", examples, "-m", "rouge1", "--json")
    assert "quoted: 280 of 280 outputs (0, 1, 2 …) are wrapped in quotes" in call.json["warnings"][0]
    call = here(
        "compare", tmp_path / "sound.jsonl", tmp_path / "quoted.jsonl", "-e", examples, "-m", "rouge1", "--json"
    )
    assert [warning.split(":")[0] for warning in call.json["warnings"] if "quotes" in warning] == ["quoted"]
    entries = "".join(f'[[systems]]\nname = "{name}"\noutputs = "{name}.jsonl"\n' for name in rows)
    config = f'name = "mine"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\n{entries}'
    (tmp_path / "c.toml").write_text(config, encoding="utf-8")
    said = here("run", tmp_path / "c.toml", "-o", tmp_path / "results").out
    assert said.count("! quoted: 280 of 280 outputs") == 1
    assert "! sound" not in said
