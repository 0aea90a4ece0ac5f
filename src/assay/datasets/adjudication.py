"""Two or more annotators of the same texts: agreement on spans, disagreements to decide, and the adjudicated spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from assay.errors import AssayError
from assay.inputs.schema import Schema

Key = tuple[str, int, int]
"""Category, start and end of a span."""


@dataclass
class Adjudicated:
    records: list[dict[str, Any]] = field(default_factory=list)
    disagreements: list[dict[str, Any]] = field(default_factory=list)
    """Spans that not every annotator marked: `keep` is null until an adjudicator decides. Kept spans with different
    comments: `comment` is null."""
    agreed: int = 0
    kept: int = 0
    """Spans that a decision, or a majority, has kept."""
    single: int = 0
    """Documents that only one annotator has, whose spans are kept."""
    tied: int = 0
    """Comments that a majority does not decide; the first is kept."""


@dataclass(frozen=True)
class Decisions:
    """What an adjudicator decides, by document and span: whether to keep it, and its comment."""

    keep: Mapping[tuple[str, Key], bool] = field(default_factory=dict)
    comments: Mapping[tuple[str, Key], str] = field(default_factory=dict)


def by_document(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return the records of each document by annotator; all must have the same text."""
    documents: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        own = documents.setdefault(str(row.get("document", row["id"])), {})
        who = str(row.get("target", "0"))
        if who in own:
            raise AssayError(f"id {row['id']}: {who} annotated its document twice; adjudicate whole documents")
        other = next(iter(own.values()), None)
        if other is not None and other["text"] != row["text"]:
            raise AssayError(f"id {row['id']}: its text is not that of {other['id']}, of the same document")
        own[who] = row
    return documents


def adjudicate(
    rows: Iterable[Mapping[str, Any]], decisions: Decisions | None = None, majority: bool = False
) -> Adjudicated:
    """Keep the spans that all annotators of a document marked, and decide the others, and comments that differ.

    Args:
        rows: Standoff records of several annotators.
        decisions: What an adjudicator has decided.
        majority: Keep an undecided span if more than half of the annotators marked it, with its most frequent comment.
    """
    decided_on = decisions or Decisions()
    made = Adjudicated()
    for document, annotators in by_document(rows).items():
        marks: dict[Key, list[str]] = {}
        comments: dict[Key, dict[str, str]] = {}
        made.single += len(annotators) == 1
        for who, row in annotators.items():
            for span in row["spans"]:
                key = span["category"], span["start"], span["end"]
                marks.setdefault(key, []).append(who)
                comments.setdefault(key, {})[who] = span.get("comment") or ""
        kept: list[Key] = []
        text = str(next(iter(annotators.values()))["text"])
        for key, marked_by in marks.items():
            decided = decided_on.keep.get((document, key))
            if len(marked_by) == len(annotators):
                made.agreed += 1
                kept.append(key)
            elif decided is not None or majority:
                keep = 2 * len(marked_by) > len(annotators) if decided is None else decided
                made.kept += keep
                kept += [key] if keep else []
            else:
                name, start, end = key
                made.disagreements.append(
                    {"document": document, "category": name, "start": start, "end": end, "text": text[start:end],
                     "by": marked_by, "keep": None} | _open_comment(comments[key])
                )  # fmt: skip
        spans = []
        for key in sorted(kept, key=lambda key: (key[1], -key[2], key[0])):
            name, start, end = key
            span = {"category": name, "start": start, "end": end}
            written = Counter(one for one in comments[key].values() if one)
            chosen = decided_on.comments.get((document, key))
            if chosen is None and len(written) > 1 and not majority:
                made.disagreements.append(
                    {"document": document, **span, "text": text[start:end], "by": marks[key], "keep": True}
                    | _open_comment(comments[key])
                )  # fmt: skip
            elif chosen is None and written:
                (chosen, most), *others = written.most_common(2)
                made.tied += any(count == most for _, count in others)
            spans.append(span | ({"comment": chosen} if chosen else {}))
        made.records.append(
            {"id": document, "document": document, "target": "gold", "text": text, "spans": spans}
            | _fields(annotators.values())
        )
    return made


def _open_comment(comments: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a disagreement on a comment; empty if all that were written are the same."""
    differ = len({one for one in comments.values() if one}) > 1
    return {"comments": dict(comments), "comment": None} if differ else {}


def _fields(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the language and the source that records of one text state."""
    fields: dict[str, Any] = {}
    for row in rows:
        fields = {name: row[name] for name in ("language", "source") if row.get(name)} | fields
    return fields


def agreement(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return by category, and for `all`, the number of spans and pairwise F1 of exact and of overlapping spans."""
    counts: dict[str, list[int]] = {}
    for annotators in by_document(rows).values():
        for one, other in combinations(annotators.values(), 2):
            sides = [[(s["category"], s["start"], s["end"]) for s in row["spans"]] for row in (one, other)]
            for own, others in (sides, sides[::-1]):
                ends: dict[str, list[tuple[int, int]]] = {}
                for name, start, end in others:
                    ends.setdefault(name, []).append((start, end))
                known = set(others)
                for key in own:
                    overlaps = any(a < key[2] and key[1] < b for a, b in ends.get(key[0], ()))
                    for name in (key[0], "all"):
                        row = counts.setdefault(name, [0, 0, 0])
                        counts[name] = [row[0] + 1, row[1] + (key in known), row[2] + overlaps]
    return {
        name: {"spans": n, "exact_f1": exact / n, "overlap_f1": overlap / n}
        for name, (n, exact, overlap) in sorted(counts.items(), key=lambda item: item[0] == "all")
    }


def statements(rows: Iterable[Mapping[str, Any]], schema: Schema) -> tuple[list[dict[str, Any]], int]:
    """Return one record per statement, with the whole text as source, and the number of spans outside statements.

    A statement is a span of the category that encloses the others; a schema without one has whole texts.
    """
    made: list[dict[str, Any]] = []
    outside = 0
    for row in rows:
        spans = list(row["spans"])
        wholes = [(s["start"], s["end"]) for s in spans if s["category"] == schema.whole] if schema.whole else None
        places = [(0, len(row["text"]))] if wholes is None else wholes
        used = 0
        for number, (start, end) in enumerate(places):
            own = [span for span in spans if start <= span["start"] and span["end"] <= end]
            used += len(own)
            shifted = [{**span, "start": span["start"] - start, "end": span["end"] - start} for span in own]
            made.append(
                {"id": f"{row['id']}/{number}", "document": row["document"], "target": row["target"],
                 "text": row["text"][start:end], "source": row["text"], "spans": shifted} | _fields([row])
            )  # fmt: skip
        outside += max(0, len(spans) - used)
    return made, outside
