"""Whether `assay compare --explain` recovers manipulations of known size in released outputs.

    python -m benchmarks explained        # two minutes, written to docs/evidence/statistics.md

Outputs are truncated by 30 % in one half of the items and replaced by as many words of the source in the other half, so
the size of either effect is known exactly. Sources are references of three other items, so that only one property
changes at a time, or the items' own. For the level, both systems' outputs change sides at random. For the bias, words
are made wrong, which is no property, and one word is added to every output.
"""

from __future__ import annotations

import random
import textwrap
from collections import defaultdict
from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
import numpy as np

from assay.execution.scoring import score_items
from assay.metrics import resolve
from assay.records import Items
from assay.results.compare import CompareRequest, compare_systems
from benchmarks.damage import sets
from benchmarks.page_section import write_section

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "statistics.md"
BEGIN, END = "<!-- measured: explained -->\n", "<!-- end: explained -->\n"
OTHER, OWN = "references of others", "own"
SETS = (("E2E", OTHER), ("WebNLG (en)", OTHER), ("E2E", OWN), ("SummEval", OWN))
"""Datasets with their sources."""
SYSTEMS, ITEMS = 6, 300
METRICS = "rouge1,chrf"
NAMES = ("length", "copying", "repetition")
SHUFFLES = 10
Parts = dict[str, tuple[float, float, float]]


def truncated(text: str) -> str:
    words = text.split()
    return " ".join(words[: max(1, round(0.7 * len(words)))])


def with_sources(items: Items) -> Items:
    """The items with references of others as sources."""
    draw = random.Random(0)
    texts = [example.references[0] for example in items.examples]
    examples = tuple(
        msgspec.structs.replace(example, source=" ".join(draw.sample(texts[:i] + texts[i + 1 :], 3)))
        for i, example in enumerate(items.examples)
    )
    return replace(items, examples=examples)


def copied(text: str, source: str, draw: random.Random) -> str:
    """As many words of the source as the text has, from a random place."""
    words, size = source.split(), len(text.split())
    start = draw.randrange(max(1, len(words) - size))
    return " ".join(words[start : start + size])


def explained(a: Items, b: Items) -> dict[str, Parts]:
    """By metric and property: value and interval; the difference as `all`."""
    results = [score_items(items, resolve(METRICS)) for items in (a, b)]
    request = CompareRequest(samples=500, intervals=False, explain=NAMES)
    (comparison,) = compare_systems([(results[0], results[1])], request)
    shown: dict[str, Parts] = {}
    for name, each in comparison.explanation.items():
        scale = results[0].parts[name][1].scale
        parts = {what: (part.value, part.low or 0.0, part.high or 0.0) for what, part in each.parts.items()}
        parts["all"] = (each.difference, 0.0, 0.0)
        shown[name] = {what: tuple(scale * number for number in part) for what, part in parts.items()}  # type: ignore[misc]
    return shown


def worded(text: str, draw: random.Random, added: str) -> str:
    """A fifth of the words made wrong, and a word added."""
    return " ".join([*("wrong" + word if draw.random() < 0.2 else word for word in text.split()), *added.split()])


def measure() -> tuple[list[str], str]:
    chosen: dict[tuple[str, str], list[Items]] = {each: [] for each in SETS}
    for name, items in sets():
        for (dataset, sources), systems in chosen.items():
            if dataset == name and len(systems) < SYSTEMS:
                short = Items(tuple(items.outputs[:ITEMS]), tuple(items.examples[:ITEMS]), items.system)
                systems.append(with_sources(short) if sources == OTHER else short)
    rows, alarms, tests = [], 0, 0
    blamed: list[tuple[float, float, float]] = []
    for (name, sources), systems in chosen.items():
        planted: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
        for number, items in enumerate(systems):
            draw = random.Random(number)
            half = set(draw.sample(range(len(items)), len(items) // 2))
            cut = [truncated(text) if i in half else text for i, text in enumerate(items.outputs)]
            put = [
                text if i in half else copied(text, example.source or "", draw)
                for i, (text, example) in enumerate(zip(items.outputs, items.examples, strict=True))
            ]
            both = tuple(cut[i] if i in half else put[i] for i in range(len(items)))
            alone = [explained(items, replace(items, outputs=tuple(texts), system="b")) for texts in (cut, put)]
            for metric, parts in explained(
                items, replace(items, outputs=tuple(worded(t, draw, "also") for t in items.outputs), system="b")
            ).items():
                if metric == "rouge1":
                    one = replace(items, outputs=tuple(f"{text} also" for text in items.outputs), system="b")
                    truth = explained(items, one)[metric]["all"][0]
                    blamed.append((parts["all"][0], truth, parts["length"][0]))
            together = explained(items, replace(items, outputs=both, system="b"))
            for metric, parts in together.items():
                for place, what in enumerate(("length", "copying")):
                    planted[metric, what].append((alone[place][metric]["all"][0], parts[what][0]))
            other = systems[(number + 1) % len(systems)]
            for shuffle in range(SHUFFLES):
                swap = np.random.default_rng(1_000 * number + shuffle).random(len(items)) < 0.5
                pairs = [(b, a) if s else (a, b) for a, b, s in zip(items.outputs, other.outputs, swap, strict=True)]
                first, second = (tuple(pair[side] for pair in pairs) for side in (0, 1))
                for parts in explained(
                    replace(items, outputs=first), replace(items, outputs=second, system="b")
                ).values():
                    for what in NAMES:
                        tests += 1
                        alarms += parts[what][1] > 0 or parts[what][2] < 0
        for (metric, what), pairs_of_values in planted.items():
            truth, recovered = np.array(pairs_of_values).T
            worst = np.abs(recovered / truth - 1).max()
            rows.append(
                f"| {name} | {sources} | {metric} | {what} | {truth.mean():+.1f} | {recovered.mean():+.1f} | "
                f"{recovered.sum() / truth.sum():.0%} | {worst:.0%} |"
            )
    every, truth, length = np.mean(blamed, axis=0)
    bias = (
        f"Words made wrong in all outputs, and one word added to each: of {every:+.1f} rouge1, {length:+.1f} are "
        f"associated with length; the added word alone is {truth:+.1f}."
    )
    return rows, f"Shuffled labels: {alarms} of {tests} intervals ({alarms / tests:.1%}) exclude 0. {bias}"


def write() -> None:
    """Write the table of docs/evidence/statistics.md."""
    rows, level = measure()
    head = [
        f"Measured {date.today()} with `python -m benchmarks explained`, seeds from 0.",
        "",
        "| dataset | source | metric | planted | true difference | associated | recovered | largest error |",
        "|---|---|---|---|---|---|---|---|",
    ]
    write_section(PAGE, BEGIN, END, "\n".join([*head, *rows, "", *textwrap.wrap(level, 120)]))
