"""Coded papers by year: attributes, elicitation and lineage of each dimension, as tables and figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.meta.review_papers import DIMENSIONS, Paper
from assay.show.canvas import save_as
from assay.show.figures import bars, stacked
from assay.show.tables import Column, Content, Table

ATTRIBUTES = {
    "anonymization": "anonymi", "attractiveness": "attractive",
    "author imitation": r"author(?! gender)|writing style|shakespear|publisher", "debiasing": "bias",
    "social register": "register", "expertise": "expertise", "formality": "formality|readability",
    "gender": "gender", "political slant": "politic", "sentiment": "sent(i)?ment",
    "romantic/humorous": "romantic|romance|humor", "simile": "simile", "excitement": "excitement",
    "profanity": "profanity", "poeticness": "poetic", "emotion": "emotion", "prose": r"\bprose\b|bible",
    "offensive language": "offensive", "multiple": "multiple", "persona": "persona", "politeness": "polite",
}  # fmt: skip
"""Attributes of style, with the words of a task that name them."""


def attributes(task: str) -> list[str]:
    """Return the attributes that a task names; a paper may study several."""
    return [name for name, words in ATTRIBUTES.items() if re.search(words, task, re.IGNORECASE)]


def by_year(papers: Sequence[Paper]) -> dict[str, Any]:
    """Return counts by year of attributes, and of elicitation and lineage of each dimension."""
    counted = Counter((name, paper.year) for paper in papers for name in attributes(paper.task))
    dimensions: dict[str, dict[str, dict[str, int]]] = {}
    for name in DIMENSIONS:
        counts = {kind: Counter[str]() for kind in ("direct", "relative", "none", "lineage")}
        for paper in papers:
            elicited = paper.dimensions.get(name)
            kind = "none" if elicited is None else "direct" if elicited.direct else "relative"
            counts[kind][paper.year] += 1
            counts["lineage"][paper.year] += bool(elicited and elicited.lineage)
        dimensions[name] = {kind: {year: n for year, n in sorted(each.items()) if n} for kind, each in counts.items()}
    named = {name: {year: n for (one, year), n in sorted(counted.items()) if one == name} for name in ATTRIBUTES}
    return {"attributes": {name: years for name, years in named.items() if years}, "dimensions": dimensions}


def coverage(papers: Sequence[Paper]) -> dict[str, int]:
    """Return how many papers evaluate each dimension, all of the first three, and any of them."""
    three = tuple(DIMENSIONS)[:3]
    counts = {name: sum(name in paper.dimensions for paper in papers) for name in DIMENSIONS}
    every = sum(all(name in paper.dimensions for name in three) for paper in papers)
    return counts | {"all three": every, "any": sum(any(name in p.dimensions for name in three) for p in papers)}


def year_tables(counts: dict[str, Any], years: Sequence[str]) -> list[Table]:
    """Return the tables by year."""
    heads = [*map(Column, years), Column("all")]

    def row(name: str, of: dict[str, int]) -> list[Content]:
        return [name, *(of.get(year) for year in years), sum(of.values())]

    tables = []
    if counts["attributes"]:
        rows = [row(name, of) for name, of in counts["attributes"].items()]
        total = Counter({year: sum(of.get(year, 0) for of in counts["attributes"].values()) for year in years})
        tables.append(Table([Column("attribute", "left"), *heads], [*rows, row("all", total)], "Attributes by year"))
    kinds = [row(f"{name}: {kind}", of) for name, each in counts["dimensions"].items() for kind, of in each.items()]
    tables.append(Table([Column("dimension", "left"), *heads], kinds, "Elicitation and lineage by year"))
    return tables


def draw_review(papers: Sequence[Paper], into: Path, form: str) -> list[Path]:
    """Draw papers by dimension, and elicitation and lineage of each dimension by year."""
    years = sorted({paper.year for paper in papers})
    counts = by_year(papers)["dimensions"]
    covered = coverage(papers)
    paths = [save_as(bars(list(covered), {"papers": list(covered.values())}, y="papers"), into, "dimensions", form)]
    for name in tuple(DIMENSIONS)[:3]:
        parts = {kind: [float(counts[name][kind].get(year, 0)) for year in years] for kind in ("direct", "relative")}
        paths.append(save_as(stacked(years, parts, y=f"papers ({name})"), into, f"elicitation-{name}", form))
    cited = {name: [float(counts[name]["lineage"].get(year, 0)) for year in years] for name in tuple(DIMENSIONS)[:3]}
    return [*paths, save_as(bars(years, cited, y="papers that name a lineage"), into, "lineage", form)]
