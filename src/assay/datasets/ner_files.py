"""Entities of a corpus from any named-entity recognizer: CoNLL columns, spaCy's JSON, or an extractor trained here.

Mentions with the same words and type are one entity. Labels that are no entity type are counted and left out: a
recognizer also marks dates and numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.datasets.record import Record, Report
from assay.datasets.sources import json_lines, text_lines
from assay.errors import AssayError
from assay.inputs.entity_types import TESA, EntityTypes

DOCUMENT = "-DOCSTART-"


@dataclass
class Recognized:
    """Documents with entities, as `assay data entities extract` reads them, and counts of labels left out."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, id: str, text: str, title: str, spans: Iterable[tuple[int, int, str]], types: EntityTypes) -> None:
        """Add a document; spans are start, end and label."""
        entities: dict[tuple[str, str], dict[str, Any]] = {}
        for start, end, label in spans:
            kind = types.key(label)
            if kind is None:
                self.left_out[label] += 1
                continue
            name = " ".join(text[start:end].split())
            entity = entities.setdefault((name.lower(), kind), {"name": name, "type": kind, "mentions": []})
            entity["mentions"].append(start)
        row: dict[str, Any] = {"id": id, "text": text, "entities": list(entities.values())}
        self.documents.append(row | ({"title": title} if title else {}))


def read_spacy(path: Path, types: EntityTypes = TESA) -> Recognized:
    """Read documents of spaCy's `Doc.to_json`, one per line: text, ents (start, end, label), optional id, title."""
    made = Recognized()
    records = Report("spacy").checked(json_lines(path), lambda record: [_spacy(record)])
    for number, (id, text, title, spans) in enumerate(records):
        made.add(id or str(number), text, title, spans, types)
    return made


def _spacy(record: Record) -> tuple[str, str, str, list[tuple[int, int, str]]]:
    text = record.text("text")
    return record.optional("id"), text, record.optional("title"), [_span(one, text) for one in record.items("ents")]


def _span(record: Record, text: str) -> tuple[int, int, str]:
    start, end = record.whole("start"), record.whole("end")
    if not 0 <= start < end <= len(text):
        raise record.bad("start", f"and end {start}-{end} are outside the text of {len(text)} characters")
    return start, end, record.text("label")


def read_conll(path: Path, types: EntityTypes = TESA) -> Recognized:
    """Read a file of one token per line, its word first and its tag (B-PER, I-PER, O; BIOES too) last.

    An empty line ends a sentence; a line `-DOCSTART-` or `# newdoc id = NAME` starts a document.
    """
    made = Recognized()
    document = _Document(path.stem if path.stem else "document")
    number = 0
    for line in text_lines(path):
        if line.problem:
            raise AssayError(f"{path} {line.where}: {line.problem}")
        text = (line.value or "").strip()
        if text.startswith((DOCUMENT, "# newdoc")):
            document.into(made, types)
            number += 1
            document = _Document(text.partition("=")[2].strip() or f"{path.stem}-{number}")
        elif text and not text.startswith("#"):
            columns = text.split()
            tag = columns[-1]
            if len(columns) < 2 or not (tag == "O" or tag[1:2] == "-"):
                raise AssayError(f"{path} {line.where}: {text[:40]!r} is not a word and a tag such as B-PER or O")
            document.token(columns[0], tag)
        elif not text:
            document.token("", "O")
    document.into(made, types)
    return made


class _Document:
    """Tokens of one document, joined by spaces, and its spans."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.text = ""
        self.spans: list[tuple[int, int, str]] = []
        self.open: tuple[int, str] | None = None

    def token(self, word: str, tag: str) -> None:
        kind, label = (tag[0], tag[2:]) if tag != "O" else ("O", "")
        if self.open and (kind not in "IE" or label != self.open[1]):
            self.spans.append((self.open[0], len(self.text), self.open[1]))
            self.open = None
        if not word:
            return
        glue = "" if not self.text or word in (".", ",", ";", ":", "?", "!", "'s") else " "
        start = len(self.text) + len(glue)
        self.text += glue + word
        if kind != "O" and self.open is None:
            self.open = start, label

    def into(self, made: Recognized, types: EntityTypes) -> None:
        self.token("", "O")
        if self.text:
            made.add(self.id, self.text, "", self.spans, types)


def read_texts(rows: Iterable[tuple[str, str]], folder: str, types: EntityTypes = TESA) -> Recognized:
    """Find the entities of plain texts with an extractor whose labels are entity types."""
    from assay.models.context import Context
    from assay.models.extractor import Extractor

    listed: Sequence[tuple[str, str]] = list(rows)
    made = Recognized()
    spans_of = Extractor(folder).extract([text for _, text in listed], Context())
    for (id, text), spans in zip(listed, spans_of, strict=True):
        made.add(id, text, "", _inside(spans), types)
    return made


def _inside(spans: Iterable[Any]) -> Iterator[tuple[int, int, str]]:
    return ((span.start, span.end, span.label) for span in spans if span.start >= 0)
