"""Fit the weights of `faithful`: python tools/fit_faithful.py FRANK_FOLDER -o faithful.toml

Weights are fitted on the validation part of FRANK only, by non-negative least squares of features and judgements that
are centred within systems: they separate summaries of one system, not systems. Cross-validation keeps the summaries of
an article together. Combinations with a model take as long as the model needs for 671 summaries; its answers are
cached. `--only words` fits the combination without models."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.datasets import DATASETS
from assay.errors import AssayError
from assay.metrics.faithfulness.faithful import read_pair
from assay.metrics.faithfulness.faithful_models import MODELS
from assay.metrics.faithfulness.faithful_weights import combination, to_toml
from assay.models.context import Context
from assay.records import Example, read_input
from assay.records.documents import read_toml
from assay.records.kinds import Judged
from assay.stats.correlation import product_moment
from assay.stats.partial import residuals
from assay.text.support import WAYS

Floats = NDArray[np.float64]
RIDGE = 0.3
"""Ridge penalty, in units of the number of summaries."""
FOLDS = 10
REPEATS = 3
DIGITS = 4
FITTED_ON = "validation"
HUMAN = "Factuality"


@dataclass(frozen=True)
class Study:
    """Features and judgements of summaries."""

    lacks: Floats
    """Summaries x features, twice: mean lack of support of sentences, weighted by novelty and by copying."""
    human: Floats
    systems: NDArray[np.str_]
    articles: NDArray[np.str_]
    groups: NDArray[np.str_]
    """The dataset of each summary."""

    def some(self, kept: NDArray[np.bool_]) -> Study:
        return Study(*(getattr(self, name)[kept] for name in ("lacks", "human", "systems", "articles", "groups")))


def fitted_examples(examples: Sequence[Example]) -> list[Example]:
    """Return the validation examples; judgements of other examples are never read."""
    kept = [example for example in examples if example.split == FITTED_ON]
    if not kept:
        raise AssayError("fit: no validation example. Give FRANK as `assay data read frank FOLDER` writes it.")
    return kept


def study(examples: Sequence[Example], models: Sequence[str], context: Context) -> Study:
    """Return features and judgements of summaries with texts."""
    judged = [read_input(example, Judged) for example in examples]
    for example, one in zip(examples, judged, strict=True):
        if example.source is None or one.summary is None:
            raise AssayError(f"fit: {example.id} has no texts. Put texts.jsonl next to human_annotations.json.")
    pairs = [read_pair(str(example.source), str(one.summary)) for example, one in zip(examples, judged, strict=True)]
    by_model = [MODELS[name].lacking(pairs, context) for name in models]
    lacks = np.zeros((len(pairs), 2 * (len(WAYS) + len(models))))
    for i, pair in enumerate(pairs):
        for k, support in enumerate(pair.sentences):
            each = np.array([1 - support.shares[way] for way in WAYS] + [model[i][k] for model in by_model])
            both = np.outer(each, [1 - support.copied, support.copied])
            lacks[i] += both.ravel() / len(pair.sentences)
    tags = [example.tags for example in examples]
    return Study(
        lacks,
        np.array([float((one.human or {})[HUMAN]) for one in judged]),
        *(np.array([tag[name] for tag in tags]) for name in ("system", "hash", "dataset")),
    )


def fit(data: Study, ridge: float = RIDGE) -> Floats:
    """Return the weight of each feature."""
    x = np.column_stack([residuals(column, data.systems) for column in data.lacks.T])
    y = -residuals(data.human, data.systems)
    scale = x.std(axis=0)
    scale[scale < 1e-9] = np.inf
    x = x / scale
    inner = x.T @ x / len(y) + ridge * np.eye(x.shape[1])
    return np.asarray(without_negatives(inner, x.T @ y / len(y)) / scale)


def without_negatives(inner: Floats, outer: Floats) -> Floats:
    """Minimise w'Aw/2 - b'w over w >= 0 by coordinate descent."""
    weights = np.zeros(len(outer))
    for _ in range(10_000):
        before = weights.copy()
        for k in range(len(outer)):
            weights[k] = max(0.0, weights[k] + (outer[k] - inner[k] @ weights) / inner[k, k])
        if np.abs(weights - before).max() < 1e-12:
            break
    return weights


def partial_pearson(score: Floats, data: Study) -> float:
    """Return the correlation with the judgements within systems."""
    return product_moment(residuals(score, data.systems), residuals(data.human, data.systems))


def cross_validated(data: Study, ridge: float = RIDGE) -> dict[str, float]:
    """Return the partial Pearson correlation of scores by weights fitted without the article of a summary."""
    articles, place = np.unique(data.articles, return_inverse=True)
    total = np.zeros(len(data.human))
    for seed in range(REPEATS):
        fold = (np.random.default_rng(seed).permutation(len(articles)) % FOLDS)[place]
        for k in range(FOLDS):
            rest = data.some(fold != k)
            total[fold == k] -= (data.lacks[fold == k] - rest.lacks.mean(axis=0)) @ fit(rest, ridge)
    parts = {"all": np.ones(len(total), dtype=bool)} | {str(n): data.groups == n for n in np.unique(data.groups)}
    return {name: round(partial_pearson(total[kept], data.some(kept)), DIGITS) for name, kept in parts.items()}


def fit_weights(examples: Sequence[Example], chosen_models: Sequence[Sequence[str]], context: Context) -> str:
    """Return the content of a weights file, for every combination of models."""
    kept = fitted_examples(examples)
    models = {name: MODELS[name].signed() for name in MODELS if any(name in chosen for chosen in chosen_models)}
    about = {"fitted_on": f"FRANK, {FITTED_ON} part", "summaries": len(kept), "target": HUMAN, "ridge": RIDGE}
    tables: dict[str, dict[str, Any]] = {"about": about} | ({"models": models} if models else {})
    for chosen in chosen_models:
        data, name = study(kept, chosen, context), combination(chosen)
        costs = fit(data).reshape(-1, 2).round(DIGITS).tolist()
        tables[f'weights."{name}"'] = dict(zip((*WAYS, *chosen), costs, strict=True))
        tables[f'cross_validated."{name}"'] = cross_validated(data)
    return to_toml(tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("frank", type=Path, help="folder with human_annotations.json and texts.jsonl")
    parser.add_argument("--output", "-o", type=Path, required=True, help="weights file to write")
    parser.add_argument("--only", choices=["words"], help="fit the combination without models only")
    options = parser.parse_args()
    examples = list(DATASETS.get("frank")().read(options.frank, "validation"))
    most = 0 if options.only else len(MODELS)
    chosen = [some for n in range(most + 1) for some in combinations(MODELS, n)]
    options.output.write_text(fit_weights(examples, chosen, Context()), encoding="utf-8")
    for name, parts in read_toml(options.output)["cross_validated"].items():
        print(f"{name}: " + ", ".join(f"{part} {value:.3f}" for part, value in parts.items()))


if __name__ == "__main__":
    main()
