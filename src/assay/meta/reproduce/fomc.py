"""FOMC (Marfurt, Thornton, Sylvan, van der Plas and Henderson, 2022): what can be checked without the corpus.

The example of Appendix D is included with every word replaced by a number (equal words by equal numbers), which is all
that its scores depend on. Stems are those of the ROUGE stemmer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.datasets.equivalence_classes import read_classes
from assay.inputs.marked import shown
from assay.inputs.spans import spans_of_text
from assay.meta.reproduce.cells import Cell, arithmetic, cell, read_rows, require_files, statement
from assay.meta.reproduce.fomc_example import (
    CANDIDATE_STEMS,
    CANDIDATE_WORDS,
    REFERENCE_STEMS,
    REFERENCE_WORDS,
    SOURCE_WORDS,
)
from assay.metrics.diversity.novelty import Novelty
from assay.metrics.lexical.rouge import Rouge
from assay.records import Example, Items
from assay.show.numbers import probability
from assay.stats.resample import all_items
from assay.stats.significance import sign_test

NUMBER = re.compile(r"(?<!\w)\d+(?!\w)")
MODELS = ("Transformer", "BERT", "BART")
EVALUATIONS = {"Act": 88, "Act comments": 336, "Attribution": 211, "Motive": 74, "Evidence": 87, "Scope": 90}
"""Instances of each in the test set, which sum up to the printed 886; Table 6 has evaluations of its own."""
IN_DEPTH = {
    "Act negation": 96,
    "Act modals (pos)": 92,
    "Act comment modals (pos)": 97,
    "Act with comment modals (pos)": 91,
}
TABLE_3 = """
Transformer | 93.18 93.45 94.79 66.22 43.68 50.00 73.55
BERT        | 97.73 94.64 97.16 66.22 45.98 54.44 76.03
BART        | 98.86 96.13 97.16 71.62 81.61 80.00 87.56
"""
TABLE_6 = """
Transformer | 89.58 70.65 93.81 68.13
BERT        | 93.75 70.65 93.81 69.23
BART        | 95.83 89.13 97.94 80.22
"""
# ROUGE-1, -2, -L with markers, BERTScore, distinct bigrams, novel bigrams
TABLE_4 = """
References  | -     -     -     -     9961 82.68
Transformer | 31.89 10.27 25.06 0.72  214  87.61
BERT        | 41.09 18.31 31.63 19.00 965  82.75
BART        | 42.73 20.64 33.08 26.78 3011 73.62
"""
# spans a target: statement, act, actor, reference, attribution, motive, evidence, scope; closed correctly, %
TABLE_5 = """
Transformer | 2.69 2.69 2.69 2.60 .02 .08 .05 .01 100.00
BERT        | 1.63 1.63 1.63 1.63 .73 .43 .07 .14 99.97
BART        | 1.55 .79 1.22 1.37 .29 .02 .13 .05 69.44
"""
# mean accuracy, ROUGE-1, -2, -L, BERTScore, distinct bigrams
TABLES_7_TO_9 = """
Transformer, FilterBERT, 512 | 73.55 31.89 10.27 25.06 0.72  214
BERT, FilterBERT, 512        | 76.03 41.09 18.31 31.63 19.00 965
BERT-large, FilterBERT, 512  | 75.76 41.26 17.91 31.39 19.30 1232
BERT, Lead, 512              | 75.51 41.27 18.74 31.44 19.59 1012
BERT, Oracle, 512            | 75.15 41.38 18.54 32.05 19.96 1010
BART, FilterBERT, 512        | 87.56 42.73 20.64 33.08 26.78 3011
BART, Lead, 512              | 86.90 41.56 19.79 32.09 25.15 1976
BART, Oracle, 512            | 87.16 44.04 21.84 33.87 26.98 3528
BART, Lead, 1024             | 87.12 42.39 19.64 32.20 25.44 2421
BART, Oracle, 1024           | 89.15 44.81 21.36 34.77 27.79 3296
"""
GENERATED = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "BERTScore", "distinct bigrams", "novel bigrams")
SPANS = ("statement", "act", "actor", "reference", "attribution", "motive", "evidence", "scope", "closed, %")
FILTERS = ("FilterBERT", "Lead", "Oracle")
NOT_PUBLIC = "neither the corpus nor the outputs are public"
# sources, targets, mean targets a source
TABLE_1 = """
train | 1342 3246 2.42
valid | 167  364  2.18
test  | 169  380  2.25
"""
# spans a target: statement, act, actor, reference, attribution, motive, evidence, scope
REFERENCE_SPANS = (1.60, 1.60, 1.60, 1.60, 0.87, 0.39, 1.22, 0.21)


def fomc(folder: Path) -> list[Cell]:
    """Return the cells of Appendix D, the arithmetic of Tables 1, 2, 3 and 6, and the class file."""
    (classes,) = require_files(folder / "fomc", "equivalence_classes.json")
    printed = arithmetic([*corpus(), *table_3(), *table_6(), *generated()])
    return [*appendix_d(), *printed, *class_file(classes)]


def decoded(coded: str) -> str:
    return NUMBER.sub(lambda match: f"w{match[0]}", " ".join(coded.split()))


def appendix_d() -> Iterator[Cell]:
    """Yield the scores of the example that is printed in full."""
    for how, column, printed in (
        ("markers as words", "with markers", ("31.68", "17.00", "28.71")),
        ("without markers", "without markers", ("30.38", "15.38", "27.85")),
    ):
        candidate, reference = (shown(decoded(text), how) for text in (CANDIDATE_STEMS, REFERENCE_STEMS))
        metric = Rouge(tokenizer="rouge_score", stemmer=True)
        items = Items((candidate,), (Example(id="D", references=(reference,)),))
        results = metric.per_example(metric.statistics(items))
        for name, value in zip(("rouge1", "rouge2", "rougeLsum"), printed, strict=True):
            note = "the paper's ROUGE-L is over statements" if name == "rougeLsum" else ""
            yield cell("Appendix D", f"{name} {column}", "F", value, 100 * float(results[name][0]), note)
    candidate = decoded(CANDIDATE_WORDS)
    novelty = Novelty(tokenizer="none", lowercase=False, statements="apart")
    items = Items((candidate,), (Example(id="D", source=decoded(SOURCE_WORDS)),))
    novel = float(novelty.fold(novelty.statistics(items), all_items(1))["novel-2"][0])
    yield cell("Appendix D", "novel bigrams", "%", "84.38", 100 * novel)
    opened, closed = spans_of_text(candidate, whitespace=False)
    note = "splitting at white space, as the published program does, gives 75 % of the text as printed"
    yield cell("Appendix D", "closed correctly", "%", "100.00", 100 * closed.total() / opened, note)
    yield cell("Appendix D", "BERTScore", "F", "27.29", None, "needs roberta-large and the words themselves")
    for name, count in spans_of_text(decoded(REFERENCE_WORDS), whitespace=False)[1].items():
        yield cell("Appendix D", f"reference, {name}", "spans", None, float(count), "not printed")


def corpus() -> Iterator[Cell]:
    """Yield sums and means that follow from the printed counts of Tables 1, 2 and 5."""
    sources = targets = 0
    for split, (documents, texts, mean) in read_rows(TABLE_1):
        sources, targets = sources + int(documents), targets + int(texts)
        yield cell("Table 1", split, "targets a source", mean, int(texts) / int(documents), "from the printed counts")
    yield cell("Table 1", "all", "sources", "1678", float(sources), "sum of the splits")
    yield cell("Table 1", "all", "targets", "3990", float(targets), "sum of the splits")
    markers = 2 * sum(REFERENCE_SPANS)
    yield cell("Table 2", "all", "markers a target", "18.2", markers, "two for each span of Table 5")
    yield cell("Table 2", "all", "tokens a target", "141.8", 123.6 + 18.2, "words and markers")


def nearest(printed: str, n: int) -> int:
    """Return the number of correct answers of n that is closest to a printed percentage."""
    return round(float(printed) * n / 100)


def table_3() -> Iterator[Cell]:
    """Yield accuracies as whole numbers of correct answers, and the mean of the six evaluations."""
    for model, (*values, mean) in read_rows(TABLE_3):
        results = []
        for (name, n), printed in zip(EVALUATIONS.items(), values, strict=True):
            right = nearest(printed, n)
            results.append(100 * right / n)
            yield cell("Table 3", model, name, printed, results[-1], f"{right} of {n}")
        pooled = sum(share * n for share, n in zip(results, EVALUATIONS.values(), strict=True)) / 886
        yield cell("Table 3", model, "Mean", mean, sum(results) / 6, f"mean of six; over all instances {pooled:.2f}")
    yield cell("Table 3", "test", "instances", "886", float(sum(EVALUATIONS.values())), "sum of the six evaluations")
    low = nearest("43.68", 87)
    text = "evidence: the random transformer is substantially below chance"
    chance = sign_test([1.0] * low + [0.0] * (87 - low), [0.0] * low + [1.0] * (87 - low)).p
    stated = f"{low} of 87, p = {probability(chance)} by a coin"
    yield statement("Table 3", text, stated, chance < 0.05, "it is within what chance gives")


def table_6() -> Iterator[Cell]:
    for model, values in read_rows(TABLE_6):
        for (name, n), printed in zip(IN_DEPTH.items(), values, strict=True):
            right = nearest(printed, n)
            yield cell("Table 6", model, name, printed, 100 * right / n, f"{right} of {n}")


def generated() -> Iterator[Cell]:
    """Yield values of outputs that are not public, and claims that the printed values must support."""
    tables = {
        "Table 4": (TABLE_4, GENERATED),
        "Table 5": (TABLE_5, SPANS),
        "Tables 7-9": (TABLES_7_TO_9, ("mean accuracy", *GENERATED[:5])),
    }
    for table, (block, columns) in tables.items():
        for model, values in read_rows(block):
            for column, printed in zip(columns, values, strict=True):
                if printed != "-":
                    yield cell(table, model, column, printed, None, NOT_PUBLIC)
    rows = {name: [float(value) for value in values] for name, values in read_rows(TABLES_7_TO_9)}
    filters = [max(rows[f"{m}, {f}, 512"][0] for f in FILTERS) - min(rows[f"{m}, {f}, 512"][0] for f in FILTERS)
               for m in ("BERT", "BART")]  # fmt: skip
    models = rows["BART, FilterBERT, 512"][0] - rows["BERT, FilterBERT, 512"][0]
    results = f"filters {max(filters):.2f}, models {models:.2f} points of accuracy"
    yield statement("Tables 7-9", "models differ by more than filters do", results, models > max(filters))
    rouge = rows["BART, FilterBERT, 512"][1] - rows["BERT, FilterBERT, 512"][1]
    results = f"accuracy {models:.2f}, ROUGE-1 {rouge:.2f} points between BART and BERT"
    yield statement("Tables 7-9", "the evaluation tells models apart by more than ROUGE does", results, models > rouge)


def class_file(path: Path) -> Iterator[Cell]:
    """Yield counts of the released classes; the paper prints the number of evidence classes only."""
    classes = read_classes(path)
    for one in classes:
        members = {member for group in one.classes for member in group}
        printed = "14" if one.evaluation == "evidence" else None
        yield cell("Class file", one.evaluation, "classes", printed, float(len(one.classes)))
        yield cell("Class file", one.evaluation, "members", None, float(sum(map(len, one.classes))))
        for limit, column in ((-1, "pairs"), (2, "pairs of like length")):
            pairs = sum(len(one.negatives(member, limit)) for member in members)
            yield cell("Class file", one.evaluation, column, None, float(pairs), "ordered, of different classes")
