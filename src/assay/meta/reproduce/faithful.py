"""Faithfulness without a reference: scores against FRANK's test part, its sentences and traps, and SummEval.

Only the rows of the released metrics were printed elsewhere. Cells that require a model are computed on request; they
take minutes to hours and are cached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars

from assay.meta.ablation import ablate
from assay.meta.correlate import CorrelateRequest, correlate_metrics, split_by
from assay.meta.joined_scores import JoinedScores
from assay.meta.reproduce.cells import Cell, cell, read_jsonl, require_files
from assay.metrics import resolve
from assay.metrics.engine.statistics import Floats
from assay.models.context import Context
from assay.records import Example, Items
from assay.records.documents import read_json
from assay.stats.retrieval import tied_average_precision

SYSTEM = "model_name"
SAMPLES = 1000
PARTS = (("all", ""), ("CNN/DM", "cnndm"), ("XSum", "bbc"))
QUICK = {
    "words in the article": ("novelty", "novel-1", True),
    "3-gram precision": ("novelty", "novel-3", True),
    "faithful.order": ("faithful", "faithful.order", False),
    "faithful.phrases": ("faithful", "faithful.phrases", False),
    "faithful.near": ("faithful", "faithful.near", False),
    "faithful.numbers": ("faithful", "faithful.numbers", False),
    "faithful": ("faithful", "faithful", False),
    "faithful:overlap": ("faithful:overlap", "faithful", False),
}
"""By row: the metric, its score, and whether 1 - score is used."""
MODELS = {
    "bertscore.precision, MiniLM, article": ("bertscore:against=source", "bertscore.precision", False),
    "nli, article": ("nli:against=source", "nli.source", False),
    "bartscore": ("bartscore", "bartscore", False),
    "faithful:entailment": ("faithful:entailment", "faithful", False),
    "faithful:likelihood": ("faithful:likelihood", "faithful", False),
    "faithful:full": ("faithful:full", "faithful", False),
}
RELEASED = {"BERTScore P (RoBERTa), article, released": "BertScore P Art", "FactCC, released": "FactCC"}
PRINTED = {
    "BERTScore P (RoBERTa), article, released": ("0.295", "0.378", "0.198"),
    "FactCC, released": ("0.201", "0.363", "0.068"),
}
ERRORS = ("RelE", "EntE", "CircE", "CorefE", "LinkE", "OutE", "GramE")
CRITERIA = ("consistency", "coherence", "fluency", "relevance")
REFERENCED = {name: ("rouge:stemmer=true", name, False) for name in ("rouge1", "rouge2", "rougeL")}
MODEL_ONLY = "requires a model: use --models"
TRAPS = {"F1": "negated", "F4": "of another article", "F5": "scrambled", "F6": "with another pronoun"}


def faithful(data: Path, models: bool = False) -> list[Cell]:
    """Return every cell; those that require a model on request only."""
    columns = QUICK | (MODELS if models else {})
    cells = [*frank_cells(data, columns), *sentence_cells(data)]
    if (data / "summeval/summeval.jsonl").exists():
        cells += summeval_cells(data, columns | REFERENCED)
    return [*cells, *(_without_models() if not models else ())]


def _without_models() -> Iterator[Cell]:
    for row in MODELS:
        for part, _ in PARTS:
            yield cell("FRANK test, partial Pearson", row, part, None, None, MODEL_ONLY)


def scores(columns: Mapping[str, tuple[str, str, bool]], items: Items) -> dict[str, Floats]:
    """Return the values of every item by row; each metric is computed once, unavailable ones are left out."""
    known: dict[str, dict[str, Floats]] = {}
    values_by_row = {}
    for row, (spec, number, turned) in columns.items():
        if spec not in known:
            (request,) = resolve(spec)
            metric = request.metric
            known[spec] = {} if metric.why_not() else dict(metric.per_example(metric.compute(items, Context())))
        if number in known[spec]:
            values = np.nan_to_num(known[spec][number])
            values_by_row[row] = 1 - values if turned else values
    return values_by_row


def _items(rows: Sequence[Mapping[str, Any]], source: str, output: str) -> Items:
    examples = tuple(
        Example(id=str(i), source=row[source], references=tuple(row.get("references", ())), language="en")
        for i, row in enumerate(rows)
    )
    return Items(tuple(row[output] for row in rows), examples)


def frank_cells(data: Path, columns: Mapping[str, tuple[str, str, bool]]) -> Iterator[Cell]:
    """Yield partial Pearson and within-system rank correlations with intervals, and ablations."""
    humans, released, texts = require_files(
        data / "frank", "human_annotations.json", "baseline_factuality_metrics_outputs.json", "texts.jsonl"
    )
    rows = [row for row in read_jsonl(texts) if row["split"] == "test"]
    values_by_row = scores(columns, _items(rows, "article", "summary"))
    key = ("hash", SYSTEM)
    frame = polars.DataFrame({name: [row[name] for row in rows] for name in key} | values_by_row)
    human = polars.DataFrame(read_json(humans)).filter(polars.col("split") == "test")
    other = polars.DataFrame(read_json(released)).select(*key, **{row: polars.col(n) for row, n in RELEASED.items()})
    names = (*values_by_row, *RELEASED)
    joined = JoinedScores(human.join(frame, on=key).join(other, on=key), key, names)
    by = split_by(joined, "dataset")
    request = CorrelateRequest("Factuality", (SYSTEM,), samples=SAMPLES, resample="inputs")
    for part, name in PARTS:
        answer = correlate_metrics(by[name] if name else joined, request)
        for row in names:
            pearson, rank = answer.metrics[row]["pearson"], answer.metrics[row]["spearman"]
            interval = f"95 % {pearson['low']:.3f} to {pearson['high']:.3f}"
            printed = PRINTED[row][[p for p, _ in PARTS].index(part)] if row in PRINTED else None
            yield cell("FRANK test, partial Pearson", row, part, printed, pearson["r"], interval)
            yield cell("FRANK test, rank correlation within systems", row, part, None, rank["within_r"])
    rests = ablate(joined, request, ERRORS)
    for row in names:
        for error in ERRORS:
            yield cell("FRANK test, correlation lost without an error category", row, error, None, rests[error][row])


def sentence_cells(data: Path) -> Iterator[Cell]:
    """Which sentence is at fault. The votes on single sentences are not here, so that of FRANK's test part those are
    taken whose label is known all the same: all sentences of summaries that are wholly right or wholly wrong."""
    humans, texts = require_files(data / "frank", "human_annotations.json", "texts.jsonl")
    value = {(row["hash"], row[SYSTEM]): row["Factuality"] for row in read_json(humans) if row["split"] == "test"}
    rows, articles = [], {}
    for row in read_jsonl(texts):
        if row["split"] == "test":
            articles[row["hash"]] = row["article"]
            known = value[row["hash"], row[SYSTEM]]
            if known in (0, 1):
                rows += [{**row, "said": one, "wrong": known == 0} for one in row["sentences"] if one.strip()]
    values_by_row = scores(QUICK, _items(rows, "article", "said"))
    for part, name in PARTS:
        kept = np.array([not name or row["dataset"] == name for row in rows])
        yield from _curve(
            "FRANK test, sentences whose label is known", part, values_by_row, [row["wrong"] for row in rows], kept
        )
    traps = data / "frank/traps.jsonl"
    if traps.exists():
        altered = [{**row, "article": articles[row["hash"]]} for row in read_jsonl(traps) if row["hash"] in articles]
        values_by_row = scores(QUICK, _items(altered, "article", "text"))
        for code, what in TRAPS.items():
            kept = np.array([row["code"] in ("F0", code) for row in altered])
            yield from _curve(
                "FRANK test, altered sentences", what, values_by_row, [row["code"] != "F0" for row in altered], kept
            )


def _curve(
    table: str, column: str, values_by_row: Mapping[str, Floats], wrong: Sequence[bool], kept: Any
) -> Iterator[Cell]:
    """Yield the area under the precision-recall curve, with the share of faulty sentences as the chance level."""
    labels = [int(label) for label, keep in zip(wrong, kept, strict=True) if keep]
    share = f"{sum(labels) / len(labels):.3f} of {len(labels)} sentences are at fault"
    for row, values in values_by_row.items():
        yield cell(table, row, column, None, tied_average_precision((-values[kept]).tolist(), labels), share)


def summeval_cells(data: Path, columns: Mapping[str, tuple[str, str, bool]]) -> Iterator[Cell]:
    """Yield Kendall's tau-b with the four criteria: mean within articles, and of system means."""
    rows = read_jsonl(data / "summeval/summeval.jsonl")
    values_by_row = scores(columns, _items(rows, "source", "output"))
    about = {"id": [row["id"] for row in rows], "system": [row["system"] for row in rows]}
    human = {name: [row["human"][name] for row in rows] for name in CRITERIA}
    joined = JoinedScores(polars.DataFrame(about | human | values_by_row), ("id", "system"), tuple(values_by_row))
    for level, named in (("summary", "within articles"), ("system", "of systems")):
        for criterion in CRITERIA:
            answer = correlate_metrics(joined, CorrelateRequest(criterion, (), ("kendall-b",), level))  # type: ignore[arg-type]
            for row in values_by_row:
                yield cell(f"SummEval, Kendall {named}", row, criterion, None, answer.metrics[row]["kendall-b"]["r"])
