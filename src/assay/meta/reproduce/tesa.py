"""TESA (Jumel, Louis and Cheung, 2020): the data is licensed; checks of the printed values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from assay.datasets.synthetic_entities import GOLD
from assay.datasets.tesa_phrases import SIZE
from assay.meta.reproduce.cells import Cell, arithmetic, cell, read_rows, statement
from assay.stats.retrieval import average_precision, chance_average_precision, chance_reciprocal_rank

TESTED = 430
# MAP R@10 MRR on the test set, then on the validation set
RANDOM = {"test": ("0.222", "0.442", "0.289"), "validation": ("0.226", "0.415", "0.304")}
# by type: tuples (unique), phrases (unique)
TABLE_2 = """
person   | 941 801 2900 951
location | 629 412 2041 505
org      | 148 123 456  239
all      | 1718 1336 5397 1681
"""
TABLE_4 = """
Random               | 0.222 0.442 0.289 0.226 0.415 0.304
Frequency            | 0.570 0.655 0.761 0.557 0.637 0.773
Logistic regression  | 0.700 0.863 0.840 0.675 0.843 0.834
Pre-trained BART     | 0.389 0.682 0.505 0.385 0.666 0.488
Generative BART      | 0.701 0.903 0.840 0.684 0.882 0.835
Discriminative BART  | 0.895 0.991 0.954 0.892 0.980 0.964
"""
# printed total of updates, share that warms up, printed warm-up
UPDATES = """
generative, 1024 tokens      | 4974  0.03 149
discriminative, 4 sentences  | 30888 0.06 1853
discriminative, 8 sentences  | 18180 0.06 1090
discriminative, 16 sentences | 16254 0.06 975
"""
# candidates of an example of Tables 6 and 10 that are gold, by rank, and what follows
LISTS = {
    "Table 6, discriminative": ((1, 2, 3), 1.0),
    "Table 6, generative": ((1, 2, 4), 0.916667),
    "Table 10, Chicago and London, generative": ((1, 5, 10), 0.566667),
    "Table 10, Microsoft and Sony": ((1, 2), 1.0),
}
RELATIONS = (
    ("frequency", "random", "0.570", "0.222"), ("logistic regression", "frequency", "0.700", "0.570"),
    ("generative BART", "pre-trained BART", "0.701", "0.389"),
    ("discriminative BART", "generative BART", "0.895", "0.701"),
)  # fmt: skip


def tesa(folder: Path) -> list[Cell]:
    """Return sums and shares of the tables, the split, training updates, and the random row with its expectation."""
    return list(arithmetic([*sizes(), *split(), *updates(), *chance(), *rows()]))


def sizes() -> Iterator[Cell]:
    counts = {name: [int(value) for value in values] for name, values in read_rows(TABLE_2)}
    types = [values for name, values in counts.items() if name != "all"]
    columns = ("tuples", "unique tuples", "phrases", "unique phrases")
    for place, column in enumerate(columns):
        total = sum(values[place] for values in types)
        printed = str(counts["all"][place])
        if column == "unique phrases":  # some phrases are gold for two types
            yield cell("Table 2", "all", column, None, float(total), f"sum over types; {printed} are different")
        else:
            yield cell("Table 2", "all", column, printed, float(total), "sum over types")
    distinct = sum(gold * count for gold, count in GOLD.items()) / sum(GOLD.values())
    yield cell("Table 2", "all", "gold phrases an instance", "2.70", distinct, "different ones, from their counts")
    yield cell("Section 3", "all", "instances", "1718", float(sum(GOLD.values())), "sum over numbers of gold phrases")


def split() -> Iterator[Cell]:
    """Yield the split: a quarter each for test and validation (half to even), the rest for training."""
    quarter = round(0.25 * 1718)
    parts = {"train": (1718 - 2 * quarter, "858", "20592"), "validation": (quarter, "430", "10320"),
             "test": (quarter, "430", "10320")}  # fmt: skip
    for name, (count, instances, candidates) in parts.items():
        yield cell("Section 4", name, "instances", instances, float(count), "of 1,718, two to one to one")
        yield cell("Section 4", name, "candidates", candidates, float(SIZE * count), "24 each")
    for name, unseen, printed in (("validation", 125, "29"), ("test", 128, "30")):
        yield cell(
            "Section 4", name, "no entity seen in training, %", printed, 100 * unseen / quarter, f"{unseen} of 430"
        )


def updates() -> Iterator[Cell]:
    for row, (total, share, warm) in read_rows(UPDATES):
        computed = float(math.floor(float(share) * int(total)))
        yield cell("Appendix D", row, "warm-up", warm, computed, f"{share} of {total}, cut off")
    each = 858 * SIZE / 4
    yield cell(
        "Appendix D", "discriminative, 4 sentences", "updates", "30888", 6 * each, "six epochs of all candidates"
    )
    note = "375 is one epoch: its warm-up of 67 is 3 % of 2,250, which are six"
    yield cell("Appendix D", "generative, 2048 tokens", "updates", "375", 6.0 * 375, note)
    yield cell(
        "Appendix D", "generative, 2048 tokens", "warm-up", "67", float(math.floor(0.03 * 6 * 375)), "3 % of 2,250"
    )


def chance() -> Iterator[Cell]:
    """Yield the expectation of random rankings, and whether the printed rows are within its 95 % range."""
    total = sum(GOLD.values())
    means = {
        "MAP": sum(n * chance_average_precision(g, SIZE) for g, n in GOLD.items()) / total,
        "R@10": 10 / SIZE,
        "MRR": sum(n * chance_reciprocal_rank(g, SIZE) for g, n in GOLD.items()) / total,
    }
    deviations = {"MAP": 0.1507, "R@10": 0.3082, "MRR": 0.2847}
    for part, printed in RANDOM.items():
        for (name, mean), value in zip(means.items(), printed, strict=True):
            reach = 1.96 * deviations[name] / math.sqrt(TESTED)
            band = f"{mean:.3f} expected, 95 % from {mean - reach:.3f} to {mean + reach:.3f}"
            inside = abs(float(value) - mean) <= reach
            yield statement("Table 4 and 14, random", f"{part} {name} {value} is within chance", band, inside)


def rows() -> Iterator[Cell]:
    """Yield rows that require the licensed data, claimed orders, and lists with printed ranks."""
    for row, values in read_rows(TABLE_4):
        for place, value in enumerate(values):
            column = f"{'test' if place < 3 else 'validation'} {('MAP', 'R@10', 'MRR')[place % 3]}"
            yield cell("Table 4 and 14", row, column, value, None, "the data need a licence of the NYT corpus")
    error = 0.015
    for better, worse, high, low in RELATIONS:
        gap = float(high) - float(low)
        text = f"{better} is above {worse} in MAP by more than noise"
        yield statement("Section 6", text, f"{gap:.3f}, a standard error is at most {error}", gap > 2 * error)
    note = "generative BART and logistic regression are .001 apart"
    yield statement("Section 6", "they are comparable", "0.001, within noise", abs(0.701 - 0.700) < error, note)
    for name, (ranks, expected) in LISTS.items():
        computed = average_precision(ranks, len(ranks))
        yield cell("Printed lists", name, "average precision", None, computed, f"gold at {ranks}; by hand {expected}")
