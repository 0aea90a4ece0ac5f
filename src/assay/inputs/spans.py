"""Annotations as text and back: labelled spans, some with a comment, written inline with start and end markers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.inputs.schema import FOMC, Schema, schema
from assay.records.inputs import read_input
from assay.records.kinds import AnnotatedText, Span

if TYPE_CHECKING:
    from assay.records import Example

SCHEMA = FOMC.names
"""FOMC's categories in the order of its schema; the first encloses all others."""
RESERVED = re.compile(r"<sent>|<ref>|\[[A-Z_ ]+[_ ](?:START|END)\]")
SPACE_BEFORE = re.compile(r"\s+([,.;:?!])")


@dataclass
class Parsed:
    """What a marked text holds, and what is wrong with its markers."""

    text: str = ""
    spans: list[Span] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    opened: int = 0
    closed: int = 0


def to_text(text: str, spans: Sequence[Span], schema: Schema = FOMC) -> str:
    """The marked text. Spans may touch, contain one another, cross, or coincide.

    At one place closes come before opens; the span that began earlier closes first, the whole sentence last. Of opens
    the whole sentence comes first, then the longer span. A comment stands in parentheses before its end marker.
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
    """Refuse what could not be written or read back."""
    if found := _reserved(text, schema):
        raise AssayError(f"the text already holds a marker: {found!r}")
    for span in spans:
        if span.category not in schema.names:
            raise AssayError(
                f"span {span.start}-{span.end}: no category {span.category!r}; there is {', '.join(schema.names)}"
            )
        if not 0 <= span.start < span.end <= len(text) or not text[span.start : span.end].strip():
            raise AssayError(f"span {span.start}-{span.end} ({span.category}): empty or outside the text")
        if _reserved(span.comment or "", schema):
            raise AssayError(f"span {span.start}-{span.end} ({span.category}): the comment holds a marker")


def _reserved(text: str, schema: Schema) -> str | None:
    """What of a text would be taken for a marker, or for what stands between statements."""
    own = next(schema.markers(text), None)
    if own:
        return text[own.start : own.end]
    match = RESERVED.search(text)
    return match[0] if match else None


def warnings(text: str, spans: Sequence[Span], schema: Schema = FOMC) -> list[str]:
    """What an annotator should look at: it can be written, but may not be read back as it was meant."""
    found = []
    for span in spans:
        name = f"{span.category} {span.start}-{span.end}"
        if set(span.comment or "") & set("()"):
            found.append(f"{name}: the comment holds a parenthesis")
        if not span.comment and text[span.start : span.end].rstrip().endswith(")"):
            found.append(f"{name}: ends in parentheses, which will read as a comment")
        if span.category in schema.names:
            wanted = schema.category(span.category).comment
            if wanted != "optional" and bool(span.comment) != (wanted == "required"):
                found.append(f"{name}: has {'no' if wanted == 'required' else 'a'} comment, against the schema")
    for i, a in enumerate(spans):
        for b in spans[i + 1 :]:
            if a.category == b.category and a.start < b.end and b.start < a.end:
                found.append(f"{a.category} {a.start}-{a.end} overlaps {b.start}-{b.end} of the same category")
    for whole in (span for span in spans if span.category == schema.whole):
        inside = Counter(s.category for s in spans if whole.start <= s.start and s.end <= whole.end)
        place = f"sentence {whole.start}-{whole.end}"
        found += [f"{place} has no {c.name}" for c in schema.inner if c.mandatory and not inside[c.name]]
        found += [
            f"{place} has {inside[c.name]} of {c.name}, where the schema allows one"
            for c in schema.inner
            if not c.repeatable and inside[c.name] > 1
        ]
    return found


def from_text(marked: str, schema: Schema = FOMC) -> Parsed:
    """Plain text, spans and comments of a marked text; ill-formed markers are reported, never fatal.

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
    parsed.text = built
    rank = {name: i for i, name in enumerate(schema.names)}
    parsed.spans.sort(key=lambda span: (span.start, -span.end, rank[span.category]))
    return parsed


def _append(built: str, piece: str, *, outside: bool, parsed: Parsed) -> str:
    """Text between markers: one space between words, none before punctuation."""
    words = " ".join(piece.split())
    if not words:
        return built
    if outside and words not in ("<sent>", "<ref>"):
        parsed.problems.append(f"text outside a sentence: {words[:30]!r}")
    glue = "" if not built or words[0] in ",.;:?!" else " "
    return built + glue + SPACE_BEFORE.sub(r"\1", words)


def _take_comment(built: str, start: int) -> tuple[str, str]:
    """The balanced parentheses at the very end of an open span, taken out of the text."""
    if not built.endswith(")"):
        return built, ""
    depth = 0
    for i in range(len(built) - 1, start - 1, -1):
        depth += (built[i] == ")") - (built[i] == "(")
        if depth == 0:
            return built[:i].rstrip(), built[i + 1 : -1]
    return built, ""


def remove_markers(marked: str, schema: Schema = FOMC) -> str:
    """The text without markers, comments kept."""
    return schema.without_markers(marked)


def shown(text: str, how: str) -> str:
    """A marked text as it is scored: sentences become lines, markers go or count as one word each."""
    if how == "as it is":
        return text
    lines = re.split(r"<sent>|\n", text)
    if how == "without markers":
        return "\n".join(remove_markers(line) for line in lines)
    return "\n".join(" ".join(line.replace("_", "").split()) for line in lines)


def count_spans(markers: Iterable[tuple[str, bool]]) -> tuple[int, Counter[str]]:
    """Spans opened (again while open counts as one more), and spans closed by category."""
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
    """The same summed over the sentences of an output; `whitespace` sees only markers that stand alone."""
    opened, closed = 0, Counter[str]()
    for sentence in text.split("<sent>"):
        found = [one for one in schema.markers(sentence) if not whitespace or _alone(sentence, one.start, one.end)]
        more, inside = count_spans((one.category, one.opens) for one in found)
        opened += more
        closed += inside
    return opened, closed


def _alone(text: str, start: int, end: int) -> bool:
    """Whether nothing but white space touches a marker, nor stands in it."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return not around.strip() and not any(character.isspace() for character in text[start:end])


@dataclass(frozen=True)
class Annotated(Form):
    name: ClassVar = "annotated"
    usual: ClassVar = False  # what was marked by people is an answer, not what a model is given
    about: ClassVar = "a text with labelled spans and comments, written inline with start and end markers"
    kind: ClassVar = "annotated"
    reversible: ClassVar = "if no span ends in parentheses of its own"

    schema: str = ""
    """A file of categories and their markers; FOMC's if not said."""

    def write(self, example: Example, given: AnnotatedText) -> str:
        return to_text(given.text, given.spans, schema(self.schema))

    def warnings(self, example: Example) -> list[str]:
        given = read_input(example, AnnotatedText)
        found = warnings(given.text, given.spans, schema(self.schema))
        return [line.partition(": ")[2] or "lacks a mandatory category" for line in found]

    def read(self, text: str) -> Parsed:
        return from_text(text, schema(self.schema))
