"""Evaluation of a trained model of pairs on held-out pairs, with confidence intervals and baselines."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.cross_encoder import CrossEncoder
from assay.metrics.semantic.embedding import Embedding
from assay.models.context import Context
from assay.models.nli import load_nli
from assay.records.documents import JSONObject
from assay.records.items import Items
from assay.records.types import Example
from assay.stats.correlation import Method, correlate
from assay.stats.correlation_interval import recentred
from assay.stats.interval import wilson_interval
from assay.stats.validation import UndefinedStatistic
from assay.systems.neural.entailment_objective import OTHERWISE, label_of
from assay.systems.neural.similarity_objective import score_of
from assay.text.tokenize import narrative_words

DRAWS = 1000


def entailment_report(
    model: str, test: Sequence[Example], train: Sequence[Example] = (), context: Context | None = None
) -> list[JSONObject]:
    """Return by set (tag `set`): accuracy with Wilson interval, three-way and two-way; the majority class; and a
    hypothesis-only baseline (naive Bayes trained on `train`)."""
    pairs = [(str(example.source), example.references[0]) for example in test]
    labels = [label_of(example) for example in test]
    chosen = load_nli(model).probabilities(pairs, context or Context()).argmax(axis=1).tolist()
    alone = _bayes(train, test) if train else None
    rows = []
    for name, places in _sets(test).items():
        truth, stated = [labels[i] for i in places], [chosen[i] for i in places]
        three = OTHERWISE not in truth
        row: JSONObject = {"set": name, "n": len(places)}
        if three:
            row |= _share("accuracy", [a == b for a, b in zip(truth, stated, strict=True)])
        row |= _share("two_way", [(a == 0) == (b == 0) for a, b in zip(truth, stated, strict=True)])
        row["majority"] = max(Counter(truth).values()) / len(truth)
        if alone is not None:
            guess = [alone[i] for i in places]
            hits = [a == b if three else (a == 0) == (b == 0) for a, b in zip(truth, guess, strict=True)]
            row |= _share("hypothesis_only", hits)
        rows.append(row)
    return rows


def similarity_report(
    model: str, together: bool, test: Sequence[Example], context: Context | None = None, seed: int = 0
) -> list[JSONObject]:
    """Return Pearson and Spearman correlation of the model's similarity with human ratings, with bootstrap
    intervals."""
    outputs = tuple(str(example.source) for example in test)
    metric = CrossEncoder(model=model) if together else Embedding(model=model)
    rows = metric.compute(Items(outputs, tuple(test)), context or Context())
    if not isinstance(rows, Dense):
        raise AssayError(f"{model}: no scores of pairs")
    people = np.array([score_of(example) for example in test])
    predicted = np.array(rows.values[:, 0])
    row: JSONObject = {"set": "all", "n": len(test)}
    rng = np.random.default_rng(seed)
    draws = [rng.integers(0, len(test), len(test)) for _ in range(DRAWS)]
    methods: tuple[Method, ...] = ("pearson", "spearman")
    for method in methods:
        r = _r(predicted, people, method)
        row[method] = None if math.isnan(r) else r
        if not math.isnan(r):
            drawn = [_r(predicted[some], people[some], method) for some in draws]
            interval = recentred(r, drawn, method, len(test), seed=seed)
            row |= {f"{method}_low": interval.low, f"{method}_high": interval.high}
    return [row]


def _r(values: Floats, people: Floats, method: Method) -> float:
    """Return the correlation; NaN if all values of a side are equal."""
    try:
        return correlate(values, people, method).r
    except UndefinedStatistic:
        return math.nan


def report(kind: str, recipe: Any, folder: Path, train: Sequence[Example], test: Sequence[Example]) -> Any:
    """Return the test report of a trained model of pairs."""
    if kind == "similarity":
        return similarity_report(str(folder), recipe.reads == "together", test)
    return entailment_report(str(folder), test, train)


def _share(name: str, hits: Sequence[bool]) -> dict[str, float]:
    low, high = wilson_interval(sum(hits), len(hits))
    return {name: sum(hits) / len(hits), f"{name}_low": low, f"{name}_high": high}


def _sets(examples: Sequence[Example]) -> dict[str, list[int]]:
    values: dict[str, list[int]] = defaultdict(list)
    for i, example in enumerate(examples):
        values[example.tags.get("set", "all")].append(i)
    return dict(sorted(values.items()))


def _bayes(train: Iterable[Example], test: Iterable[Example]) -> list[int]:
    """Predict the class from the hypothesis alone: words and word pairs, counted by class."""
    counts: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    known: dict[str, Counter[int]] = defaultdict(Counter)
    words: set[str] = set()
    for example in train:
        name, label, stated = example.tags.get("set", "all"), label_of(example), _words(example)
        known[name][label] += 1
        counts[name, label].update(stated)
        words |= stated
    chosen = []
    for example in test:
        name = example.tags.get("set", "all")
        kept_rows = known[name] or Counter(dict.fromkeys(range(OTHERWISE), 1))
        stated = _words(example) & words

        def likely(
            label: int, name: str = name, kept_rows: Counter[int] = kept_rows, stated: set[str] = stated
        ) -> float:
            seen = counts[name, label]
            return math.log(kept_rows[label]) + math.fsum(
                math.log((seen[w] + 1) / (kept_rows[label] + 2)) for w in stated
            )

        chosen.append(max(sorted(kept_rows), key=likely))
    return chosen


def _words(example: Example) -> set[str]:
    words = narrative_words(example.references[0].lower())
    return {*words, *(f"{a} {b}" for a, b in pairwise(words))}
