"""Human evaluation of style transfer (Briakou et al., 2021): counts of the released sheet of coded papers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.meta.reproduce.cells import Cell, cell, read_rows, require_files, statement
from assay.meta.review_papers import NOT_STATED, Paper, read_papers, review
from assay.meta.review_years import by_year, coverage, draw_review

YEARS = ("2011", "2012", "2016", "2017", "2018", "2019", "2020", "2021")
TABLE_3 = """
anonymization     | - - - - 1 - - - 1
attractiveness    | - - - 1 - - 1 - 2
author imitation  | - 1 - 2 2 1 5 - 11
debiasing         | - - - - - - 2 - 2
social register   | - - - - 1 - - - 1
expertise         | - - - - - - 1 - 1
formality         | 1 - - - 1 9 10 3 24
gender            | - - 1 - 2 3 - - 6
political slant   | - - - - 2 1 1 - 4
sentiment         | - - - 4 14 14 18 3 53
romantic/humorous | - - - - 2 1 1 - 4
simile            | - - - - - - 1 - 1
excitement        | - - - - - - 1 - 1
profanity         | - - - - - - 1 - 1
poeticness        | - - - - - - 1 - 1
emotion           | - - - - - - 1 - 1
prose             | - - - 1 1 - - - 2
offensive language | - - - - 1 - 1 - 2
multiple          | - - - - - 1 1 - 2
persona           | - - 1 - - 1 1 - 3
politeness        | - - - - 1 - 1 - 2
"""
TABLE_6 = """
style   | 40 12 45
meaning | 45 9 43
fluency | 45 6 46
"""
MEANING = """
direct   | - 1 - - 12 10 18 4
relative | - - - 1 - 4 4 -
none     | 1 - 2 7 8 11 14 -
"""
SCALES = """
1..5  | 19 25 26
-3..3 | 3 - -
-2..2 | 1 1 -
0..2  | 2 6 3
1..3  | 2 1 2
1..4  | - 1 4
0..4  | - - 1
0..5  | 1 1 1
1..6  | - 4 1
1..10 | 2 3 2
"""
RELATIVE = """
best selection | ? 3 1
pairwise       | 7 3 4
ranking        | 2 3 1
"""
DIMENSIONS = ("style", "meaning", "fluency")
EVALUATED = {"style": "52", "meaning": "54", "fluency": "51"}
WORDS = "attributes are recognised by the words of the sheet's tasks; the authors' own assignment is not released"
SHEET = "the released sheet codes a paper differently from the printed count"
CROWDS = "one of the eight papers with quality control did not use a crowd"


def style_transfer(folder: Path) -> list[Cell]:
    """Return the counts of the text and of Tables 3, 4 and 6 to 9."""
    (sheet,) = require_files(folder / "style_review", "metadata.tsv")
    papers = read_papers(sheet)
    counts, years = review(papers), by_year(papers)
    return [
        *headline(papers, counts), *table_3(years["attributes"]), *table_6(counts, years), *scales(counts),
    ]  # fmt: skip


def style_transfer_figures(folder: Path, into: Path, form: str) -> list[Path]:
    """Draw Figures 1 and 2: papers by dimension, elicitation by year and lineage by year."""
    return draw_review(read_papers(*require_files(folder / "style_review", "metadata.tsv")), into, form)


def headline(papers: Sequence[Paper], counts: dict[str, Any]) -> Iterator[Cell]:
    """Yield the counts and shares of the text, and Table 4."""
    judged, crowd = counts["human_evaluation"], counts["annotators"]
    kept = sum(counts["quality_control"].values())
    covered = coverage(papers)
    numbers = {
        "papers": ("97", counts["papers"]), "with human evaluation": ("69", judged),
        "with human evaluation, %": ("71", 100 * judged / counts["papers"]),
        **{f"evaluate {name}": (text, covered[name]) for name, text in EVALUATED.items()},
        "attributes": ("21", len(by_year(papers)["attributes"])),
        "agreement reported, %": ("20", 100 * counts["agreement"] / judged),
        "annotations released": ("4", sum(counts["available"].values())),
        "compensation stated": ("2", counts["pay"]),
        "annotations per instance unstated, %": ("42", 100 * counts["annotations_per_item"][NOT_STATED] / judged),
        "sampling random, %": ("62", 100 * _sampled(papers, "random") / judged),
        "sampling unstated, %": ("25", 100 * _sampled(papers, "not available") / judged),
        "lineage of style, %": ("19", 100 * counts["dimensions"]["style"]["lineage"] / judged),
    }  # fmt: skip
    for row, (printed, value) in numbers.items():
        yield cell("Text", row, "papers", printed, value)
    usual = Counter(paper.per_item for paper in papers if paper.per_item.isdigit()).most_common(1)[0][0]
    yield statement("Text", "3 annotations per instance are the mode", f"mode {usual}", usual == "3")
    for name in ("meaning", "fluency"):
        own = counts["dimensions"][name]
        share = 1 - own["lineage"] / (own["direct"] + own["relative"])
        yield statement("Text", f"over half name no lineage ({name})", f"{100 * share:.0f} %", share > 0.5)
    for row, printed, value in (
        ("crowd", "26", crowd["crowd"]), ("crowd, %", "38", 100 * crowd["crowd"] / judged),
        ("not crowd", "12", crowd["not crowd"]), ("not crowd, %", "17", 100 * crowd["not crowd"] / judged),
        ("unclear", "31", crowd["unclear"]), ("unclear, %", "45", 100 * crowd["unclear"] / judged),
        ("plain AMT", "18", crowd["crowd"] - kept),
    ):  # fmt: skip
        yield cell("Table 4", row, "papers", printed, value)
    matches = counts["crowd_with_quality_control"]
    yield cell("Table 4", "quality control", "crowd papers", "8", matches, "" if matches == 8 else CROWDS)


def _sampled(papers: Sequence[Paper], word: str) -> int:
    """Return the number of evaluated papers with this sampling."""
    return sum(paper.evaluated and paper.sampling == word for paper in papers)


def table_3(matches: dict[str, dict[str, int]]) -> Iterator[Cell]:
    """Yield attributes by year; a blank cell is shown if the sheet has papers for it."""
    for row, printed in read_rows(TABLE_3):
        years = matches.get(row, {})
        values = [*(years.get(year, 0) for year in YEARS), sum(years.values())]
        yield from _counted("Table 3", row, (*YEARS, "all"), printed, values, WORDS)


def table_6(counts: dict[str, Any], years: dict[str, Any]) -> Iterator[Cell]:
    """Yield direct, relative and no judgements of each dimension; by year for meaning, whose printed cells add up."""
    kinds = ("direct", "relative", "none")
    for row, printed in read_rows(TABLE_6):
        values = [counts["dimensions"][row][kind] for kind in kinds]
        yield from _counted("Table 6", row, kinds, printed, values, SHEET)
    for row, printed in read_rows(MEANING):
        values = [years["dimensions"]["meaning"][row].get(year, 0) for year in YEARS]
        yield from _counted("Table 6", f"meaning, {row}", YEARS, printed, values, SHEET)


def scales(counts: dict[str, Any]) -> Iterator[Cell]:
    """Yield response scales and types of relative judgements."""
    dimensions = counts["dimensions"]
    for row, printed in read_rows(SCALES):
        values = [dimensions[name]["scales"].get(row, 0) for name in DIMENSIONS]
        yield from _counted("Tables 7-9", row, DIMENSIONS, printed, values, SHEET)
    for row, printed in read_rows(RELATIVE):
        values = [dimensions[name]["relative_types"].get(row, 0) for name in DIMENSIONS]
        yield from _counted("Tables 7-9", row, DIMENSIONS, printed, values, SHEET)


def _counted(
    table: str, row: str, columns: Sequence[str], printed: Sequence[str], values: Sequence[int], why: str
) -> Iterator[Cell]:
    """Yield cells of counts; blank cells without papers are left out, and an unreadable one (`?`) has no verdict."""
    for column, text, value in zip(columns, printed, values, strict=True):
        if text == "?":
            yield Cell(table, row, column, None, float(value), None, "the printed count is not readable")
            continue
        wanted = 0 if re.fullmatch("-", text) else int(text)
        if wanted or value:
            yield Cell(table, row, column, float(wanted), float(value), wanted == value, "" if wanted == value else why)
