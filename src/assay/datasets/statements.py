"""Marked statements: from annotations beside a text to the targets of a corpus and back, and what a corpus holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.inputs.schema import FOMC, Schema
from assay.inputs.spans import from_text, spans_of_text, to_text
from assay.records.inputs import read_input
from assay.records.kinds import AnnotatedText
from assay.records.types import Example
from assay.text.sentences import split_sentences

BETWEEN = "<sent>"
"""What stands between the statements of one target."""


def targets(statements: Iterable[Example], schema: Schema = FOMC) -> list[Example]:
    """Documents with their targets: the statements of one target are joined, those of one document are its references.

    The tags `document` and `target` say where a statement belongs; one without them is a document of its own.
    """
    documents: dict[str, dict[str, list[str]]] = {}
    first: dict[str, Example] = {}
    for example in statements:
        given = read_input(example, AnnotatedText)
        document = example.tags.get("document", example.id)
        try:
            marked = to_text(given.text, given.spans, schema)
        except AssayError as error:
            raise AssayError(f"id {example.id}: {error}") from None
        documents.setdefault(document, {}).setdefault(example.tags.get("target", "0"), []).append(marked)
        known = first.setdefault(document, example)
        if example.source and known.source and example.source != known.source:
            raise AssayError(f"id {example.id}: its source is not that of {known.id}, of the same document {document}")
        if example.source and not known.source:
            first[document] = example
    return [
        Example(
            id=document, references=tuple(BETWEEN.join(some) for some in by_target.values()),
            source=first[document].source, language=first[document].language, split=first[document].split,
            tags={"targets": str(len(by_target))},
        )
        for document, by_target in documents.items()
    ]  # fmt: skip


class Standoff(NamedTuple):
    """The annotations of marked texts, and what is wrong with their markers."""

    rows: list[dict[str, Any]]
    problems: list[str]


def standoff(texts: Iterable[tuple[str, str, str]], schema: Schema = FOMC) -> Standoff:
    """One row a statement, of triples of document, target and marked text."""
    rows, problems = [], []
    for document, target, marked in texts:
        for number, statement in enumerate(marked.split(BETWEEN)):
            parsed = from_text(statement, schema)
            id = f"{document}/{target}/{number}"
            problems += [f"id {id}: {problem}" for problem in parsed.problems]
            spans = [msgspec.to_builtins(span) for span in parsed.spans]
            rows.append({"id": id, "document": document, "target": target, "text": parsed.text, "spans": spans})
    return Standoff(rows, problems)


@dataclass(frozen=True)
class Spread:
    """A number that many things have: their mean, deviation (population) and greatest."""

    n: int
    mean: float
    sd: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        array = np.asarray(values, dtype=np.float64)
        if not len(array):
            return cls(0, 0.0, 0.0, 0.0)
        return cls(len(array), float(array.mean()), float(array.std()), float(array.max()))


def corpus_statistics(examples: Sequence[Example], schema: Schema = FOMC) -> dict[str, Spread]:
    """What is counted of a marked corpus: targets a source, lengths of sources and targets, markers, and spans of each
    category. Words are split at white space; a marker is a token and no word."""
    sources = [example.source for example in examples if example.source]
    marked = [text for example in examples for text in example.references]
    words = [len(schema.without_markers(text.replace(BETWEEN, " ")).split()) for text in marked]
    markers = [sum(1 for _ in schema.markers(text)) for text in marked]
    closed = [spans_of_text(text, False, schema)[1] for text in marked]
    found = {
        "targets a source": Spread.of([len(example.references) for example in examples]),
        "sentences a source": Spread.of([len(split_sentences(text)) for text in sources]),
        "words a source": Spread.of([len(text.split()) for text in sources]),
        "statements a target": Spread.of([text.count(BETWEEN) + 1 for text in marked]),
        "words a target": Spread.of(words),
        "markers a target": Spread.of(markers),
        "tokens a target": Spread.of([a + b for a, b in zip(words, markers, strict=True)]),
    }
    return found | {f"{name} a target": Spread.of([one[name] for one in closed]) for name in schema.names}
