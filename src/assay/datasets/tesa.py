"""TESA: find a phrase for a group of named entities, evaluated as ranking of candidates.

The data require the NYT licence; the reader accepts the authors' CSV files as documented.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.tables import table_rows
from assay.datasets.tesa_phrases import annotation, gold
from assay.inputs.entity_types import TESA
from assay.records.kinds import Entities
from assay.records.types import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record, Report

TYPES = tuple(TESA.types)
COLUMNS = ("entities_type", "entities", "wiki_articles", "nyt_title", "nyt_context", "candidates", "labels")
CROWD_FILE = "dataset.csv"
CROWD_COLUMNS = ("entities_type", "entities", "answer_0", "answer_1", "answer_2", "title", "context")
TAG = re.compile(r"<[^<>]*>")
NO_BACKGROUND = "No information found."
LITERAL_LIMIT = 1_000_000
"""Maximum length of a cell; parsing a longer one could exhaust memory."""


class Tesa(Dataset):
    name: ClassVar = "tesa"
    patterns: ClassVar = {
        split: (f"ranking_task_{file}.csv", f"ranking_{file}.csv")
        for split, file in (("train", "train"), ("validation", "valid"), ("test", "test"))
    } | {"all": (CROWD_FILE,)}
    card: ClassVar = Card(
        title="TESA",
        task="ranking",
        goal="a noun phrase that fits all entities of a group in the context of an article",
        languages=("en",),
        sizes={"train": 858, "validation": 430, "test": 430},
        licence="NYT Annotated Corpus licence needed; ask the authors",
        references="2.7 gold phrases among 24 candidates",
        input_type="entity group",
        suite="ranking",
        source="https://github.com/clementjumel/tesa",
        files="ranking_task_train.csv, ranking_task_valid.csv, ranking_task_test.csv, or dataset.csv (all instances)",
        access="restricted: for holders of the NYT licence",
        notes=("the split is by instance: 70 % of the test instances share an entity with train",),
        citation="Jumel, Louis, Cheung: TESA: A Task in Entity Semantic Aggregation (2020)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        if file.path.name != CROWD_FILE:
            return super().read_file(file, report)
        rows = table_rows(file.path, CROWD_COLUMNS)
        return report.checked(rows, lambda record: self._annotated(record, report))

    def _annotated(self, record: Record, report: Report) -> Iterable[Example]:
        """Return an annotated instance; it is kept if at least two annotators gave a phrase."""
        answers = [_answers(record, f"answer_{i}") for i in range(3)]
        phrases = gold([annotation(answer) for answer in answers])
        if not phrases:
            report.drop("not aggregatable: fewer than two annotators gave a phrase")
            return
        entities = _texts(record, "entities")
        kind = record.choice("entities_type", TYPES)
        context = " ".join(TAG.sub(" ", record.text("context")).split())
        yield Example(
            id=gem_id(self.name, "all", record.index),
            references=tuple(phrases),
            source=context,
            input=Entities(
                type=kind,
                entities=entities,
                background=[""] * len(entities),
                title=record.optional("title"),
                context=context,
            ).plain(),
            language="en",
            split="all",
            tags={"type": kind, "size": str(len(entities)), "gold": str(len(phrases))},
        )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return table_rows(file.path, COLUMNS)

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        entities = _texts(record, "entities")
        background = [_background(text) for text in _literal(record, "wiki_articles", len(entities))]
        candidates = _texts(record, "candidates")
        labels = _literal(record, "labels", len(candidates))
        if not all(label in (0, 1) for label in labels):
            raise record.bad("labels", "contains values other than 0 and 1")
        gold = [candidate for candidate, label in zip(candidates, labels, strict=True) if label]
        if not gold:
            raise record.bad("labels", "marks no candidate as gold")
        kind = record.choice("entities_type", TYPES)
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            references=tuple(gold),
            source=record.text("nyt_context"),
            input=Entities(
                type=kind,
                entities=entities,
                background=background,
                title=record.text("nyt_title", empty=True),
                context=record.text("nyt_context"),
                candidates=candidates,
                labels=[int(label) for label in labels],
            ).plain(),
            language="en",
            split=file.split,
            tags={"type": kind, "size": str(len(entities)), "gold": str(len(gold))},
        )


def _literal(record: Record, name: str, length: int | None = None) -> list[Any]:
    """Parse a Python list of a cell as a literal, without evaluation."""
    text = record.text(name)
    if len(text) > LITERAL_LIMIT:
        raise record.bad(name, f"is longer than {LITERAL_LIMIT} characters")
    try:
        value = ast.literal_eval(text)
        json.dumps(value, ensure_ascii=False).encode()  # an escape may encode half of a character
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise record.bad(name, "is not a list in Python's notation") from None
    if not isinstance(value, list | tuple):
        raise record.bad(name, "is not a list")
    if length is not None and len(value) != length:
        raise record.bad(name, f"has {len(value)} entries for {length}")
    return list(value)


def _texts(record: Record, name: str) -> list[str]:
    values = _literal(record, name)
    if not values or not all(isinstance(value, str) and value for value in values):
        raise record.bad(name, "is not a list of phrases")
    return values


def _answers(record: Record, name: str) -> list[str]:
    """Return the phrases of one annotator: none, one, or a list."""
    text = record.text(name, empty=True).strip()
    if not text.startswith(("[", "(")):
        return [text] if text else []
    values = _literal(record, name)
    if not all(isinstance(value, str) for value in values):
        raise record.bad(name, "is not a list of phrases")
    return values


def _background(text: Any) -> str:
    return text if isinstance(text, str) and text != NO_BACKGROUND else ""
