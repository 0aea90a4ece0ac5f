"""Train a model of human ratings: ridge regression over text features, evaluated on held-out items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.execution.training.perception_classes import Labelled, by_source, perceived_human, train_classes
from assay.metrics.human.perception import Regression
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.models.text_features import features
from assay.records.documents import JSONObject
from assay.records.files import write_text
from assay.records.inputs import read_input
from assay.records.kinds import Judged
from assay.records.locks import Lock
from assay.records.types import Example
from assay.stats.correlation import correlate
from assay.stats.correlation_interval import recentred
from assay.stats.penalised import ridges

Floats = NDArray[np.float64]
PENALTIES = tuple(10.0**power for power in range(-1, 6))
DRAWS = 1000
FEWEST = 20
"""Minimum number of items for held-out evaluation."""


@dataclass(frozen=True)
class PerceptionRecipe:
    criterion: str = ""
    """Criterion to learn (default: the only one)."""
    encoder: str = "minilm"
    """Encoder of the sentence vectors."""
    target: Literal["rating", "perception", "source"] = "rating"
    """What is predicted: the mean rating; whether readers take a text for human-written; whether a human wrote it."""
    threshold: float = 3.0
    """For target=perception: mean rating between the classes; the threshold itself is not human."""
    human: str = "human"
    """For target=source: the `system` tag of texts by people."""
    folds: int = 10
    """Number of cross-validation folds."""
    better: Literal["higher", "lower"] = "higher"
    """Direction of the scale."""
    seed: int = 0
    """Random seed of the folds."""

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise AssayError(f"perception: folds={self.folds} must be at least 2")


class Rated(NamedTuple):
    text: str
    value: float
    group: str
    """Return the item of a text: outputs for the same input, and duplicates, are in one fold."""


def rated_texts(examples: Sequence[Example], criterion: str, fewest: int = FEWEST) -> tuple[str, list[Rated]]:
    """Return the texts of at least `fewest` judged items with their mean rating, and the criterion."""
    judged = [(example, read_input(example, Judged)) for example in examples]
    known = sorted({name for _, one in judged for name in one.human or {}})
    chosen = criterion or (known[0] if len(known) == 1 else "")
    if chosen not in known:
        raise AssayError(
            f"perception: name the criterion: perception:criterion=NAME; available: {', '.join(known) or 'none'}"
        )
    columns = []
    for example, one in judged:
        text = one.output or one.summary or " ".join(one.sentences or ())
        if text.strip() and chosen in (one.human or {}):
            columns.append(Rated(text, float((one.human or {})[chosen]), example.parent or example.source or text))
    if len({each.group for each in columns}) < fewest:
        raise AssayError(
            f"perception: {len(columns)} rated texts of fewer than {fewest} items: too few for held-out evaluation"
        )
    return chosen, columns


def train_perception(
    recipe: PerceptionRecipe, examples: Sequence[Example], folder: Path, say: Callable[[str], None]
) -> JSONObject:
    """Fit, cross-validate, and write model and card to the folder."""
    encoder = Encoder(recipe.encoder)
    if why := encoder.why_not():
        raise AssayError(f"train perception: {why}")
    if recipe.target == "source":
        labelled = by_source(examples, recipe.human)
        return _classes(recipe, labelled, encoder, folder, "", say)
    criterion, rated = rated_texts(examples, recipe.criterion)
    if recipe.target == "perception":
        labelled = [
            Labelled(each.text, perceived_human(each.value, recipe.threshold, recipe.better), each.group)
            for each in rated
        ]
        return _classes(recipe, labelled, encoder, folder, criterion, say)
    values = np.array([each.value for each in rated])
    if np.ptp(values) == 0:
        raise AssayError(
            f"perception: all {len(values)} ratings of {criterion} are {values[0]:g}, so nothing can be learned"
        )
    x = features([each.text for each in rated], encoder, Context())
    parts = folds_of([each.group for each in rated], recipe.folds, recipe.seed)
    out = {"regression": held_out(x, values, parts, PENALTIES), "length": held_out(x[:, :1], values, parts, (1e-3,))}
    out["mean"] = np.array([values[parts != part].mean() for part in parts])
    numbers = {group: i for i, group in enumerate(dict.fromkeys(each.group for each in rated))}
    groups = np.array([numbers[each.group] for each in rated], dtype=np.int64)
    rows = [_judged(name, message, values, groups, recipe.seed) for name, message in out.items()]
    for row in rows:
        say(f"{row['set']:<12} n {row['n']}   pearson {_shown(row)}   rmse {row['rmse']:.3f}")
    penalty = _best_penalty(x, values, parts, PENALTIES)
    means, spreads, weights, intercept = ridges(x, values, (penalty,))[0]
    with Lock.of_folder(folder):
        Regression(
            criterion=criterion, low=float(values.min()), high=float(values.max()), encoder=recipe.encoder,
            encoder_weights=encoder.label.rpartition("-")[2], better=recipe.better, intercept=intercept,
            means=means.tolist(), spreads=spreads.tolist(), weights=weights.tolist(),
        ).write(folder)  # fmt: skip
        write_text(folder / "README.md", _card(recipe, criterion, rated, rows, examples))
    return {"folder": str(folder), "kind": "perception", "criterion": criterion, "n": len(rated),
            "items": len({each.group for each in rated}), "penalty": penalty, "test": rows}  # fmt: skip


def _classes(
    recipe: PerceptionRecipe, labelled: Sequence[Labelled], encoder: Encoder, folder: Path, criterion: str,
    say: Callable[[str], None],
) -> JSONObject:  # fmt: skip
    parts = folds_of([each.group for each in labelled], recipe.folds, recipe.seed)
    return train_classes(recipe.target, labelled, encoder, parts, folder, criterion, recipe.seed, say)


def folds_of(groups: Sequence[str], number: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each text; all texts of an item are in one fold."""
    different = list(dict.fromkeys(groups))
    order = np.random.default_rng(seed).permutation(len(different)) % min(number, len(different))
    part_of = dict(zip(different, order.tolist(), strict=True))
    return np.array([part_of[group] for group in groups], dtype=np.int64)


def held_out(x: Floats, values: Floats, parts: NDArray[np.int64], penalties: Sequence[float]) -> Floats:
    """Return held-out predictions; the penalty of each fold is chosen on the other folds."""
    message = np.zeros(len(values))
    for part in np.unique(parts):
        inside = parts != part
        penalty = (
            penalties[0] if len(penalties) == 1 else _best_penalty(x[inside], values[inside], parts[inside], penalties)
        )
        message[~inside] = ridges(x[inside], values[inside], (penalty,))[0](x[~inside])
    return np.clip(message, values.min(), values.max())


def _best_penalty(x: Floats, values: Floats, parts: NDArray[np.int64], penalties: Sequence[float]) -> float:
    errors = dict.fromkeys(penalties, 0.0)
    for part in np.unique(parts):
        inside = parts != part
        for penalty, fitted in zip(penalties, ridges(x[inside], values[inside], penalties), strict=True):
            errors[penalty] += float(np.square(fitted(x[~inside]) - values[~inside]).sum())
    return min(errors, key=lambda penalty: errors[penalty])


def _judged(name: str, message: Floats, values: Floats, groups: NDArray[np.int64], seed: int) -> JSONObject:
    """Return error and correlation; the confidence interval resamples items."""
    row: JSONObject = {"set": name, "n": len(values), "rmse": float(np.sqrt(np.square(message - values).mean()))}
    row |= {"spread": float(message.std()), "people_spread": float(values.std()), "pearson": None}
    if name == "mean" or np.ptp(message) == 0:
        return row
    r = float(correlate(message, values, "pearson").r)
    rng = np.random.default_rng(seed)
    number = int(groups.max()) + 1
    texts = [np.flatnonzero(groups == group) for group in range(number)]
    drawn = []
    for _ in range(DRAWS):
        some = np.concatenate([texts[group] for group in rng.integers(number, size=number)])
        if np.ptp(message[some]) and np.ptp(values[some]):
            drawn.append(float(correlate(message[some], values[some], "pearson").r))
    interval = recentred(r, drawn, "pearson", number, seed=seed)
    return row | {"pearson": r, "pearson_low": interval.low, "pearson_high": interval.high}


def _card(
    recipe: PerceptionRecipe, criterion: str, rated: Sequence[Rated], rows: Sequence[JSONObject],
    examples: Sequence[Example],
) -> str:  # fmt: skip
    languages = sorted({example.language for example in examples if example.language})
    items = len({each.group for each in rated})
    head = f"---\nlanguage: [{', '.join(languages)}]\n---\n" if languages else ""
    table = "".join(f"| {row['set']} | {_shown(row)} | {row['rmse']:.3f} | {row['spread']:.3f} |\n" for row in rows)
    return f"""{head}# Predicted human ratings: {criterion}

A ridge regression over the sentence vector of {recipe.encoder} and eight counts of a text, trained on
{len(rated):,} rated texts of {items:,} items. Below it is evaluated on held-out items
({recipe.folds} parts; all texts of an item are in one), next to a length baseline and the mean rating.
People's own spread is {rows[0]["people_spread"]:.3f}.

| what | Pearson (95 %, over items) | root mean square error | spread |
|---|---|---|---|
{table}
Limits: predictions are closer to the mean than human ratings; for texts of another kind, language or length than the
rated ones, expect chance level; a system that was tuned on the same ratings is overrated.
"""


def _shown(row: JSONObject) -> str:
    if row["pearson"] is None:
        return "none, it is constant"
    return f"{row['pearson']:.3f} ({row['pearson_low']:.3f} to {row['pearson_high']:.3f})"
