"""Known metrics of other tools: category, direction and format."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from assay.metrics import METRICS
from assay.metrics.engine.base import Part
from assay.records.types import Score
from assay.store.scored_runs import Axis

RENAMED = {
    "mean_pred_length": "mean_length",
    "msttr-100": "msttr",
    "msttr-100_nopunct": "msttr-nopunct",
    "msttr-100-nopunct": "msttr-nopunct",
    "rouge_l": "rougeL",
    "rouge_lsum": "rougeLsum",
}
"""Names in other tools for metrics of assay."""

LEARNED = {
    "bertscore": Axis(Part("bertscore", digits=3, bounds=(None, 1.0)), "semantic", "similarity of contextual vectors"),
    "bleurt": Axis(Part("bleurt", digits=3, bounds=(None, None)), "semantic", "learned similarity to references"),
    "comet": Axis(Part("comet", digits=3, bounds=(None, None)), "semantic", "learned translation quality"),
    "nubia": Axis(Part("nubia", digits=3), "faithfulness", "entailment, similarity and fluency in one learned score"),
    "questeval": Axis(Part("questeval", digits=3), "faithfulness", "answers that source and output agree on"),
    "meteor": Axis(Part("meteor", digits=3), "lexical", "word matches with stems, synonyms and paraphrases"),
    "nist": Axis(Part("nist", bounds=(0.0, None)), "lexical", "n-gram matches weighted by information"),
    "cider": Axis(Part("cider", bounds=(0.0, None)), "lexical", "n-gram similarity weighted by tf-idf"),
    "sari": Axis(Part("sari", digits=1, bounds=(0.0, 100.0)), "simplification", "words added, kept and deleted"),
    "ter": Axis(Part("ter", "lower", digits=1, bounds=(0.0, None)), "lexical", "edits needed, per reference word"),
    "wer": Axis(Part("wer", "lower", digits=1, bounds=(0.0, None)), "lexical", "word error rate"),
    "perplexity": Axis(Part("perplexity", "lower", bounds=(1.0, None)), "other", "surprise of a language model"),
    "word_perplexity": Axis(Part("word_perplexity", "lower", bounds=(1.0, None)), "other", "perplexity per word"),
    "byte_perplexity": Axis(Part("byte_perplexity", "lower", bounds=(1.0, None)), "other", "perplexity per byte"),
    "bits_per_byte": Axis(Part("bits_per_byte", "lower", bounds=(0.0, None)), "other", "bits a byte of text costs"),
    "brier_score": Axis(Part("brier_score", "lower", digits=3), "other", "squared error of probabilities"),
}
DESCRIBING = ("vocab_size", "unique-", "total_length", "_pred_length", "param_count")
"""Prefixes and suffixes of metrics without direction."""


@lru_cache(maxsize=1)
def ours() -> dict[str, Axis]:
    """Return every score that assay computes, by name."""
    axes = {}
    for _, (metric, parts) in METRICS.each(lambda cls: (made := cls(), made.parts()), {}):
        for part in parts:
            axes[part.name] = Axis(part, metric.category, metric.summary, metric.sized(part))
    return axes


def name_of(foreign: str) -> str:
    """Return assay's name of a metric of another tool, if both are the same."""
    name = RENAMED.get(foreign, foreign)
    return name.replace("vocab_size-", "vocab-") if name.startswith("vocab_size-") else name


def axis_of(name: str) -> Axis:
    """Return what is known about a metric; an unknown one has no direction."""
    if name in ours():
        return ours()[name]
    if name in LEARNED:
        return LEARNED[name]
    head, dot, _ = name.partition(".")
    if dot and head in LEARNED:
        known = LEARNED[head]
        return Axis(Part(name, known.part.better, False, known.part.scale, 3, (None, None)), known.category)
    if any(word in name for word in DESCRIBING):
        return Axis(Part(name, None, False, digits=1, bounds=(None, None)), "descriptive")
    if name.startswith("local_recall"):
        return Axis(Part(name, shown=False, digits=3), "lexical", "recall of words that n references share")
    return Axis(Part(name, None, digits=3, bounds=(None, None)), "other")


NORMAL = 1.959963984540054  # half the width of a 95 % interval, in standard errors


def score_of(number: Any, error: Any, signature: str) -> Score:
    """Return a score with the confidence interval of its standard error; no number is a reason."""
    if isinstance(number, bool) or not isinstance(number, int | float) or number != number:
        return Score(value=None, signature=signature, why=f"the file has {number!r}, not a number"[:120])
    if isinstance(error, bool) or not isinstance(error, int | float) or error != error:
        return Score(value=float(number), signature=signature)
    return Score(value=float(number), low=number - NORMAL * error, high=number + NORMAL * error, signature=signature)


def directed(name: str, higher: bool | None) -> Axis:
    """Return what is known about a metric, with the direction stated in the file if assay knows none."""
    axis = axis_of(name)
    if axis.part.better is not None or higher is None:
        return axis
    return replace(axis, part=replace(axis.part, better="higher" if higher else "lower"))
