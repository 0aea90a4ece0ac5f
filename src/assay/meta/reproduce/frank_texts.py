"""FRANK: the metrics of Table 2 that require only texts, recomputed and compared with the released columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars

from assay.meta.correlate import CorrelateRequest, correlate_metrics, split_by
from assay.meta.joined_scores import JoinedScores
from assay.meta.reproduce.cells import Cell, cell, read_jsonl
from assay.metrics.lexical.bleu import SentenceBleu
from assay.metrics.lexical.rouge import Rouge
from assay.records import Example, Items
from assay.records.documents import JSONObject

PARTS = (("all", "all"), ("CNN/DM", "cnndm"), ("XSum", "bbc"))
COMPUTED = {"Rouge-1": "rouge1", "Rouge-2": "rouge2", "Rouge-L": "rougeL", "BLEU": "sentence_bleu"}
RELEASED = {"Rouge-1": "Rouge 1", "Rouge-2": "Rouge 2", "Rouge-L": "Rouge L", "BLEU": "Bleu"}
CLOSE = {"Rouge-1": 1e-4, "Rouge-2": 1e-4, "Rouge-L": 1e-4, "BLEU": 1e-2}
PRETRAINED = {"CNN/DM": ("bart", "bert_sum"), "XSum": ("BERTS2S",)}
WHY = "from the texts; the release used ROUGE-1.5.5, and BLEU of some tokens more"


def score_texts(path: Path) -> polars.DataFrame:
    """Return ROUGE with stemmer and sentence BLEU of every summary."""
    rows = read_jsonl(path)
    examples = tuple(Example(id=str(i), references=(row["reference"],)) for i, row in enumerate(rows))
    items = Items(tuple(row["summary"] for row in rows), examples)
    columns: JSONObject = {"hash": [row["hash"] for row in rows], "model_name": [row["model_name"] for row in rows]}
    for metric in (Rouge(tokenizer="rouge_score", stemmer=True), SentenceBleu(lowercase=True)):
        columns |= dict(metric.per_example(metric.statistics(items)))
    wanted = ("hash", "model_name", *COMPUTED.values())
    return polars.DataFrame({name: columns[name] for name in wanted})


def with_texts(data: JoinedScores, path: Path) -> JoinedScores:
    """Return the released rows with the recomputed columns."""
    frame = data.frame.join(score_texts(path), on=["hash", "model_name"], how="left")
    return replace(data, frame=frame, metrics=tuple(COMPUTED.values()))


def released_columns(data: JoinedScores) -> Iterator[Cell]:
    """Yield the share of released values that are matched; none is printed."""
    for name, own in COMPUTED.items():
        ours = data.frame[own].to_numpy().astype(float)
        theirs = data.frame[RELEASED[name]].to_numpy().astype(float)
        scale = 1.0 if name != "BLEU" or ours.max() > 1 else 100.0
        same = np.abs(ours * scale - theirs) < CLOSE[name]
        r = float(np.corrcoef(ours, theirs)[0, 1])
        note = f"{int(same.sum())} of {len(same)} within {CLOSE[name]:g}; r {r:.4f}"
        yield cell("Released columns from texts", name, "met, %", None, 100 * float(same.mean()), note)


def table_2_from_texts(data: JoinedScores, request: CorrelateRequest, printed: dict[str, list[str]]) -> Iterator[Cell]:
    """Yield the rows of Table 2 from recomputed columns: Pearson and Spearman with p, on all and both datasets."""
    parts = {"all": data, **split_by(data, "dataset")}
    answers = {name: correlate_metrics(parts[key], request) for name, key in PARTS}
    columns = [(part, method, what) for part in answers for method in request.methods for what in ("r", "p")]
    for row, own in COMPUTED.items():
        for (part, method, what), value in zip(columns, printed[row], strict=True):
            computed = answers[part].metrics[own][method]["r" if what == "r" else "p"]
            yield cell("Table 2 from texts", row, f"{part} {method} {what}", value, computed, WHY)


def figure_3(data: JoinedScores, metrics: tuple[str, ...]) -> Iterator[Cell]:
    """Yield slopes of factuality on a metric, over all summaries and within each system."""
    for metric in metrics:
        rows = data.frame.drop_nulls([metric, "Factuality"])
        groups = {"all": rows, **{str(k[0]): part for k, part in rows.partition_by("model_name", as_dict=True).items()}}
        for system, part in groups.items():
            x, y = part[metric].to_numpy().astype(float), part["Factuality"].to_numpy().astype(float)
            slope = float(np.polyfit(x, y, 1)[0]) if np.ptp(x) else None
            yield cell("Figure 3", f"{metric}, {system}", "slope", None, slope, "drawn as a line, no numbers printed")


def subsets(data: JoinedScores) -> Iterator[tuple[str, JoinedScores]]:
    """Yield both datasets, each in full, with pretrained systems only, and with the others."""
    for name, key in PARTS[1:]:
        part = split_by(data, "dataset")[key]
        strong = part.frame["model_name"].is_in(PRETRAINED[name])
        yield f"{name} all", part
        yield f"{name} pretrained", replace(part, frame=part.frame.filter(strong))
        yield f"{name} others", replace(part, frame=part.frame.filter(~strong))


def figure_4(data: JoinedScores, request: CorrelateRequest) -> Iterator[Cell]:
    """Yield the partial Pearson correlation on each subset."""
    for name, part in subsets(data):
        answer = correlate_metrics(part, request)
        for metric in part.metrics:
            r = answer.metrics[metric]["pearson"]["r"]
            yield cell("Figure 4", metric, name, None, r, "drawn as a bar, no numbers printed")
