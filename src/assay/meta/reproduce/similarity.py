"""Semantic similarity for Turkish (Beken Fikri et al., 2021): statistics of the translated STS benchmark.

Tables 4 to 6 need the trained models or ratings of summaries, which are not released.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.datasets.vocabulary import Vocabulary
from assay.meta.reproduce.cells import Cell, cell, read_csv, read_rows, require_files

PARTS = ("train", "dev", "test")
TABLE_2 = "29461 26649 0.19 6.20 8.26"
COLUMNS = ("vocabulary", "vocabulary, case ignored", "type-token ratio", "characters in a word", "words in a sentence")
TABLE_3 = """
news     | 3299 500 500 4299
captions | 2000 625 625 3250
forum    | 450 375 254 1079
all      | 5749 1500 1379 8628
"""
TABLE_4 = """
avg BERTurk            | 54.48 55.23
avg M-BERT             | 50.44 50.43
avg XLM-R              | 20.22 41.81
LASER                  | 69.86 70.18
LaBSE                  | 72.24 71.74
MUSE-CNN               | 71.09 69.91
MUSE-Transformer       | 76.32 74.84
BERTurk+STS            | 83.32 82.22
M-BERT+STS             | 79.08 78.15
XLM-R+STS              | 79.18 78.56
S-BERTurk+STS          | 81.97 81.43
S-M-BERT+STS           | 73.28 72.84
S-XLM-R+STS            | 71.89 71.02
BERTurk+NLI+STS        | 85.36 84.59
M-BERT+NLI+STS         | 79.30 78.39
XLM-R+NLI+STS          | 81.94 81.21
S-BERTurk+NLI+STS      | 82.85 83.31
S-M-BERT+NLI+STS       | 75.74 75.41
S-XLM-R+NLI+STS        | 77.26 77.32
"""
SAMPLE = {"news": "25", "captions": "19", "forum": "6"}
TOKENS = "words are split at white space here; the tokenization of the paper is not released"
WEIGHTS = "needs the trained models; train one with `assay system train similarity`"


def similarity(folder: Path) -> list[Cell]:
    """Return the cells of Tables 2 and 3, and of Table 4 without values."""
    files = require_files(folder / "stsb_tr", *(f"stsb_tr_{part}.tsv" for part in PARTS))
    rows = {part: read_csv(path, ("genre", "sentence1", "sentence2"), "\t", quoted=False)
            for part, path in zip(PARTS, files, strict=True)}  # fmt: skip
    return [*table_2(rows), *table_3(rows), *table_4()]


def table_2(rows: dict[str, list[dict[str, str]]]) -> Iterator[Cell]:
    """Yield the vocabulary of all sentences."""
    known = Vocabulary()
    for part in PARTS:
        for row in rows[part]:
            known.add(row["sentence1"])
            known.add(row["sentence2"])
    values = (len(known.cased), len(known.uncased), known.ratio, known.word_length, known.text_length)
    for column, printed, value in zip(COLUMNS, TABLE_2.split(), values, strict=True):
        yield cell("Table 2", "STSb-TR", column, printed, float(value), TOKENS)


def table_3(rows: dict[str, list[dict[str, str]]]) -> Iterator[Cell]:
    """Yield pairs by genre and split, and the stratified sample of 50 pairs."""
    counts = {part: Counter(genre(row) for row in rows[part]) for part in PARTS}
    totals: Counter[str] = sum(counts.values(), Counter())
    for name, printed in read_rows(TABLE_3):
        every = name == "all"
        values = [counts[part].total() if every else counts[part][name] for part in PARTS]
        for column, text, value in zip((*PARTS, "all"), printed, [*values, sum(values)], strict=True):
            yield cell("Table 3", name, column, text, float(value))
    for name, text in SAMPLE.items():
        share = 50 * totals[name] / totals.total()
        yield cell("Sample of 50 pairs", name, "pairs", text, share)


def genre(row: dict[str, str]) -> str:
    """Return the genre without `main-`; the files write forum and forums."""
    return row["genre"].removeprefix("main-").replace("forums", "forum")


def table_4() -> Iterator[Cell]:
    for name, printed in read_rows(TABLE_4):
        for column, text in zip(("Pearson", "Spearman"), printed, strict=True):
            yield cell("Table 4", name, column, text, None, WEIGHTS)
