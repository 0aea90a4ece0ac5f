"""Survey mode: papers coded by the items of the style-transfer review (one row a paper), and its tables."""

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
from assay.records.files import read_text
from assay.show.tables import Column, Content, Table
from assay.studies.scales import Scale, parse_scale

DIMENSIONS = {"style": "STYLE", "meaning": "MEANING", "fluency": "FLUENCY", "other": "OTHER"}
NEEDED = ("Key", "Paper", "Year", "Human annotation?")
CROWD = re.compile(r"\bAMT\b|turk|crowd|prolific|appen|figure.?eight", re.IGNORECASE)
KNOWN = re.compile(r"(?<!non-)(?<!non )\bexperts?\b|\bauthors?\b|linguist", re.IGNORECASE)
UNSAID = ("", "n/a", "not available", "none", "no")


@dataclass(frozen=True)
class Asked:
    """How one dimension was asked for."""

    criterion: str
    direct: bool
    relative: str
    """pairwise, ranking, best selection; empty for direct ratings."""
    scale: Scale | None
    lineage: str


@dataclass(frozen=True)
class Paper:
    """One coded paper."""

    key: str
    title: str
    year: str
    evaluated: bool
    annotators: str
    pay: bool
    quality: str
    """yes, remark (yes with a remark), or no."""
    available: str
    agreement: bool
    per_item: str
    sampling: str
    asked: dict[str, Asked]

    @property
    def crowd(self) -> str:
        if CROWD.search(self.annotators):
            return "crowd"
        return "not crowd" if KNOWN.search(self.annotators) else "unclear"


def read_papers(path: Path) -> list[Paper]:
    """A tab-separated sheet: a row of blocks, a row of columns, then one row a paper."""
    rows = list(csv.reader(io.StringIO(read_text(path)), delimiter="\t", quoting=csv.QUOTE_NONE))
    place = next((i for i, row in enumerate(rows[:5]) if row and row[0].strip() == "Key"), None)
    if place is None:
        raise AssayError(f"{path}: no row of columns that begins with Key; it needs {', '.join(NEEDED)}")
    names = [re.split(r"[<(|]", cell)[0].strip() for cell in rows[place]]
    lacks = [name for name in NEEDED if name not in names]
    if lacks:
        raise AssayError(f"{path}:{place + 1}: column '{lacks[0]}' is missing")
    blocks = _blocks(rows[place - 1] if place else [], names, path)
    papers = []
    for number, row in enumerate(rows[place + 1 :], place + 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            raise AssayError(f"{path}:{number}: {len(row)} cells under {len(names)} columns")
        papers.append(_paper([cell.strip() for cell in row], names, blocks))
    if not papers:
        raise AssayError(f"{path}: there is no paper in it")
    return papers


def _blocks(above: Sequence[str], names: Sequence[str], path: Path) -> dict[str, int]:
    """Where the columns of each dimension begin."""
    found = {}
    for dimension, word in DIMENSIONS.items():
        starts = [i for i, cell in enumerate(above) if cell.strip().upper().startswith(word) and names[i] == "Present"]
        if not starts:
            raise AssayError(f"{path}: no block {word} above the columns, beginning with Present")
        found[dimension] = starts[0]
    return found


def _paper(row: Sequence[str], names: Sequence[str], blocks: dict[str, int]) -> Paper:
    def cell(name: str) -> str:
        return row[names.index(name)] if name in names else ""

    asked = {}
    for dimension, start in blocks.items():
        present, criterion, absolute, relative, scale, _, lineage = row[start : start + 7]
        if _said(present) != "no":
            direct = _said(absolute) != "no" or absolute.lower() == "n/a"
            kind = "" if direct else relative.lower().replace("-", " ")
            source = lineage if lineage.lower() not in UNSAID else ""
            asked[dimension] = Asked(criterion, direct, kind, _scale(scale) if direct else None, source)
    return Paper(
        key=row[0], title=cell("Paper"), year=cell("Year"), evaluated=_said(cell("Human annotation?")) != "no",
        annotators=cell("Who are the annotators?"), pay=_said(cell("Annotators payment?")) == "yes",
        quality=_said(cell("Quality Control?")), available=_said(cell("Availability of annotations?")),
        agreement=_said(cell("IAA")) != "no", per_item=cell("# Annotations/instance"),
        sampling=cell("Sampling method").lower(), asked=asked,
    )  # fmt: skip


def _said(cell: str) -> str:
    plain = cell.strip().lower()
    return {"yes": "yes", "yes*": "remark"}.get(plain, "no")


def _scale(text: str) -> Scale | None:
    """What stands in brackets counts, whatever is remarked beside it."""
    found = re.search(r"[\[{].*[\]}]", text)
    inside = found[0].replace("{", "[").replace("}", "]") if found else text
    return parse_scale(inside)


def review(papers: Sequence[Paper]) -> dict[str, Any]:
    """All counts of the review."""
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
        "annotations_per_item": dict(Counter(_or_unsaid(paper.per_item) for paper in judged).most_common()),
        "sampling": dict(Counter(_or_unsaid(paper.sampling) for paper in judged).most_common()),
        "dimensions": {name: _dimension(papers, name) for name in DIMENSIONS},
        "keys": {
            "agreement": [paper.key for paper in judged if paper.agreement],
            "pay": [paper.key for paper in judged if paper.pay],
            "quality_control": [paper.key for paper in judged if paper.quality != "no"],
            "available": [paper.key for paper in judged if paper.available != "no"],
        },
    }


def _dimension(papers: Sequence[Paper], name: str) -> dict[str, Any]:
    asked = [paper.asked[name] for paper in papers if name in paper.asked]
    return {
        "direct": sum(each.direct for each in asked),
        "relative": sum(not each.direct for each in asked),
        "none": len(papers) - len(asked),
        "lineage": sum(bool(each.lineage) for each in asked),
        "scales": dict(Counter(each.scale.name for each in asked if each.scale).most_common()),
        "relative_types": dict(Counter(each.relative for each in asked if not each.direct).most_common()),
    }


def _or_unsaid(text: str) -> str:
    return "not said" if text.lower() in UNSAID else text


def _counts(values: Iterable[str], *wanted: str) -> dict[str, int]:
    found = Counter(values)
    return {name: found[name] for name in wanted}


def paper_tables(found: dict[str, Any]) -> list[Table]:
    """The review's counts for people."""
    judged = found["human_evaluation"]
    quality, available = found["quality_control"], found["available"]
    facts: list[tuple[str, int, int]] = [
        ("human evaluation", judged, found["papers"]),
        ("agreement reported", found["agreement"], judged),
        ("pay stated", found["pay"], judged),
        ("quality control", quality["yes"] + quality["remark"], judged),
        ("  among crowd papers", found["crowd_with_quality_control"], found["annotators"]["crowd"]),
        ("judgements available", available["yes"] + available["remark"], judged),
        *((f"annotators: {name}", count, judged) for name, count in found["annotators"].items()),
        *((f"sampling: {name}", count, judged) for name, count in found["sampling"].items()),
    ]
    rows: list[Sequence[Content]] = [
        [name, count, f"{100 * count / of:.0f} %" if of else None] for name, count, of in facts
    ]
    dimensions: list[Sequence[Content]] = [
        [name, each["direct"], each["relative"], each["none"], each["lineage"], _listed(each["scales"])]
        for name, each in found["dimensions"].items()
    ]
    heads = [Column("dimension", "left"), *map(Column, ("direct", "relative", "none", "lineage"))]
    return [
        Table.of(f"{found['papers']} papers", ["item", "papers", "share"], rows),
        Table([*heads, Column("scales", "left", fold=True)], dimensions, "How each dimension was asked for"),
    ]


def _listed(counts: dict[str, int]) -> str:
    return "; ".join(f"{name} {count}" for name, count in counts.items())
