"""Files of traps and of their documents: ours, and those released with FRANK."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.challenges.traps import CONTROL, KINDS, Trap
from assay.datasets.record import Record, Report
from assay.datasets.sources import json_lines

CODES = {
    "F0": CONTROL, "F1": "negation", "F4": "foreign-sentence", "F5": "shuffle-words", "F6": "pronoun-swap",
}  # fmt: skip
"""What FRANK calls its traps."""


def read_traps(path: Path) -> list[Trap]:
    """One a line: `document`, `kind`, `text` and perhaps `original`; or FRANK's `hash`, `code`, `text`."""
    return list(Report("traps").checked(json_lines(path), lambda record: [_trap(record)]))


def _trap(record: Record) -> Trap:
    if record.has("code"):
        kind, document = CODES[record.choice("code", tuple(CODES))], record.text("hash")
    else:
        kind, document = record.choice("kind", tuple(KINDS)), record.text("document")
    return Trap(
        id=record.text("id") if record.has("id") else f"{document}/{record.index}", document=document, kind=kind,
        text=record.text("text"), original=record.optional("original") or None, value=int(kind == CONTROL),
        error=KINDS[kind], language=record.optional("language") or None,
    )  # fmt: skip


def read_documents(path: Path) -> dict[str, str]:
    """Documents by id: examples with `source`, or FRANK's texts with `hash` and `article`, where one stands often."""
    return dict(Report("documents").checked(json_lines(path), _document))


def _document(record: Record) -> Iterator[tuple[str, str]]:
    if record.has("article"):
        yield record.text("hash"), record.text("article")
    else:
        yield record.text("id"), record.text("source")
