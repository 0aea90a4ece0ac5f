"""How many damaged outputs files the linter notices, and how many sound ones it complains of.

    python -m benchmarks damage        # a minute, written to docs/evidence/metrics.md

Sound are the released outputs of 98 systems on eight datasets; each is damaged in twelve ways.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from assay.datasets import dataset
from assay.execution.loading import load_items
from assay.metrics.checks.linter import lint_damage
from assay.records import Example, Items
from benchmarks.page_section import write_section
from benchmarks.released import released

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "metrics.md"
BEGIN, END = "<!-- measured: damage -->\n", "<!-- end: damage -->\n"
Texts = tuple[str, ...]


def lines(path: Path) -> Texts:
    return tuple(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))


def examples(name: str, folder: str, split: str | None = "test") -> tuple[Example, ...]:
    return tuple(dataset(name).read(released(folder), split))


def sets() -> Iterator[tuple[str, Items]]:
    """The released outputs of every system, by dataset."""
    given = examples("e2e_nlg:version=original", "e2e")
    for path in sorted(released("e2e/outputs").glob("*.tsv")):
        yield "E2E", load_items(path, examples=list(given))
    for language in ("en", "ru"):
        given = examples(f"web_nlg_{language}", f"webnlg/{language}")
        for path in sorted(released(f"webnlg/outputs-2020/{language}").glob("*.txt")):
            yield f"WebNLG ({language})", Items(lines(path), given, path.stem)
    given = examples("turk", "turkcorpus")
    for path in sorted(released("turkcorpus/outputs").rglob("*")):
        if path.is_file() and len(lines(path)) == len(given):
            yield "TurkCorpus", Items(lines(path), given, path.parent.name)
    for path in sorted(released("eks/model_outputs").rglob("*_test_preds.jsonl")):
        rows = [json.loads(line) for line in lines(path)]
        judged = tuple(Example(id=row["instance_id"], references=(row["reference"],)) for row in rows)
        yield "MUCSUM", Items(tuple(row["prediction"] for row in rows), judged, "/".join(path.parts[-3:]))
    for name, folder, split, label in (
        ("summeval", "summeval", None, "SummEval"),
        ("multiwoz", "multiwoz", "test", "MultiWOZ"),
    ):
        known = {example.id: example for example in dataset(name).read(released(folder), split)}
        texts: dict[str, dict[str, str]] = {}
        for output in dataset(name).outputs(released(folder)):
            texts.setdefault(str(output.system), {})[output.id] = output.output
        for system, by_id in texts.items():
            ids = [id for id in known if id in by_id]
            yield label, Items(tuple(by_id[id] for id in ids), tuple(known[id] for id in ids), system)
    given = examples("common_gen", "commongen", "validation")
    for path in sorted(released("pointer").glob("*validation*.txt")):
        if len(lines(path)) == len(given):
            yield "CommonGen", Items(lines(path), given, path.stem)


@lru_cache
def foreign() -> Texts:
    """Sentences of another language than those of most sets, in the same script."""
    rows = lines(released("stsb_tr/stsb_tr_dev.tsv"))
    return tuple(cell for row in rows[1:] for cell in row.split("\t") if len(cell.split()) >= 5)


def some(texts: Texts, share: float, change: Callable[[int, str], str]) -> Texts:
    """A share of the texts changed, drawn at random."""
    draw = random.Random(0)
    return tuple(change(i, text) if draw.random() < share else text for i, text in enumerate(texts))


def cut_at(texts: Texts, words: bool) -> Texts:
    lengths = sorted(len(text.split() if words else text) for text in texts)
    most = lengths[int(0.7 * len(lengths))]
    return tuple(" ".join(text.split()[:most]) if words else text[:most] for text in texts)


DAMAGE: dict[str, tuple[Callable[[Texts], Texts], str]] = {
    "all in quotes": (lambda texts: tuple(f'"{text}"' for text in texts), "quotes"),
    "10 % in quotes": (lambda texts: some(texts, 0.1, lambda _, text: f"“{text}”"), "quotes"),
    "shuffled": (lambda texts: tuple(random.Random(1).sample(texts, len(texts))), "another order"),
    "shifted by one line": (lambda texts: (*texts[1:], texts[0]), "better than their own"),
    "one line missing in the middle": (
        lambda texts: (*texts[: len(texts) // 2], *texts[len(texts) // 2 + 1 :], texts[0]),
        "better than their own",
    ),
    "common prefix": (lambda texts: tuple(f"Output: {text}" for text in texts), "begin with"),
    "5 % in Markdown fences": (lambda texts: some(texts, 0.05, lambda _, text: f"```\n{text}\n```"), "fences"),
    "5 % with a chat preamble": (
        lambda texts: some(texts, 0.05, lambda _, text: f"Sure, here is the text: {text}"),
        "chat preamble",
    ),
    "20 % in another language": (
        lambda texts: some(texts, 0.2, lambda i, _: foreign()[i % len(foreign())]),
        "another language",
    ),
    "truncated at a number of characters": (lambda texts: cut_at(texts, False), "mid-sentence"),
    "truncated at a number of words": (lambda texts: cut_at(texts, True), "mid-sentence"),
    "10 % identical text": (lambda texts: some(texts, 0.1, lambda _i, _t: texts[0] + " And so on."), "are identical"),
}
"""What is done to the outputs, and a word of what should be said of it."""


def measure() -> tuple[list[str], Counter[str], Counter[tuple[str, str]]]:
    """What is said of sound files; how many there are; how many of each are noticed once damaged."""
    complaints: list[str] = []
    systems: Counter[str] = Counter()
    noticed: Counter[tuple[str, str]] = Counter()
    for name, items in sets():
        systems[name] += 1
        found = lint_damage(items)
        complaints += [f"{name}, {sentence}" for sentence in found]
        for kind, (change, sign) in DAMAGE.items():
            damaged = lint_damage(replace(items, outputs=change(tuple(items.outputs)), by_position=True))
            noticed[kind, name] += any(sign in sentence for sentence in damaged)
    return complaints, systems, noticed


def table(head: str, kinds: Iterable[str], systems: Counter[str], noticed: Counter[tuple[str, str]]) -> list[str]:
    """The lines of a table of what was noticed, by kind and dataset."""
    rows = [f"| {head} | {' | '.join(systems)} | all |", f"|---|{'---|' * (len(systems) + 1)}"]
    for kind in kinds:
        counts = [noticed[kind, name] for name in systems]
        cells = [f"{count}/{systems[name]}" for count, name in zip(counts, systems, strict=True)]
        rows.append(f"| {kind} | {' | '.join(cells)} | {sum(counts)}/{systems.total()} |")
    return rows


def report() -> str:
    complaints, systems, noticed = measure()
    rows = table("damage", DAMAGE, systems, noticed)
    by_set = Counter(complaint.split(",")[0] for complaint in complaints)
    counted = ", ".join(f"{name} {count}" for name, count in by_set.items())
    rows.append(f"\n{len(complaints)} of the {systems.total()} published files give a warning ({counted}).")
    print("\n".join(complaints))
    return "\n".join(rows) + "\n"


def write() -> None:
    """Write the table of docs/evidence/metrics.md."""
    write_section(PAGE, BEGIN, END, report())
