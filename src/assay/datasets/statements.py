"""Marked statements: from standoff annotations to the targets of a corpus and back, and statistics of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.inputs.schema import FOMC, Schema
from assay.inputs.spans import from_text, problems, spans_of_text, to_text
from assay.records.inputs import read_input
from assay.records.kinds import AnnotatedText
from assay.records.types import Example
from assay.seeds import rng_for
from assay.text.sentences import split_sentences

BETWEEN = "<sent>"
"""Separator of the statements of one target."""


def violations(statements: Iterable[Example], schema: Schema) -> Iterator[str]:
    """Yield what statements lack that the schema requires, with their ids."""
    for example in statements:
        structure = read_input(example, AnnotatedText)
        for one in problems(structure.text, structure.spans, schema):
            if one.missing:
                yield f"id {example.id}: {one.where} {one.what}"


def doubts(statements: Sequence[Example], schema: Schema) -> Iterator[str]:
    """Yield other problems of statements, which are written and may be read back differently or are against the
    schema, with the number of statements that have each."""
    counts: Counter[str] = Counter()
    for example in statements:
        structure = read_input(example, AnnotatedText)
        some = [one.general for one in problems(structure.text, structure.spans, schema) if not one.missing]
        counts.update(dict.fromkeys(some, 1))
    for general, count in counts.items():
        yield f"{count:,} of {len(statements):,}: {general}"


def targets(
    statements: Iterable[Example], schema: Schema = FOMC, tags: Mapping[str, str] | None = None
) -> list[Example]:
    """Return documents with their targets: statements of a target are joined, targets of a document are references.

    The tags `document` and `target` assign a statement; one without them is its own document.
    """
    documents: dict[str, dict[str, list[str]]] = {}
    first: dict[str, Example] = {}
    for example in statements:
        structure = read_input(example, AnnotatedText)
        document = example.tags.get("document", example.id)
        try:
            marked = to_text(structure.text, structure.spans, schema)
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
            tags={"targets": str(len(by_target)), **(tags or {})},
        )
        for document, by_target in documents.items()
    ]  # fmt: skip


def split_documents(examples: Sequence[Example], shares: Sequence[int], seed: int) -> dict[str, list[Example]]:
    """Return training, validation and test parts of a corpus, drawn by document.

    Raises:
        AssayError: A part with a share would be empty.
    """
    documents: dict[str, list[Example]] = {}
    for example in examples:
        documents.setdefault(example.tags.get("document", example.id), []).append(example)
    order = list(documents)
    rng_for(seed, "split", len(order)).shuffle(order)
    sizes = [max(1, round(len(order) * share / sum(shares))) if share else 0 for share in shares[1:]]
    if sum(sizes) >= len(order):
        raise AssayError(f"{len(order)} documents are too few for the shares {':'.join(map(str, shares))}")
    made: dict[str, list[Example]] = {}
    place = 0
    for name, size in zip(("valid", "test"), sizes, strict=True):
        made[name] = [one for document in order[place : place + size] for one in documents[document]]
        place += size
    parts = {"train": [one for document in order[place:] for one in documents[document]]} | made
    names = {"train": "train", "valid": "validation", "test": "test"}
    return {
        name: [msgspec.structs.replace(one, split=names[name]) for one in part] for name, part in parts.items()
    }  # fmt: skip


class Statement(TypedDict):
    """One statement of a target with the spans that its markers state."""

    id: str
    document: str
    target: str
    text: str
    spans: list[dict[str, object]]


class Standoff(NamedTuple):
    """Return the annotations of marked texts, and problems of their markers."""

    rows: list[Statement]
    problems: list[str]


def standoff(texts: Iterable[tuple[str, str, str]], schema: Schema = FOMC) -> Standoff:
    """Yield one row per statement: document, target and marked text."""
    rows: list[Statement] = []
    problems: list[str] = []
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
    """Mean, population standard deviation and maximum of a value."""

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
    """Return statistics of a marked corpus: targets per source, lengths of sources and targets, markers, and spans of
    each category. Words are split at white space; a marker is a token but not a word."""
    sources = [example.source for example in examples if example.source]
    marked = [text for example in examples for text in example.references]
    words = [len(schema.without_markers(text.replace(BETWEEN, " ")).split()) for text in marked]
    markers = [sum(1 for _ in schema.markers(text)) for text in marked]
    closed = [spans_of_text(text, False, schema)[1] for text in marked]
    values = {
        "targets a source": Spread.of([len(example.references) for example in examples]),
        "sentences a source": Spread.of([len(split_sentences(text)) for text in sources]),
        "words a source": Spread.of([len(text.split()) for text in sources]),
        "statements a target": Spread.of([text.count(BETWEEN) + 1 for text in marked]),
        "words a target": Spread.of(words),
        "markers a target": Spread.of(markers),
        "tokens a target": Spread.of([a + b for a, b in zip(words, markers, strict=True)]),
    }
    return values | {f"{name} a target": Spread.of([one[name] for one in closed]) for name in schema.names}
