"""FOMC (Marfurt, Thornton, Sylvan, van der Plas and Henderson, 2022): what can be checked without the corpus.

The example of Appendix D stands here with every word replaced by a number, the same word by the same number: that is
all its scores depend on. Stems are those of ROUGE's stemmer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.datasets.equivalence_classes import read_classes
from assay.inputs.spans import shown, spans_of_text
from assay.meta.reproduce.cells import Cell, cell, need, read_rows, statement
from assay.meta.reproduce.fomc_example import (
    CANDIDATE_STEMS,
    CANDIDATE_WORDS,
    REFERENCE_STEMS,
    REFERENCE_WORDS,
    SOURCE_WORDS,
)
from assay.metrics.novelty import Novelty
from assay.metrics.rouge import Rouge
from assay.records import Example, Items
from assay.stats.resample import whole

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
# sources, targets, mean targets a source
TABLE_1 = """
train | 1342 3246 2.42
valid | 167  364  2.18
test  | 169  380  2.25
"""
# spans a target: statement, act, actor, reference, attribution, motive, evidence, scope
REFERENCE_SPANS = (1.60, 1.60, 1.60, 1.60, 0.87, 0.39, 1.22, 0.21)


def fomc(folder: Path) -> list[Cell]:
    """Appendix D, the arithmetic of Tables 1, 2, 3 and 6, and what the class file holds."""
    (classes,) = need(folder / "fomc", "equivalence_classes.json")
    return [*appendix_d(), *corpus(), *table_3(), *table_6(), *class_file(classes)]


def decoded(coded: str) -> str:
    return NUMBER.sub(lambda match: f"w{match[0]}", " ".join(coded.split()))


def appendix_d() -> Iterator[Cell]:
    """The scores of the one example that is printed whole."""
    for how, column, printed in (
        ("markers as words", "with markers", ("31.68", "17.00", "28.71")),
        ("without markers", "without markers", ("30.38", "15.38", "27.85")),
    ):
        candidate, reference = (shown(decoded(text), how) for text in (CANDIDATE_STEMS, REFERENCE_STEMS))
        metric = Rouge(tokenizer="rouge_score", stemmer=True)
        items = Items((candidate,), (Example(id="D", references=(reference,)),))
        found = metric.per_example(metric.statistics(items))
        for name, value in zip(("rouge1", "rouge2", "rougeLsum"), printed, strict=True):
            note = "the paper's ROUGE-L is over statements" if name == "rougeLsum" else ""
            yield cell("Appendix D", f"{name} {column}", "F", value, 100 * float(found[name][0]), note)
    candidate = decoded(CANDIDATE_WORDS)
    novelty = Novelty(tokenizer="none", lowercase=False, statements="apart")
    items = Items((candidate,), (Example(id="D", source=decoded(SOURCE_WORDS)),))
    novel = float(novelty.fold(novelty.statistics(items), whole(1))["novel-2"][0])
    yield cell("Appendix D", "novel bigrams", "%", "84.38", 100 * novel)
    opened, closed = spans_of_text(candidate, whitespace=False)
    note = "splitting at white space, as the published program does, gives 75 % of the text as printed"
    yield cell("Appendix D", "closed correctly", "%", "100.00", 100 * closed.total() / opened, note)
    yield cell("Appendix D", "BERTScore", "F", "27.29", None, "needs roberta-large and the words themselves")
    for name, count in spans_of_text(decoded(REFERENCE_WORDS), whitespace=False)[1].items():
        yield cell("Appendix D", f"reference, {name}", "spans", None, float(count), "not printed")


def corpus() -> Iterator[Cell]:
    """Sums and means that the printed counts of Tables 1, 2 and 5 must give."""
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
    """The number of right answers of n that comes closest to a printed per cent."""
    return round(float(printed) * n / 100)


def table_3() -> Iterator[Cell]:
    """Every printed accuracy is a whole number of right answers; the mean is that of the six evaluations."""
    for model, (*values, mean) in read_rows(TABLE_3):
        found = []
        for (name, n), printed in zip(EVALUATIONS.items(), values, strict=True):
            right = nearest(printed, n)
            found.append(100 * right / n)
            yield cell("Table 3", model, name, printed, found[-1], f"{right} of {n}")
        pooled = sum(share * n for share, n in zip(found, EVALUATIONS.values(), strict=True)) / 886
        yield cell("Table 3", model, "Mean", mean, sum(found) / 6, f"mean of six; over all instances {pooled:.2f}")
    yield cell("Table 3", "test", "instances", "886", float(sum(EVALUATIONS.values())), "sum of the six evaluations")
    low = nearest("43.68", 87)
    text = "evidence: the random transformer is substantially below chance"
    yield statement("Table 3", text, f"{low} of 87, p .28 by a coin", False, "it is within what chance gives")


def table_6() -> Iterator[Cell]:
    for model, values in read_rows(TABLE_6):
        for (name, n), printed in zip(IN_DEPTH.items(), values, strict=True):
            right = nearest(printed, n)
            yield cell("Table 6", model, name, printed, 100 * right / n, f"{right} of {n}")


def class_file(path: Path) -> Iterator[Cell]:
    """What the released classes hold; the paper prints the number of evidence classes alone."""
    classes = read_classes(path)
    for one in classes:
        members = {member for group in one.classes for member in group}
        printed = "14" if one.evaluation == "evidence" else None
        yield cell("Class file", one.evaluation, "classes", printed, float(len(one.classes)))
        yield cell("Class file", one.evaluation, "members", None, float(sum(map(len, one.classes))))
        for limit, column in ((-1, "pairs"), (2, "pairs of like length")):
            pairs = sum(len(one.negatives(member, limit)) for member in members)
            yield cell("Class file", one.evaluation, column, None, float(pairs), "ordered, of different classes")
