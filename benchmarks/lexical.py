"""Single metrics against their peers on the same texts in the same run, one core, values compared."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from assay.metrics import resolve
from assay.metrics.engine import layout
from assay.records import Items
from assay.stats.resample import all_items
from benchmarks.timing import Result, against, timed
from benchmarks.workloads import Row, as_items, workload_a

TER_PAIRS = 200
YARDSTICK = {"evaluate SARI": 27.1 / 22.0, "GEM-metrics WER": 79.0 / 22.0}
"""Peers that do not install from the index, in units of rouge_score with stemmer on the same pairs and machine."""


def run() -> Iterator[Result]:
    rows = workload_a()
    items = as_items(rows)
    texts = [(row.output, row.references[0]) for row in rows]
    stemmed = _rouge_score(texts, True)
    ours = _each("rouge:stemmer=true", items)
    yield against("ROUGE-1/2/L/Lsum, stemmer", len(rows), ours, "rouge_score", stemmed, 300, 0)
    plain = _rouge_score(texts, False)
    yield against("ROUGE-1/2/L/Lsum", len(rows), _each("rouge", items), "rouge_score", plain, 150, 0)
    yield from _sacrebleu(rows, items)
    yield from _native(rows, items)
    for spec, peer, target in (("sari:gem", "evaluate SARI", 50), ("wer", "GEM-metrics WER", 200)):
        values, seconds = _ours(spec, items)
        expected = stemmed[1] * YARDSTICK[peer]
        yield {
            "name": spec,
            "pairs": len(rows),
            "seconds": seconds,
            "peer": peer,
            "peer_seconds": expected,
            "ratio": expected / seconds,
            "target": target,
            "values": values,
            "note": "peer by the yardstick of rouge_score",
        }


def unread(items: Items) -> Items:
    """The same items as nobody has read them yet: what is remembered of a reading is known by the object."""
    return replace(items)


def _ours(spec: str, items: Items, goes: int = 3) -> tuple[dict[str, float], float]:
    """Statistics and value; nothing is kept from one go to the next."""
    (request,) = resolve(spec)

    def call() -> dict[str, float]:
        rows = request.metric.statistics(unread(items))
        return {name: float(value[0]) for name, value in request.metric.fold(rows, all_items(len(items))).items()}

    return timed(call, goes)


def _each(spec: str, items: Items) -> tuple[dict[str, float], float]:
    """The plain sum of the examples' values over their number: equal to the last bit if all examples are."""
    (request,) = resolve(spec)

    def call() -> dict[str, float]:
        values = request.metric.per_example(request.metric.statistics(unread(items)))
        return {name: float(value.sum() / len(items)) for name, value in values.items()}

    return timed(call, 3)


def _rouge_score(texts: list[tuple[str, str]], stemmer: bool) -> tuple[dict[str, float], float]:
    from rouge_score.rouge_scorer import RougeScorer

    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = RougeScorer(names, use_stemmer=stemmer)

    def call() -> dict[str, float]:
        scores = [scorer.score(reference, output) for output, reference in texts]
        return {name: float(np.array([score[name].fmeasure for score in scores]).sum() / len(texts)) for name in names}

    return timed(call)


def _sacrebleu(rows: list[Row], items: Items) -> Iterator[Result]:
    from sacrebleu.metrics import BLEU, CHRF, TER

    def theirs(scorer: Any, name: str, some: list[Row]) -> tuple[dict[str, float], float]:
        outputs = [row.output for row in some]
        streams = [list(stream) for stream in zip_longest(*(row.references for row in some))]
        return timed(lambda: {name: scorer.corpus_score(outputs, streams).score})

    bleu = theirs(BLEU(force=True), "bleu", rows)
    yield against("BLEU", len(rows), _ours("bleu", items), "sacrebleu", bleu, 20)
    chrf = theirs(CHRF(), "chrf", rows)
    yield against("chrF", len(rows), _ours("chrf", items), "sacrebleu", chrf, 20)
    plus = theirs(CHRF(word_order=2), "chrf++", rows)
    yield against("chrF++", len(rows), _ours("chrf++", items), "sacrebleu", plus, 20)
    some = rows[:: len(rows) // TER_PAIRS][:TER_PAIRS]
    ter = theirs(TER(), "ter", some)
    yield against("TER", len(some), _ours("ter", as_items(some)), "sacrebleu", ter, 80)


def _native(rows: list[Row], items: Items) -> Iterator[Result]:
    """Peers in Rust; whoever is not installed is named."""
    calls: list[tuple[str, str, str, Callable[[Any], dict[str, float]]]] = [
        ("ROUGE-L alone", "rouge", "rouge_rs", lambda peer: _rouge_rs(peer, rows)),
        ("BLEU", "bleu", "bleuscore", lambda peer: _bleuscore(peer, rows)),
        ("chrF", "chrf", "fastchrf", lambda peer: _fastchrf(peer, rows)),
    ]
    for name, spec, module, call in calls:
        try:
            peer = importlib.import_module(module)
        except ImportError:
            yield {"name": name, "pairs": len(rows), "seconds": 0.0, "note": f"{module} is not installed"}
            continue
        theirs = timed(lambda call=call, peer=peer: call(peer))  # type: ignore[misc]
        if spec == "rouge":
            ours = timed(lambda: _subsequences(items), 3)
        elif spec == "chrf":
            ours = timed(lambda: _mean_chrf(items), 3)
        else:
            ours = _ours(spec, items)
        yield against(name, len(rows), ours, module, theirs, 2, 1e-6)


def _subsequences(items: Items) -> dict[str, float]:
    """ROUGE-L without the others, as the peer computes it."""
    from assay.metrics.lexical.rouge import measures
    from assay.text._kernels.lcs import common

    laid = layout.words(unread(items), "rouge_score", True)
    ours, theirs = laid.pairs()
    lengths = laid.lengths
    longest = common(laid.ids, laid.starts, ours, theirs, laid.size)
    return {"rougeL": float(measures("rougeL", longest, lengths[ours], lengths[theirs])["rougeL"].mean())}


def _mean_chrf(items: Items) -> dict[str, float]:
    (request,) = resolve("chrf")
    return {"mean": float(request.metric.per_example(request.metric.statistics(unread(items)))["chrf"].mean())}


def _rouge_rs(peer: Any, rows: list[Row]) -> dict[str, float]:
    scorer = peer.RougeLScorer()
    return {"rougeL": float(np.mean([scorer.score(row.references[0], row.output).fmeasure for row in rows]))}


def _bleuscore(peer: Any, rows: list[Row]) -> dict[str, float]:
    found = peer.compute(
        references=[row.references for row in rows], predictions=[row.output for row in rows], ref_len_method="closest"
    )
    return {"bleu": 100 * found["bleu"]}


def _fastchrf(peer: Any, rows: list[Row]) -> dict[str, float]:
    found = peer.pairwise_chrf([[row.output] for row in rows], [row.references for row in rows])
    return {"mean": float(np.mean([score[0][0] for score in found]))}
