"""CommonGen with POINTER (Shvets, 2021): diversity of the released outputs, computed as the published notebooks do.

They count characters where words are meant (distinct-n), let n-grams run from one sentence into the next (unique-n),
print natural logarithms, and print the entropy of trigrams as that of bigrams; values are truncated, not rounded. Notes
give the corrected value of each.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.meta.reproduce.cells import Cell, read_rows, require_files
from assay.metrics.diversity.ngrams import Ngrams
from assay.metrics.structure.dialog.report import fold_all
from assay.records.files import read_text

RUNS = {
    "greedy val": "commongen_greedy_validation_set.txt",
    "sampling val": "commongen_sampling_validation_set.txt",
    "greedy challenge": "commongen_greedy_challenge_set.txt",
    "sampling challenge": "commongen_sampling_challenge_set.txt",
}
COLUMNS = ("distinct-1", "distinct-2", "unique-1", "unique-2", "entropy-1", "entropy-2")
TABLE_7 = """
greedy val         | 0.19  0.594 972  13115 5.818 10.241
sampling val       | 0.147 0.548 1285 20540 6.123 10.602
greedy challenge   | 0.19  0.596 758  8172  5.788 9.638
sampling challenge | 0.158 0.553 1030 11693 6.051 9.915
"""
TABLE_6 = """
greedy val         | 0.137 0.008 0.109 2.88  0.114 0.123 0.842 -1.233 0.395 0.858
sampling val       | 0.142 0.008 0.106 2.456 0.093 0.141 0.838 -1.252 0.523 0.88
greedy challenge   | 0.142 0.009 0.111 2.996 0.113 0.125 0.842 -1.225 0.406 0.858
sampling challenge | 0.136 0.008 0.103 2.473 0.09  0.136 0.838 -1.243 0.52  0.878
"""
UNCOUNTED = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "BLEU", "NIST", "METEOR", "BERTScore", "BLEURT", "NUBIA", "MSTTR")
DROPPED = ("[unused", "[UNK]", ".", "\\", "##")


def pointer(folder: Path) -> list[Cell]:
    """Return the cells of Tables 6 and 7; values that require missing references or weights are not computed."""
    files = dict(zip(RUNS, require_files(folder / "pointer", *RUNS.values()), strict=True))
    texts = {name: [cleaned(line) for line in read_text(path).splitlines()] for name, path in files.items()}
    return [*diversity(texts), *unscored()]


def cleaned(line: str) -> str:
    """Return a line without special tokens, word-piece marks and full stops, with one full stop at the end."""
    return " ".join(word for word in line.split() if not word.startswith(DROPPED)) + "."


def published(texts: Sequence[str]) -> dict[str, float]:
    """Return every value as computed by the notebooks."""
    computed = {f"distinct-{n}": _mean([_distinct_characters(text, n) for text in texts]) for n in (1, 2)}
    words = [word for text in texts for word in text.split()]
    for n in (1, 2):
        computed[f"unique-{n}"] = float(sum(count == 1 for count in _grams(words, n).values()))
    return computed | {"entropy-1": _nats(_grams(words, 1)), "entropy-2": _nats(_grams(words, 3))}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _distinct_characters(text: str, n: int) -> float:
    return len({text[i : i + n] for i in range(len(text) - n + 1)}) / len(text) if text else 0.0


def _grams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _nats(counts: Counter[tuple[str, ...]]) -> float:
    total = counts.total()
    return -sum(count / total * math.log(count / total) for count in counts.values())


def truncated(table: str, row: str, column: str, printed: str, computed: float, note: str) -> Cell:
    """Return a cell that matches if the printed value is the truncated computed one."""
    decimals = len(printed.partition(".")[2])
    same = math.floor(computed * 10**decimals + 1e-9) == round(float(printed) * 10**decimals)
    return Cell(table, row, column, float(printed), computed, same, note)


def diversity(texts: dict[str, list[str]]) -> Iterator[Cell]:
    notes = {
        "distinct": "counts characters of each sentence; over words it is {:.3f}",
        "unique": "n-grams run across sentences; kept apart it is {:.0f}",
        "entropy-1": "natural logarithms; in bits it is {:.3f}",
        "entropy-2": "natural logarithms, and of trigrams; of bigrams in bits it is {:.3f}",
    }
    for row, printed in read_rows(TABLE_7):
        computed = published(texts[row])
        right = fold_all([Ngrams(tokenizer="none")], texts[row])
        for column, value in zip(COLUMNS, printed, strict=True):
            note = notes.get(column) or notes[column.partition("-")[0]]
            yield truncated("Table 7", row, column, value, computed[column], note.format(right[column]))


def unscored() -> Iterator[Cell]:
    why = "needs the references in the order of the notebook, or weights, which are not at hand"
    for row, printed in read_rows(TABLE_6):
        for column, value in zip(UNCOUNTED, printed, strict=True):
            yield Cell("Tables 5 and 6", row, column, float(value), None, None, why)
