"""Equivalence classes from the spans of a corpus: list, propose, agree, freeze.

Experts work on a sheet with one span a line: spans with the same `class` are interchangeable, `-` excludes a span.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.inputs.schema import Schema
from assay.records.files import digest_of, read_text
from assay.records.types import Example
from assay.show import escape
from assay.text.english import stemmed_words, without_articles

EXCLUDED = "-"
COLUMNS = ("span", "count", "class", "example")


@dataclass(frozen=True)
class Listed:
    """A span with its frequency, a proposed class, and a statement that has it."""

    span: str
    count: int
    proposed: str
    example: str


def list_spans(examples: Sequence[Example], category: str, schema: Schema, part: str = "whole") -> list[Listed]:
    """Return the spans of a category by frequency, as the evaluation matches them.

    Args:
        examples: Marked targets.
        category: The category.
        schema: Its schema.
        part: `text` before the comment, the `comment`, or the `whole` span.

    Raises:
        AssayError: The schema has no such category, or no target has such a span.
    """
    if category not in schema.names:
        raise AssayError(f"{category}: no category of the schema {schema.name}, which has {', '.join(schema.names)}")
    start, end = schema.start(category), schema.end(category)
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for statement in (one for example in examples for target in example.references for one in target.split("<sent>")):
        for piece in " ".join(statement.split()).split(start)[1:]:
            inside, closed, _ = piece.partition(end)
            text = _part(inside.strip(), part) if closed else ""
            if text:
                counts[text] += 1
                first.setdefault(text, schema.without_markers(statement))
    if not counts:
        raise AssayError(f"no target has a span of {category}" + (f" with a {part}" if part != "whole" else ""))
    heads: dict[str, str] = {}
    return [
        Listed(span, count, heads.setdefault(_normal_form(span), span), first[span])
        for span, count in counts.most_common()
    ]


def _part(span: str, part: str) -> str:
    if part == "whole":
        return span
    before, bracket, rest = span.partition("(")
    if not bracket:
        return ""
    return before.strip() if part == "text" else rest.partition(")")[0].strip()


def _normal_form(span: str) -> str:
    """Return the stems of a span without articles, in order: spans with the same form are proposed as one class."""
    return " ".join(stemmed_words(without_articles(span))) or span.lower()


def propose_by_vectors(
    listed: Sequence[Listed], vectors: Callable[[list[str]], Sequence[Any]], threshold: float
) -> list[Listed]:
    """Merge proposed classes whose heads are similar: each joins the most frequent one above the threshold."""
    heads = list(dict.fromkeys(one.proposed for one in listed))
    of = dict(zip(heads, vectors(heads), strict=True))
    leaders: list[str] = []
    joined: dict[str, str] = {}
    for head in heads:
        near = [(float(of[head] @ of[leader]), -place) for place, leader in enumerate(leaders)]
        best = max(near, default=(-1.0, 0))
        if best[0] >= threshold:
            joined[head] = leaders[-best[1]]
        else:
            leaders.append(head)
            joined[head] = head
    return [Listed(one.span, one.count, joined[one.proposed], one.example) for one in listed]


def sheet_csv(listed: Sequence[Listed]) -> str:
    """Return the sheet of an expert as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*map(escape.csv, (one.span, one.count, one.proposed)), escape.csv(one.example)) for one in listed)
    return stream.getvalue()


def read_sheet(path: Path) -> dict[str, str]:
    """Return the class of each span of a sheet.

    Raises:
        AssayError: A column or a class is missing, or a span is listed twice.
    """
    rows = list(csv.DictReader(io.StringIO(read_text(path))))
    if not rows or not {"span", "class"} <= rows[0].keys():
        raise AssayError(f"{path}: no columns span and class; write a sheet with `assay data markup spans`")
    classes: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        span, name = _unescaped(row["span"]), _unescaped((row["class"] or "").strip())
        if not name:
            raise AssayError(f"{path}:{number}: {span[:40]!r} has no class; name one, or exclude it with -")
        if span in classes:
            raise AssayError(f"{path}:{number}: {span[:40]!r} is listed twice; keep one line")
        classes[span] = name
    return classes


def _unescaped(cell: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from reading it as a formula."""
    return cell[1:] if cell.startswith("'") and escape.csv(cell[1:]) == cell else cell


@dataclass(frozen=True)
class Agreement:
    """How far two experts put the same spans together."""

    spans: int
    """Spans that both have classified."""
    rand: float | None
    """Adjusted Rand index; None if it is not defined."""
    f1: float | None
    """F1 of pairs of spans that are in one class."""
    excluded: float
    """Share of spans that both exclude or both keep."""
    disputed: tuple[str, ...]
    """Spans of pairs that only one expert puts together."""
    pairs: int
    """Number of these pairs."""


def agreement(one: Mapping[str, str], other: Mapping[str, str]) -> Agreement:
    """Compare the classes of two experts, whatever their names; excluded spans are compared apart."""
    shared = [span for span in one if span in other]
    if not shared:
        raise AssayError("the sheets have no span in common; give sheets of the same spans")
    same = sum((one[span] == EXCLUDED) == (other[span] == EXCLUDED) for span in shared)
    kept = [span for span in shared if EXCLUDED not in (one[span], other[span])]
    sizes = [Counter(each[span] for span in kept) for each in (one, other)]
    both = Counter((one[span], other[span]) for span in kept)

    def pairs(counts: Mapping[Any, int]) -> int:
        return sum(n * (n - 1) // 2 for n in counts.values())

    a, b, common, total = pairs(sizes[0]), pairs(sizes[1]), pairs(both), len(kept) * (len(kept) - 1) // 2
    expected = a * b / total if total else 0.0
    highest = (a + b) / 2
    rand = (common - expected) / (highest - expected) if highest != expected else None
    disputed = tuple(
        span
        for span in kept
        if not sizes[0][one[span]] == sizes[1][other[span]] == both[one[span], other[span]]
    )  # fmt: skip
    f1 = 2 * common / (a + b) if a + b else None
    return Agreement(len(shared), rand, f1, same / len(shared), disputed, a + b - 2 * common)


def frozen(classes: Mapping[str, str], evaluation: str, category: str, part: str) -> dict[str, Any]:
    """Return an evaluation of a class file, with names and a version: the digest of its content.

    Raises:
        AssayError: There are fewer than two classes.
    """
    members: dict[str, list[str]] = {}
    for span, name in classes.items():
        if name != EXCLUDED:
            members.setdefault(name, []).append(span)
    if len(members) < 2:
        raise AssayError(f"evaluation {evaluation}: {len(members)} classes; a choice needs at least two")
    made = {
        "evaluation": evaluation, "annotation": category, "part": part, "class_names": list(members),
        "equivalence_classes": list(members.values()),
    }  # fmt: skip
    return made | {"version": digest_of(made)[:12]}
