"""Annotations as text and back: labelled spans, some with a comment, written inline with start and end markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.records.inputs import read_input
from assay.records.kinds import AnnotatedText, Span

if TYPE_CHECKING:
    from assay.records import Example

WHOLE = "std_sentence"
SCHEMA = (WHOLE, "attribution", "actor", "motive", "scope", "evidence", "reference", "act")
"""FOMC's categories in the order of its schema; the first encloses all others."""
MANDATORY = ("act", "actor", "reference")
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


def to_text(text: str, spans: Sequence[Span], schema: Sequence[str] = SCHEMA) -> str:
    """The marked text. Spans may touch, contain one another, cross, or coincide.

    At one place closes come before opens; the span that began earlier closes first, the whole sentence last. Of opens
    the whole sentence comes first, then the longer span. A comment stands in parentheses before its end marker.
    """
    check(text, spans, schema)
    rank = {name: i for i, name in enumerate(schema)}

    def closing(span: Span) -> tuple[bool, int, int]:
        return span.category == WHOLE, span.start, rank[span.category]

    def opening(span: Span) -> tuple[bool, int, int]:
        return span.category != WHOLE, -span.end, rank[span.category]

    places = sorted({place for span in spans for place in (span.start, span.end)})
    pieces, last = [], 0
    for place in places:
        pieces.append(text[last:place])
        last = place
        for span in sorted((s for s in spans if s.end == place), key=closing):
            comment = f" ({span.comment})" if span.comment else ""
            pieces.append(f"{comment} [{span.category.upper()}_END] ")
        for span in sorted((s for s in spans if s.start == place), key=opening):
            pieces.append(f" [{span.category.upper()}_START] ")
    pieces.append(text[last:])
    return " ".join("".join(pieces).split())


def check(text: str, spans: Sequence[Span], schema: Sequence[str] = SCHEMA) -> None:
    """Refuse what could not be written or read back."""
    if RESERVED.search(text):
        raise AssayError(f"the text already holds a marker: {RESERVED.search(text)[0]!r}")  # type: ignore[index]
    for span in spans:
        if span.category not in schema:
            raise AssayError(
                f"span {span.start}-{span.end}: no category {span.category!r}; there is {', '.join(schema)}"
            )
        if not 0 <= span.start < span.end <= len(text) or not text[span.start : span.end].strip():
            raise AssayError(f"span {span.start}-{span.end} ({span.category}): empty or outside the text")
        if RESERVED.search(span.comment or ""):
            raise AssayError(f"span {span.start}-{span.end} ({span.category}): the comment holds a marker")


def warnings(text: str, spans: Sequence[Span]) -> list[str]:
    """What an annotator should look at: it can be written, but may not be read back as it was meant."""
    found = []
    for span in spans:
        name = f"{span.category} {span.start}-{span.end}"
        if set(span.comment or "") & set("()"):
            found.append(f"{name}: the comment holds a parenthesis")
        if not span.comment and text[span.start : span.end].rstrip().endswith(")"):
            found.append(f"{name}: ends in parentheses, which will read as a comment")
    for i, a in enumerate(spans):
        for b in spans[i + 1 :]:
            if a.category == b.category and a.start < b.end and b.start < a.end:
                found.append(f"{a.category} {a.start}-{a.end} overlaps {b.start}-{b.end} of the same category")
    for whole in (span for span in spans if span.category == WHOLE):
        inside = {s.category for s in spans if whole.start <= s.start and s.end <= whole.end}
        found += [f"sentence {whole.start}-{whole.end} has no {name}" for name in MANDATORY if name not in inside]
    return found


def from_text(marked: str, schema: Sequence[str] = SCHEMA) -> Parsed:
    """Plain text, spans and comments of a marked text; ill-formed markers are reported, never fatal.

    Markers need no white space around them (`[ACT_END],`) and may be printed with spaces (`[ACT END]`).
    """
    parsed = Parsed()
    names = "|".join(re.escape(name.upper()).replace("_", "[_ ]") for name in sorted(schema, key=len, reverse=True))
    marker = re.compile(rf"\[({names})[_ ](START|END)\]")
    open_at: dict[str, int] = {}
    built = ""
    position = 0
    for match in marker.finditer(marked):
        built = _append(built, marked[position : match.start()], outside=WHOLE in schema and not open_at, parsed=parsed)
        position = match.end()
        category = match[1].replace(" ", "_").lower()
        if match[2] == "START":
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
    built = _append(built, marked[position:], outside=WHOLE in schema and not open_at, parsed=parsed)
    parsed.problems += [f"{category} never closed" for category in open_at]
    parsed.text = built
    rank = {name: i for i, name in enumerate(schema)}
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


def remove_markers(marked: str, schema: Sequence[str] = SCHEMA) -> str:
    """The text without markers, comments kept."""
    names = "|".join(re.escape(name.upper()).replace("_", "[_ ]") for name in sorted(schema, key=len, reverse=True))
    return " ".join(re.sub(rf"\[(?:{names})[_ ](?:START|END)\]", "", marked).split())


@dataclass(frozen=True)
class Annotated(Form):
    name: ClassVar = "annotated"
    usual: ClassVar = False  # what was marked by people is an answer, not what a model is given
    about: ClassVar = "a text with labelled spans and comments, written inline with start and end markers"
    kind: ClassVar = "annotated"
    reversible: ClassVar = "if no span ends in parentheses of its own"

    def write(self, example: Example, given: AnnotatedText) -> str:
        return to_text(given.text, given.spans)

    def warnings(self, example: Example) -> list[str]:
        given = read_input(example, AnnotatedText)
        return [line.partition(": ")[2] or "lacks a mandatory category" for line in warnings(given.text, given.spans)]

    def read(self, text: str) -> Parsed:
        return from_text(text)
