"""The weights of `faithful`, fitted on judged summaries: on the validation part of FRANK and on nothing else.

Costs are least squares without negative numbers, of features and judgements that are both centred within the systems
that wrote the summaries: what is learned is which summary of a system is better, not which system. What is said of
the fit comes from folds that keep the summaries of an article together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics.faithfulness.faithful import read_pair
from assay.metrics.faithfulness.faithful_models import MODELS
from assay.metrics.faithfulness.faithful_weights import combination, written
from assay.models.context import Context
from assay.records import Example, read_input
from assay.records.kinds import Judged
from assay.stats.correlation import product_moment
from assay.stats.partial import residuals
from assay.text.support import WAYS

Floats = NDArray[np.float64]
RIDGE = 0.3
"""How much costs are held back, in units of the number of summaries."""
FOLDS = 10
REPEATS = 3
DIGITS = 4
FITTED_ON = "validation"
HUMAN = "Factuality"


@dataclass(frozen=True)
class Study:
    """Judged summaries as numbers."""

    lacks: Floats
    """Summary by way, twice: what the sentences lack on average, weighed by how new they are and by how copied."""
    human: Floats
    systems: NDArray[np.str_]
    articles: NDArray[np.str_]
    groups: NDArray[np.str_]
    """The part of the corpus."""

    def some(self, kept: NDArray[np.bool_]) -> Study:
        return Study(*(getattr(self, name)[kept] for name in ("lacks", "human", "systems", "articles", "groups")))


def fitted_examples(examples: Sequence[Example]) -> list[Example]:
    """Those that may be learned from. The judgements of all others are never looked at."""
    kept = [example for example in examples if example.split == FITTED_ON]
    if not kept:
        raise AssayError(
            "fit: no example of the validation part; give FRANK as `assay data read frank FOLDER` writes it"
        )
    return kept


def study(examples: Sequence[Example], asked: Sequence[str], context: Context) -> Study:
    """The numbers of summaries that have their texts."""
    judged = [read_input(example, Judged) for example in examples]
    for example, one in zip(examples, judged, strict=True):
        if example.source is None or one.summary is None:
            raise AssayError(f"fit: {example.id} has no texts; texts.jsonl must stand beside human_annotations.json")
    pairs = [read_pair(str(example.source), str(one.summary)) for example, one in zip(examples, judged, strict=True)]
    said = [MODELS[name].lacking(pairs, context) for name in asked]
    lacks = np.zeros((len(pairs), 2 * (len(WAYS) + len(asked))))
    for i, pair in enumerate(pairs):
        for k, support in enumerate(pair.sentences):
            each = np.array([1 - support.found[way] for way in WAYS] + [model[i][k] for model in said])
            both = np.outer(each, [1 - support.copied, support.copied])
            lacks[i] += both.ravel() / len(pair.sentences)
    tags = [example.tags for example in examples]
    return Study(
        lacks,
        np.array([float((one.human or {})[HUMAN]) for one in judged]),
        *(np.array([tag[name] for tag in tags]) for name in ("system", "hash", "dataset")),
    )


def fit(given: Study, ridge: float = RIDGE) -> Floats:
    """What each lack costs."""
    x = np.column_stack([residuals(column, given.systems) for column in given.lacks.T])
    y = -residuals(given.human, given.systems)
    scale = x.std(axis=0)
    scale[scale < 1e-9] = np.inf
    x = x / scale
    inner = x.T @ x / len(y) + ridge * np.eye(x.shape[1])
    return np.asarray(without_negatives(inner, x.T @ y / len(y)) / scale)


def without_negatives(inner: Floats, outer: Floats) -> Floats:
    """The least of w'Aw/2 - b'w over w >= 0, one coordinate after the other until none moves."""
    found = np.zeros(len(outer))
    for _ in range(10_000):
        before = found.copy()
        for k in range(len(outer)):
            found[k] = max(0.0, found[k] + (outer[k] - inner[k] @ found) / inner[k, k])
        if np.abs(found - before).max() < 1e-12:
            break
    return found


def partial_pearson(score: Floats, given: Study) -> float:
    return product_moment(residuals(score, given.systems), residuals(given.human, given.systems))


def cross_validated(given: Study, ridge: float = RIDGE) -> dict[str, float]:
    """Partial Pearson of what summaries get by weights that were fitted without their articles."""
    articles, place = np.unique(given.articles, return_inverse=True)
    total = np.zeros(len(given.human))
    for seed in range(REPEATS):
        fold = (np.random.default_rng(seed).permutation(len(articles)) % FOLDS)[place]
        for k in range(FOLDS):
            rest = given.some(fold != k)
            total[fold == k] -= (given.lacks[fold == k] - rest.lacks.mean(axis=0)) @ fit(rest, ridge)
    parts = {"all": np.ones(len(total), dtype=bool)} | {str(n): given.groups == n for n in np.unique(given.groups)}
    return {name: round(partial_pearson(total[kept], given.some(kept)), DIGITS) for name, kept in parts.items()}


def fit_weights(examples: Sequence[Example], combinations: Sequence[Sequence[str]], context: Context) -> str:
    """The content of a file of weights, for every combination of what is asked besides words."""
    kept = fitted_examples(examples)
    models = {name: MODELS[name].signed() for name in MODELS if any(name in asked for asked in combinations)}
    about = {"fitted_on": f"FRANK, {FITTED_ON} part", "summaries": len(kept), "target": HUMAN, "ridge": RIDGE}
    tables: dict[str, dict[str, Any]] = {"about": about} | ({"models": models} if models else {})
    for asked in combinations:
        given, name = study(kept, asked, context), combination(asked)
        costs = fit(given).reshape(-1, 2).round(DIGITS).tolist()
        tables[f'weights."{name}"'] = dict(zip((*WAYS, *asked), costs, strict=True))
        tables[f'cross_validated."{name}"'] = cross_validated(given)
    return written(tables)
