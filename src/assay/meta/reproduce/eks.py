"""Event-keyed summarization (Gantt, Martin, Kuchmiichuk and White): ROUGE rows, human study, Table 5."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from assay.datasets.eks import RATED
from assay.errors import AssayError
from assay.meta.reproduce.cells import Cell, cell, not_comparable, read_rows, require_files
from assay.meta.reproduce.eks_released import (
    all_pairs,
    meteor,
    pairs,
    per_item_file,
    predictions,
    prompts,
    rouge,
    rouge_of_run,
    single_items,
)
from assay.records.documents import read_json
from assay.stats.agreement import krippendorff, tabulate
from assay.stats.correlation import kendall
from assay.stats.significance import TestResult, wilcoxon
from assay.text.spacy_words import spacy_words

ROUGE = ("rouge1", "rouge2", "rougeL")
# R1 R2 RL BS CR r>p p>r r<>p D>p
TABLE_2 = """
3-Sent                      | 46.0 28.7 33.6 89.3 37.9 1.7 5.9 3.8 1.3
chatgpt/temp_and_doc        | 47.0 30.4 35.6 88.6 60.2 30.6 43.0 36.8 40.8
gpt4/temp_and_doc           | 48.7 30.0 35.9 88.9 67.6 45.0 40.3 42.7 38.8
bart-large/temp_and_doc     | 66.7 47.9 52.7 93.4 71.8 39.9 30.6 35.2 37.4
bart-large/temp_only        | 51.9 30.5 37.9 91.2 74.6 15.4 8.8 12.1 12.2
bart-large/doc_only         | 46.1 27.5 35.7 89.6 41.6 18.3 11.8 15.1 41.0
pegasus-large/temp_and_doc  | 63.9 44.9 50.4 93.0 67.6 36.8 28.5 32.6 40.6
pegasus-large/temp_only     | 54.4 34.1 41.4 91.8 75.7 30.6 7.9 19.3 19.8
pegasus-large/doc_only      | 47.0 28.2 36.2 89.8 41.2 18.8 13.0 15.9 42.2
t5-large/temp_and_doc       | 67.0 48.6 53.4 93.5 70.9 43.1 30.5 36.8 40.6
t5-large/temp_only          | 54.4 33.6 40.6 91.7 75.1 27.4 7.6 17.5 16.5
t5-large/doc_only           | 47.2 29.0 37.0 90.0 42.5 18.2 12.5 15.3 42.4
"""
UNSCORED = ("CR", "r>p", "p>r", "r<>p", "D>p")
# tau and p of R1 R2 RL BS CR r>p p>r r<>p D>p
TABLE_5 = """
B1  | .136 .04 .156 .02 .169 .01 .127 .05 .057 .37 .003 .97 -.030 .65 .004 .95 .085 .19
B2  | .208 .00 .211 .00 .182 .01 .232 .00 .218 .00 .009 .90 .123 .07 .056 .41 .152 .02
B3  | -.014 .81 -.053 .34 -.064 .25 .001 .98 -.030 .58 -.023 .68 -.033 .55 -.021 .70 .084 .13
Avg | .114 .21 .118 .09 .113 .08 .102 .26 .130 .25 .088 .84 -.006 .48 .021 .72 .119 .09
"""
RATED_RUNS = {source: run.replace(".", "/") for source, run in RATED.items() if source != "ref"}
RATERS = ("a1", "a2", "a3")
Ratings = dict[tuple[str, str, str], float]  # (rater, item, source) -> 1..5


def eks(folder: Path) -> list[Cell]:
    """Return the cells of Table 1, ROUGE of Table 2 (predictions and aggregates), the human study, and Table 5."""
    home = folder / "eks"
    require_files(home, "data/mucsum/test.json", "data/human_study/a1_data_with_model_names.json", "model_outputs")
    scores = {run: rouge_of_run(path) for run, path in predictions(home).items()}
    ratings = read_ratings(home)
    sources = sorted({source for _, _, source in ratings})
    tests = {(a, b): difference(ratings, a, b) for a, b in all_pairs(sources)}
    columns = {source: column(ratings, source) for source in sources}
    return [
        *table_1(home), *table_2(home, scores), *single_items(home, scores), *meteor(home), *lead(home),
        *study(ratings, tests), *pairs(columns, tests), *table_5(home, scores, ratings),
        *prompts(home, read_json(home / "data/mucsum/test.json")),
    ]  # fmt: skip


def table_1(home: Path) -> Iterator[Cell]:
    """Yield words and sentences per document and summary, for first events (as printed) and for all."""
    printed = {"train": ("328.5", "12.7", "44.1", "1.7"), "dev": ("354.1", "14.0", "51.1", "1.8")}
    for split, (words_doc, sentences_doc, words_summary, sentences_summary) in printed.items():
        documents = read_json(home / f"data/mucsum/{split}.json")
        firsts = [examples[0] for examples in documents.values()]
        every = [example for examples in documents.values() for example in examples]
        note = "words as spaCy counts them, to 1 in 10,000"
        value = fmean(len(spacy_words(" ".join(example["document"]))) for example in firsts)
        yield cell("Table 1", split, "words per document", words_doc, value, note)
        value = fmean(len(example["document"]) for example in firsts)
        yield cell("Table 1", split, "sentences per document", sentences_doc, value)
        value = fmean(len(spacy_words(" ".join(example["summary"]))) for example in firsts)
        yield cell("Table 1", split, "words per summary", words_summary, value, f"{note}; first of each document")
        value = fmean(len(spacy_words(" ".join(example["summary"]))) for example in every)
        yield cell("Table 1", split, "words per summary, all", None, value, "over all summaries; not printed")
        value = fmean(len(example["summary"]) for example in firsts)
        column = "sentences per summary"
        yield cell("Table 1", split, column, sentences_summary, value, "first summary of each document, as printed")
        value = fmean(len(example["summary"]) for example in every)
        yield cell("Table 1", split, f"{column}, all", None, value, "over all summaries; not printed")


def table_2(home: Path, scores: dict[str, dict[str, dict[str, float]]]) -> Iterator[Cell]:
    """Yield means over runs, from the predictions and from the released aggregate files."""
    for row, printed in read_rows(TABLE_2):
        if row == "3-Sent":
            continue
        mine = {run: items for run, items in scores.items() if run.startswith(f"{row}/")}
        aggregates = [read_json(path) for path in sorted((home / "model_outputs" / row).glob("*_test_metrics.json"))]
        chat = row.startswith(("chatgpt", "gpt4"))
        why = "plain mean over items; the paper averages medians of bootstrap means"
        if chat:
            why = "the released predictions disagree with the released aggregates"
        for name, value in zip(ROUGE, printed, strict=False):
            mean = 100 * fmean(fmean(item[name] for item in items.values()) for items in mine.values())
            yield cell("Table 2 from predictions", row, name, value, mean, why)
            released = 100 * fmean(aggregate[f"test_{name}"] for aggregate in aggregates)
            yield cell("Table 2 from aggregates", row, name, value, released, f"mean of {len(aggregates)} runs")
        released = 100 * fmean(aggregate["test_bertscore_f1"] for aggregate in aggregates)
        yield cell("Table 2 from aggregates", row, "BERTScore", printed[3], released, f"mean of {len(aggregates)} runs")
        for name, value in zip(UNSCORED, printed[4:], strict=True):
            yield cell("Table 2 from predictions", row, name, value, None, "extractor and NLI scores not released")


def lead(home: Path) -> Iterator[Cell]:
    """Yield the first three sentences as summary, on first events (as printed) and on all events."""
    documents = read_json(home / "data/mucsum/test.json")
    printed = dict(read_rows(TABLE_2))["3-Sent"]
    sets = {
        "first event of each document": [examples[0] for examples in documents.values()],
        "all events": [example for examples in documents.values() for example in examples],
    }
    for which, examples in sets.items():
        scores = rouge([" ".join(e["document"][:3]) for e in examples], [" ".join(e["summary"]) for e in examples])
        first = which.startswith("first")
        note = f"{len(examples)} items; " + (
            "the paper's value is a median of bootstrap means" if first else "the paper's row has first events only"
        )
        for name, value in zip(ROUGE, printed, strict=False):
            compare = cell if first else not_comparable
            yield compare(f"3-Sent, {which}", "lead 3", name, value, 100 * float(np.mean(scores[name])), note)


def read_ratings(home: Path) -> Ratings:
    ratings: Ratings = {}
    for rater in RATERS:
        for item, form in read_json(home / f"data/human_study/{rater}_data_with_model_names.json").items():
            for key, summary in form.items():
                if key.startswith("summary "):
                    ratings[rater, item, summary["model"]] = float(summary["score"])
    return ratings


def column(ratings: Ratings, source: str) -> list[float]:
    """Return all ratings of one source, ordered by rater and item."""
    return [ratings[key] for key in sorted(key for key in ratings if key[2] == source)]


def difference(ratings: Ratings, one: str, other: str) -> TestResult:
    """Apply the signed-rank test to two sources, paired by rater and item."""
    return wilcoxon(column(ratings, one), column(ratings, other), "normal")


def study(ratings: Ratings, tests: dict[tuple[str, str], TestResult]) -> Iterator[Cell]:
    sources = sorted({source for _, _, source in ratings})
    for source in sources:
        yield cell("Ratings", source, "mean", None, fmean(column(ratings, source)), "drawn as bars")
    models = [source for source in sources if source != "ref"]
    against = {model: tests["ref", model] for model in models}
    printed = {"bart": ("0.33", "the gap of 0.33 is T5's"), "gpt4": ("0.51", "")}
    for model, test in against.items():
        value, note = printed.get(model, (None, "not printed"))
        yield cell("Reference minus model", model, "difference", value, test.difference, note)
        yield cell("Reference minus model", model, "W", None, test.statistic, test.method)
        yield cell("Reference minus model", model, "p", None, test.p, "the paper says p < .01 for all")
    units = sorted({(item, source) for _, item, source in ratings})
    counted = tabulate([[ratings[rater, item, source] for rater in RATERS] for item, source in units])
    for level in ("ordinal", "interval", "nominal"):
        alpha = krippendorff(counted, level)
        yield cell("Agreement of raters", "alpha", level, None, alpha, "not in the paper")


def judged(
    scores: dict[str, dict[str, dict[str, float]]], ratings: Ratings, rater: str
) -> tuple[list[Any], list[float]]:
    """Return item scores and ratings of one rater for the five models: 150 judgements without references."""
    keys = sorted(key for key in ratings if key[0] == rater and key[2] != "ref")
    return [scores[RATED_RUNS[source]][item] for _, item, source in keys], [ratings[key] for key in keys]


def table_5(home: Path, scores: dict[str, dict[str, dict[str, float]]], ratings: Ratings) -> Iterator[Cell]:
    rows = dict(read_rows(TABLE_5))
    neural = {source: _released_bertscore(home, run) for source, run in RATED_RUNS.items()}
    taus: dict[str, list[float]] = {name: [] for name in ROUGE}
    count = "150 judgements: the printed 180 would include the references"
    for label, rater in zip(("B1", "B2", "B3"), RATERS, strict=True):
        printed = rows[label]
        items, values = judged(scores, ratings, rater)
        for i, name in enumerate(ROUGE):
            tau = kendall([item[name] for item in items], values, "c")
            taus[name].append(tau.r)
            yield cell("Table 5", label, f"{name} tau-c", printed[2 * i], tau.r, count)
            off = "; printed one step too high" if (label, name) == ("B1", "rouge1") else ""
            yield cell("Table 5", label, f"{name} p", printed[2 * i + 1], tau.p, count + off)
        keys = sorted(key for key in ratings if key[0] == rater and key[2] != "ref")
        tau = kendall([neural[source][item] for _, item, source in keys], values, "c")
        cased = "released scores keep the case of chat outputs"
        yield cell("Table 5", label, "BERTScore tau-c", printed[6], tau.r, cased)
        yield cell("Table 5", label, "BERTScore p", printed[7], tau.p, cased)
        for i, name in enumerate(UNSCORED):
            for j, what in enumerate(("tau-c", "p")):
                note = "extractor and NLI scores not released"
                yield cell("Table 5", label, f"{name} {what}", printed[8 + 2 * i + j], None, note)
    for i, name in enumerate(ROUGE):
        note = "the printed average is not the mean of the printed rows either"
        yield cell("Table 5", "Avg", f"{name} tau-c", rows["Avg"][2 * i], fmean(taus[name]), note)


def _released_bertscore(home: Path, run: str) -> dict[str, float]:
    path = per_item_file(predictions(home)[run])
    if path is None:
        raise AssayError(f"{home}: no scores of single items for {run}. Use the whole release.")
    return {item: float(scores["test_bertscore_f1"]) for item, scores in read_json(path).items()}
