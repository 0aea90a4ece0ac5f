"""Write the synthetic data of `examples/`: python tools/make_examples.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from assay.datasets.equivalence_classes import Classes, family
from assay.datasets.synthetic_announcements import synthetic_announcements
from assay.datasets.synthetic_entities import synthetic_entities
from assay.datasets.synthetic_events import synthetic_events
from assay.records import Example, write_jsonl

HERE = Path(__file__).parents[1] / "examples"

CLASSES: list[tuple[str, str, list[list[str]]]] = [
    ("act", "act", [
        ["kept the price of money", "held the price of money steady", "let the price of money stand"],
        ["made money dearer", "put up the price of money", "asked more for money"],
        ["made money cheaper", "put down the price of money", "asked less for money"],
    ]),
    ("act labels", "act", [
        ["did keep the price", "did hold the price"],
        ["did raise the price", "did lift the price"],
        ["did lower the price", "did cut the price"],
        ["might raise the price", "may raise the price"],
    ]),
    ("act label negation", "act", [
        ["did raise the price", "did lower the price", "may raise the price"],
        ["did not raise the price", "did not lower the price", "may not raise the price"],
    ]),
    ("attribution", "attribution", [
        ["the chair"], ["one governor"], ["two governors"], ["the finance minister"], ["bankers"],
    ]),
    ("motive", "motive", [
        ["to slow the rise of prices", "to keep prices in check"],
        ["to help people find work", "to bring more people into work"],
        ["to support the value of the coin", "to keep the coin strong"],
    ]),
    ("evidence", "evidence", [
        ["dear bread", "bread that costs more"],
        ["idle harbours", "harbours without ships"],
        ["full order books", "busy workshops"],
        ["a weak coin", "a coin that buys less"],
    ]),
    ("temporal scope", "scope", [
        ["soon", "before long"], ["next year", "in the coming year"], ["for a long time", "for years"],
    ]),
]  # fmt: skip


def write_splits(folder: Path, examples: Sequence[Example], **most: int) -> None:
    """Write the examples of each split, at most those given by name."""
    for split in ("train", "validation", "test"):
        chosen = [example for example in examples if example.split == split]
        write_jsonl(folder / f"{split}.jsonl", chosen[: most.get(split)])


def main(folder: Path = HERE) -> None:
    written = [{"annotation": a, "evaluation": e, "equivalence_classes": c} for e, a, c in CLASSES]
    path = folder / "fomc" / "equivalence_classes.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    classes = [Classes(e, a, c, family(e, a)) for e, a, c in CLASSES]
    write_splits(
        folder / "fomc", synthetic_announcements(classes, documents=1000, share=0.02), train=300, validation=40
    )
    write_splits(folder / "tesa", synthetic_entities(480))
    write_splits(folder / "eks", synthetic_events(1000), train=607, validation=60, test=100)


if __name__ == "__main__":
    main()
