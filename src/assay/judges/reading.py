"""Answers of a judge to values: JSON, fenced JSON, labels or plain text; what is ambiguous has no value.

`{"score": 4, "reason": "All 3 facts"}` is 4. A failure is counted by its kind and never becomes a number.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assay.judges.form import PLACES, JudgeForm
from assay.judges.plain_text import keyed_value, read_label, read_place, read_rating, without_thinking

Failure = Literal["timeout", "refusal", "unreadable", "error"]
GENERIC = (
    "score",
    "rating",
    "value",
    "answer",
    "label",
    "verdict",
    "grade",
    "choice",
    "winner",
    "preference",
    "ranking",
)
"""Keys that hold the value of the only criterion."""
INNER = ("scores", "ratings", "criteria", "result", "output")
"""Keys of an object that holds all values."""
LONGEST = 200_000
MOST_TRIES = 64
"""Number of places at which a JSON object is looked for: a hostile answer must not cost more than linear time."""
PAIR = re.compile(
    r"[\"']?([A-Za-z_][\w-]{0,40})[\"']?\s{0,4}[:=]\s{0,4}[\"']?([^\s\"',;{}\[\]]{1,40})(?=[\"']?\s{0,4}[,;}\]\n])"
)
"""Matches `key: value` where nothing else belongs to the value."""
REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:no|')t|cannot|won't|must decline)|as an AI|"
    r"against (?:my|the) (?:guidelines|policy))\b",
    re.IGNORECASE,
)
Value = float | str


class Span(NamedTuple):
    """An error that a judge marked; without `start` its words are not in the output."""

    text: str
    category: str
    severity: str
    start: int | None
    end: int | None


class Reading(NamedTuple):
    """The values of an answer by criterion, or the kind of its failure."""

    values: dict[str, Value]
    failure: Failure | None = None
    why: str = ""
    spans: tuple[Span, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()
    """Ranking: groups of equal letters from best to worst."""


def read(form: JudgeForm, names: Sequence[str], text: str, texts: Sequence[str] = ()) -> Reading:
    """Return the values of some criteria in an answer.

    Args:
        texts: The texts that were judged: spans are located in the first, rankings name their letters.
    """
    text = without_thinking(text[:LONGEST])
    objects = _objects(text)
    readings = [_from_object(form, names, each, texts) for each in objects]
    good = [each for each in readings if not each.failure]
    if good:
        if all(each[:1] + each[3:] == good[0][:1] + good[0][3:] for each in good):
            return good[0]
        return Reading({}, "unreadable", "several JSON objects with different values")
    plain = Reading({}, "unreadable") if readings else _from_text(form, names, text, texts, "{" in text)
    if not plain.failure:
        return plain
    if REFUSAL.search(text[:2000]):
        return Reading({}, "refusal", "the model declined to answer")
    return readings[0] if readings else plain


def _objects(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in a text, outermost ones only."""
    decoder = json.JSONDecoder(parse_constant=lambda word: None)
    objects: list[dict[str, Any]] = []
    at = 0
    for _ in range(MOST_TRIES):
        at = text.find("{", at)
        if at < 0:
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict):
            objects.append(value)
    return objects


def _from_object(form: JudgeForm, names: Sequence[str], value: Mapping[str, Any], texts: Sequence[str]) -> Reading:
    if form.kind == "spans":
        return _spans(form, names[0], value, texts[0] if texts else "")
    known = {str(key).strip().lower().replace(" ", "_"): each for key, each in value.items()}
    for key in INNER:
        if isinstance(known.get(key), dict) and not any(name.lower() in known for name in names):
            return _from_object(form, names, known[key], texts)
    raw = {}
    for name in names:
        keys = (name.lower().replace(" ", "_"), *(GENERIC if len(names) == 1 else ()))
        hits = [known[key] for key in keys if key in known]
        if not hits:
            return Reading({}, "unreadable", f"no {name} in the JSON object")
        raw[name] = hits[0]
    return _values(form, raw, texts)


def _from_text(form: JudgeForm, names: Sequence[str], text: str, texts: Sequence[str], broken: bool) -> Reading:
    """Read an answer without a usable JSON object: broken JSON, lines `criterion: value`, or one plain value."""
    if form.kind == "spans":
        return Reading({}, "unreadable", "no JSON object")
    if broken or len(names) > 1:
        text = text if broken else f"{text}\n"  # the end of broken JSON may be the middle of a number
        raw: dict[str, Any] = {}
        for name in names:
            keys = (name.lower(), *(GENERIC if len(names) == 1 else ()))
            hits = {value for key, value in PAIR.findall(text) if key.lower() in keys}
            if len(hits) != 1:
                return Reading({}, "unreadable", f"no single value of {name}")
            raw[name] = hits.pop()
        return _values(form, raw, texts)
    plain = _values(form, {names[0]: text}, texts)
    line = keyed_value(text, (names[0], *GENERIC)) if plain.failure else None
    return plain if line is None else _values(form, {names[0]: line}, texts)


def _values(form: JudgeForm, raw: Mapping[str, Any], texts: Sequence[str]) -> Reading:
    values: dict[str, Value] = {}
    for name, each in raw.items():
        if isinstance(each, dict):  # {"fluency": {"score": 4, "reason": ".."}}
            each = next((each[key] for key in (name, *GENERIC) if key in each), None)
        if form.kind == "ranking":
            order = _order(each, len(texts), form.ties)
            if order is None:
                return Reading({}, "unreadable", f"{_shown(each)} is no ranking of {len(texts)} texts")
            return Reading({name: " > ".join(" = ".join(group) for group in order)}, order=order)
        value = _value(form, name, each)
        if value is None:
            return Reading({}, "unreadable", f"{_shown(each)} is no value of {name}")
        values[name] = value
    return Reading(values)


def _value(form: JudgeForm, name: str, raw: Any) -> Value | None:
    if isinstance(raw, bool):
        return float(raw) if form.kind == "checklist" else None
    criterion = form.criterion(name)
    if form.kind == "rating":
        low, high = criterion.scale
        if isinstance(raw, int | float):
            return float(raw) if math.isfinite(raw) and low <= raw <= high else None
        return read_rating(raw, low, high) if isinstance(raw, str) else None
    if form.kind == "checklist":
        if raw in (0, 1):
            return float(raw)
        label = read_label(raw, ("yes", "no")) if isinstance(raw, str) else None
        return None if label is None else float(label == "yes")
    if not isinstance(raw, str):
        return None
    if form.kind == "pairwise":
        place = read_place(raw)
        return place if form.ties or place in PLACES[:2] else None
    label = read_label(raw, criterion.levels)
    return criterion.values.get(label, label) if label is not None and criterion.values else label


def _order(raw: Any, count: int, ties: bool) -> tuple[tuple[str, ...], ...] | None:
    """Return the ranking in `B > A = C`, `B, A, C` or a list; None unless every letter occurs once."""
    if isinstance(raw, list):
        groups = [
            [str(each)] if not isinstance(each, list) else [str(one) for one in each] for each in raw[: count + 1]
        ]
    elif isinstance(raw, str) and len(raw) < 400:
        separator = ">" if ">" in raw or "=" in raw else ","
        groups = [part.split("=") for part in raw.split(separator)]
    else:
        return None
    order = tuple(tuple(letter.strip().strip("*`\"'.()[] ").upper() for letter in group) for group in groups)
    letters = [letter for group in order for letter in group]
    if sorted(letters) != [chr(65 + i) for i in range(count)] or (not ties and len(order) < count):
        return None
    return order


def _spans(form: JudgeForm, name: str, value: Mapping[str, Any], output: str) -> Reading:
    listed = value.get("errors", value.get(name))
    if not isinstance(listed, list):
        return Reading({}, "unreadable", "no list of errors in the JSON object")
    categories, severities = ({key.lower(): key for key in known} for known in (form.categories, form.severities))
    spans = []
    for each in listed[:1000]:
        fields = each if isinstance(each, dict) else {}
        category = categories.get(str(fields.get("category", "")).strip().lower())
        severity = severities.get(str(fields.get("severity", "")).strip().lower())
        words = fields.get("text")
        if category is None or severity is None or not isinstance(words, str):
            return Reading({}, "unreadable", f"{_shown(each)} is no error with text, category and severity")
        start = output.find(words) if words else -1
        place = (start, start + len(words)) if start >= 0 else (None, None)
        spans.append(Span(words[:400], category, severity, *place))
    penalty = float(sum(form.severities[span.severity] for span in spans))
    return Reading({name: penalty}, spans=tuple(spans))


def _shown(raw: Any) -> str:
    text = raw if isinstance(raw, str) else repr(raw)
    return repr(" ".join(text.split())[:40])
