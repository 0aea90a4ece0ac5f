"""The calls of Hugging Face's `evaluate`: `load(name).compute(predictions=, references=)`, without a download.

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
    """A metric by its name; nothing is fetched, and options of loading (`cache_dir`, `experiment_id`) mean nothing."""
    if path not in METRICS:
        raise FileNotFoundError(f"no metric called {path} in assay.compat.evaluate; there are {', '.join(METRICS)}")
    return Module(path, METRICS[path])


def combine(evaluations: Sequence[str | Module], force_prefix: bool = False) -> Combined:
    """Several metrics that are computed together."""
    return Combined([load(each) if isinstance(each, str) else each for each in evaluations], force_prefix)


class Module:
    """One metric: `compute`, or `add` and `add_batch` first."""

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
        """The scores of all items, those that were added before included; they are forgotten then."""
        sources = options.pop("sources", None)
        if predictions is not None:
            given = {"predictions": predictions, "references": references}
            self.add_batch(**given, **({} if sources is None else {"sources": sources}))
        kept, self._kept = self._kept, {}
        if not kept.get("predictions"):
            raise ValueError(f"{self.name}: no predictions; give some, or add them first")
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
        """All scores; with the name of the metric before them where two have one name."""
        found = [(module.name, module.compute(**items)) for module in self._modules]
        keys = [key for _, scores in found for key in scores]
        return {
            f"{name}_{key}" if self._prefix or keys.count(key) > 1 else key: value
            for name, scores in found
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
    """F; with an aggregator the middle of its bootstrap, which numpy's global state draws, else one a prediction."""
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
    """Every prediction with each of its references, and where those of a prediction begin."""
    first: list[int] = []
    pairs: list[tuple[str, str]] = []
    for prediction, given in zip(predictions, references, strict=True):
        first.append(len(pairs))
        pairs += [(prediction, text) for text in ([given] if isinstance(given, str) else given)]
    return [*first, len(pairs)], pairs


def _best(f: Any, first: list[int]) -> list[int]:
    """The place of the reference with the highest F, for each prediction."""
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
    """BLEU as TensorFlow's example code has it, from 0 to 1: against the shortest reference, unsmoothed."""
    if tokenizer is not None or max_order != 4:
        raise AssayError("bleu: tokenizer and max_order are as they come; use evaluate itself for others")
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
    found = sacrebleu.corpus_bleu(predictions, _streams(references), **options)
    names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {name: getattr(found, name) for name in names}


def _chrf(predictions: Sequence[str], references: References, **options: Any) -> dict[str, Any]:
    found = sacrebleu.CHRF(**options).corpus_score(predictions, _streams(references))
    return {name: getattr(found, name) for name in ("score", "char_order", "word_order", "beta")}


def _ter(
    predictions: Sequence[str],
    references: References,
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> dict[str, Any]:
    made = sacrebleu.TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive)
    found = made.corpus_score(predictions, _streams(references))
    return {name: getattr(found, name) for name in ("score", "num_edits", "ref_length")}


def _sari(predictions: Sequence[str], references: References, sources: Sequence[str]) -> dict[str, Any]:
    metric = Sari(variant="huggingface")
    sums = metric.summands(metric.statistics(_items(predictions, references, sources))).sum(axis=0)
    return {"sari": float(metric.values(sums[None, :])["sari"][0])}


def _streams(references: References) -> list[list[str]]:
    """One list a set of references: `evaluate` asks for as many of each prediction."""
    lists = [[given] if isinstance(given, str) else list(given) for given in references]
    if len({len(given) for given in lists}) > 1:
        raise ValueError("Sacrebleu requires the same number of references for each prediction")
    return [list(stream) for stream in zip(*lists, strict=True)]


def _items(predictions: Sequence[str], references: References, sources: Sequence[str] | None = None) -> Items:
    examples = [
        Example(
            id=str(number),
            references=(given,) if isinstance(given, str) else tuple(given),
            source=None if sources is None else sources[number],
        )
        for number, given in enumerate(references)
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
"""What `load` knows, by the names of the hub."""
