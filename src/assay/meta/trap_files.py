"""Readers of trap files and their documents: the format of assay, and that released with FRANK."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.challenges.traps import CONTROL, KINDS, Trap
from assay.datasets.record import Record, Report
from assay.datasets.sources import json_lines

CODES = {
    "F0": CONTROL, "F1": "negation", "F4": "foreign-sentence", "F5": "shuffle-words", "F6": "pronoun-swap",
}  # fmt: skip
"""Kinds of traps by their code in FRANK."""


def read_traps(path: Path) -> list[Trap]:
    """Read traps, one per line: `document`, `kind`, `text`, optional `original`; or `hash`, `code`, `text` (FRANK)."""
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
    """Read documents by id: examples with `source`, or texts of FRANK with `hash` and `article`."""
    return dict(Report("documents").checked(json_lines(path), _document))


def _document(record: Record) -> Iterator[tuple[str, str]]:
    if record.has("article"):
        yield record.text("hash"), record.text("article")
    else:
        yield record.text("id"), record.text("source")
