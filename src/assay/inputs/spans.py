"""Annotations as text and back: labelled spans, with optional comments, as inline start and end markers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.inputs.schema import FOMC, Schema, foreign_markers, schema
from assay.records.inputs import read_input
from assay.records.kinds import AnnotatedText, Span

if TYPE_CHECKING:
    from assay.records import Example

RESERVED = re.compile(r"<sent>|<ref>|\[[A-Z_ ]+[_ ](?:START|END)\]")
SPACE_BEFORE = re.compile(r"(?<!\s)\s+([,.;:?!])")


@dataclass
class Parsed:
    """Content of a marked text, and problems of its markers."""

    text: str = ""
    spans: list[Span] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    opened: int = 0
    closed: int = 0


def to_text(text: str, spans: Sequence[Span], schema: Schema = FOMC) -> str:
    """Return the marked text. Spans may be adjacent, nested, crossing or identical.

    At one position end markers come before start markers; the span that starts earlier ends first, the sentence last.
    Of start markers the sentence comes first, then the longer span. A comment is in parentheses before its end marker.
    """
    check(text, spans, schema)
    rank = {name: i for i, name in enumerate(schema.names)}

    def closing(span: Span) -> tuple[bool, int, int]:
        return span.category == schema.whole, span.start, rank[span.category]

    def opening(span: Span) -> tuple[bool, int, int]:
        return span.category != schema.whole, -span.end, rank[span.category]

    places = sorted({place for span in spans for place in (span.start, span.end)})
    pieces, last = [], 0
    for place in places:
        pieces.append(text[last:place])
        last = place
        for span in sorted((s for s in spans if s.end == place), key=closing):
            comment = f" ({span.comment})" if span.comment else ""
            pieces.append(f"{comment} {schema.end(span.category)} ")
        for span in sorted((s for s in spans if s.start == place), key=opening):
            pieces.append(f" {schema.start(span.category)} ")
    pieces.append(text[last:])
    return " ".join("".join(pieces).split())


def check(text: str, spans: Sequence[Span], schema: Schema = FOMC) -> None:
    """Reject annotations that cannot be written or read back."""
    if reserved := _reserved(text, schema):
        raise AssayError(f"the text already contains a marker: {reserved!r}")
    for span in spans:
        if span.category not in schema.names:
            raise AssayError(
                f"span {span.start}-{span.end}: no category {span.category!r} in the schema {schema.name}, which has "
                f"{', '.join(schema.names)}; name another schema"
            )
        if not 0 <= span.start < span.end <= len(text) or not text[span.start : span.end].strip():
            raise AssayError(f"span {span.start}-{span.end} ({span.category}): empty or outside the text")
        if _reserved(span.comment or "", schema):
            raise AssayError(f"span {span.start}-{span.end} ({span.category}): the comment contains a marker")


def _reserved(text: str, schema: Schema) -> str | None:
    """Return the first part of a text that would be read as a marker or as a separator of statements."""
    own = next(schema.markers(text), None)
    if own:
        return text[own.start : own.end]
    match = RESERVED.search(text)
    return match[0] if match else None


class Problem(NamedTuple):
    """What is wrong with an annotation, and where; `general` is the same wording wherever the problem occurs."""

    where: str
    what: str
    general: str
    missing: bool = False
    """Whether a mandatory category or comment is missing."""


def warnings(text: str, spans: Sequence[Span], schema: Schema = FOMC) -> list[str]:
    """Return warnings for annotators: spans that can be written but may be read back differently, and violations of
    the schema."""
    return [f"{one.where} {one.what}" for one in problems(text, spans, schema)]


def problems(text: str, spans: Sequence[Span], schema: Schema = FOMC) -> list[Problem]:
    """Return what is wrong with annotations that can be written."""
    reported: list[Problem] = []

    def report(where: str, what: str, general: str = "", missing: bool = False) -> None:
        reported.append(Problem(where, what, general or what, missing))

    for span in spans:
        name = f"{span.category} {span.start}-{span.end}:"
        if set(span.comment or "") & set("()"):
            report(name, "the comment contains a parenthesis")
        if not span.comment and text[span.start : span.end].rstrip().endswith(")"):
            report(name, "ends in parentheses, which are read as a comment")
        wanted = schema.category(span.category).comment if span.category in schema.names else "optional"
        if wanted != "optional" and bool(span.comment) != (wanted == "required"):
            comment = "no" if wanted == "required" else "a"
            report(name, f"has {comment} comment, against the schema", missing=wanted == "required")
    last: dict[str, Span] = {}  # of each category, the span that ends last so far
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        before = last.get(span.category)
        if before is not None and span.start < before.end:
            where = f"{before.category} {before.start}-{before.end}"
            report(where, f"overlaps {span.start}-{span.end} of the same category",
                   f"a span of {span.category} overlaps another of the same category")  # fmt: skip
        last[span.category] = span if before is None or span.end > before.end else before
    statements = [(span.start, span.end) for span in spans if span.category == schema.whole]
    if schema.whole and not statements and schema.category(schema.whole).mandatory:
        report("text", f"has no {schema.whole}", f"lacks a mandatory category: {schema.whole}", missing=True)
    for start, end in statements if schema.whole else [(0, len(text))]:
        inside = Counter(s.category for s in spans if start <= s.start and s.end <= end)
        place = f"sentence {start}-{end}"
        for c in schema.inner:
            if c.mandatory and not inside[c.name]:
                report(place, f"has no {c.name}", f"lacks a mandatory category: {c.name}", missing=True)
            if not c.repeatable and inside[c.name] > 1:
                report(place, f"has {inside[c.name]} of {c.name}, where the schema allows one",
                       f"a statement has several of {c.name}, where the schema allows one")  # fmt: skip
    return reported


def from_text(marked: str, schema: Schema = FOMC) -> Parsed:
    """Return plain text, spans and comments of a marked text; malformed markers are reported, not errors.

    Markers need no white space around them (`[ACT_END],`) and may be printed with spaces (`[ACT END]`).
    """
    parsed = Parsed()
    open_at: dict[str, int] = {}
    built = ""
    position = 0
    for category, opens, begin, end in schema.markers(marked):
        built = _append(built, marked[position:begin], outside=bool(schema.whole) and not open_at, parsed=parsed)
        position = end
        if opens:
            parsed.opened += 1
            if category in open_at:
                parsed.problems.append(f"{category} opened again before it was closed")
            open_at[category] = len(built)
        elif category not in open_at:
            parsed.problems.append(f"{category} closed without being open")
        else:
            start = open_at.pop(category)
            built, comment = _take_comment(built, start)
            start += len(built[start:]) - len(built[start:].lstrip())
            if start >= len(built):
                parsed.problems.append(f"{category} has no text")
                continue
            parsed.closed += 1
            parsed.spans.append(Span(category, start, len(built), comment))
    built = _append(built, marked[position:], outside=bool(schema.whole) and not open_at, parsed=parsed)
    parsed.problems += [f"{category} never closed" for category in open_at]
    lost = foreign_markers(marked, schema, paired=False)
    parsed.problems += [
        f"{name} is no category of the schema {schema.name}: its markers are kept as text" for name in lost
    ]
    parsed.text = built
    rank = {name: i for i, name in enumerate(schema.names)}
    parsed.spans.sort(key=lambda span: (span.start, -span.end, rank[span.category]))
    return parsed


def _append(built: str, piece: str, *, outside: bool, parsed: Parsed) -> str:
    """Join text between markers: one space between words, none before punctuation."""
    words = " ".join(piece.split())
    if not words:
        return built
    if outside and words not in ("<sent>", "<ref>"):
        parsed.problems.append(f"text outside a sentence: {words[:30]!r}")
    glue = "" if not built or words[0] in ",.;:?!" else " "
    return built + glue + SPACE_BEFORE.sub(r"\1", words)


def _take_comment(built: str, start: int) -> tuple[str, str]:
    """Remove the balanced parentheses at the end of an open span and return them."""
    if not built.endswith(")"):
        return built, ""
    depth = 0
    for i in range(len(built) - 1, start - 1, -1):
        depth += (built[i] == ")") - (built[i] == "(")
        if depth == 0:
            return built[:i].rstrip(), built[i + 1 : -1]
    return built, ""


def remove_markers(marked: str, schema: Schema = FOMC) -> str:
    """Return the text without markers, with comments."""
    return schema.without_markers(marked)


def count_spans(markers: Iterable[tuple[str, bool]]) -> tuple[int, Counter[str]]:
    """Return the number of started spans (a repeated start counts again), and of ended spans by category."""
    opened = 0
    open_now: set[str] = set()
    closed: Counter[str] = Counter()
    for category, opens in markers:
        if opens:
            opened += 1
            open_now.add(category)
        elif category in open_now:
            open_now.discard(category)
            closed[category] += 1
    return opened, closed


def spans_of_text(text: str, whitespace: bool, schema: Schema = FOMC) -> tuple[int, Counter[str]]:
    """Return the sums over the sentences of an output; `whitespace` counts only markers between white space."""
    opened, closed = 0, Counter[str]()
    for sentence in text.split("<sent>"):
        markers = [one for one in schema.markers(sentence) if not whitespace or _alone(sentence, one.start, one.end)]
        more, inside = count_spans((one.category, one.opens) for one in markers)
        opened += more
        closed += inside
    return opened, closed


def _alone(text: str, start: int, end: int) -> bool:
    """Return whether a marker contains no white space and is surrounded by it."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return not around.strip() and not any(character.isspace() for character in text[start:end])


@dataclass(frozen=True)
class Annotated(Form):
    name: ClassVar = "annotated"
    usual: ClassVar = False  # annotations are a target, not an input of a model
    about: ClassVar = "a text with labelled spans and comments, written inline with start and end markers"
    kind: ClassVar = "annotated"
    reversible: ClassVar = "if no span ends in parentheses"

    schema: str = ""
    """File of categories and their markers (default: that of the example's tag `schema`, or FOMC's)."""

    def write(self, example: Example, structure: AnnotatedText) -> str:
        return to_text(structure.text, structure.spans, self._schema(example))

    def warnings(self, example: Example) -> list[str]:
        structure = read_input(example, AnnotatedText)
        return [one.general for one in problems(structure.text, structure.spans, self._schema(example))]

    def _schema(self, example: Example) -> Schema:
        return schema(self.schema or example.tags.get("schema", ""))

    def read(self, text: str) -> Parsed:
        return from_text(text, schema(self.schema))
