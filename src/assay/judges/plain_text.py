"""Values in plain answers of a judge: a rating, a place, a label; what is ambiguous is not guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

N = r"((?:(?<!\w)-)?(?:\d+(?:\.\d+)?|(?<![\w.])\.\d+))"
NUMBER = re.compile(N)
"""Matches all digits, also inside words (4th): their meaning is not guessed."""
RATING = re.compile(rf"\b(?:rating|score)(?:\s++(?:is|of))?\s*+[:=]?\s*+{N}(?!\w)", re.IGNORECASE)
ALONE = re.compile(rf"\s*+:?\s*+{N}\s*+\.?\s*+")
COUNTED = "zero|one|two|three|four|five|six|seven|eight|nine|ten"
UNCLEAR = re.compile(rf"\d\s*(?:[/%+]|(?:out\s+)?of\b|(?:[-,]|to\b|or\b|and\b)\s*(?:{COUNTED})\b)", re.IGNORECASE)
"""Matches a number that is not a plain rating: 3/10, 3 of ten, 3 or four, 3+, 3 %."""
LETTERS = {ord("*"): "", ord("`"): "", ord("–"): "-", ord("—"): "-", ord("−"): "-", ord("："): ":"}
DESCRIBED = re.compile(rf"\s*{N}\s*[-:=(]\D*")
"""Matches a rating with its description: `4 - a small gap`, `4 (good)`."""
SECOND = re.compile(rf"\b(?:or|to|and)\s+(?:{COUNTED})\b", re.IGNORECASE)
"""Matches a second rating in words."""
LONGEST = 2000
"""Characters of a plain answer that are read; a longer one is no plain answer."""
THINKING = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
FINISHED = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
UNFINISHED = re.compile(r"\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
KEYED = re.compile(r"[\s\-#>\"'_]*(?:\d{1,2}[.)]\s+)?([^\W\d_][\w -]{0,40}?)[\"'_]*\s*[:=]\s*(.*)")
MARKED = re.compile(
    r"\[\[([^\[\]]{1,40})\]\]|\\boxed\{([^{}]{1,40})\}|<(score|rating|answer|verdict|label)>([^<>]{1,40})</\3>",
    re.IGNORECASE,
)
"""Matches an answer that is marked as such: `[[4]]`, `\\boxed{4}`, `<score>4</score>`."""
REASONS = ("reason", "reasons", "reasoning", "rationale", "explanation", "justification", "comment", "comments")
Place = Literal["first", "second", "equal"]
WORDS: dict[str, Place] = {
    "first": "first", "1": "first", "a": "first", "second": "second", "2": "second", "b": "second",
    "equal": "equal", "tie": "equal", "neither": "equal", "both": "equal",
}  # fmt: skip
PLACES = "first|second|equal|tie|neither|both"
PLACE = re.compile(rf"\b({PLACES})\b", re.IGNORECASE)
SUBJECT = (
    r"(?:(?:I(?:\s+would|'d)?\s+(?:prefer|choose|pick|select)|(?:(?:the|my)\s+)?(?:(?:final|better|best)\s+)?"
    r"(?:it|this|claim|answer|label|verdict|decision|winner|preference|choice|output|text|one)(?:\s+is|\s*[:=]))\s*)?"
    r"(?:\b(?:an?|the)\s+)?\b"
)
BETTER = (
    r"(?:\s+(?:text|output|one|summary|answer|response))?(?:\s+(?:is\s+(?:much\s+|clearly\s+|the\s+)?better|wins))?"
)
"""Parts of an answer that states its choice: `I prefer the first text`, `The first output is better`."""


def read_rating(answer: str, low: float, high: float) -> float | None:
    """Return the rating in an answer; None if there is none, more than one, or one outside the scale.

    The answer may state the scale (`Rating (1-5): 4`) or its upper end (`4/5`, `4 out of 5`). With any other number
    the answer is ambiguous and returns None.
    """
    if len(answer) > LONGEST:
        return None
    plain = _without_scale(answer.translate(LETTERS), low, high)
    alone = ALONE.fullmatch(plain)
    ratings = {float(number) for number in ([alone[1]] if alone else RATING.findall(plain))}
    if len(ratings) != 1 or ratings != {float(number) for number in NUMBER.findall(plain)} or UNCLEAR.search(plain):
        return None
    (value,) = ratings
    return value if low <= value <= high else None


def _without_scale(text: str, low: float, high: float) -> str:
    """Remove mentions of the requested scale from the text."""
    first, last = (rf"{re.escape(f'{end:g}')}(?:\.0+)?(?!\.?\d)" for end in (low, high))
    both = rf"{first}\s*(?:-|to)\s*{last}"
    of = r"/|out\s+of\b|of\b"
    mentions = [
        rf"\([^()\d]*{both}\s*\)",  # Rating (1-5): 4
        rf"(?:on\s+)?(?:an?\s+|the\s+)?\bscale\s+(?:of\s+|from\s+)?{both}",  # 4 on a scale of 1 to 5
        rf"(?:(?<=rating)|(?<=score))\s+{both}(?=\s*:)",  # Rating 1-5: 4
        rf"(?<=\d)\s*(?:{of})\s*{last}(?!\s*(?:{of}))",  # 4/5
    ]
    if high == 100:
        mentions.append(r"(?<=\d)\s*%")
    return re.sub("|".join(mentions), "", text, flags=re.IGNORECASE)


def without_thinking(answer: str) -> str:
    """Return an answer without the thoughts that some models print before it; empty if they were broken off."""
    rest = THINKING.sub("", answer, count=1) if THINKING.match(answer) else answer
    if UNFINISHED.match(rest):
        return ""
    *thoughts, last = FINISHED.split(rest)  # some servers leave the first tag out
    return last if thoughts else rest


def read_described(answer: str, low: float, high: float) -> float | None:
    """Return the rating in a value: alone, with the end of the scale, or before its description."""
    plain = answer[:LONGEST].translate(LETTERS).strip().strip("<>")
    described = DESCRIBED.fullmatch(plain)
    if described is None or UNCLEAR.search(plain) or SECOND.search(plain):
        return read_rating(plain if len(answer) <= LONGEST else answer, low, high)
    value = float(described[1])
    return value if low <= value <= high else None


def marked_value(answer: str) -> str | None:
    """Return the one value that an answer marks as such (`[[B]]`); None if it marks none or different ones."""
    values = {(match[1] or match[2] or match[4]).strip() for match in MARKED.finditer(answer)}
    return values.pop() if len(values) == 1 else None


def keyed_value(answer: str, keys: Iterable[str]) -> str | None:
    """Return the value of the one line `key: value` in an answer, such as `fluency: 4` before `reason: All 3 facts`.

    Every other line must be a reason, or have no number; a reason that states another rating leaves doubt. In the last
    line, after steps with numbers of their own, the value is the conclusion; it may be a statement (`The score is 4`).
    """
    known = {key.lower() for key in keys}
    lines = [line for line in answer[:LONGEST].translate(LETTERS).splitlines() if line.strip()]
    values: set[str] = set()
    others: list[tuple[str, str]] = []
    for line in lines:
        key, value = key_and_value(line)
        if key in known:
            values.add(value)
        else:
            others.append((key, line))
    if len(answer) > LONGEST or len(values) > 1:
        return None
    ends = bool(lines) and (key_and_value(lines[-1])[0] in known if values else bool(RATING.search(lines[-1])))
    if ends and not any(RATING.search(line) for _, line in others if values or line != lines[-1]):
        return values.pop() if values else lines[-1]
    if any(RATING.search(line) or (key not in REASONS and NUMBER.search(line)) for key, line in others):
        return None
    return values.pop() if values else None


def key_and_value(line: str) -> tuple[str, str]:
    """Return the key of a line `key: value`, in lower case with underscores, and its value; empty if it has none."""
    pair = KEYED.fullmatch(line)
    return (pair[1].strip().lower().replace(" ", "_"), pair[2].strip()) if pair else ("", "")


def read_place(answer: str) -> Place | None:
    """Return the one place that an answer names as its choice; None if it names none or several."""
    plain = answer.strip().strip("*`\"'.()[] \n").lower()
    if plain in WORDS:
        return WORDS[plain]
    named = {WORDS[word.lower()] for word in PLACE.findall(answer[:LONGEST])}
    return named.pop() if len(named) == 1 and _stated(answer, PLACES, r"[.;!\n(]|$") else None


def read_label(answer: str, labels: Iterable[str]) -> str | None:
    """Return the one label that an answer states; None if it names several, or only mentions one (`not supported`)."""
    known = {label.lower(): label for label in labels}
    plain = answer.strip().strip("*`\"'.()[]:! \n").lower()
    if plain in known:
        return known[plain]
    words = "|".join(re.escape(label) for label in sorted(known, key=len, reverse=True))
    named = {known[match.lower()] for match in re.findall(rf"(?<!\w)(?:{words})(?!\w)", answer[:LONGEST].lower())}
    return named.pop() if len(named) == 1 and _stated(answer, words, r"[.,;:!\n(]|- |$") else None


def _stated(answer: str, words: str, end: str) -> bool:
    """Return whether an answer begins with one of the words, or with a statement such as `The answer is WORD`."""
    plain = answer[:LONGEST].translate(LETTERS).strip().strip("\"'[] \n")
    return bool(re.match(rf"{SUBJECT}(?:{words}){BETTER}(?=[\"'\]]*\s*(?:{end}))", plain, re.IGNORECASE))
