"""The texts of the benchmarks: A, the released MUCSUM predictions; B, pairs generated from the same collection.

B follows one recipe with a fixed seed: predictions of about 50 words, 1-3 references, sources of about 350 words, with
a few word types of every item renamed to pseudo-words, so that the vocabulary grows with the corpus as in real text.
"""

from __future__ import annotations

import bisect
import itertools
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from assay.records import Example, Items
from benchmarks.released import released

SEED = 20240501
WORD = re.compile(r"[a-z]+")


class Row(NamedTuple):
    output: str
    references: list[str]
    source: str


def _predictions() -> list[dict[str, Any]]:
    paths = sorted(released("eks/model_outputs").rglob("*_test_preds.jsonl"))
    return [json.loads(line) for path in paths for line in path.open(encoding="utf-8")]


def workload_a() -> list[Row]:
    """Every prediction of every system with its one reference and document: 6,688 pairs."""
    return [Row(row["prediction"], [row["reference"]], row["document"]) for row in _predictions()]


def workload_b(n: int) -> Iterator[Row]:
    """`n` generated pairs; the first ones are the same for every n."""
    rng = random.Random(SEED)
    other = [row["prediction"].lower() for row in _predictions()]
    documents = _documents()
    name = _names(rng, documents)
    for _ in range(n):
        yield _item(rng, documents, other, name)


def workload_short(n: int, words: int = 12) -> Iterator[Row]:
    """`n` generated pairs of a dozen words with one reference: what millions of them are made of in a few minutes."""
    rng = random.Random(SEED)
    documents = _documents()
    name = _names(rng, documents)
    texts = [(" ".join(summary).split(), " ".join(document).split()) for document, summary in documents]
    for _ in range(n):
        summary, document = texts[rng.randrange(len(texts))]
        start, place, made = rng.randrange(max(1, len(summary) - words)), rng.randrange(words), name().capitalize()
        gold = summary[start : start + words]
        gold[place : place + 1] = [made]
        (output,) = _disturbed(rng, [gold], 0.3) or [[made]]
        start = rng.randrange(max(1, len(document) - words))
        yield Row(" ".join(output), [" ".join(gold)], " ".join([made, *document[start : start + words - 1]]))


def _documents() -> list[tuple[list[str], list[str]]]:
    splits = [
        json.loads(released(f"eks/data/mucsum/{name}.json").read_text("utf-8")) for name in ("train", "dev", "test")
    ]
    return [(item["document"], item["summary"]) for loaded in splits for items in loaded.values() for item in items]


def _names(rng: random.Random, documents: list[tuple[list[str], list[str]]], count: int = 60_000) -> Callable[[], str]:
    """Pseudo-words with Zipf's frequencies, put together from beginnings and endings of real ones."""
    words = sorted({word for text, _ in documents for line in text for word in WORD.findall(line) if len(word) > 4})
    pool: list[str] = []
    seen = set(words)
    while len(pool) < count:
        head, tail = rng.choice(words), rng.choice(words)
        made = head[: rng.randint(2, len(head) - 1)] + tail[-rng.randint(2, len(tail) - 1) :]
        if len(made) < 15 and made not in seen:
            seen.add(made)
            pool.append(made)
    heights = list(itertools.accumulate(1 / (rank + 10) for rank in range(count)))
    return lambda: pool[bisect.bisect(heights, rng.random() * heights[-1])]


def _item(
    rng: random.Random, documents: list[tuple[list[str], list[str]]], other: list[str], name: Callable[[], str]
) -> Row:
    document, summary = documents[rng.randrange(len(documents))]
    source = list(document[rng.randrange(max(1, len(document) // 3)) :])
    while sum(len(line.split()) for line in source) < 250:
        source += documents[rng.randrange(len(documents))][0][:8]
    shown = _first(source, int(min(600, max(150, rng.gauss(350, 90)))))
    gold = _first(summary, 80)
    lead = [line.split() for line in document]
    rng.shuffle(lead)

    def mixed() -> list[list[str]]:
        lines = [line for line in gold if rng.random() < 0.6] + lead[: rng.randint(1, 4)]
        rng.shuffle(lines)
        return _first([" ".join(line) for line in lines], int(min(110, max(12, rng.gauss(50, 16)))))

    output = _disturbed(rng, mixed(), 0.08)
    references = [_disturbed(rng, gold, 0.04)]
    for _ in range(rng.choices((0, 1, 2), (0.5, 0.3, 0.2))[0]):
        if rng.random() < 0.7:
            references.append(_disturbed(rng, mixed(), 0.08))
        else:
            references.append(_first(re.split(r"(?<=\.) ", rng.choice(other)), 60))
    kinds = sorted({word for line in shown for token in line for word in WORD.findall(token) if len(word) > 5})
    renamed = {word: name().capitalize() for word in rng.sample(kinds, min(5, len(kinds)))}

    def text(lines: list[list[str]], between: str) -> str:
        joined = between.join(line[:1].upper() + line[1:] for line in map(" ".join, lines))
        return WORD.sub(lambda match: renamed.get(match.group(), match.group()), joined)

    return Row(text(output, "\n"), [text(lines, "\n") for lines in references if lines] or ["."], text(shown, " "))


def _first(lines: list[str], tokens: int) -> list[list[str]]:
    """Whole lines until about so many tokens, the last one cut."""
    taken: list[list[str]] = []
    for line in lines:
        words = line.split()[:tokens]
        if words:
            taken.append(words)
            tokens -= len(words)
        if tokens <= 0:
            break
    return taken


def _disturbed(rng: random.Random, lines: list[list[str]], share: float) -> list[list[str]]:
    """Some words left out, some said twice."""
    changed = []
    for line in lines:
        kept: list[str] = []
        for word in line:
            chance = rng.random()
            if chance >= share / 2:
                kept += [word, word] if chance > 1 - share / 4 else [word]
        if kept:
            changed.append(kept)
    return changed


def as_items(rows: list[Row]) -> Items:
    examples = tuple(
        Example(id=f"{i:07d}", references=tuple(row.references), source=row.source) for i, row in enumerate(rows)
    )
    return Items(tuple(row.output for row in rows), examples)


def write(rows: Iterable[Row], folder: Path, name: str) -> tuple[Path, Path]:
    """Outputs and examples as files, for the command."""
    outputs, examples = folder / f"{name}.outputs.jsonl", folder / f"{name}.examples.jsonl"
    with outputs.open("w", encoding="utf-8") as first, examples.open("w", encoding="utf-8") as second:
        for i, row in enumerate(rows):
            first.write(json.dumps({"id": f"{i:07d}", "output": row.output}) + "\n")
            second.write(json.dumps({"id": f"{i:07d}", "references": row.references, "source": row.source}) + "\n")
    return outputs, examples
