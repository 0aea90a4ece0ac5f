"""FOMC: central-bank announcements and annotated newspaper sentences about them; and its equivalence classes.

The corpus is not public; the reader accepts the released text layout or raw standoff annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.fomc_files import filtered_documents, read_instance
from assay.datasets.record import Record, Report
from assay.datasets.sources import json_items, json_lines, text_lines
from assay.errors import AssayError
from assay.inputs.schema import Schema, schema
from assay.records import Example
from assay.records.inputs import kind_of
from assay.records.kinds import AnnotatedText, EquivalenceClasses, Span

CATEGORIES = {
    "e_24": "std_sentence",
    "e_25": "attribution",
    "e_26": "actor",
    "e_29": "motive",
    "e_31": "scope",
    "e_33": "evidence",
    "e_35": "reference",
    "e_38": "act",
}
COMMENTS = {
    "e_24": "f_36", "e_25": "f_40", "e_26": "f_42", "e_29": "f_47",
    "e_31": "f_46", "e_33": "f_44", "e_35": "f_37", "e_38": "f_43",
}  # fmt: skip
IRRELEVANT, DUPLICATE = "e_41", "e_48"
SCHEMA = "Correct it, or name the schema of the categories: --schema FILE, or fomc:schema=FILE"
CLASS_KEYS = ("evaluation", "annotation", "equivalence_classes", "part", "class_names", "document", "version")
PARTS = ("text", "comment", "whole")
"""Part of a span that an evaluation of equivalence classes compares."""


@dataclass(frozen=True)
class Fomc(Dataset):
    schema: str = ""
    """For annotations: file of categories (default: FOMC's)."""

    name: ClassVar = "fomc"
    patterns: ClassVar = {
        "train": ("train.txt",),
        "validation": ("valid.txt",),
        "test": ("test.txt",),
        "annotations": ("*.ann.jsonl", "annotations.jsonl"),
        "classes": ("equivalence_classes.json",),
    }
    card: ClassVar = Card(
        title="FOMC semi-structured interpretations",
        task="annotation",
        goal="what newspapers made of an announcement, with acts, actors, motives and evidence marked",
        languages=("en",),
        sizes={"train": 1342, "validation": 167, "test": 169},
        licence="corpus on request (was CC BY 4.0); equivalence classes MIT",
        references="1 to 36 (2.4 on average)",
        input_type="article",
        suite="annotation",
        source="https://github.com/idiap/semi-structured-annotations",
        files="{train,valid,test}.txt, ID.src.txt and ID.tgt.txt; or annotations.jsonl; or equivalence_classes.json; or"
        " a JSON file of filtered sources or of instances, as written by the authors' programs",
        access="restricted: ask the authors",
        notes=("a source document has several newspaper targets; splits are by source document",),
        citation="Marfurt et al.: A Corpus and Evaluation for Predicting Semi-Structured Human Annotations (2022)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        if file.path.suffix == ".txt":
            return report.checked(_documents(file.path), lambda record: _document(record, file.split))
        if file.path.suffix == ".jsonl":
            records = json_lines(file.path, "id")
            known = schema(self.schema)
            return report.checked(records, lambda record: _annotated(record, file.split, report, known))
        return self._json(file, report)

    def _json(self, file: SplitFile, report: Report) -> Iterator[Example]:
        """Read equivalence classes or a file of the authors' programs, recognised by the fields of the first record."""
        first = next(json_items(file.path), None)
        split = file.split if file.split != "classes" else None
        if first is not None and first.has("tgt"):
            return filtered_documents(report.checked(json_items(file.path, "name"), lambda record: [record]), split)
        if first is not None and first.has("positive_continuation"):
            return report.checked(json_items(file.path, "name"), lambda record: read_instance(record, split))
        return report.checked(json_items(file.path, "evaluation"), _classes)


def _documents(index: Path) -> Iterator[Record]:
    """Yield one record per document id: its source text and its targets, one per line."""
    for line in text_lines(index, blank=False):
        if line.problem:
            yield line
            continue
        id = line.value.strip()
        source, target = index.with_name(f"{id}.src.txt"), index.with_name(f"{id}.tgt.txt")
        missing = next((path for path in (source, target) if not path.is_file()), None)
        if missing:
            yield Record(index, f"{line.where} id {id}", problem=f"{missing.name} is missing next to it")
            continue
        lines = [*text_lines(source), *text_lines(target, blank=False)]
        problem = next((f"{piece.path.name} {piece.where}: {piece.problem}" for piece in lines if piece.problem), None)
        texts = {
            "id": id,
            "source": "\n".join(piece.value or "" for piece in lines if piece.path == source).strip(),
            "targets": [piece.value for piece in lines if piece.path == target],
        }
        yield Record(index, f"{line.where} id {id}", texts, problem=problem)


def _document(record: Record, split: str | None) -> Iterable[Example]:
    yield Example(
        id=record.text("id"),
        references=tuple(record.texts("targets", least=1)),
        source=record.text("source"),
        language="en",
        split=split,
    )


def _annotated(record: Record, split: str | None, report: Report, known: Schema) -> Iterable[Example]:
    """Return a text with its spans: standoff fields of assay, or the entities of the annotation tool."""
    text = record.text("text")
    if not record.has("entities"):
        spans = [
            _span(span, text, span.choice("category", known.names, SCHEMA), span.optional("comment"))
            for span in record.items("spans")
        ]
    else:
        entities = record.items("entities")
        classes = {entity.text("classId") for entity in entities}
        if IRRELEVANT in classes:
            if classes != {IRRELEVANT}:
                raise record.bad("entities", f"mixes {IRRELEVANT} (irrelevant) with other classes")
            report.drop("irrelevant article")
            return
        if DUPLICATE in classes:
            report.drop("duplicate article")
            return
        spans = [_entity(entity, text) for entity in entities]
    yield Example(
        id=record.text("id"),
        references=(text,),
        source=record.optional("source") or None,
        input=AnnotatedText(text=text, spans=spans).plain(),
        language=record.optional("language") or ("en" if record.has("entities") else None),
        split=split,
        tags={name: str(record.get(name)) for name in ("document", "target") if record.has(name)},
    )


def _entity(record: Record, text: str) -> Span:
    """Return the span of an entity, which has a class, its text with the start offset, and a comment."""
    code = record.choice("classId", tuple(CATEGORIES))
    offsets = record.items("offsets")
    if len(offsets) != 1:
        raise record.bad("offsets", f"has {len(offsets)} parts; a span has one")
    start, words = offsets[0].whole("start"), offsets[0].text("text")
    comment = ""
    if record.has("fields") and record.inner("fields").has(COMMENTS[code]):
        comment = record.inner("fields").inner(COMMENTS[code]).optional("value")
    fields = Record(record.path, record.where, {"start": start, "end": start + len(words)})
    made = _span(fields, text, CATEGORIES[code], comment)
    if text[made.start : made.end] != words:
        raise record.bad("offsets", "has a text that is not at its offset")
    return made


def _span(record: Record, text: str, category: str, comment: str) -> Span:
    start, end = record.whole("start"), record.whole("end")
    if not 0 <= start < end <= len(text):
        raise record.bad("start", f"and end {start}-{end} are outside the text of {len(text)} characters")
    return Span(category, start, end, comment)


def _classes(record: Record) -> Iterable[Example]:
    """Yield one example per evaluation: its category and the classes of interchangeable spans."""
    if unknown := [key for key in record.value if key not in CLASS_KEYS]:
        raise record.bad(str(unknown[0]), f"is no key of an evaluation, which has {', '.join(CLASS_KEYS)}")
    classes = record.typed("equivalence_classes", list)
    for i, members in enumerate(classes):
        if not isinstance(members, list) or not members or not all(isinstance(member, str) for member in members):
            raise record.bad(f"equivalence_classes[{i}]", "is not a list of texts")
    evaluation, document = record.text("evaluation"), record.optional("document")
    names = record.texts("class_names") if record.has("class_names") else None
    if names is not None and len(names) != len(classes):
        raise record.bad("class_names", f"has {len(names)} names for {len(classes)} classes")
    part: Any = record.choice("part", PARTS) if record.has("part") else None
    structure = EquivalenceClasses(
        annotation=record.text("annotation"), classes=classes, part=part, document=document or None, class_names=names
    )
    yield Example(
        id=f"{evaluation}/{document}" if document else evaluation,
        input=structure.plain(),
        language="en",
        split="classes",
        tags={"evaluation": evaluation, "classes": str(len(classes)), "members": str(sum(map(len, classes)))},
    )


def equivalence_classes(path: Path) -> list[Example]:
    """Return the evaluations of a class file."""
    report = Report(Fomc.name, lenient=True)  # unreadable records are errors here; nothing is skipped
    try:
        examples = list(Fomc().read(path, "classes", report))
    except AssayError:
        if not report.bad:
            raise
    if report.bad:
        raise AssayError(f"{next(iter(report.first_bad.values()))}; it is not a file of equivalence classes")
    if not all(kind_of(example) == "equivalence_classes" for example in examples):
        raise AssayError(f"{path}: not a file of equivalence classes")
    return examples
