"""Updatable metrics as in `torchmetrics`: `update`, `compute`, `reset`; only sums are stored, no texts.

>>> from assay.compat.torchmetrics import SacreBLEUScore
>>> bleu = SacreBLEUScore()
>>> bleu.update(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
>>> round(bleu.compute().item(), 4)
0.7598
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics.engine.base import SumMetric
from assay.metrics.engine.statistics import Floats
from assay.metrics.lexical.bleu import Bleu
from assay.metrics.lexical.chrf import Chrf
from assay.metrics.lexical.rouge import Rouge
from assay.metrics.lexical.ter import Ter
from assay.records.items import Items
from assay.records.types import Example

Target = Sequence[str | Sequence[str]]


class Updatable:
    """Any metric that is computed from sums, updated by batches: `Updatable("rouge:stemmer=true")`."""

    sums: Floats | None = None
    """Sums of all batches."""

    def __init__(self, spec: str) -> None:
        (request,) = resolve(spec)
        if not isinstance(request.metric, SumMetric) or {"sources", "inputs"} & {*request.metric.needs}:
            raise AssayError(f"{spec}: not computed from sums over outputs and references. Use assay.score.")
        self._begin(request.metric, [part.name for part in request.parts()])

    def _begin(self, metric: SumMetric, names: Sequence[str]) -> None:
        self._metric, self._names = metric, list(names)
        self.reset()

    def update(self, preds: str | Sequence[str], target: str | Target) -> None:
        """Add a batch: one text or a list of texts, each with one reference or a list of them."""
        outputs = [preds] if isinstance(preds, str) else list(preds)
        targets: Target = [target] if isinstance(target, str) else target
        if len(outputs) != len(targets):
            raise ValueError(f"{len(outputs)} predictions for {len(targets)} targets")
        if not outputs:
            return
        sums = self._metric.summands(self._metric.statistics(_items(outputs, targets))).sum(axis=0)
        self.sums = sums if self.sums is None else self.sums + sums

    def compute(self) -> Any:
        """Return the scores over all batches, by name."""
        if self.sums is None:
            raise AssayError("No data. Call update before compute.")
        values = self._metric.values(self.sums[None, :])
        return self._shown({name: np.float64(values[name][0]) for name in self._names})

    def _shown(self, values: dict[str, np.float64]) -> Any:
        return values

    def reset(self) -> None:
        """Reset the sums."""
        self.sums = None

    def merge_state(self, other: Updatable) -> None:
        """Add the sums of another metric with the same options, e.g. from another process."""
        if other._metric != self._metric:
            raise ValueError("only metrics with the same options can be merged")
        if other.sums is not None:
            self.sums = other.sums if self.sums is None else self.sums + other.sums

    def forward(self, preds: str | Sequence[str], target: str | Target) -> Any:
        """Add a batch and return the scores of this batch."""
        before = self.sums
        self.reset()
        self.update(preds, target)
        alone = self.compute()
        if before is not None and self.sums is not None:
            self.sums = self.sums + before
        return alone

    __call__ = forward


class _OneNumber(Updatable):
    scale = 1.0

    def _shown(self, values: dict[str, np.float64]) -> Any:
        return np.float64(values[self._names[0]] * self.scale)


def _only_four(n_gram: int) -> None:
    if n_gram != 4:
        raise AssayError(f"n_gram={n_gram}: only 4 is supported. Use torchmetrics.")


class BLEUScore(_OneNumber):
    """BLEU from 0 to 1 of whitespace tokens (default: unsmoothed)."""

    scale = 0.01

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        _only_four(n_gram)
        self._begin(Bleu(tokenizer="none", smoothing="add-k" if smooth else "none"), ["bleu"])


class SacreBLEUScore(_OneNumber):
    """BLEU from 0 to 1 with the tokenizers of sacrebleu (default: unsmoothed)."""

    scale = 0.01

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        tokenize: Literal["none", "13a", "zh", "intl", "char"] = "13a",
        lowercase: bool = False,
    ) -> None:
        _only_four(n_gram)
        self._begin(Bleu(lowercase, tokenize, "add-k" if smooth else "none"), ["bleu"])


class CHRFScore(_OneNumber):
    """chrF from 0 to 1; chrF++ with word n-grams."""

    scale = 0.01

    def __init__(
        self,
        n_char_order: int = 6,
        n_word_order: int = 2,
        beta: float = 2.0,
        lowercase: bool = False,
        whitespace: bool = False,
    ) -> None:
        metric = Chrf(
            lowercase=lowercase,
            whitespace=whitespace,
            char_order=n_char_order,
            word_order=n_word_order,
            beta=int(beta),
            eps_smoothing=True,
        )
        self._begin(metric, ["chrf"])


class TranslationEditRate(_OneNumber):
    """TER as a share, 0 if nothing is edited. Values are those of sacrebleu; torchmetrics finds other block shifts on
    about a quarter of longer texts."""

    scale = 0.01

    def __init__(
        self,
        normalize: bool = False,
        no_punctuation: bool = False,
        lowercase: bool = True,
        asian_support: bool = False,
    ) -> None:
        self._begin(Ter(not lowercase, normalize, no_punctuation, asian_support), ["ter"])


class ROUGEScore(Updatable):
    """ROUGE by key: `rouge1_fmeasure`, `rouge1_precision`, `rouge1_recall`."""

    def __init__(
        self,
        use_stemmer: bool = False,
        accumulate: Literal["best", "avg"] = "best",
        rouge_keys: str | Sequence[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    ) -> None:
        self._keys = (rouge_keys,) if isinstance(rouge_keys, str) else tuple(rouge_keys)
        unknown = [key for key in self._keys if key not in Rouge.variants]
        if unknown:
            raise ValueError(f"Got unknown rouge key {unknown[0]}. Expected to be one of {list(Rouge.variants)}")
        metric = Rouge("rouge_score", use_stemmer, "max" if accumulate == "best" else "mean")
        self._begin(metric, [key + side for key in self._keys for side in ("", ".precision", ".recall")])

    def _shown(self, values: dict[str, np.float64]) -> dict[str, np.float64]:
        sides = {"fmeasure": "", "precision": ".precision", "recall": ".recall"}
        return {f"{key}_{side}": values[key + part] for key in self._keys for side, part in sides.items()}


def _items(outputs: Sequence[str], target: Target) -> Items:
    examples = [
        Example(id=str(i), references=(targets,) if isinstance(targets, str) else tuple(targets))
        for i, targets in enumerate(target)
    ]
    return Items(tuple(outputs), tuple(examples))
