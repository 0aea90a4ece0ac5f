"""Kinds of structured input, one struct each, identified by the field `kind`.

The description of a field is part of error messages and of the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, cast
from unicodedata import is_normalized, normalize

import msgspec
from msgspec import Meta

from assay.errors import AssayError

Value: TypeAlias = str | int | float | bool | None


class FieldError(AssayError, ValueError):
    """A field of the right type with an invalid value: `field: problem`."""


def _is_composed(name: str) -> bool:
    """Return whether letters of a name are composed, as those of schema files are."""
    return name.isascii() or is_normalized("NFC", name)


class Input(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag=str.lower):
    """Base class of all kinds. The kind is the name of the class in lower case, or its `tag`."""

    def plain(self) -> dict[str, Any]:
        """Return the input as it is written to a file and kept in an example."""
        return cast(dict[str, Any], msgspec.json.decode(msgspec.json.encode(self)))


class Act(msgspec.Struct, frozen=True):
    act: str
    slot: str | None
    values: Sequence[str]


class Utterance(msgspec.Struct, frozen=True):
    speaker: str
    text: str


class Acts(Input, frozen=True):
    """Dialog acts to realise as text."""

    service: Annotated[str, Meta(description="the name of the service")]
    acts: Annotated[Sequence[Act], Meta(description="objects with act, slot and values")]
    context: Annotated[
        Sequence[Utterance], Meta(description="the previous turns, oldest first: objects with speaker, text")
    ]
    method: Annotated[str, Meta(description="the method of the service call")] = ""


class Span(msgspec.Struct, frozen=True, omit_defaults=True):
    """A half-open span of a text with its category and comment."""

    category: str
    start: int
    end: int
    comment: str | None = ""

    def __post_init__(self) -> None:
        if not _is_composed(self.category):
            msgspec.structs.force_setattr(self, "category", normalize("NFC", self.category))


class AnnotatedText(Input, frozen=True, tag="annotated"):
    """A text with labelled spans."""

    text: Annotated[str, Meta(description="the text")]
    spans: Annotated[Sequence[Span], Meta(description="objects with category, start and end (in characters), comment")]


class Choice(Input, frozen=True):
    """Two continuations, of which the first is correct."""

    prefix: Annotated[str, Meta(description="the text before the continuation")]
    positive: Annotated[str, Meta(description="the correct continuation")]
    negative: Annotated[str, Meta(description="the incorrect continuation")]
    positive_class: Annotated[int | str | None, Meta(description="the class of the correct one")] = None
    negative_class: Annotated[int | str | None, Meta(description="the class of the incorrect one")] = None

    def __post_init__(self) -> None:
        for side in ("positive", "negative"):
            if not getattr(self, side).strip():
                raise FieldError(f"{side}: is empty. Give a continuation.")


class Concepts(Input, frozen=True):
    """Words that a sentence has to contain."""

    concepts: Annotated[Sequence[str], Meta(description="the words")]


class Drs(Input, frozen=True):
    """A discourse representation structure."""

    clauses: Annotated[Sequence[Sequence[str]], Meta(description="lists of box, operator and arguments")]

    def __post_init__(self) -> None:
        for i, clause in enumerate(self.clauses):
            if len(clause) < (3 if list(clause[1:2]) == ["REF"] else 2):
                raise FieldError(f"clauses[{i}]: has {len(clause)} entries; it needs a box, an operator and arguments")


class Entities(Input, frozen=True, kw_only=True):
    """Named entities of one type, and texts about them."""

    type: Annotated[str | None, Meta(description="person, location, org, or another type")] = None
    plural: Annotated[str, Meta(description="the type as questions name it, such as people")] = ""
    entities: Annotated[Sequence[str], Meta(description="the names")]
    background: Annotated[Sequence[str | None], Meta(description="a text about each; may be empty")]
    title: Annotated[str, Meta(description="the title of the article")]
    context: Annotated[str, Meta(description="the passage that names them")]
    candidates: Annotated[Sequence[str] | None, Meta(description="phrases to rank")] = None
    labels: Annotated[Sequence[int | bool] | None, Meta(description="1 for each that is gold, else 0")] = None

    def __post_init__(self) -> None:
        if self.background and len(self.background) != len(self.entities):
            raise FieldError(f"background: has {len(self.background)} texts for {len(self.entities)} entities")


class EquivalenceClasses(Input, frozen=True, tag="equivalence_classes"):
    """Spans that experts consider interchangeable."""

    annotation: Annotated[str, Meta(description="the category of the spans")]
    classes: Annotated[Sequence[Sequence[str]], Meta(description="lists of texts")]
    part: Annotated[
        Literal["text", "comment", "whole"] | None,
        Meta(description="the part of a span that counts: text before its comment, comment, or whole"),
    ] = None
    document: Annotated[str | None, Meta(description="the document of the targets, if there is one")] = None
    class_names: Annotated[Sequence[str] | None, Meta(description="one for each class")] = None

    def __post_init__(self) -> None:
        if self.class_names is not None and len(self.class_names) != len(self.classes):
            raise FieldError(f"class_names: has {len(self.class_names)} names for {len(self.classes)} classes")


class Event(Input, frozen=True):
    """An event template over a document."""

    template: Annotated[Mapping[str, object], Meta(description="slots with a text or a list of texts each")] = {}
    document: Annotated[Sequence[str] | None, Meta(description="sentences")] = None
    summary_sentences: Annotated[int | None, Meta(description="number of sentences of the reference")] = None
    ontology: Annotated[str, Meta(description="the name or file of the ontology that has its roles")] = ""

    def __post_init__(self) -> None:
        for slot, value in self.template.items():
            if isinstance(value, dict) or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
                raise FieldError(f"template.{slot}: is neither a string nor a list of strings")
        if not all(map(_is_composed, self.template)):
            composed = {normalize("NFC", slot): value for slot, value in self.template.items()}
            msgspec.structs.force_setattr(self, "template", composed)

    def fillers(self, slot: str) -> list[str]:
        value = self.template.get(slot)
        if isinstance(value, list):
            return list(value)
        return [] if value in (None, "") else [str(value)]


class Mention(msgspec.Struct, frozen=True):
    text: str
    start: int


class Events(Input, frozen=True):
    """All events of a document."""

    templates: Annotated[
        Sequence[Mapping[str, str | Sequence[Sequence[Mention]]]],
        Meta(description="objects with type and roles, each role a list of entities, an entity a list of text, start"),
    ]

    def __post_init__(self) -> None:
        if not all(_is_composed(key) for one in self.templates for key in one):
            composed = [{normalize("NFC", key): value for key, value in one.items()} for one in self.templates]
            msgspec.structs.force_setattr(self, "templates", composed)


class Judged(Input, frozen=True):
    """An output with human judgements and metric scores, or an output for a judge."""

    human: Annotated[Mapping[str, int | float] | None, Meta(description="human judgements by criterion")] = None
    errors: Annotated[Mapping[str, int | float] | None, Meta(description="shares by error category")] = None
    metrics: Annotated[Mapping[str, Any] | None, Meta(description="scores by metric")] = None
    summary: Annotated[str | None, Meta(description="the judged text")] = None
    sentences: Annotated[Sequence[str] | None, Meta(description="its sentences")] = None
    output: Annotated[str | None, Meta(description="the text to judge")] = None
    system: Annotated[str | None, Meta(description="the system that wrote it")] = None


class Sentences(Input, frozen=True):
    """The sentences of a source, labelled to train a filter."""

    candidates: Annotated[Sequence[str], Meta(description="the sentences")] = []
    labels: Annotated[Sequence[int | bool], Meta(description="1 for each to keep, else 0")] = []


class Slots(Input, frozen=True, kw_only=True, omit_defaults=False):
    """A meaning representation."""

    act: Annotated[str | None, Meta(description="the dialog act")] = None
    slots: Annotated[Sequence[tuple[str, Value]], Meta(description="pairs of slot and value")]


class Cell(msgspec.Struct, frozen=True):
    value: str
    is_header: bool | None = False
    row_span: int | None = 1
    column_span: int | None = 1


class Table(Input, frozen=True, kw_only=True):
    """A table with highlighted cells to describe."""

    page_title: Annotated[str | None, Meta(description="the title of the page")] = None
    section_title: Annotated[str | None, Meta(description="the title of the section")] = None
    section_text: Annotated[str | None, Meta(description="the text before the table")] = None
    table: Annotated[
        Sequence[Sequence[Cell]], Meta(description="rows of objects with value, is_header, row_span, column_span")
    ]
    highlighted: Annotated[Sequence[tuple[int, int]], Meta(description="pairs of row and cell index, from 0")]
    url: Annotated[str | None, Meta(description="the address of the page")] = None

    def __post_init__(self) -> None:
        for i, (row, cell) in enumerate(self.highlighted):
            if not (0 <= row < len(self.table) and 0 <= cell < len(self.table[row])):
                raise FieldError(f"highlighted[{i}]: is not a cell of the table")


class Triple(NamedTuple):
    subject: str
    predicate: str
    object: str


class Triples(Input, frozen=True):
    """Facts as triples."""

    triples: Annotated[Sequence[Triple], Meta(description="lists of subject, predicate and object")]
    category: Annotated[str | None, Meta(description="the topic")] = ""


class Turn(Input, frozen=True):
    """A response of a dialog system."""

    response: Annotated[str, Meta(description="the response")]
    state: Annotated[Mapping[str, Mapping[str, Any]] | None, Meta(description="slots and values by domain")] = None
    active_domains: Annotated[Sequence[str] | None, Meta(description="the domains of the turn")] = None


def tag_of(kind: type[msgspec.Struct]) -> str:
    """Return the name of a kind; "" for a struct that is not a kind of input."""
    return str(kind.__struct_config__.tag or "")


OURS = {
    tag_of(kind): kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, Input) and kind is not Input
}
"""Built-in kinds: every class above."""
