"""The answer in a longer output: a number, the letter of a choice, a JSON value."""

from __future__ import annotations

import json
import re
from typing import Any

from assay.metrics.answers.numerals import plain_numerals
from assay.text.quantities import Quantity, quantities

MARKED = re.compile(r"####|\\boxed\{|(?:final answer|answer)\s{0,3}(?:is|:)", re.IGNORECASE)
"""What precedes an answer: the mark of GSM8K, the box of MATH, and the words that models write."""
STATED = re.compile(
    r"(?:answer|(?:correct|right|best|final)\s(?:option|choice)|antwort|respuesta|risposta|réponse|答案|答え)"
    r"[\"'*>]{0,3}\s{0,3}(?:is|ist|est|es|è|は|是|[:：=-])?\s{0,3}:?\s{0,5}(?:option|choice)?\s{0,3}"
    r"[*(\[\"'`$]{0,4}(?:(?-i:([A-J]))(?![A-Za-z])|(?-i:([a-j]))(?=\s{0,3}(?:[)\]*\"'`.,;]|$)))",
    re.IGNORECASE,
)
BOXED = re.compile(r"\\boxed\{\s?(?:\\(?:text|textbf|mathrm|mathbf)\{\s?)?\(?([A-J])\)?\s?\}")
LETTER = re.compile(
    r"\s{0,9}(?:(?:[Oo]ption|[Cc]hoice)\s)?[*(\[\"'`]{0,3}([A-J])(?:[)\].:*\"'`]|\s{0,9}$|\sis\s(?:correct|right)\b)"
)
ONLY_LETTER = re.compile(r"[\s(\[*]{0,9}([A-Ja-j])[\s)\].:*]{0,9}")
FENCE = re.compile(r"```[ \t]{0,9}(?:json|JSON)?[ \t]{0,9}\n(.*?)```", re.DOTALL)
ONLY_NUMBER = re.compile(r"\s{0,9}[-−+]?[$€£¥]?\s?\d[\d,.]{0,40}\s?[%°]?\s?[A-Za-z]{0,12}[.\s]{0,9}")
NO_JSON = object()


def number_in(text: str) -> Quantity | None:
    """Return the number that a text gives as its answer: the first after the last mark, else the last one."""
    marks = list(MARKED.finditer(text))
    if marks:
        after = next(quantities(plain_numerals(text[marks[-1].end() :][:400])), None)
        if after is not None:
            return after
    last = None
    for last in quantities(plain_numerals(text)):  # noqa: B007
        pass
    return last


def choice_in(text: str) -> str | None:
    """Return the letter of the choice that a text gives as its answer, in upper case."""
    stated = ["".join(letters) for letters in STATED.findall(text)] or BOXED.findall(text)
    if stated:
        return str(stated[-1]).upper()
    first = LETTER.match(text) or ONLY_LETTER.fullmatch(text)
    return first[1].upper() if first else None


def is_number(text: str) -> bool:
    """Return whether a reference is a number, or a worked solution that ends with a marked one."""
    return bool(ONLY_NUMBER.fullmatch(plain_numerals(text))) or ("####" in text and number_in(text) is not None)


def is_choice(text: str) -> bool:
    """Return whether a reference is the letter of a choice."""
    return bool(ONLY_LETTER.fullmatch(text)) and len(text.strip()) <= 4


def json_in(text: str, whole: bool = False) -> Any:
    """Return the JSON value of an output, or `NO_JSON`. Unless `whole`, it may be in a fence or between other text."""
    candidates = [text.strip()]
    if not whole:
        candidates += [each.strip() for each in FENCE.findall(text)[:1]]
        starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
        ends = max(text.rfind("}"), text.rfind("]"))
        if starts and ends > min(starts):
            candidates.append(text[min(starts) : ends + 1])
    for candidate in candidates:
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return NO_JSON
