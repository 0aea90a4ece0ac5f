"""Damaged outputs files: each warning names system, items and remedy; undamaged files give no warning."""

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


def undamaged(n: int = 280) -> Items:
    """Return different items whose references use other words."""
    facts = [(NAMES[i % 8], FOODS[i % 7], PLACES[i % 5], 3 + i) for i in range(n)]
    outputs = [f"{name} serves {food} {place} for {price} pounds." for name, food, place, price in facts]
    references = [
        f"For {price} pounds you get {food} at {name} {place}, as we have heard." for name, food, place, price in facts
    ]
    return items(outputs, references)


def warnings_of(outputs: Sequence[str], scored: Items) -> str:
    return " | ".join(lint_damage(replace(scored, outputs=tuple(outputs), system="bart", by_position=True)))


def some(texts: Sequence[str], change: Callable[[str], str], every: int = 10) -> list[str]:
    return [change(text) if i % every == 0 else text for i, text in enumerate(texts)]


ITEMS = undamaged()
TEXTS = list(ITEMS.outputs)


def test_undamaged_files_give_no_warning() -> None:
    assert lint_damage(ITEMS) == []
    assert lint_damage(items(["a b"] * 3, ["c d"] * 3)) == []


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ([f'"{text}"' for text in TEXTS], "280 of 280 outputs (0, 1, 2 …) are wrapped in quotes"),
        (some(TEXTS, lambda text: f"«{text}»"), "28 of 280 outputs (0, 10, 20 …) are wrapped in quotes"),
        (some(TEXTS, lambda text: f"```\n{text}\n```", 50), "6 of 280 outputs (0, 50, 100 …) contain Markdown fences"),
        (some(TEXTS, lambda text: f"**{text}**"), "contain Markdown markup"),
        (some(TEXTS, lambda text: f"Sure, here is the text: {text}", 50), "begin with a chat preamble"),
        (some(TEXTS, lambda text: "I'm sorry, but I cannot do that.", 50), "begin with a chat preamble"),
        ([f"Description: {text}" for text in TEXTS], "begin with"),
        ([f"{text} <end>" for text in TEXTS], "end with"),
        (
            some(TEXTS, lambda text: "There is nothing to say about it."),
            "are identical ('There is nothing to say about ",
        ),
        ([text[:45] for text in TEXTS], "end mid-sentence at 45 characters"),
        ([" ".join(text.split()[:8]) for text in TEXTS], "end mid-sentence at 8 words"),
        (TEXTS[1:] + TEXTS[:1], "fit the next item better than their own, in the whole file"),
        (TEXTS[-1:] + TEXTS[:-1], "fit the previous item better than their own, in the whole file"),
        ([*TEXTS[:140], *TEXTS[141:], TEXTS[0]], "item better than their own, from about item 1"),
        (random.Random(0).sample(TEXTS, len(TEXTS)), "lines may be in another order"),
        (some(TEXTS, lambda text: "Tento podnik nabízí velmi dobrá jídla u řeky", 5), "another language"),
        (some(TEXTS, lambda text: "Здесь подают очень вкусную еду у реки", 5), "another language"),
    ],
    ids=lambda scored: scored if isinstance(scored, str) else "",
)
def test_warnings_name_system_items_and_remedy(damaged: list[str], words: str) -> None:
    warnings = warnings_of(damaged, ITEMS)
    assert words in warnings
    assert warnings.startswith("bart: ")
    assert "; " in warnings


def test_characters_are_compared_where_a_script_has_no_spaces() -> None:
    """Whole clauses between Japanese marks were taken for words, which no other text has."""
    draw = random.Random(3)
    who, what, why = (
        ("市役所は", "研究班は", "鉄道会社は"),
        ("新しい橋を開いた", "報告書を出した"),
        ("雨だった", "金がない"),
    )
    references = [f"{draw.choice(who)}{draw.choice(what)}。{draw.choice(why)}、{i}回目。" for i in range(60)]
    weak = ["".join(each for each in text if draw.random() < 0.7) for text in references]
    assert "another language" not in warnings_of(weak, items(weak, references))
    korean = ["오늘은 비가 많이 와서 아무도 오지 않았다" if i % 3 == 0 else text for i, text in enumerate(weak)]
    assert "another language" in warnings_of(korean, items(korean, references))


def test_patterns_in_references_are_not_damage() -> None:
    quoted = items([f'"{text}"' for text in TEXTS], [f'"{text}"' for text in TEXTS])
    assert "quotes" not in warnings_of(quoted.outputs, quoted)
    polite = items(["Sure, I will book it."] * 40, [f"Sure, I can do that for {i}." for i in range(40)])
    assert "chat preamble" not in warnings_of(polite.outputs, polite)


def test_repeated_outputs_that_fit_their_items_are_not_damage() -> None:
    """Frequent replies in dialogs repeat; a text that fits its items is not a sign of a stuck system."""
    thanks = items(
        ["You are welcome." if i % 8 == 0 else text for i, text in enumerate(TEXTS)],
        [f"You are welcome, {i}." if i % 8 == 0 else e.references[0] for i, e in enumerate(ITEMS.examples)],
    )
    assert "are identical" not in warnings_of(thanks.outputs, thanks)


def test_two_quoted_words_are_not_a_quoted_text() -> None:
    scored = items(['"Dune" is by the author of "Ubik"'] * 20, [f"Text number {i}." for i in range(20)])
    assert "quotes" not in warnings_of(scored.outputs, scored)


def test_outputs_that_never_end_with_a_full_stop_are_not_cut_off() -> None:
    """Keywords of a copy baseline do not end like sentences, whatever their number."""
    keywords = [" ".join(text.rstrip(".").split()[: 3 + i % 6]) for i, text in enumerate(TEXTS)]
    assert "mid-sentence" not in warnings_of(keywords, ITEMS)


def test_a_repeated_list_is_shown_on_one_line() -> None:
    assert "('1 2 3')" in warnings_of(["1\n2\n3"] * len(TEXTS), ITEMS)


def test_warnings_about_a_large_set_state_the_sample() -> None:
    scored = undamaged(2500)
    assert "834 of 834 sampled outputs" in warnings_of([f'"{text}"' for text in scored.outputs], scored)


def test_published_files(shared_data: Callable[[str], Path]) -> None:
    """One published outputs file is in quotes; the others of that task give no warning."""
    from assay.datasets import dataset
    from assay.execution.loading import load_items

    examples = list(dataset("e2e_nlg:version=original").read(shared_data("e2e"), "test"))
    warnings = {
        name: lint_damage(load_items(shared_data(f"e2e/outputs/{name}.tsv"), examples=examples))
        for name in ("tnt1", "slug", "chen", "tgen")
    }
    assert "630 of 630 outputs" in warnings.pop("tnt1")[0]
    assert warnings == {"slug": [], "chen": [], "tgen": []}


def test_commands_show_the_warnings(here: Callable[..., Call], tmp_path: Path) -> None:
    """`score`, `compare` and `run` warn with the name of the system."""
    examples = write_jsonl(tmp_path / "e.jsonl", map(msgspec.to_builtins, ITEMS.examples))
    rows = {"undamaged": TEXTS, "quoted": [f'"{text}"' for text in TEXTS]}
    for name, texts in rows.items():
        write_jsonl(tmp_path / f"{name}.jsonl", [{"id": str(i), "output": text} for i, text in enumerate(texts)])
    call = here("score", tmp_path / "quoted.jsonl", "-e", examples, "-m", "rouge1", "--json")
    assert (
        "quoted: 280 of 280 outputs (0, 1, 2 …) are wrapped in quotes, which are scored as tokens"
        in call.json["warnings"][0]
    )
    call = here(
        "compare", tmp_path / "undamaged.jsonl", tmp_path / "quoted.jsonl", "-e", examples, "-m", "rouge1", "--json"
    )
    assert [warning.split(":")[0] for warning in call.json["warnings"] if "quotes" in warning] == ["quoted"]
    entries = "".join(f'[[systems]]\nname = "{name}"\noutputs = "{name}.jsonl"\n' for name in rows)
    config = f'name = "mine"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\n{entries}'
    (tmp_path / "c.toml").write_text(config, encoding="utf-8")
    printed = here("run", tmp_path / "c.toml", "-o", tmp_path / "results").out
    assert printed.count("! quoted: 280 of 280 outputs") == 1
    assert "! undamaged" not in printed
