"""FKGL is not a simplification metric (Tanprasert and Kauchak, 2021): what follows from its printed tables.

The texts are under a licence that does not allow their release. The tool behind the paper divides words by sentences
without a fraction; with that, lengths and syllables of Table 3 give the printed grades, also after insertions of "the".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assay.meta.reproduce.cells import Cell, arithmetic, cell, read_rows, statement

LINES = 1077
"""Lines of the test set."""
TABLE_3 = """
Reference | 12.741 1.263 1.857
Dress-Ls  | 14.392 1.284 1.207
EncDecA   | 16.986 1.280 0.557
Hybrid    | 12.382 1.329 0.000
Dress     | 14.222 1.276 1.207
PBMT-R    | 22.933 1.304 1.300
"""
PRINTED = {"Dress-Ls": "5.024", "EncDecA": "5.757", "Hybrid": "4.775"}
RANDOM_THE = """
Dress-Ls | 5.0006 4.9772 4.9543 4.9319 4.9095 4.8870 5.2557 5.2346 5.2130 5.1919
EncDecA  | 6.1272 6.1077 6.0884 6.0696 6.0507 6.0319 6.0138 5.9956 5.9777 5.9600
Hybrid   | 4.7434 4.7118 4.6808 4.6503 4.6204 4.5907 4.9520 4.9236 4.8950 4.8678
Dress    | 4.9011 4.8782 4.8557 4.8336 4.8115 4.7899 4.7686 5.1378 5.1166 5.0966
PBMT-R   | 8.7462 8.7303 8.7147 8.6992 8.6838 8.6684 8.6535 8.6384 8.6233 8.6087
"""
PRECISIONS = """
Dress-Ls                  | .4590 .2638 .1896 .1384 0.2374
Dress-Ls, replace-longest | .4468 .2339 .1581 .1074 0.2052
EncDecA                   | .4156 .2373 .1686 .1212 0.212
Hybrid                    | .3708 .1328 .0710 .0442 0.108
"""
TABLE_10 = """
none                | .0382 .1181 .9740 .0370 .0742 .9805 .0263 .0573 .9850 .0189 .0450 .9885 .3630
random-period       | .0382 .1181 .9740 .0345 .0739 .9798 .0229 .0570 .9841 .0155 .0446 .9876 .3608
random-the          | .0518 .1169 .9741 .0322 .0740 .9800 .0215 .0573 .9844 .0145 .0450 .9879 .3616
replace-longest     | .0505 .1181 .9722 .0319 .0751 .9794 .0215 .0588 .9843 .0150 .0463 .9878 .3618
replace-rand-period | .0371 .1186 .9718 .0323 .0736 .9788 .0221 .0569 .9837 .0154 .0448 .9874 .3601
replace-rand-the    | .0504 .1174 .9717 .0311 .0735 .9787 .0211 .0569 .9836 .0143 .0447 .9874 .3607
period and longest  | .0505 .1181 .9722 .0285 .0746 .9784 .0173 .0582 .9832 .0112 .0455 .9869 .3604
"""
TRUE_RISE = "with the fraction kept, each inserted word raises the grade: the printed fall comes from the rounding"
COPIED = "Table 10 prints other components for unchanged texts than those of the printed SARI"


def fkgl(folder: Path) -> list[Cell]:
    """Return the grades, BLEU and SARI that follow from printed components."""
    return list(arithmetic([*grades(), *insertions(), *bleu(), *sari(), *splits()]))


def grade(length: float, syllables: float, floor: bool = True) -> float:
    """Return the Flesch-Kincaid grade of words per sentence and syllables per word."""
    return 0.39 * (math.floor(length) if floor else length) + 11.8 * syllables - 15.59


def _described() -> dict[str, tuple[float, float]]:
    return {row: (float(printed[0]), float(printed[1])) for row, printed in read_rows(TABLE_3)}


def _near(table: str, row: str, column: str, printed: str, computed: float, within: float, why: str = "") -> Cell:
    """Return a cell that agrees within the error of rounded components."""
    same = abs(float(printed) - computed) <= within
    return Cell(table, row, column, float(printed), computed, same, f"agrees within {within:g}" if same else why)


def grades() -> Iterator[Cell]:
    """Yield FKGL of unchanged outputs; syllables are printed to three decimals, so the grade is known to 0.006."""
    known = _described()
    for row, printed in PRINTED.items():
        yield _near("Table 1", row, "FKGL", printed, grade(*known[row]), 0.006)


def insertions() -> Iterator[Cell]:
    """Yield FKGL after inserting `the` into a share of the lines, and what it is with the fraction kept."""
    known = _described()
    for row, printed in read_rows(RANDOM_THE):
        length, syllables = known[row]
        for tenth, text in enumerate(printed, 1):
            longer = length + 0.99 * tenth / 10  # a text of two sentences shares its words among them
            average = (syllables * length + 0.99 * tenth / 10) / longer
            yield _near("Tables 4-8, random-the", row, f"{10 * tenth} %", text, grade(longer, average), 0.011)
        whole = grade(length + 0.99, (syllables * length + 0.99) / (length + 0.99), floor=False)
        rises = whole > grade(length, syllables, floor=False)
        claim = f"{row}: inserting the lowers the grade with the fraction kept"
        yield statement("Tables 4-8, random-the", claim, "it rises" if rises else "it falls", not rises, TRUE_RISE)


def bleu() -> Iterator[Cell]:
    """Yield BLEU as the geometric mean of printed precisions, times the brevity penalty."""
    known = _described()
    for row, printed in read_rows(PRECISIONS):
        precisions = [float(text) for text in printed[:4]]
        output, reference = known[row.partition(",")[0]][0], known["Reference"][0]
        penalty = min(1.0, math.exp(1 - reference / output))
        yield _near("Table 9", row, "BLEU", printed[4], penalty * float(np.exp(np.mean(np.log(precisions)))), 0.0005)


def sari() -> Iterator[Cell]:
    """Yield SARI as the mean of its printed parts."""
    for row, printed in read_rows(TABLE_10):
        parts = [float(text) for text in printed[:-1]]
        yield _near("Table 10", row, "SARI", printed[-1], float(np.mean(parts)), 0.0002, COPIED)


def splits() -> Iterator[Cell]:
    """Yield whether the printed shares of split sentences are possible for 1,077 lines."""
    for row, printed in read_rows(TABLE_3):
        lines = float(printed[2]) / 100 * LINES
        yield cell(
            "Table 3", row, "split, %", printed[2], 100 * round(lines) / LINES, f"{round(lines)} of {LINES} lines"
        )
