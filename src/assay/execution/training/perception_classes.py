"""Train a classifier of rated texts: who wrote a text (source), or who readers think wrote it (perception)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
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
from assay.stats.penalised import Fitted, f_score, logistic_ridge, macro_f, sigmoid

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]
PENALTIES = (1.0, 10.0, 100.0)
DRAWS = 1000
NOTICE = "a detector of the source does not say how readers perceive a text: train target=perception for that"


class Labelled(NamedTuple):
    """A text, whether it counts as human, and the item it belongs to."""

    text: str
    human: bool
    group: str


def source_of(example: Example, judged: Judged) -> str:
    """Return the system that wrote a text, of its tags or its judgements."""
    return example.tags.get("system") or judged.system or ""


def perceived_human(value: float, threshold: float, better: str) -> bool:
    """Return whether a mean rating is on the human side of the threshold; one that equals it is not."""
    return value < threshold if better == "lower" else value > threshold


def by_source(examples: Sequence[Example], human: str) -> list[Labelled]:
    """Label texts by who wrote them; no ratings are required."""
    made = []
    for example in examples:
        judged = read_input(example, Judged)
        text = judged.output or judged.summary or " ".join(judged.sentences or ())
        if not (source := source_of(example, judged)):
            raise AssayError(f"id {example.id}: has no tag `system`, so its source is unknown")
        if text.strip():
            made.append(Labelled(text, source == human, example.parent or example.source or text))
    if sum(each.human for each in made) in (0, len(made)):
        known = sorted({source_of(each, read_input(each, Judged)) for each in examples})
        raise AssayError(
            f"perception: texts of {human} and of others are required; set human=NAME, one of {', '.join(known)}"
        )
    return made


def train_classes(
    target: str, labelled: Sequence[Labelled], encoder: Encoder, parts: NDArray[np.int64], folder: Path, criterion: str,
    seed: int, say: Callable[[str], None],
) -> JSONObject:  # fmt: skip
    """Fit and cross-validate a classifier, and write model and card."""
    labels = np.array([each.human for each in labelled])
    if labels.all() or not labels.any():
        raise AssayError("perception: all texts are of one class, so nothing can be learned; set threshold")
    x = features([each.text for each in labelled], encoder, Context())
    guesses = {
        "classifier": held_out(x, labels, parts) >= 0.5,
        "length": held_out(x[:, :1], labels, parts) >= 0.5,
        "majority": np.full(len(labels), labels.mean() >= 0.5),
    }
    numbers = {group: i for i, group in enumerate(dict.fromkeys(each.group for each in labelled))}
    groups = np.array([numbers[each.group] for each in labelled])
    rows = [_row(name, labels, guess, groups, seed) for name, guess in guesses.items()]
    for row in rows:
        say(
            f"{row['set']:<12} n {row['n']}   F {row['f']:.3f} ({row['f_low']:.3f} to {row['f_high']:.3f})   "
            f"F of human {row['f_human']:.3f}   accuracy {row['accuracy']:.3f}"
        )
    if target == "source":
        say(f"! {NOTICE}")
    fitted = logistic_ridge(x, labels, _penalty(x, labels, parts))
    with Lock.of_folder(folder):
        Regression(
            criterion=f"{target}: human", low=0.0, high=1.0, encoder=encoder.model,
            encoder_weights=encoder.label.rpartition("-")[2], better="higher", intercept=fitted.intercept,
            means=fitted.means.tolist(), spreads=fitted.spreads.tolist(), weights=fitted.weights.tolist(),
            link="logistic",
        ).write(folder)  # fmt: skip
        write_text(folder / "README.md", _card(target, criterion, encoder.model, labelled, rows))
    return {"folder": str(folder), "kind": "perception", "target": target, "criterion": f"{target}: human",
            "n": len(labelled), "items": len(numbers), "test": rows}  # fmt: skip


def held_out(x: Floats, labels: Labels, parts: NDArray[np.int64]) -> Floats:
    """Return held-out probabilities; the penalty of each fold is chosen on another fold."""
    made = np.zeros(len(labels))
    for part in np.unique(parts):
        inside = parts != part
        penalty = _penalty(x[inside], labels[inside], parts[inside])
        made[~inside] = sigmoid(_fit(x[inside], labels[inside], penalty)(x[~inside]))
    return made


def _fit(x: Floats, labels: Labels, penalty: float) -> Fitted:
    return logistic_ridge(x, labels, penalty)


def _penalty(x: Floats, labels: Labels, parts: NDArray[np.int64]) -> float:
    """Return the penalty with the least log-loss on one fold that is left out."""
    inside = parts != parts.min()
    if len({*labels[inside].tolist()}) < 2:
        return PENALTIES[1]

    def loss(penalty: float) -> float:
        p = np.clip(sigmoid(_fit(x[inside], labels[inside], penalty)(x[~inside])), 1e-9, 1 - 1e-9)
        return -float(np.log(np.where(labels[~inside], p, 1 - p)).mean())

    return min(PENALTIES, key=loss)


def _row(name: str, labels: Labels, guess: Labels, groups: NDArray[np.int64], seed: int) -> JSONObject:
    """Return macro F with an interval over resampled items, F of the class human, and accuracy."""
    rng = np.random.default_rng(seed)
    number = int(groups.max()) + 1
    texts = [np.flatnonzero(groups == group) for group in range(number)]
    drawn = []
    for _ in range(DRAWS):
        some = np.concatenate([texts[group] for group in rng.integers(number, size=number)])
        drawn.append(macro_f(labels[some], guess[some]))
    low, high = (float(np.quantile(drawn, share)) for share in (0.025, 0.975))
    return {"set": name, "n": len(labels), "f": macro_f(labels, guess), "f_low": low, "f_high": high,
            "f_human": f_score(labels, guess), "accuracy": float((labels == guess).mean())}  # fmt: skip


def _card(target: str, criterion: str, encoder: str, labelled: Sequence[Labelled], rows: Sequence[JSONObject]) -> str:
    what = "a human wrote it" if target == "source" else f"readers take it for human-written ({criterion})"
    human = sum(each.human for each in labelled)
    table = "".join(
        f"| {row['set']} | {row['f']:.3f} ({row['f_low']:.3f} to {row['f_high']:.3f}) | {row['f_human']:.3f} | "
        f"{row['accuracy']:.3f} |\n"
        for row in rows
    )
    return f"""# Classifier of texts: {target}

A logistic regression over the sentence vector of {encoder} and eight counts of a text: the probability that {what}.
Trained on {len(labelled):,} texts, {human:,} of them human. Evaluated on held-out items:

| what | F, mean of both classes (95 %, over items) | F of human | accuracy |
|---|---|---|---|
{table}
Limits: for texts of another kind, language or length than these, expect chance level; {NOTICE}.
"""
