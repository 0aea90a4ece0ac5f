"""The interface of Hugging Face `evaluate`: `load(name).compute(predictions=, references=)`, without a download.

>>> from assay.compat import evaluate
>>> evaluate.load("bleu").compute(predictions=["the old mill burned"], references=[["the old mill burned"]])["bleu"]
1.0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from assay.compat import sacrebleu
from assay.compat.rouge_score.rouge_scorer import RougeScorer
from assay.compat.rouge_score.scoring import BootstrapAggregator
from assay.errors import AssayError
from assay.metrics.engine.layout import words
from assay.metrics.lexical.bleu import bleu_statistics
from assay.metrics.simplification.sari import Sari
from assay.records.items import Items
from assay.records.types import Example

References = Sequence[str | Sequence[str]]


def load(path: str, **ignored: Any) -> Module:
    """Return a metric by name. Nothing is downloaded; loading options (`cache_dir`, `experiment_id`) are ignored."""
    if path not in METRICS:
        raise FileNotFoundError(f"{path}: no such metric in assay.compat.evaluate. Use one of {', '.join(METRICS)}.")
    return Module(path, METRICS[path])


def combine(evaluations: Sequence[str | Module], force_prefix: bool = False) -> Combined:
    """Return several metrics that are computed together."""
    return Combined([load(each) if isinstance(each, str) else each for each in evaluations], force_prefix)


class Module:
    """One metric: `compute`, optionally after `add` and `add_batch`."""

    def __init__(self, name: str, function: Callable[..., dict[str, Any]]) -> None:
        self.name = name
        self._function = function
        self._kept: dict[str, list[Any]] = {}

    def add(self, *, prediction: Any = None, reference: Any = None, **more: Any) -> None:
        """One more item."""
        self.add_batch(predictions=[prediction], references=[reference], **{f"{key}s": [more[key]] for key in more})

    def add_batch(self, *, predictions: Any = None, references: Any = None, **more: Any) -> None:
        """Some more items."""
        for name, values in {"predictions": predictions, "references": references, **more}.items():
            self._kept.setdefault(name, []).extend(values)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any]:
        """Return the scores of all items, including those added before, and clear them."""
        sources = options.pop("sources", None)
        if predictions is not None:
            texts = {"predictions": predictions, "references": references}
            self.add_batch(**texts, **({} if sources is None else {"sources": sources}))
        kept, self._kept = self._kept, {}
        if not kept.get("predictions"):
            raise ValueError(f"{self.name}: no predictions. Pass them, or add them first.")
        if len(kept["predictions"]) != len(kept["references"]):
            counts = f"{len(kept['predictions'])} predictions for {len(kept['references'])} references"
            raise ValueError(f"{self.name}: {counts}")
        return self._function(**kept, **options)


class Combined:
    """Several metrics on the same items."""

    def __init__(self, modules: Sequence[Module], force_prefix: bool) -> None:
        self._modules, self._prefix = modules, force_prefix

    def add(self, **item: Any) -> None:
        """One more item."""
        for module in self._modules:
            module.add(**item)

    def add_batch(self, **items: Any) -> None:
        """Some more items."""
        for module in self._modules:
            module.add_batch(**items)

    def compute(self, **items: Any) -> dict[str, Any]:
        """Return all scores, prefixed by the metric if two have the same name."""
        scored = [(module.name, module.compute(**items)) for module in self._modules]
        keys = [key for _, scores in scored for key in scores]
        return {
            f"{name}_{key}" if self._prefix or keys.count(key) > 1 else key: value
            for name, scores in scored
            for key, value in scores.items()
        }


def _rouge(
    predictions: Sequence[str],
    references: References,
    rouge_types: Sequence[str] | None = None,
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: Callable[[str], list[str]] | None = None,
) -> dict[str, Any]:
    """Return F1: the bootstrap median with an aggregator (numpy global random state), else one value per prediction."""
    kinds = list(rouge_types or ("rouge1", "rouge2", "rougeL", "rougeLsum"))
    cut = None if tokenizer is None else _Tokenizer(tokenizer)
    scorer = RougeScorer(kinds, use_stemmer=use_stemmer, tokenizer=cut)
    first, pairs = _pairs(predictions, references)
    scores = scorer.score_pairs([reference for _, reference in pairs], [prediction for prediction, _ in pairs])
    best = {name: rows[_best(rows[:, 2], first)] for name, rows in scores.items()}
    if not use_aggregator:
        return {name: rows[:, 2].tolist() for name, rows in best.items()}
    aggregator = BootstrapAggregator()
    aggregator.add_arrays(best)
    return {name: score.mid.fmeasure for name, score in aggregator.aggregate().items()}


class _Tokenizer:
    def __init__(self, tokenize: Callable[[str], list[str]]) -> None:
        self.tokenize = tokenize


def _pairs(predictions: Sequence[str], references: References) -> tuple[list[int], list[tuple[str, str]]]:
    """Return every prediction with each of its references, and the start of each prediction."""
    first: list[int] = []
    pairs: list[tuple[str, str]] = []
    for prediction, texts in zip(predictions, references, strict=True):
        first.append(len(pairs))
        pairs += [(prediction, text) for text in ([texts] if isinstance(texts, str) else texts)]
    return [*first, len(pairs)], pairs


def _best(f: Any, first: list[int]) -> list[int]:
    """Return the position of the reference with the highest F1 for each prediction."""
    if len(f) == len(first) - 1:
        return list(range(len(f)))
    return [low + int(np.argmax(f[low:high])) for low, high in pairwise(first)]


def _bleu(
    predictions: Sequence[str],
    references: References,
    tokenizer: Any = None,
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Return BLEU from 0 to 1 as in the TensorFlow NMT code: shortest reference, unsmoothed."""
    if tokenizer is not None or max_order != 4:
        raise AssayError("bleu: only the default tokenizer and max_order are supported. Use evaluate for others.")
    items = _items(predictions, references)
    sums = bleu_statistics(items, "13a", False).sum(axis=0)
    layout = words(items, "13a", False)
    lengths = np.diff(layout.starts)[len(items) :]
    shortest = int(np.minimum.reduceat(lengths, layout.first[:-1]).sum())
    length, matches, possible = int(sums[0]), sums[2:6], sums[6:10]
    if smooth:
        precisions = [(hit + 1) / (all_ + 1) for hit, all_ in zip(matches, possible, strict=True)]
    else:
        precisions = [hit / all_ if all_ > 0 else 0.0 for hit, all_ in zip(matches, possible, strict=True)]
    mean = math.exp(sum(map(math.log, precisions)) / 4) if min(precisions) > 0 else 0.0
    ratio = length / shortest if shortest else 0.0
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio) if ratio > 0 else 0.0
    return {
        "bleu": mean * penalty,
        "precisions": [float(value) for value in precisions],
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": shortest,
    }


def _sacrebleu(predictions: Sequence[str], references: References, **options: Any) -> dict[str, Any]:
    scored = sacrebleu.corpus_bleu(predictions, _streams(references), **options)
    names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {name: getattr(scored, name) for name in names}


def _chrf(predictions: Sequence[str], references: References, **options: Any) -> dict[str, Any]:
    scored = sacrebleu.CHRF(**options).corpus_score(predictions, _streams(references))
    return {name: getattr(scored, name) for name in ("score", "char_order", "word_order", "beta")}


def _ter(
    predictions: Sequence[str],
    references: References,
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> dict[str, Any]:
    made = sacrebleu.TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive)
    scored = made.corpus_score(predictions, _streams(references))
    return {name: getattr(scored, name) for name in ("score", "num_edits", "ref_length")}


def _sari(predictions: Sequence[str], references: References, sources: Sequence[str]) -> dict[str, Any]:
    metric = Sari(variant="huggingface")
    sums = metric.summands(metric.statistics(_items(predictions, references, sources))).sum(axis=0)
    return {"sari": float(metric.values(sums[None, :])["sari"][0])}


def _streams(references: References) -> list[list[str]]:
    """Return one list per set of references; every prediction must have the same number."""
    lists = [[texts] if isinstance(texts, str) else list(texts) for texts in references]
    if len({len(texts) for texts in lists}) > 1:
        raise ValueError("Sacrebleu requires the same number of references for each prediction")
    return [list(stream) for stream in zip(*lists, strict=True)]


def _items(predictions: Sequence[str], references: References, sources: Sequence[str] | None = None) -> Items:
    examples = [
        Example(
            id=str(number),
            references=(texts,) if isinstance(texts, str) else tuple(texts),
            source=None if sources is None else sources[number],
        )
        for number, texts in enumerate(references)
    ]
    return Items(tuple(predictions), tuple(examples))


METRICS: dict[str, Callable[..., dict[str, Any]]] = {
    "rouge": _rouge,
    "bleu": _bleu,
    "sacrebleu": _sacrebleu,
    "chrf": _chrf,
    "ter": _ter,
    "sari": _sari,
}
"""Supported metrics, by their names on the hub."""
