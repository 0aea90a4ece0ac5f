"""The linter of forms: what reviews of judge prompts complain about, found before any call is paid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.judges.form import Criterion, JudgeForm

LEADING = re.compile(
    r"\b(obviously|clearly|surely|certainly|of course|undoubtedly|state[- ]of[- ]the[- ]art|offensichtlich|zweifellos|"
    r"selbstverständlich|évidemment|obviamente|our (?:\w+ )?(?:model|system|method)|known to be|"
    r"(?:(?:would|could|should|is|are|do|does)n't) (?:it|they|you)|"
    r"(?:excellent|wonderful|outstanding|brilliant|impressive) (?:output|summary|answer|text|translation|response)|"
    r"(?:superior|inferior|strong|poor|weak|bad) (?:baseline|system|model)|"
    r"(?:longer|shorter|more detailed) (?:\w+ )?(?:deserve|get|receive|are (?:better|preferred))|"
    r"(?:GPT|ChatGPT|Claude|Gemini|Llama)[-\w]*|written by an? (?:expert|model|human))\b",
    re.IGNORECASE,
)
"""Words that suggest an answer, reward length, or reveal who wrote the text."""
JOINED = re.compile(r"\b(and|as well as|and/or|und|sowie|et(?! al)|y|и)\b|/|&", re.IGNORECASE)
NEGATED = re.compile(r"\b(not|no|never|without|free of|nicht|kein\w*|ohne)\b|n't\b", re.IGNORECASE)
ABOUT_INPUT = re.compile(
    r"\b(input|source|article|document|context|contexts|request|faithful|supported|Quelle|Eingabe|Kontexte?)\b",
    re.IGNORECASE,
)
ABOUT_REFERENCE = re.compile(r"\b(references?|gold standard|Referenz(?:en)?)\b", re.IGNORECASE)
RANGE = re.compile(
    r"\b(?:scale|rat(?:e|ing)|score|grade|points?|Skala|bewerte|Punkte)\b[^.?!\n]{0,60}?\b(\d+)\s*(?:-|–|to|bis)\s*(\d+)\b",
    re.IGNORECASE,
)
"""Matches a scale that is written out: `Rate from 1 to 10`, `a scale of 1-5`."""
VAGUE = re.compile(
    r"^((very|sehr) )?(bad|poor|ok|okay|medium|good|fair|average|great|excellent|low(est)?|high(est)?|worst|best|"
    r"schlecht|mittel|mäßig|gut)\.?$",
    re.IGNORECASE,
)
MOST_LEVELS = 11
LONGEST = 60
"""Words of a question beyond which it is hard to follow."""


@dataclass(frozen=True)
class LintFinding:
    """One problem of a form, with its remedy; `criterion` is empty for the whole form."""

    rule: str
    level: Literal["error", "warning"]
    criterion: str
    problem: str
    remedy: str


def lint(form: JudgeForm) -> list[LintFinding]:
    """Return the problems of a form, errors first."""
    findings = [*_whole(form), *(finding for each in form.criteria for finding in _criterion(form, each))]
    return sorted(findings, key=lambda finding: finding.level != "error")


def _whole(form: JudgeForm) -> Iterator[LintFinding]:
    text = f"{form.system}\n{form.user}"
    if match := LEADING.search(text):
        yield LintFinding("leading", "error", "", f"suggests an answer: {match[0]!r}", "remove it; state the levels")
    if "{answer}" not in text:
        yield LintFinding(
            "no-answer-format", "warning", "", "the form does not say what an answer looks like", "write {answer}"
        )
    if "{criteria}" not in text:
        yield LintFinding(
            "no-criteria", "error", "", "the model never reads the question and its levels", "write {criteria}"
        )
    if form.kind == "pairwise" and not form.ties:
        yield LintFinding(
            "no-ties", "warning", "", "equal texts force a guess, which position decides", "allow ties: ties = true"
        )
    if form.kind in ("pairwise", "ranking") and "random" not in f"{text} {' '.join(c.question for c in form.criteria)}":
        yield LintFinding(
            "order", "warning", "", "the model is not told that the order has no meaning", "say: The order is random."
        )
    if not form.about.strip():
        yield LintFinding("no-description", "warning", "", "about is empty", "say what the form is for")


def _criterion(form: JudgeForm, each: Criterion) -> Iterator[LintFinding]:
    name, question = each.name, each.question
    questions = [part for part in re.findall(r"[^.?!]*[.?!]|[^.?!]+$", question) if "?" in part]
    if not question.strip():
        yield LintFinding("no-question", "error", name, "no question, only a name", "ask one question")
    if len(questions) > 1 or any(JOINED.search(part) for part in questions):
        problem = "asks two things at once; an answer cannot say which"
        yield LintFinding("two-questions", "error", name, problem, "write one criterion for each question")
    if match := LEADING.search(question):
        yield LintFinding("leading", "error", name, f"suggests an answer: {match[0]!r}", "ask neutrally")
    if form.kind == "checklist" and any(NEGATED.search(part) for part in questions):
        yield LintFinding("negated", "warning", name, "yes to a negation is ambiguous", "ask the question positively")
    if len(question.split()) > LONGEST:
        yield LintFinding("long", "warning", name, f"more than {LONGEST} words", "shorten the question")
    if ABOUT_INPUT.search(f"{name} {question}") and not {"source", "contexts", "reference"} & {
        *form.prompt(form.names).fields()
    }:
        yield LintFinding("no-input", "error", name, "is about the input, which is not shown", "write {source}")
    if ABOUT_REFERENCE.search(question) and not {"reference", "references"} & {*form.prompt(form.names).fields()}:
        problem = "is about a reference, which is not shown"
        yield LintFinding("no-reference", "error", name, problem, "write {reference}")
    if form.kind == "rating":
        ends = {each.scale for each in form.criteria}
        for low, high in RANGE.findall(f"{question}\n{form.user}\n{form.system}"):
            if (float(low), float(high)) not in ends:
                problem = f"the text says {low} to {high}, the levels {each.scale[0]:g} to {each.scale[1]:g}"
                yield LintFinding("other-scale", "error", name, problem, "leave the scale to {criteria}")
                break
    if form.kind in ("rating", "choice"):
        yield from _levels(form, each)


def _levels(form: JudgeForm, each: Criterion) -> Iterator[LintFinding]:
    name, texts = each.name, list(each.levels.values())
    ends = [level for level in (next(iter(each.levels)), next(reversed(each.levels))) if not each.levels[level].strip()]
    if form.kind == "rating" and ends:
        problem = f"the scale end {ends[0]} has no description"
        yield LintFinding("unlabelled-end", "error", name, problem, "describe both ends of the scale")
    elif empty := [level for level, text in each.levels.items() if not text.strip()]:
        problem = f"level {empty[0]} has no description"
        yield LintFinding("unlabelled-level", "warning", name, problem, "describe every level")
    described = [text.strip().lower() for text in texts if text.strip()]
    if len(set(described)) < len(described):
        yield LintFinding("same-levels", "error", name, "two levels have the same description", "tell them apart")
    if vague := [text for level, text in each.levels.items() if VAGUE.match(text.strip()) or text.strip() == level]:
        problem = f"{vague[0]!r} does not say what to look for"
        yield LintFinding("vague-level", "warning", name, problem, "describe what a text of this level has or lacks")
    if len(texts) > MOST_LEVELS:
        yield LintFinding("many-levels", "warning", name, f"{len(texts)} levels", f"use at most {MOST_LEVELS}")
    if form.kind == "rating" and float(next(iter(each.levels))) == 0 and len(texts) == 2:
        yield LintFinding("two-levels", "warning", name, "a rating of two levels", 'use kind = "checklist"')
