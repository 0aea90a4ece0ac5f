"""Annotations as text and back."""

# ruff: noqa: E501 -- expected texts are in one piece

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.inputs import form
from assay.inputs.schema import FOMC
from assay.inputs.spans import Parsed, from_text, remove_markers, to_text, warnings
from assay.records import Example
from assay.records.kinds import AnnotatedText, Span

CASES = [
    (
        "The Fed cut rates",
        [("std_sentence", 0, 17, ""), ("actor", 4, 7, ""), ("act", 8, 17, "Did cut rates")],
        "[STD_SENTENCE_START] The [ACTOR_START] Fed [ACTOR_END] [ACT_START] cut rates (Did cut rates) [ACT_END] "
        "[STD_SENTENCE_END]",
    ),
    (
        "The board voted today to hold rates, to curb prices.",
        [("std_sentence", 0, 52, ""), ("actor", 4, 9, "Fed"), ("act", 10, 35, "Did not raise rates"), ("reference", 16, 21, ""),
         ("motive", 37, 51, "")],
        "[STD_SENTENCE_START] The [ACTOR_START] board (Fed) [ACTOR_END] [ACT_START] voted [REFERENCE_START] today "
        "[REFERENCE_END] to hold rates (Did not raise rates) [ACT_END] , [MOTIVE_START] to curb prices [MOTIVE_END] . "
        "[STD_SENTENCE_END]",
    ),
    (
        "It would resist higher prices firmly.",
        [("std_sentence", 0, 37, ""), ("act", 3, 29, "Might not cut rates"), ("motive", 9, 36, "")],
        "[STD_SENTENCE_START] It [ACT_START] would [MOTIVE_START] resist higher prices (Might not cut rates) [ACT_END] "
        "firmly [MOTIVE_END] . [STD_SENTENCE_END]",
    ),
    (
        "Fed raised rates.",
        [("std_sentence", 0, 17, ""), ("actor", 0, 3, ""), ("attribution", 0, 3, ""), ("act", 4, 16, "")],
        "[STD_SENTENCE_START] [ATTRIBUTION_START] [ACTOR_START] Fed [ATTRIBUTION_END] [ACTOR_END] [ACT_START] raised rates "
        "[ACT_END] . [STD_SENTENCE_END]",
    ),
    (
        "They left despite objections that prices rose.",
        [("std_sentence", 0, 46, ""), ("act", 10, 28, "Should not"), ("attribution", 18, 28, "One member")],
        "[STD_SENTENCE_START] They left [ACT_START] despite [ATTRIBUTION_START] objections (Should not) [ACT_END] (One member) "
        "[ATTRIBUTION_END] that prices rose. [STD_SENTENCE_END]",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "given", "expected"), CASES)
def test_writing_and_reading_back(text: str, given: list[tuple[str, int, int, str]], expected: str) -> None:
    spans = [Span(*span) for span in given]
    assert to_text(text, spans) == expected
    parsed = from_text(expected)
    assert parsed.problems == []
    assert parsed.text == text
    assert sorted(parsed.spans, key=str) == sorted(spans, key=str)
    example = Example(id="x", input=AnnotatedText(text=text, spans=spans).plain())
    assert form("annotated").render(example) == expected


def test_marks_glued_to_an_end_marker_are_no_problem() -> None:
    """Models write a comma directly behind a marker; the text gets it back, and the count is right."""
    written = (
        "[STD_SENTENCE_START] The [ACTOR_START] board [ACTOR_END] [ACT_START] held rates (Did not raise rates) [ACT_END], "
        "then [ATTRIBUTION_START] members [ATTRIBUTION_END] left. [STD_SENTENCE_END]"
    )
    parsed = from_text(written)
    assert (parsed.problems, parsed.opened, parsed.closed) == ([], 4, 4)
    assert parsed.text == "The board held rates, then members left."
    act = next(span for span in parsed.spans if span.category == "act")
    assert (parsed.text[act.start : act.end], act.comment) == ("held rates", "Did not raise rates")


WORDS = st.lists(st.sampled_from(("rates", "rose", "the", "Fed", "today")), min_size=1, max_size=8)


@given(WORDS, st.data())
def test_any_spans_on_word_boundaries_come_back(words: list[str], data: st.DataObject) -> None:
    """Nested, crossing, touching and equal spans of different categories."""
    text = " ".join(words)
    starts = [0, *(match.end() for match in re.finditer(" ", text))]
    ends = [*(match.start() for match in re.finditer(" ", text)), len(text)]
    spans = [Span("std_sentence", 0, len(text))]
    for category in data.draw(st.lists(st.sampled_from(FOMC.names[1:]), unique=True)):
        first = data.draw(st.integers(0, len(words) - 1))
        last = data.draw(st.integers(first, len(words) - 1))
        spans.append(Span(category, starts[first], ends[last], data.draw(st.sampled_from(("", "a note", "x / y")))))
    marked = to_text(text, spans)
    parsed = from_text(marked)
    assert parsed.problems == []
    assert parsed.text == text
    assert sorted(parsed.spans, key=str) == sorted(spans, key=str)
    assert from_text(marked.replace("_START", " START").replace("] ", "]")).closed == len(spans)


MARKERS = st.sampled_from([f"[{name.upper()}_{end}]" for name in FOMC.names for end in ("START", "END")])


@given(st.lists(st.text(alphabet="ab ().,", max_size=6) | MARKERS, max_size=12).map("".join))
def test_the_parser_takes_anything_and_accounts_for_every_marker(text: str) -> None:
    parsed = from_text(text)
    assert parsed.opened == text.count("_START]")
    assert parsed.closed == len(parsed.spans) <= parsed.opened
    assert all(0 <= span.start < span.end <= len(parsed.text) for span in parsed.spans)
    if parsed.closed < parsed.opened or text.count("_END]") > parsed.closed:
        assert parsed.problems


@pytest.mark.parametrize(
    ("marked", "problem"),
    [
        ("[ACT_START] a [ACT_START] b [ACT_END]", "act opened again before it was closed"),
        ("[STD_SENTENCE_START] a [ACT_END] [STD_SENTENCE_END]", "act closed without being open"),
        ("[STD_SENTENCE_START] a [ACT_START] b", "act never closed"),
        ("[ACT_START] [ACT_END]", "act has no text"),
        ("a [STD_SENTENCE_START] b [STD_SENTENCE_END]", "text outside a sentence: 'a'"),
    ],
)
def test_ill_formed_markers_are_reported(marked: str, problem: str) -> None:
    assert problem in from_text(marked).problems


def test_started_and_ended_spans_are_counted() -> None:
    parsed: Parsed = from_text("[ACT_START] a [ACT_START] b [ACT_END] c [ACT_END] [ACTOR_END] [ACTOR_START] d")
    assert (parsed.opened, parsed.closed) == (3, 1)


@pytest.mark.parametrize(
    ("text", "span", "message"),
    [
        ("abc", Span("act", 1, 1), "empty or outside"),
        ("abc", Span("act", 1, 9), "empty or outside"),
        ("a c", Span("act", 1, 2), "empty or outside"),
        ("abc", Span("verb", 0, 1), "no category 'verb'"),
        ("abc", Span("act", 0, 1, "x [ACT_END]"), "comment contains a marker"),
        ("a <sent> b", Span("act", 0, 1), "already contains a marker"),
    ],
)
def test_invalid_spans_are_rejected(text: str, span: Span, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        to_text(text, [span])


def test_warnings_and_marker_removal() -> None:
    spans = [Span("std_sentence", 0, 9), Span("act", 0, 5, "a (b)"), Span("act", 2, 9), Span("actor", 0, 9)]
    problems = warnings("ab cd (x)", spans)
    assert any("contains a parenthesis" in line for line in problems)
    assert any("are read as a comment" in line for line in problems)
    assert any("of the same category" in line for line in problems)
    assert "sentence 0-9 has no reference" in problems
    assert remove_markers("[ACT_START] cut (Did cut) [ACT_END], now") == "cut (Did cut) , now"
