"""FRANK (Pagnoni, Balachandran and Tsvetkov, 2021): correlation of factuality metrics with human judgements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.meta.ablation import ablate
from assay.meta.correlate import CorrelateRequest, correlate_metrics, split_by
from assay.meta.correlation_records import CorrelationRecord
from assay.meta.figures.correlate import by_part, scatter
from assay.meta.joined_scores import JoinedScores, join_scores
from assay.meta.reproduce.cells import Cell, cell, not_comparable, read_jsonl, read_rows, require_files, statement
from assay.meta.reproduce.frank_texts import (
    figure_3,
    figure_4,
    released_columns,
    subsets,
    table_2_from_texts,
    with_texts,
)
from assay.meta.williams import pairwise_williams

SYSTEM = "model_name"
REQUEST = CorrelateRequest("Factuality", (SYSTEM,), counted_df=False, classical=True)
"""As the paper has it: p with n - 2 degrees of freedom."""
DATA_NAMES = {
    "BLEU": "Bleu",
    "METEOR": "Meteor",
    "Rouge-1": "Rouge 1",
    "Rouge-2": "Rouge 2",
    "Rouge-L": "Rouge L",
    "BERTS P": "BertScore P Art",
    "BERTS R": "BertScore R Art",
    "BERTS F1": "BertScore F1 Art",
    "FEQA": "FEQA",
    "QAGS": "QAGS",
    "DAE": "Dep Entail",
    "FactCC": "FactCC",
}
UNRELEASED = "OpenIE"
TABLE_2 = """
BLEU     | 0.10 0.00 0.07 0.00  0.08 0.01 0.08 0.01   0.14 0.00  0.20 0.00
METEOR   | 0.14 0.00 0.11 0.00  0.12 0.00 0.10 0.00   0.15 0.00  0.10 0.00
Rouge-1  | 0.14 0.00 0.10 0.00  0.12 0.00 0.10 0.00   0.15 0.00  0.09 0.01
Rouge-2  | 0.12 0.00 0.08 0.00  0.08 0.00 0.07 0.01   0.17 0.00  0.14 0.00
Rouge-L  | 0.13 0.00 0.09 0.00  0.11 0.00 0.09 0.00   0.16 0.00  0.10 0.00
OpenIE   | 0.11 0.00 0.02 0.36  0.16 0.00 0.15 0.00   0.00 0.93 -0.45 0.00
BERTS P  | 0.27 0.00 0.24 0.00  0.35 0.00 0.29 0.00   0.18 0.00  0.09 0.00
BERTS R  | 0.14 0.00 0.13 0.00  0.21 0.00 0.17 0.00   0.07 0.03  0.03 0.38
BERTS F1 | 0.24 0.00 0.21 0.00  0.32 0.00 0.26 0.00   0.15 0.00  0.06 0.05
FEQA     | 0.00 0.83 0.01 0.60 -0.01 0.76 -0.01 0.72  0.02 0.45  0.07 0.04
QAGS     | 0.06 0.00 0.08 0.00  0.13 0.00 0.09 0.00  -0.02 0.48  0.01 0.65
DAE      | 0.16 0.00 0.14 0.00  0.25 0.00 0.24 0.00   0.04 0.16  0.28 0.00
FactCC   | 0.20 0.00 0.30 0.00  0.36 0.00 0.33 0.00   0.07 0.02  0.25 0.00
"""
TABLE_4 = """
BLEU    |  -    0.82  0.77  0.85 0.12  0.25  0.03 -0.02 0.05 0.06
METEOR  |  0.82 -     0.87  0.85 0.17  0.27  0.02 -0.02 0.09 0.07
Rouge-1 |  0.77 0.87  -     0.89 0.22  0.21  0.01 -0.03 0.09 0.07
Rouge-L |  0.85 0.85  0.89  -    0.18  0.21  0.01 -0.04 0.08 0.07
BERTS P |  0.12 0.17  0.22  0.18 -     0.20  0.01  0.06 0.18 0.27
OpenIE  |  0.25 0.27  0.21  0.21 0.20  -    -0.01  0.09 0.10 0.15
FEQA    |  0.03 0.02  0.01  0.01 0.01 -0.01  -    -0.01 0.03 0.04
QAGS    | -0.02 -0.02 -0.03 -0.04 0.06 0.09 -0.01  -    0.07 0.10
DAE     |  0.05 0.09  0.09  0.08 0.18  0.10  0.03  0.07 -    0.10
FactCC  |  0.06 0.07  0.07  0.07 0.27  0.15  0.04  0.10 0.10 -
"""
TABLE_4_ORDER = ("BLEU", "METEOR", "Rouge-1", "Rouge-L", "BERTS P", UNRELEASED, "FEQA", "QAGS", "DAE", "FactCC")
# per cent of incorrect summaries, then of those with each kind of error
ERRORS = """
s2s      | 74.8 11 46 13 15 5 14 24 0
pgn      | 26.5 4 46 0 39 0 4 21 0
bus      | 62.6 6 56 6 17 9 6 21 4
bert_sum | 27.2 10 37 10 23 3 13 10 0
bart     | 23.8 4 25 8 33 4 17 17 4
PtGen    | 96.9 16 28 11 1 1 34 13 0
TConvS2S | 89.8 10 24 18 1 0 45 1 0
TranS2S  | 96.9 10 32 15 0 0 44 1 0
BERTS2S  | 83.7 10 25 23 0 0 38 3 0
all      | 60.0 10 36 13 10 3 27 12 1
"""
KINDS = ("RelE", "EntE", "CircE", "CorefE", "LinkE", "OutE", "GramE")
GROUPS = ("Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors")
SUBSET = "printed on a subset of 147 CNN/DM and 98 XSum articles; computed on all released rows"


def frank(folder: Path) -> list[Cell]:
    """Return the cells of Tables 2 and 4, the Williams matrix, Figure 5, errors by system, and both splits."""
    paper = released(folder)
    (texts,) = require_files(folder / "frank", "texts.jsonl")
    sizes = counts(paper, sum(len(row["sentences"]) for row in read_jsonl(texts)))
    own = with_texts(paper, texts)
    return [
        *table_2(paper), *table_2_from_texts(own, REQUEST, dict(read_rows(TABLE_2))), *released_columns(own),
        *table_4(paper), *figure_3(paper, ("FEQA", "FactCC")), *figure_4(paper, REQUEST), *figure_5(paper),
        *errors(paper), *sizes, *splits(paper),
    ]  # fmt: skip


def released(folder: Path) -> JoinedScores:
    """Return the released judgements joined with the metrics of the paper."""
    human, scores = require_files(
        folder / "frank", "human_annotations.json", "baseline_factuality_metrics_outputs.json"
    )
    return replace(join_scores(human, scores), metrics=tuple(DATA_NAMES.values()))


def frank_figures(folder: Path, into: Path, form: str, samples: int = 1000) -> list[Path]:
    """Figures 3 and 4 from the released rows; the bars of Figure 4 with intervals over resampled articles."""
    data = released(folder)
    request = replace(REQUEST, methods=("pearson",))
    records = correlate_metrics(data, request).metrics
    paths = [scatter(data, request, records[metric], metric, into, form) for metric in ("FEQA", "FactCC")]
    drawn = replace(request, samples=samples)
    parts = {name: correlate_metrics(part, drawn).metrics for name, part in subsets(data)}
    return [*paths, by_part(parts, into, form, "figure 4")]


def table_2(data: JoinedScores, table: str = "Table 2") -> Iterator[Cell]:
    parts = {"all": data, **split_by(data, "dataset")}
    answers = {
        name: correlate_metrics(parts[key], REQUEST)
        for name, key in (("all", "all"), ("CNN/DM", "cnndm"), ("XSum", "bbc"))
    }
    columns = [(part, method, what) for part in answers for method in REQUEST.methods for what in ("r", "p")]
    for row, printed in read_rows(TABLE_2):
        for (part, method, what), value in zip(columns, printed, strict=True):
            column = f"{part} {method} {what}"
            if row == UNRELEASED:
                yield cell(table, row, column, value, None, "scores not released")
            else:
                record = answers[part].metrics[DATA_NAMES[row]][method]
                yield cell(
                    table, row, column, value, record["r" if what == "r" else "p"], _bias_note(record, method, what)
                )


def _bias_note(record: CorrelationRecord, method: str, what: str) -> str:
    if method != "spearman" or what != "r" or abs(record["null_mean"]) < 0.05:
        return ""
    return f"biased: shuffling gives {record['null_mean']:.2f}, within systems {record['within_mean']:.2f}"


def table_4(data: JoinedScores) -> Iterator[Cell]:
    tested = pairwise_williams(data, REQUEST, "frank")
    p, r = tested.p, tested.between
    for row, printed in read_rows(TABLE_4):
        for column, value in zip(TABLE_4_ORDER, printed, strict=True):
            if value == "-":
                continue
            if UNRELEASED in (row, column):
                yield cell("Table 4", row, column, value, None, "scores not released")
            else:
                yield cell("Table 4", row, column, value, r[DATA_NAMES[row]][DATA_NAMES[column]])
    shown = [name for name in TABLE_4_ORDER if name != UNRELEASED]
    for i, row in enumerate(shown):
        for column in shown[i + 1 :]:
            note = "the paper shades significant pairs and prints no p"
            yield cell("Williams p", row, column, None, p[DATA_NAMES[row]][DATA_NAMES[column]], note)


def figure_5(data: JoinedScores) -> Iterator[Cell]:
    lost = ablate(data, REQUEST, (*GROUPS, *KINDS))
    values = {kind: {m: v for m, v in metrics.items() if v is not None} for kind, metrics in lost.items()}
    for kind, metrics in values.items():
        for name, data_name in DATA_NAMES.items():
            yield cell("Figure 5", name, kind, None, metrics[data_name], "drawn as bars, no numbers printed")
    frame, discourse, content = (values[group] for group in GROUPS)
    best = max(discourse, key=lambda m: discourse[m])
    yield statement(
        "Figure 5", "DAE rests most on discourse errors", f"{best} {discourse[best]:.4f}", best == "Dep Entail"
    )
    both = max(discourse["FEQA"], discourse["QAGS"])
    yield statement("Figure 5", "FEQA and QAGS are negative on discourse errors", f"largest {both:.4f}", both < 0)
    yield statement(
        "Figure 5",
        "Rouge L is best on content, negative on semantic frames",
        f"{content['Rouge L']:.4f} {discourse['Rouge L']:.4f} {frame['Rouge L']:.4f}",
        content["Rouge L"] > discourse["Rouge L"] and frame["Rouge L"] < 0,
    )
    factcc = discourse["FactCC"]
    yield statement("Figure 5", "FactCC is nearly unmoved by discourse errors", f"{factcc:.4f}", abs(factcc) < 0.01)


def errors(data: JoinedScores) -> Iterator[Cell]:
    """Yield the share of incorrect summaries by system, and of the categorised ones with each kind of error."""
    for system, (incorrect, *kinds) in read_rows(ERRORS):
        rows = data.frame if system == "all" else data.frame.filter(data.frame[SYSTEM] == system)
        wrong = rows.filter(rows["Factuality"] < 1)
        yield not_comparable("Errors by system", system, "incorrect %", incorrect, 100 * len(wrong) / len(rows), SUBSET)
        shares = {kind: (wrong["Other"] - wrong[kind]).to_numpy() > 1e-9 for kind in KINDS}
        assigned = np.any(list(shares.values()), axis=0)
        for kind, printed in zip(KINDS, kinds, strict=False):
            share = 100 * float(shares[kind].sum()) / int(assigned.sum())
            yield not_comparable("Errors by system", system, f"{kind} %", printed, share, SUBSET)
        other = "disagreement and Other are one column in the release"
        yield cell("Errors by system", system, "Other %", kinds[-1], None, other)


def counts(data: JoinedScores, sentences: int) -> Iterator[Cell]:
    yield cell("Size", "all", "sentences", "4942", float(sentences))
    note = "the files hold 249 XSum articles, not 250"
    yield cell("Size", "all", "summaries", "2250", float(len(data.frame)), note)
    for dataset, printed in (("all", "60"), ("cnndm", "43"), ("bbc", "92")):
        rows = data.frame if dataset == "all" else data.frame.filter(data.frame["dataset"] == dataset)
        share = 100 * len(rows.filter(rows["Factuality"] < 1)) / len(rows)
        yield not_comparable("Size", dataset, "incorrect %", printed, share, SUBSET)


def splits(data: JoinedScores) -> Iterator[Cell]:
    note = "the paper reports all data; its script defaults to the validation part"
    for part, rows in split_by(data, "split").items():
        answer = correlate_metrics(rows, REQUEST)
        for name, data_name in DATA_NAMES.items():
            for method in REQUEST.methods:
                yield cell(f"Split {part}", name, f"{method} r", None, answer.metrics[data_name][method]["r"], note)
