"""Answers to values: what a person would read is read, and what could mean something else is not."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges import judge_form
from assay.judges.expected import expected_rating, level_probabilities
from assay.judges.reading import read
from assay.judges.verdict import ranks

RATING = judge_form("fluency")
SUMMARY = judge_form("summary")
GOOD = {
    '{"score": 4, "reason": "All 3 facts"}': 4, '{"fluency": 4}': 4, '{"reason": "2 of 3 facts", "fluency": "4"}': 4,
    '```json\n{"reason": "x", "fluency": 5}\n```': 5, 'Sure! {"rating": 2} Hope this helps, 1 more thing.': 2,
    '{"scores": {"fluency": 3}}': 3, '{"fluency": {"score": 3, "reason": "1 error"}}': 3, "{'score': 4,}": 4,
    '{"Fluency": 4.5}': 4.5, "Rating: 4": 4, "4/5": 4, '{"reason": "a {brace}", "fluency": 1}': 1,
    '{"fluency": 4}\n{"fluency": 4}': 4, '{"fluency": "4/5"}': 4, "fluency: 4": 4, "**Fluency:** 4/5": 4,
    "Rating: 4\n\nReason: All 3 facts": 4, "reason: 2 of 3 facts\nfluency: 4": 4, "fluency: 4\nIt reads well.": 4,
    "[[4]]": 4, "The 2 typos are small. Rating: [[4]]": 4, "so \\boxed{4}": 4, "2 typos <score>4</score>": 4,
    "Step 1: 2 typos\nStep 2: none\nScore: 4": 4, "There are 3 facts.\n\nTherefore the final score is 4.": 4,
    '{"fluency": "4 - a small gap"}': 4, "fluency: 4 (a small gap)": 4, '{"evaluation": {"fluency": 4}}': 4,
    "评分：4": 4, "Begründung: 3 Sätze.\nBewertung: 4": 4, '{"fluency": "<4>"}': 4,
    '{"fluency_score": 4}': 4, '{"Fluency Rating": 4}': 4, 'Perhaps {"fluency": 3}?\n</think>\n{"fluency": 4}': 4,
    "Score: 3?\n</think>\n\n4": 4, '[{"criterion": "fluency", "score": 4}]': 4,
    "<think>Rather 3?</think>\n4": 4, '<think>{"fluency": 3}, no</think>{"fluency": 4}': 4,
}  # fmt: skip
BAD = [
    "", "no idea", '{"fluency": 9}', '{"fluency": true}', '{"fluency": null}', '{"fluency": "3 or 4"}', '{"other": 4}',
    '{"fluency": 4} {"fluency": 5}', '{"fluency": NaN}', "Rating: 4 or 5", '{"fluency": [4]}', "{" * 5000, "[" * 5000,
    '{"fluency":' * 3000, "{'score': 4, 'rating': 5}", "{'score': 3 or 4}", "{'score': 4.",
    "fluency: 4\nfluency: 3", "fluency: 4\nor rather 3", "fluency: 3 or 4\nreason: x", "fluency: 9", "<think>it is 4",
    '{"reason": "At first fluency: 5, but no", "fluency": 3', '{"reason": "At first fluency: 5, but',
    '{"score": 2, "score": 4}',
    'Rather {"fluency": 3}.\n</think>\nNo idea.', "[[4]] [[3]]", "Rating: 3, no: [[4]]",
    "Rating: 3\nStep 2: 2 typos\nScore: 4", '{"fluency": "4 - or 5"}',
    '{"fluency": "4 - or five"}', "2 typos\n4", "Score: 4\n2 typos", "note: 2 typos",
    "fluency: 4\nreason: the rating 3 is too low", "not fluency: 4", "fluency: 4\nreason: good\nRating 3",
]  # fmt: skip


REFUSALS = [
    "I'm sorry, but I can't assist with that.", "As an AI model I do not judge texts.",
    "Das tut mir leid, darüber urteile ich nicht.", "抱歉，这段文字我不评分。", "Lo siento, no puedo evaluar esto.",
]  # fmt: skip


@pytest.mark.parametrize(("answer", "value"), GOOD.items())
def test_a_rating_is_read(answer: str, value: float) -> None:
    assert read(RATING, ("fluency",), answer).values == {"fluency": value}


def test_a_number_outside_the_scale_is_named() -> None:
    for answer in ('{"fluency": 9}', '{"fluency": "0"}'):
        assert "outside the scale of fluency, 1 to 5" in read(RATING, ("fluency",), answer).why
    assert "outside" not in read(RATING, ("fluency",), '{"fluency": "good"}').why


@pytest.mark.parametrize("answer", BAD)
def test_what_is_no_rating_has_a_kind_and_no_value(answer: str) -> None:
    reading = read(RATING, ("fluency",), answer)
    assert (reading.values, reading.failure) == ({}, "unreadable")
    assert reading.why


@pytest.mark.parametrize("answer", REFUSALS)
def test_refusals_are_a_kind_of_their_own(answer: str) -> None:
    assert read(RATING, ("fluency",), answer).failure == "refusal"


def test_several_criteria() -> None:
    names = SUMMARY.names
    whole = '{"reason": "", "coherence": 1, "consistency": 2, "fluency": 3, "relevance": 4}'
    assert read(SUMMARY, names, whole).values == {"coherence": 1, "consistency": 2, "fluency": 3, "relevance": 4}
    lines = "coherence: 1\nconsistency: 2\nfluency: 3\nrelevance: 4"
    assert read(SUMMARY, names, lines).values == read(SUMMARY, names, whole).values
    listed = "- **Coherence**: 1/5 \n- Consistency: 2\n3. Fluency: 3 (good)\n- Relevance: 4"
    assert read(SUMMARY, names, listed).values == read(SUMMARY, names, whole).values
    apart = '{"coherence": 1}\n{"consistency": 2}\n{"fluency": 3}\n{"relevance": 4}'
    assert read(SUMMARY, names, apart).values == read(SUMMARY, names, whole).values
    assert read(SUMMARY, names, apart + '{"coherence": 1}').failure == "unreadable"
    assert read(SUMMARY, names, f"{lines}\ncoherence: 3").failure == "unreadable"
    assert read(SUMMARY, names, whole.replace('"fluency": 3, ', "")).failure == "unreadable"
    assert read(SUMMARY, names, "coherence: 1\ncoherence: 2").failure == "unreadable"
    graded = [{"criterion": name.title(), "score": place} for place, name in enumerate(names, 1)]
    assert read(SUMMARY, names, json.dumps({"evaluation": graded})).values == dict(zip(names, range(1, 5), strict=True))
    assert read(SUMMARY, names, json.dumps({"evaluation": graded * 2})).failure == "unreadable"
    assert read(SUMMARY, names, lines.replace("fluency: 3", "fluency: 3 or 4")).failure == "unreadable"


@pytest.mark.parametrize(
    ("form", "answer", "value"),
    [
        ("support", '{"support": "Supported"}', 1.0), ("support", "contradicted", 0.0),
        ("support", "supported or unsupported", None), ("pairwise", '{"reason": "", "preference": "second"}', "second"),
        ("pairwise", '{"winner": "A"}', "first"), ("pairwise", "It is a tie.", "equal"),
        ("pairwise", "both, first", None),
        ("pairwise", "I prefer the first text.", "first"), ("pairwise", "The first text is worse.", None),
        ("pairwise", "The second is not better", None), ("pairwise", "First, I compare the texts.", None),
        ("pairwise", "Winner: first\nReason: second is longer", "first"), ("pairwise", "Both are good", None),
        ("support", "The claim is supported.", 1.0), ("support", "Supported. All 3 facts.", 1.0),
        ("support", "The claim is not supported.", None), ("support", "partially supported", None),
        ("support", "Label: supported\nReason: not contradicted", 1.0),
        ("support", "It is unclear whether it is supported", None),
        ("ranking", '{"rank": "B > A = C"}', "B > A = C"), ("ranking", '{"ranking": ["C", "a", "B"]}', "C > A > B"),
        ("ranking", "B > A", None), ("ranking", '{"rank": "B > A > C > D"}', None), ("best-of", "B > A = C", None),
        ("best-of", "b, c, a", "B > C > A"), ("ranking", "1. B\n2. Output A\n3. C", "B > A > C"),
        ("ranking", "1. B\n3. A\n2. C", None), ("pairwise", "The 2nd has 3 errors.\n\n[[A]]", "first"),
    ],
)  # fmt: skip
def test_other_kinds(form: str, answer: str, value: Any) -> None:
    made = judge_form(form)
    reading = read(made, made.names, answer, ("x", "y", "z"))
    assert reading.values == ({} if value is None else {made.names[0]: value})


def test_checklists() -> None:
    made = judge_form("summary-checklist")
    answer = '{"supported": "yes", "main_point": "No", "no_repetition": true, "complete_sentences": 0}'
    assert list(read(made, made.names, answer).values.values()) == [1.0, 0.0, 1.0, 0.0]
    answers = {"No, it does not": 0.0, "**Yes**": 1.0, "no doubt about it": None, "There are no errors": None}
    assert {each: read(made, made.names[:1], each).values.get("supported") for each in answers} == answers


def test_error_spans_are_located_and_weighted() -> None:
    made = judge_form("error-spans")
    answer = """{"errors": [{"text": "three goats", "category": "Addition", "severity": "major"},
                            {"text": "elsewhere", "category": "grammar", "severity": "minor"}]}"""
    reading = read(made, made.names, answer, ("He saw three goats.",))
    assert reading.values == {"errors": 6.0}
    assert [span[3:] for span in reading.spans] == [(7, 18), (None, None)]
    assert read(made, made.names, '{"errors": []}', ("x",)).values == {"errors": 0.0}
    listed = answer[answer.index("[") : -1].replace("three goats", "Three  goats")
    assert read(made, made.names, f"```json\n{listed}\n```", ("He saw three goats.",)).spans[0][3:] == (7, 18)
    assert read(made, made.names, "[]", ("x",)).values == {"errors": 0.0}
    assert read(made, made.names, "[1]", ("x",)).failure == "unreadable"
    assert read(made, made.names, answer.replace("major", "huge"), ("x",)).failure == "unreadable"


def test_ranks_are_shared() -> None:
    assert ranks("B > A = C") == {"B": 1.0, "A": 2.5, "C": 2.5}


@given(st.text())
def test_any_answer_is_a_value_on_the_scale_or_a_failure(answer: str) -> None:
    reading = read(RATING, ("fluency",), answer)
    assert bool(reading.values) != bool(reading.failure)
    assert all(1 <= float(value) <= 5 for value in reading.values.values())


@pytest.mark.parametrize("piece", ['{"a":', "{", '"score": ', "a: ", "{'score': 4 ", "first second "])
def test_hostile_answers_cost_linear_time(piece: str) -> None:
    start = time.process_time()
    for form in (RATING, SUMMARY, judge_form("pairwise"), judge_form("support")):
        read(form, form.names, piece * (200_000 // len(piece)), ("x", "y"))
    assert time.process_time() - start < 3


def tokens(*texts: str, top: dict[str, float] | None = None) -> list[tuple[str, list[tuple[str, float]]]]:
    import math

    shares = [(token, math.log(share)) for token, share in (top or {}).items()]
    return [(text, shares if i == len(texts) - 2 else []) for i, text in enumerate(texts)]


def test_expected_ratings() -> None:
    listed = tokens(
        '{"', "reason", '": "4 of 5', '", "', "fluency", '":', " ", "4", "}", top={"4": 0.6, "5": 0.3, "x": 0.1}
    )
    shares = level_probabilities(RATING, "fluency", 4.0, listed)
    assert shares is not None
    assert shares["4"] == pytest.approx(2 / 3)
    assert expected_rating(shares) == pytest.approx(13 / 3)
    rare = tokens('"fluency":', "4", "}", top={"4": 0.2, "x": 0.7})
    assert level_probabilities(RATING, "fluency", 4.0, rare) is None  # mostly no rating
    assert level_probabilities(RATING, "fluency", 3.0, listed) is None
    assert level_probabilities(judge_form("pairwise"), "preference", 1.0, listed) is None
