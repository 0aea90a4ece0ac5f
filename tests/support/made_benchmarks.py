"""A synthetic benchmark of two tasks and a challenge set, with cards, ready to be frozen."""

from __future__ import annotations

from pathlib import Path

from assay.benchmark.cards.card import new_card
from assay.benchmark.cards.template import PLACEHOLDER, template
from tests.conftest import write_jsonl
from tests.support.made_submissions import WORDS, N

DATA_CARD = new_card(template("gem"), "Tides").markdown().replace(PLACEHOLDER, "written by a person")


def examples(folder: Path) -> Path:
    rows = [
        {
            "id": f"p{i}", "references": [f"The sea at port {i} is {WORDS[i % 12]}."], "split": "test",
            "language": "en",
            "input": {"kind": "triples", "triples": [["port", "is", str(i)], ["sea", "is", WORDS[i % 12]]]},
        }
        for i in range(N)
    ]  # fmt: skip
    write_jsonl(folder / "winds.jsonl", rows[:4])
    return write_jsonl(folder / "tides.jsonl", rows)


MANIFEST = """name = "tides"
version = "1"

[[tasks]]
name = "tides_test"
examples = "tides.jsonl"
card = "tides.md"
metrics = ["bleu", "chrf"]
held_back = ["rouge1"]

[[tasks]]
name = "winds_test"
examples = "winds.jsonl"
card = "tides.md"
metrics = ["bleu"]
"""


def made(folder: Path, text: str = MANIFEST, card: str = DATA_CARD) -> Path:
    folder.mkdir(exist_ok=True)
    examples(folder)
    (folder / "tides.md").write_text(card)
    path = folder / "1.toml"
    path.write_text(text)
    return path
