"""BERTScore against the package bert-score: the same weights, texts and process, one thread, values compared."""

from __future__ import annotations

import importlib.util
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assay.metrics import Dense, resolve
from assay.metrics.semantic.bertscore import NAMES
from assay.models.cache import Cache
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.records import Items
from benchmarks.released import MissingDataError
from benchmarks.timing import Result, against, timed
from benchmarks.workloads import as_items, workload_a

TARGET, CACHED = 1.8, 50
CLOSE = 1e-4
LOWER = {"bfloat16": 2e-3, "int8": 2e-1}
"""Shorter numbers, and how far a pair may then be off."""


def run() -> Iterator[Result]:
    if why_not := Encoder().why_not():
        raise MissingDataError(why_not)
    if importlib.util.find_spec("bert_score") is None:
        raise MissingDataError("needs the package bert-score (pip install 'assay-eval[bench]')")
    import torch

    torch.set_num_threads(1)
    rows = workload_a()
    some = int(os.environ.get("PAIRS") or len(rows))
    rows = random.Random(0).sample(rows, some) if some < len(rows) else rows
    items = as_items(rows)
    pairs = [(row.output, row.references[0]) for row in rows]
    _package(pairs[:8])  # what is imported and loaded on first use
    with tempfile.TemporaryDirectory() as folder:
        _ours("bertscore", as_items(rows[:8]), Path(folder) / "first")
        theirs = timed(lambda: _package(pairs))
        first = timed(lambda: _ours("bertscore", items, Path(folder) / "values"))
        peer = (_means(theirs[0]), theirs[1])
        padded = np.flatnonzero(np.abs(first[0] - theirs[0]).max(axis=1) >= CLOSE)
        for place in padded:  # beside longer references, it takes their padding (0) for more alike than any word is
            theirs[0][place] = _package([pairs[place]])[0]
        yield against("BERTScore, MiniLM", some, (_means(first[0]), first[1]), "bert-score", peer, TARGET, CLOSE) | {
            "equal": bool(np.abs(first[0] - theirs[0]).max() < CLOSE),
            "note": f"values differ by {np.abs(first[0] - theirs[0]).max():.1e} at most"
            + (f", {len(padded)} compared without padding" if len(padded) else ""),
        }
        again = timed(lambda: _ours("bertscore", items, Path(folder) / "values"), 3)
        yield against(
            "BERTScore, MiniLM, second run", some, (_means(again[0]), again[1]), "its first run",
            (_means(first[0]), first[1]), CACHED, 0,
        )  # fmt: skip
        for precision, close in LOWER.items():
            lower = timed(lambda p=precision: _ours(f"bertscore:precision={p}", items, Path(folder) / p))  # type: ignore[misc]
            r = float(np.corrcoef(lower[0][:, 2], theirs[0][:, 2])[0, 1])
            off = float(np.abs(lower[0] - theirs[0]).max())
            ours = (_means(lower[0]), lower[1])
            yield against(f"BERTScore, MiniLM, {precision}", some, ours, "bert-score", peer, TARGET, close) | {
                "equal": off < close,
                "note": f"values differ by {off:.1e} at most, r of F1 {r:.6f}",
            }


def _ours(spec: str, items: Items, folder: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Precision, recall and F of every pair."""
    (request,) = resolve(spec)
    rows = request.metric.compute(items, Context(Cache(folder), "cpu"))
    assert isinstance(rows, Dense)
    return rows.values[:, : len(NAMES)]


def _package(pairs: list[tuple[str, str]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    from bert_score import score

    outputs, references = ([pair[i] for pair in pairs] for i in (0, 1))
    encoder = Encoder()
    found = score(outputs, references, model_type=str(encoder.folder), num_layers=encoder.depth, device="cpu")
    return np.column_stack([values.numpy().astype(np.float64) for values in found])


def _means(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> dict[str, float]:
    return dict(zip(NAMES, values.mean(axis=0).tolist(), strict=True))
