"""Drop-in calls against the originals: the same script, one import changed, in one run, values compared."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from assay.compat import evaluate, sacrebleu, torchmetrics
from assay.compat.rouge_score import rouge_scorer
from benchmarks.timing import Result, against, timed
from benchmarks.workloads import workload_a

KINDS = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
PAIRS = 1_000
TER_PAIRS = 100
Call = Callable[[], dict[str, float]]


def run() -> Iterator[Result]:
    rows = workload_a()[:PAIRS]
    outputs, references = [row.output for row in rows], [row.references[0] for row in rows]
    yield from _rouge(outputs, references)
    yield from _sacrebleu(outputs, references)
    yield from _torchmetrics(outputs[:TER_PAIRS], references[:TER_PAIRS])


def _rouge(outputs: list[str], references: list[str]) -> Iterator[Result]:
    original = importlib.import_module("rouge_score.rouge_scorer")
    aggregation = importlib.import_module("rouge_score.scoring")

    def one_by_one(made: Any) -> Call:
        scorer = made.RougeScorer(KINDS, use_stemmer=True)

        def call() -> dict[str, float]:
            found = [scorer.score(target, text) for target, text in zip(references, outputs, strict=True)]
            return {name: sum(each[name].fmeasure for each in found) for name in KINDS}

        return call

    theirs = timed(one_by_one(original))
    yield against(
        "RougeScorer.score, stemmer, a pair at a time", len(outputs), timed(one_by_one(rouge_scorer), 3), "rouge_score",
        theirs, 20, 1e-12,
    )  # fmt: skip

    def at_once() -> dict[str, float]:
        found = rouge_scorer.RougeScorer(KINDS, use_stemmer=True).score_pairs(references, outputs)
        return {name: float(sum(rows[:, 2].tolist())) for name, rows in found.items()}

    yield against(
        "RougeScorer.score_pairs, stemmer", len(outputs), timed(at_once, 3), "rouge_score", theirs, 100, 1e-12
    )

    def as_evaluate() -> dict[str, float]:
        """What evaluate's rouge does: score_multi for each prediction, then the middle of a bootstrap."""
        scorer, aggregator = original.RougeScorer(KINDS, use_stemmer=True), aggregation.BootstrapAggregator()
        for target, text in zip(references, outputs, strict=True):
            aggregator.add_scores(scorer.score(target, text))
        np.random.seed(0)
        return {name: score.mid.fmeasure for name, score in aggregator.aggregate().items()}

    def ours() -> dict[str, float]:
        np.random.seed(0)
        return evaluate.load("rouge").compute(predictions=outputs, references=references, use_stemmer=True)

    yield against(
        "evaluate.load('rouge').compute",
        len(outputs),
        timed(ours, 3),
        "rouge_score as evaluate",
        timed(as_evaluate),
        20,
    )


def _sacrebleu(outputs: list[str], references: list[str]) -> Iterator[Result]:
    original = importlib.import_module("sacrebleu")

    def corpus(made: Any, call: str, size: int, **options: Any) -> Call:
        return lambda: {"score": getattr(made, call)(outputs[:size], [references[:size]], **options).score}

    for call, size, target, options in (
        ("corpus_bleu", PAIRS, 20, {}),
        ("corpus_chrf", PAIRS, 20, {}),
        ("corpus_chrf", PAIRS, 20, {"word_order": 2}),
        ("corpus_ter", TER_PAIRS, 100, {}),
    ):
        named = f"sacrebleu.{call}{'(word_order=2)' if options else ''}"
        theirs = timed(corpus(original, call, size, **options))
        yield against(named, size, timed(corpus(sacrebleu, call, size, **options), 3), "sacrebleu", theirs, target)


def _torchmetrics(outputs: list[str], references: list[str]) -> Iterator[Result]:
    try:
        original = importlib.import_module("torchmetrics.text")
    except ImportError:
        return

    def batches(made: Any, name: str) -> Call:
        def call() -> dict[str, float]:
            metric = getattr(made, name)()
            for start in range(0, len(outputs), 10):
                metric.update(outputs[start : start + 10], [[text] for text in references[start : start + 10]])
            return {"score": float(metric.compute())}

        return call

    for name, target in (("SacreBLEUScore", 20), ("CHRFScore", 20)):
        theirs = timed(batches(original, name))
        yield against(
            f"torchmetrics {name}, batches of 10", len(outputs), timed(batches(torchmetrics, name), 3), "torchmetrics",
            theirs, target, 1e-6,
        )  # fmt: skip
