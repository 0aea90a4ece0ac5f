"""Span annotations of other tools as standoff records: brat, Label Studio, doccano, and INCEpTION (WebAnno TSV, UIMA).

A record is `{"id", "document", "target", "text", "spans": [{"category", "start", "end", "comment"}]}`, where `target`
is the annotator. What a format has besides spans (relations, attributes) is counted, not silently dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import normalize

from assay.datasets.webanno_tsv import read_tsv
from assay.errors import AssayError
from assay.inputs.schema import Schema
from assay.records.documents import parse_json, read_json
from assay.records.files import read_text

DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
LAYERS = (f"{DKPRO}.segmentation", f"{DKPRO}.metadata", "de.tudarmstadt.ukp.clarin", "uima.")
"""Prefixes of UIMA types that are no annotations: sentences, tokens, metadata."""
PLAIN = re.compile(r"[\W_]+")


@dataclass
class Imported:
    """Records, counts of what a format has besides them, and the labels of each category."""

    records: list[dict[str, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    labels: dict[str, set[str]] = field(default_factory=dict)

    def add(self, document: str, annotator: str, text: str, spans: Iterable[tuple[str, int, int, str]]) -> None:
        """Add the annotations of one annotator; spans are label, start, end and comment."""
        rows = []
        for label, start, end, comment in spans:
            if not 0 <= start < end <= len(text):
                raise AssayError(f"{document}: the span {start}-{end} ({label}) is outside the text")
            name = category(label)
            self.labels.setdefault(name, set()).add(label)
            span: dict[str, Any] = {"category": name, "start": start, "end": end}
            rows.append(span | ({"comment": comment} if comment else {}))
        rows.sort(key=lambda row: (row["start"], -row["end"]))
        id = f"{document}/{annotator}" if annotator else document
        self.records.append(
            {"id": id, "document": document, "target": annotator or "0", "text": text, "spans": rows}
        )  # fmt: skip

    @property
    def merged(self) -> list[str]:
        """Return a note for each category that has several labels."""
        return [
            f"the labels {', '.join(map(repr, sorted(labels)))} are one category, {name}"
            for name, labels in self.labels.items()
            if len(labels) > 1
        ]

    def check(self, schema: Schema, path: Path) -> None:
        """Reject labels that are no category of the schema."""
        for row in self.records:
            unknown = next((span for span in row["spans"] if span["category"] not in schema.names), None)
            if unknown:
                raise AssayError(
                    f"{path}: id {row['id']}: the label {unknown['category']} is no category of the schema "
                    f"{schema.name}, which has {', '.join(schema.names)}"
                )


def category(label: str) -> str:
    """Return the name of a category for a label of another tool: `Act-Type` is act_type."""
    plain = PLAIN.sub("_", normalize("NFC", label).lower()).strip("_")
    if not plain or not plain[0].isalpha():
        raise AssayError(f"the label {label!r} cannot be the name of a category; it must start with a letter")
    return plain


def brat(path: Path, made: Imported) -> None:
    """Read a folder of NAME.txt and NAME.ann; notes of a span are its comment."""
    files = sorted(path.glob("**/*.ann")) if path.is_dir() else [path]
    if not files:
        raise AssayError(f"{path}: no .ann file in it")
    for file in files:
        source = file.with_suffix(".txt")
        if not source.is_file():
            raise AssayError(f"{source}: missing next to {file.name}")
        spans: dict[str, tuple[str, int, int]] = {}
        notes: dict[str, str] = {}
        for number, line in enumerate(read_text(file).split("\n"), 1):
            kind, *columns = line.rstrip("\r").split("\t")
            if kind.startswith("T") and columns:
                label, _, places = columns[0].partition(" ")
                if not re.fullmatch(r"\d+ \d+", places):
                    raise AssayError(f"{file}:{number}: {columns[0][:40]!r} is not LABEL START END; split its parts")
                start, end = map(int, places.split())
                spans[kind] = label, start, end
            elif kind.startswith("#") and len(columns) > 1:
                about = columns[0].rpartition(" ")[2]
                notes[about] = " ".join(part for part in (notes.get(about, ""), columns[1].strip()) if part)
            elif kind:
                made.left_out[
                    {"R": "relations", "E": "events", "A": "attributes", "M": "attributes"}.get(kind[0], kind)
                ] += 1
        text = read_text(source)
        named = [(label, start, end, notes.pop(id, "")) for id, (label, start, end) in spans.items()]
        made.left_out["notes on other things than spans"] += len(notes)
        made.add(file.stem, file.parent.name if path.is_dir() and file.parent != path else "", text, named)


def label_studio(path: Path, made: Imported) -> None:
    """Read the JSON export: tasks with data.text and annotations; a text area of a region is its comment."""
    for task in _listed(read_json(path), path):
        data = task.get("data") or {}
        text = _task_text(task, data)
        id = str(data.get("id", task.get("id")))
        made.left_out["tasks without annotations"] += not task.get("annotations")
        made.left_out["predictions"] += len(task.get("predictions") or ())
        if text is None:
            raise AssayError(f"{path}: task {id}: data has no text in which the regions have their words")
        for annotation in task.get("annotations") or ():
            if annotation.get("was_cancelled"):
                made.left_out["cancelled annotations"] += 1
                continue
            results = annotation.get("result") or ()
            regions = [one for one in results if "value" in one]
            made.left_out["relations"] += len(results) - len(regions)
            comments = {
                one.get("id"): " ".join(one["value"]["text"])
                for one in regions
                if one.get("type") == "textarea" and isinstance(one["value"].get("text"), list)
            }
            spans = []
            for one in regions:
                if one.get("type") == "labels":
                    value = one["value"]
                    labels = value.get("labels") or value.get("hypertextlabels") or ()
                    spans += [
                        (str(name), value["start"], value["end"], comments.get(one.get("id"), "")) for name in labels
                    ]
                elif one.get("type") != "textarea":
                    made.left_out[f"results of type {one.get('type')}"] += 1
            marked = {one.get("id") for one in regions if one.get("type") == "labels"}
            made.left_out["text areas of no span"] += len(comments.keys() - marked)
            who = annotation.get("completed_by", annotation.get("id", 0))
            made.add(id, str(who.get("id") if isinstance(who, dict) else who), text, spans)


def _task_text(task: dict[str, Any], data: dict[str, Any]) -> str | None:
    """Return the annotated text of a task: the field in which every region has its own words; else the first text."""
    texts = [value for value in data.values() if isinstance(value, str)]
    results = [one.get("value") for each in task.get("annotations") or () for one in each.get("result") or ()]
    regions = [one for one in results if isinstance(one, dict) and {"start", "end", "text"} <= one.keys()]
    fits = (text for text in texts if all(text[one["start"] : one["end"]] == one["text"] for one in regions))
    return next(fits, None)


def doccano(path: Path, made: Imported) -> None:
    """Read the JSONL export: text with label, labels or entities; comments of a text are counted."""
    known: set[str] = set()
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        record = parse_json(line, f"{path}:{number}")
        text = record.get("text", record.get("data")) if isinstance(record, dict) else None
        if not isinstance(text, str):
            raise AssayError(f"{path}:{number}: no text")
        known |= record.keys() & {"label", "labels", "entities"}
        spans = [
            (str(label), start, end, "") for start, end, label in record.get("label") or record.get("labels") or ()
        ]
        spans += [(one["label"], one["start_offset"], one["end_offset"], "") for one in record.get("entities") or ()]
        made.left_out["comments on texts"] += len(record.get("Comments") or record.get("comments") or ())
        made.left_out["relations"] += len(record.get("relations") or ())
        made.add(str(record.get("id", number)), str(record.get("annotator", "")), text, spans)
    if made.records and not known:
        raise AssayError(
            f"{path}: no record has label, labels or entities, so it is no export of doccano; annotations of assay "
            "(spans) need no import"
        )


def webanno(path: Path, made: Imported) -> None:
    """Read WebAnno TSV 3: one file, or a folder of documents with one file per annotator."""
    for document, annotator, file in _per_annotator(path, ".tsv"):
        text, spans, left_out = read_tsv(read_text(file), file)
        made.left_out += left_out
        made.add(document, annotator, text, spans)


def uima(path: Path, made: Imported) -> None:
    """Read UIMA CAS JSON: annotations with begin, end, a label (value or label) and an optional comment."""
    for document, annotator, file in _per_annotator(path, ".json"):
        cas = read_json(file)
        features = cas.get("%FEATURE_STRUCTURES") if isinstance(cas, dict) else None
        if not isinstance(features, list):
            raise AssayError(f"{file}: no %FEATURE_STRUCTURES; export UIMA CAS JSON (0.4)")
        text = next((one["sofaString"] for one in features if "sofaString" in one), None)
        if text is None:
            raise AssayError(f"{file}: no sofaString, the text of the document")
        spans = []
        for one in features:
            kind = str(one.get("%TYPE", ""))
            if "begin" not in one or "end" not in one or kind.startswith(LAYERS):
                continue
            if {"@Governor", "@Dependent"} <= one.keys():
                made.left_out["relations"] += 1
                continue
            label = one.get("value") or one.get("label") or kind.rpartition(".")[2]
            used = {"begin", "end", next((name for name in ("value", "label") if one.get(name)), ""),
                    next((name for name in ("comment", "note") if one.get(name)), "")}  # fmt: skip
            made.left_out.update(
                f"values of the feature {name}" for name, value in one.items()
                if name[:1].isalpha() and name not in used and value is not None
            )  # fmt: skip
            spans.append((str(label), one["begin"], one["end"], str(one.get("comment") or one.get("note") or "")))
        made.add(document, annotator, text, spans)


def _per_annotator(path: Path, ending: str) -> Iterable[tuple[str, str, Path]]:
    """Return document, annotator and file: INCEpTION exports DOCUMENT/ANNOTATOR.tsv."""
    if path.is_file():
        return [(path.stem, "", path)]
    files = sorted(path.glob(f"**/*{ending}"))
    if not files:
        raise AssayError(f"{path}: no {ending} file in it")
    return [(file.parent.name, file.stem, file) if file.parent != path else (file.stem, "", file) for file in files]


def _listed(tasks: Any, path: Path) -> list[dict[str, Any]]:
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise AssayError(f"{path}: not a list of tasks; export JSON, not JSON-MIN")
    return tasks


FORMATS: dict[str, Callable[[Path, Imported], None]] = {
    "brat": brat,
    "label-studio": label_studio,
    "doccano": doccano,
    "webanno": webanno,
    "uima": uima,
}


def read_annotations(path: Path, kind: str, schema: Schema | None = None) -> Imported:
    """Read the annotations of another tool; with a schema, other labels are errors.

    Raises:
        AssayError: The file is not of this format, or has a label that the schema lacks.
    """
    made = Imported()
    try:
        FORMATS[kind](path, made)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise AssayError(f"{path}: not an export of {kind} ({type(error).__name__}: {error}); check --from") from None
    made.left_out = +made.left_out  # without zeros
    if not made.records:
        raise AssayError(f"{path}: no annotated text in it")
    if schema is not None:
        made.check(schema, path)
    return made
