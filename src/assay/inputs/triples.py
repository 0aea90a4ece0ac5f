"""Triples as text: plain, with role tags, with entity types or named-entity labels, and ordered as a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.records.documents import read_json

if TYPE_CHECKING:
    from assay.records import Example, kinds

Triple = Sequence[str]

TAGGED = ("<SUB>", "<PRED>", "<OBJ>")
TAG = re.compile(r"(?<!\S)<[A-Z][A-Z_0-9]*>(?!\S)")
TREE = ("__subj__", "__pred__", "__obj__")

MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
DATE = re.compile(rf"\d{{4}}-\d{{1,2}}(?:-\d{{1,2}})?|\d{{4}}\s*[-–/]\s*\d{{2,4}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
                  rf"|\d{{1,2}}:\d{{2}}(?::\d{{2}})?|(?:\d{{1,2}} )?{MONTH}(?: \d{{1,2}})?,?(?: \d{{4}})?|\d{{3,4}}s",
                  re.IGNORECASE)  # fmt: skip
YEAR = re.compile(r"1\d{3}|20\d{2}|2100")
NUMBER = r"[-+−]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
MEASUREMENT = re.compile(rf"{NUMBER}\s*[^\W\d].*", re.DOTALL)


def clean(text: str) -> str:
    """Replace underscores by spaces; remove quotation marks and language tags."""
    text = re.sub(r'"@[a-z-]+$', '"', text.strip())
    return " ".join(text.replace("_", " ").replace('"', "").split())


def split_camel(predicate: str) -> str:
    """Split camel case: `ethnicGroup` becomes `ethnic group`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", clean(predicate))
    return words.lower()


def fallback_type(entity: str, years: bool = True) -> str:
    """Return the type of a value without a knowledge base; with `years`, a number of 1000 to 2100 is a time."""
    text = entity.strip().strip('"').strip()
    if DATE.fullmatch(text) or (years and YEAR.fullmatch(text)):
        return "TIMEPERIOD"
    if MEASUREMENT.fullmatch(text):
        return "MEASUREMENT"
    return "NUMERIC" if re.fullmatch(NUMBER, text) else "UNKNOWN"


def linearize(triples: Sequence[Triple], style: str, labels: Mapping[str, str], years: bool = True) -> str:
    """Write the triples in their order; `labels` has the types of entities for the styles `types` and `ner`."""

    def tag(entity: str) -> str:
        known = labels.get(entity) or labels.get(clean(entity))
        if known:
            return known.upper()
        return fallback_type(entity, years) if style == "types" else "UNKNOWN"

    if style == "plain":
        return " ".join(part for triple in triples for part in triple)
    if style == "tags":
        return " ".join(f"<SUB> {s} <PRED> {p} <OBJ> {o}" for s, p, o in triples)
    return " ".join(f"<{tag(s)}> {s} <PRED> {p} <{tag(o)}> {o}" for s, p, o in triples)


def _parse(markers: tuple[str, str, str], text: str, shape: str) -> list[list[str]]:
    """Return the triples of a text in which these markers come before subject, predicate and object."""
    before, between, last = (f"{markers[0]} ", f" {markers[1]} ", f" {markers[2]} ")
    triples, position = [], 0
    while (start := text.find(before, position)) >= 0 and not text[position:start].strip():
        subject = start + len(before)
        predicate = text.find(between, subject)
        value = text.find(last, predicate + len(between)) if predicate >= 0 else -1
        if value < 0:
            break
        position = text.find(f" {before}", value + len(last))
        if position < 0:
            position = len(text) - text.endswith("\n")
        ends = text[predicate + len(between) : value], text[value + len(last) : position]
        triples.append([text[subject:predicate], *ends])
    if text[position:].strip() or not triples:
        raise AssayError(f"{text[position : position + 40]!r} is not {shape}")
    return triples


def tree_order(triples: Sequence[Triple]) -> list[Triple]:
    """Order triples depth first; siblings by depth of their subtree, then predicate, then position in the input."""
    outgoing: dict[str, list[int]] = {}
    for i, (subject, _, _) in enumerate(triples):
        outgoing.setdefault(subject, []).append(i)
    objects = {triple[2] for triple in triples}

    def depth(node: str, path: frozenset[str] = frozenset()) -> int:
        inner = [triples[i][2] for i in outgoing.get(node, ()) if triples[i][2] not in path | {node}]
        return 1 + max((depth(child, path | {node}) for child in inner), default=0) if outgoing.get(node) else 0

    roots = sorted((s for s in outgoing if s not in objects), key=lambda s: (depth(s), s, outgoing[s][0]))
    emitted: dict[int, None] = {}

    def visit(node: str) -> None:
        for i in sorted(outgoing.get(node, ()), key=lambda i: (depth(triples[i][2]), triples[i][1], i)):
            if i not in emitted:
                emitted[i] = None
                visit(triples[i][2])

    # Every triple is written once: a cycle, which no root reaches, starts at its first subject.
    for node in [*roots, *(triple[0] for triple in triples)]:
        visit(node)
    return [triples[i] for i in emitted]


@lru_cache(maxsize=8)
def _labels(path: str) -> dict[str, str]:
    if not path:
        return {}
    labels = read_json(Path(path))
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise AssayError(f"{path}: not a JSON object from entity to label")
    return labels


@dataclass(frozen=True)
class Triples(Form):
    name: ClassVar = "triples"
    about: ClassVar = "triples in the original order: plain, tags (<SUB> <PRED> <OBJ>), types or ner"
    kind: ClassVar = "triples"
    reversible: ClassVar = "style=tags"

    style: Literal["plain", "tags", "types", "ner"] = "tags"
    labels: str = ""
    """JSON file of entities with their types or named-entity labels."""
    clean: bool = True
    """Replace underscores by spaces and remove quotation marks."""
    years: bool = True
    """Whether a number from 1000 to 2100 is a time."""

    def __post_init__(self) -> None:
        if self.style == "ner" and not self.labels:
            raise AssayError("triples: style=ner requires labels=FILE, a JSON object from entity to its tag")

    def warnings(self, example: Example) -> list[str]:
        """Warn of entities without a label, which are written as <UNKNOWN>."""
        if self.style != "ner":
            return []
        known = _labels(self.labels)
        structure = cast("kinds.Triples", self.structure(example))
        entities = [one for s, _, o in structure.triples for one in (s, o)]
        unknown = [one for one in entities if not (known.get(one) or known.get(clean(one)))]
        return ["has entities without a label, written as <UNKNOWN>"] if unknown else []

    def tokens(self, example: Example) -> Iterable[str]:
        return () if self.style == "plain" else TAG.findall(self.render(example))

    def write(self, example: Example, structure: kinds.Triples) -> str:
        cleaned = (
            [[clean(part) for part in triple] for triple in structure.triples] if self.clean else structure.triples
        )
        return linearize(cleaned, self.style, _labels(self.labels), self.years)

    def read(self, text: str) -> list[list[str]]:
        if self.style != "tags":
            raise AssayError(f"triples with style={self.style} cannot be read back; style=tags can")
        return _parse(TAGGED, text, "<SUB> s <PRED> p <OBJ> o")


@dataclass(frozen=True)
class TripleTree(Form):
    name: ClassVar = "triple-tree"
    usual: ClassVar = False
    about: ClassVar = "triples ordered as a tree, deeper branches last, after the category"
    kind: ClassVar = "triples"
    reversible: ClassVar = "the cleaned triples, in tree order"

    def tokens(self, example: Example) -> Iterable[str]:
        return ("__subj__", "__pred__", "__obj__", "__sep__")

    def write(self, example: Example, structure: kinds.Triples) -> str:
        ordered = tree_order(structure.triples)
        parts = [f"__subj__ {clean(s)} __pred__ {split_camel(p)} __obj__ {clean(o)}" for s, p, o in ordered]
        return " ".join([*([f"{structure.category} __sep__"] if structure.category else []), *parts])

    def read(self, text: str) -> list[list[str]]:
        body = text.partition(" __sep__ ")[2] if " __sep__ " in text else text
        return _parse(TREE, body, "__subj__ s __pred__ p __obj__ o")
