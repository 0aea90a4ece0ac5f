"""Review of papers coded by the items of the style-transfer review, one row per paper."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.meta.scales import Scale, parse_scale
from assay.records.files import read_text
from assay.show.tables import Column, Content, Table

DIMENSIONS = {"style": "STYLE", "meaning": "MEANING", "fluency": "FLUENCY", "other": "OTHER"}
NEEDED = ("Key", "Paper", "Year", "Human annotation?")
CROWD = re.compile(r"\bAMT\b|turk|crowd|prolific|appen|figure.?eight", re.IGNORECASE)
KNOWN = re.compile(r"(?<!non-)(?<!non )\bexperts?\b|\bauthors?\b|linguist", re.IGNORECASE)
NOT_STATED = "not said"
"""Key of the counts for papers that do not state an item."""
UNSTATED = ("", "n/a", "not available", "none", "no")


@dataclass(frozen=True)
class Elicitation:
    """How one dimension was elicited."""

    criterion: str
    direct: bool
    relative: str
    """pairwise, ranking or best selection; empty for direct ratings."""
    scale: Scale | None
    lineage: str


@dataclass(frozen=True)
class Paper:
    """One coded paper."""

    key: str
    title: str
    year: str
    task: str
    evaluated: bool
    annotators: str
    pay: bool
    quality: str
    """yes, remark (yes, with a remark), or no."""
    available: str
    agreement: bool
    per_item: str
    sampling: str
    dimensions: dict[str, Elicitation]

    @property
    def crowd(self) -> str:
        """Whether annotators are crowd workers: crowd, not crowd or unclear."""
        if CROWD.search(self.annotators):
            return "crowd"
        return "not crowd" if KNOWN.search(self.annotators) else "unclear"


def read_papers(path: Path) -> list[Paper]:
    """Read a tab-separated sheet: a row of blocks, a row of column names, then one row per paper."""
    rows = list(csv.reader(io.StringIO(read_text(path)), delimiter="\t", quoting=csv.QUOTE_NONE))
    header = next((i for i, row in enumerate(rows[:5]) if row and row[0].strip() == "Key"), None)
    if header is None:
        raise AssayError(f"{path}: no header row that starts with Key; required columns: {', '.join(NEEDED)}")
    names = [re.split(r"[<(|]", cell)[0].strip() for cell in rows[header]]
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise AssayError(f"{path}:{header + 1}: column '{missing[0]}' is missing")
    blocks = _blocks(rows[header - 1] if header else [], names, path)
    papers = []
    for number, row in enumerate(rows[header + 1 :], header + 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            raise AssayError(f"{path}:{number}: {len(row)} cells, but {len(names)} columns")
        papers.append(_paper([cell.strip() for cell in row], names, blocks))
    if not papers:
        raise AssayError(f"{path}: no papers")
    return papers


def _blocks(above: Sequence[str], names: Sequence[str], path: Path) -> dict[str, int]:
    """Return the first column of each dimension."""
    blocks = {}
    for dimension, word in DIMENSIONS.items():
        starts = [i for i, cell in enumerate(above) if cell.strip().upper().startswith(word) and names[i] == "Present"]
        if not starts:
            raise AssayError(f"{path}: no block {word} above a column Present")
        blocks[dimension] = starts[0]
    return blocks


def _paper(row: Sequence[str], names: Sequence[str], blocks: dict[str, int]) -> Paper:
    def cell(name: str) -> str:
        return row[names.index(name)] if name in names else ""

    dimensions = {}
    for dimension, start in blocks.items():
        present, criterion, absolute, relative, scale, _, lineage = row[start : start + 7]
        if _yes_no(present) != "no":
            direct = _yes_no(absolute) != "no" or absolute.lower() == "n/a"
            kind = "" if direct else relative.lower().replace("-", " ")
            source = lineage if lineage.lower() not in UNSTATED else ""
            dimensions[dimension] = Elicitation(criterion, direct, kind, _scale(scale) if direct else None, source)
    return Paper(
        key=row[0], title=cell("Paper"), year=cell("Year"), task=cell("Task"),
        evaluated=_yes_no(cell("Human annotation?")) != "no",
        annotators=cell("Who are the annotators?"), pay=_yes_no(cell("Annotators payment?")) == "yes",
        quality=_yes_no(cell("Quality Control?")), available=_yes_no(cell("Availability of annotations?")),
        agreement=_yes_no(cell("IAA")) != "no", per_item=cell("# Annotations/instance"),
        sampling=cell("Sampling method").lower(), dimensions=dimensions,
    )  # fmt: skip


def _yes_no(cell: str) -> str:
    """Return yes, remark (`yes*`) or no."""
    plain = cell.strip().lower()
    return {"yes": "yes", "yes*": "remark"}.get(plain, "no")


def _scale(text: str) -> Scale | None:
    """Return the scale in brackets, without remarks around it."""
    plain = text.replace("{", "[").replace("}", "]")
    start, end = plain.find("["), plain.rfind("]")
    return parse_scale(plain[start : end + 1] if 0 <= start < end else text)


def review(papers: Sequence[Paper]) -> dict[str, Any]:
    """Return all counts of the review."""
    judged = [paper for paper in papers if paper.evaluated]
    crowd = [paper for paper in judged if paper.crowd == "crowd"]
    return {
        "papers": len(papers),
        "human_evaluation": len(judged),
        "years": dict(sorted(Counter(paper.year for paper in papers).items())),
        "annotators": _counts((paper.crowd for paper in judged), "crowd", "not crowd", "unclear"),
        "agreement": sum(paper.agreement for paper in judged),
        "pay": sum(paper.pay for paper in judged),
        "quality_control": _counts((paper.quality for paper in judged), "yes", "remark"),
        "crowd_with_quality_control": sum(paper.quality != "no" for paper in crowd),
        "available": _counts((paper.available for paper in judged), "yes", "remark"),
        "annotations_per_item": dict(Counter(_or_unstated(paper.per_item) for paper in judged).most_common()),
        "sampling": dict(Counter(_or_unstated(paper.sampling) for paper in judged).most_common()),
        "dimensions": {name: _dimension(papers, name) for name in DIMENSIONS},
        "keys": {
            "agreement": [paper.key for paper in judged if paper.agreement],
            "pay": [paper.key for paper in judged if paper.pay],
            "quality_control": [paper.key for paper in judged if paper.quality != "no"],
            "available": [paper.key for paper in judged if paper.available != "no"],
        },
    }


def _dimension(papers: Sequence[Paper], name: str) -> dict[str, Any]:
    elicited = [paper.dimensions[name] for paper in papers if name in paper.dimensions]
    return {
        "direct": sum(each.direct for each in elicited),
        "relative": sum(not each.direct for each in elicited),
        "none": len(papers) - len(elicited),
        "lineage": sum(bool(each.lineage) for each in elicited),
        "scales": dict(Counter(each.scale.name for each in elicited if each.scale).most_common()),
        "relative_types": dict(Counter(each.relative for each in elicited if not each.direct).most_common()),
    }


def _or_unstated(text: str) -> str:
    return NOT_STATED if text.lower() in UNSTATED else text


def _counts(values: Iterable[str], *wanted: str) -> dict[str, int]:
    counts = Counter(values)
    return {name: counts[name] for name in wanted}


def paper_tables(counts: dict[str, Any]) -> list[Table]:
    """Return the tables of a review."""
    judged = counts["human_evaluation"]
    quality, available = counts["quality_control"], counts["available"]
    facts: list[tuple[str, int, int]] = [
        ("human evaluation", judged, counts["papers"]),
        ("agreement reported", counts["agreement"], judged),
        ("pay stated", counts["pay"], judged),
        ("quality control", quality["yes"] + quality["remark"], judged),
        ("  among crowd papers", counts["crowd_with_quality_control"], counts["annotators"]["crowd"]),
        ("judgements available", available["yes"] + available["remark"], judged),
        *((f"annotators: {name}", count, judged) for name, count in counts["annotators"].items()),
        *(
            (f"sampling: {'not stated' if name == NOT_STATED else name}", count, judged)
            for name, count in counts["sampling"].items()
        ),
    ]
    rows: list[Sequence[Content]] = [
        [name, count, f"{100 * count / of:.0f} %" if of else None] for name, count, of in facts
    ]
    dimensions: list[Sequence[Content]] = [
        [name, each["direct"], each["relative"], each["none"], each["lineage"], _listed(each["scales"])]
        for name, each in counts["dimensions"].items()
    ]
    heads = [Column("dimension", "left"), *map(Column, ("direct", "relative", "none", "lineage"))]
    return [
        Table.of(f"{counts['papers']} papers", ["item", "papers", "share"], rows),
        Table([*heads, Column("scales", "left", fold=True)], dimensions, "Elicitation of each dimension"),
    ]


def _listed(counts: dict[str, int]) -> str:
    return "; ".join(f"{name} {count}" for name, count in counts.items())
