"""The card of a trained acceptability classifier: held-out accuracy by kind of damage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.execution.training.mask_filling import FILLED
from assay.metrics.semantic.acceptability import Acceptability
from assay.models.cache import Cache
from assay.models.context import Context
from assay.records.documents import JSONObject
from assay.records.inputs import Candidates, read_input
from assay.records.items import Items
from assay.records.types import Example
from assay.stats.interval import wilson_interval


def acceptability_report(folder: Path, valid: Sequence[Example]) -> list[JSONObject]:
    """Return accuracy at threshold 0.5 over sentences and damaged copies, and by damage how often the sentence is
    rated above its copy."""
    metric = Acceptability(model=str(folder), unit="whole")
    texts = [text for example in valid for text in read_input(example, Candidates).candidates]
    items = Items(tuple(texts), tuple(Example(id=str(i)) for i in range(len(texts))))
    scores = iter(np.asarray(metric.compute(items, Context(Cache(limit=0))).values)[:, 0].tolist())
    right: list[bool] = []
    preferred: dict[str, list[bool]] = defaultdict(list)
    for example in valid:
        labels = read_input(example, Candidates).labels
        rates = [next(scores) for _ in labels]
        right += [(score > 0.5) == bool(label) for score, label in zip(rates, labels, strict=True)]
        good, wrong = rates[0], [score for score, label in zip(rates, labels, strict=True) if not label]
        for kind, score in zip(example.tags["damage"].split("+"), wrong, strict=True):
            preferred[kind].append(good > score)
    rows = [{"set": "all", "n": len(right)} | _share("accuracy", right)]
    return rows + [{"set": kind, "n": len(won)} | _share("preferred", won) for kind, won in sorted(preferred.items())]


def _share(name: str, right: Sequence[bool]) -> dict[str, float]:
    low, high = wilson_interval(sum(right), len(right))
    return {name: sum(right) / len(right), f"{name}_low": low, f"{name}_high": high}


def write_card(folder: Path, train: Sequence[Example], valid: Sequence[Example], rows: Sequence[JSONObject]) -> None:
    """Write README.md next to the weights, with metadata in its head."""
    languages = sorted({example.language for example in train if example.language})
    head = f"---\nlanguage: [{', '.join(languages)}]\n---\n" if languages else ""
    table = "".join(
        f"| {row['set']} | {row['n']} | {value:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f}) |\n"
        for row in rows
        for name, value in row.items()
        if name in ("accuracy", "preferred")
    )
    filled = any(FILLED in example.tags["damage"] for example in train)
    how = (
        "copies of each in which a model\nfilled gaps: acceptable where both entail each other and BLEU is above .9, "
        "not\nacceptable where they do not and it is from .5 to .9"
        if filled
        else "copies of each with one thing wrong (a word lost, repeated,\n"
        "moved, swapped, of another sentence, or with another ending)"
    )
    text = f"""{head}# Acceptability of sentences

Taught on {len(train):,} sentences as people wrote them and {how};
checked on {len(valid):,} others. Chance level is one half
if there are as many copies as sentences.

| set | n | right (95 %) |
|---|---|---|
{table}
`all` is the share of sentences and copies that are classified correctly at threshold 0.5; the row of a damage is how
often a sentence is rated above its own copy.

Limits: some copies are in fact acceptable (a lost adverb); other errors, such as invented facts, are not detected; for
sentences of another language or kind than the training data, expect chance level.
"""
    (folder / "README.md").write_text(text, encoding="utf-8")
