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
from assay.judges.plain_text import (
    LETTERS,
    NUMBER,
    RATING,
    key_and_value,
    keyed_value,
    marked_value,
    read_described,
    read_label,
    read_place,
    without_thinking,
)
from assay.judges.spans import Span, listed_errors, read_spans, shown

Failure = Literal["timeout", "refusal", "unreadable", "error"]
GENERIC = (
    "score", "rating", "value", "answer", "label", "verdict", "grade", "choice", "winner", "preference", "ranking",
    "final_score", "final_rating", "overall_score", "overall_rating", "bewertung", "punktzahl", "puntuación",
    "calificación", "pontuação", "nota", "note", "оценка", "评分", "分数", "評価", "スコア", "점수",
)  # fmt: skip
"""Keys that hold the value of the only criterion."""
INNER = (
    "scores", "ratings", "criteria", "result", "output", "response", "evaluation", "assessment", "judgment",
    "judgement", "answer",
)  # fmt: skip
"""Keys of an object that holds all values."""
OUTSIDE = "outside the scale"
NAMING = ("criterion", "name", "dimension", "aspect")
"""Keys that name the criterion of a value in a list."""
LONGEST = 200_000
MOST_TRIES = 64
"""Number of places at which a JSON object is looked for: a hostile answer must not cost more than linear time."""
PAIR = re.compile(
    r"([\"']?)([^\W\d][\w-]{0,40})[\"']?\s{0,4}[:=]\s{0,4}[\"']?([^\s\"',;{}\[\]]{1,40})(?=[\"']?\s{0,4}[,;}\]\n])"
)
"""Matches `key: value` where nothing else belongs to the value."""
QUOTED = re.compile(r"\{\s*[\"']")
"""Matches an object whose keys are in quotes; pairs without them belong to its texts."""
REFUSAL = re.compile(
    r"\b(?:I(?:'m| am) (?:sorry|unable|not able)|I (?:can(?:no|')t|cannot|won't|must decline)|as an AI|"
    r"against (?:my|the) (?:guidelines|policy)|tut mir leid|ich kann (?:das|dies|diesen|hier|dazu|leider)|"
    r"je (?:suis désolée?|ne peux pas)|lo siento|no puedo|desculpe|não posso|mi dispiace|non posso|извините|"
    r"я не могу)\b|抱歉|对不起|我(?:无法|不能)|申し訳|죄송",
    re.IGNORECASE,
)
"""Matches words of a refusal; they decide the kind of a failure only, where no value can be read."""
NUMBERED = re.compile(r"^\s*(\d{1,2})[.):]\s*(?:(?:output|text)\s+)?([A-Z])\b", re.IGNORECASE | re.MULTILINE)
"""Matches a line of a numbered ranking: `1. B`."""
Value = float | str


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
    objects = listed_errors(text) if form.kind == "spans" else None
    objects = _merged(_objects(text), names) if objects is None else objects
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
    decoder = json.JSONDecoder(parse_constant=lambda word: None, object_pairs_hook=_unambiguous)
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


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a key with two different values has none."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        made[key] = value if key not in made or made[key] == value else None
    return made


def _listed(value: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any] | None:
    """Return the values in a list such as `[{"criterion": "fluency", "score": 4}]` by criterion; None without one."""
    wanted = {_key(name) for name in names}
    for rows in value.values():
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            continue
        named = [(_key(str(next((row[key] for key in NAMING if key in row), ""))), row) for row in rows]
        if len(named) == len({name for name, _ in named}) and wanted <= {name for name, _ in named}:
            return {name: row for name, row in named if name in wanted}
    return None


def _merged(objects: list[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return objects that hold one criterion each as one object; others as they are."""
    wanted = {name.lower() for name in names}
    keys = [{str(key).strip().lower() for key in each} & wanted for each in objects]
    if len(objects) < 2 or len(names) < 2 or any(len(each) != 1 for each in keys) or len(keys) != len(set.union(*keys)):
        return objects
    return [{key: value for each in objects for key, value in each.items() if str(key).strip().lower() in wanted}]


def _from_object(form: JudgeForm, names: Sequence[str], value: Mapping[str, Any], texts: Sequence[str]) -> Reading:
    if form.kind == "spans":
        spans = read_spans(form, value.get("errors", value.get(names[0])), texts[0] if texts else "")
        if isinstance(spans, str):
            return Reading({}, "unreadable", spans)
        return Reading({names[0]: float(sum(form.severities[span.severity] for span in spans))}, spans=spans)
    known = {str(key).strip().lower().replace(" ", "_"): each for key, each in value.items()}
    for key in INNER:
        if isinstance(known.get(key), dict) and not any(name.lower() in known for name in names):
            return _from_object(form, names, known[key], texts)
    known |= _listed(value, names) or {}
    raw = {}
    for name in names:
        own = _key(name)
        keys = (own, f"{own}_score", f"{own}_rating", *(GENERIC if len(names) == 1 else ()))
        hits = [known[key] for key in keys if key in known]
        if not hits:
            return Reading({}, "unreadable", f"no {name} in the JSON object")
        raw[name] = hits[0]
    return _values(form, raw, texts)


def _from_text(form: JudgeForm, names: Sequence[str], text: str, texts: Sequence[str], broken: bool) -> Reading:
    """Read an answer without a usable JSON object: a marked value, broken JSON, lines `criterion: value`, or one plain
    value."""
    if form.kind == "spans":
        return Reading({}, "unreadable", "no JSON object")
    if len(names) == 1 and (mark := marked_value(text)) is not None:
        marked = _values(form, {names[0]: mark}, texts)
        stated = {float(number) for number in RATING.findall(text.translate(LETTERS))}
        if not marked.failure and (form.kind != "rating" or stated <= {marked.values[names[0]]}):
            return marked
    if not broken and len(names) > 1:
        lines = [key_and_value(line) for line in text.translate(LETTERS).splitlines()]
        by_name = {name: {value for key, value in lines if key == _key(name)} for name in names}
        if all(len(values) == 1 for values in by_name.values()):
            return _values(form, {name: values.pop() for name, values in by_name.items()}, texts)
    if broken or len(names) > 1:
        text = text if broken else f"{text}\n"  # the end of broken JSON may be the middle of a number
        quoted = bool(QUOTED.search(text))
        raw: dict[str, Any] = {}
        for name in names:
            keys = (name.lower(), *(GENERIC if len(names) == 1 else ()))
            hits = {value for quote, key, value in PAIR.findall(text) if key.lower() in keys and (quote or not quoted)}
            if len(hits) != 1:
                return Reading({}, "unreadable", f"no single value of {name}")
            raw[name] = hits.pop()
        return _values(form, raw, texts)
    plain = _values(form, {names[0]: text}, texts)
    line = keyed_value(text, (_key(names[0]), *GENERIC)) if plain.failure else None
    return plain if line is None else _values(form, {names[0]: line}, texts)


def _key(name: str) -> str:
    return name.lower().replace(" ", "_")


def _values(form: JudgeForm, raw: Mapping[str, Any], texts: Sequence[str]) -> Reading:
    values: dict[str, Value] = {}
    for name, each in raw.items():
        if isinstance(each, dict):  # {"fluency": {"score": 4, "reason": ".."}}
            each = next((each[key] for key in (name, *GENERIC) if key in each), None)
        if form.kind == "ranking":
            order = _order(each, len(texts), form.ties)
            if order is None:
                return Reading({}, "unreadable", f"{shown(each)} is no ranking of {len(texts)} texts")
            return Reading({name: " > ".join(" = ".join(group) for group in order)}, order=order)
        value = _value(form, name, each)
        if value is None:
            return Reading({}, "unreadable", _why_not(form, name, each))
        values[name] = value
    return Reading(values)


def _why_not(form: JudgeForm, name: str, raw: Any) -> str:
    """Return what is wrong with a value."""
    number = isinstance(raw, int | float) and not isinstance(raw, bool)
    number = number or (isinstance(raw, str) and NUMBER.fullmatch(raw.strip()) is not None)
    if form.kind == "rating" and number:
        low, high = form.criterion(name).scale
        return f"{shown(raw)} is {OUTSIDE} of {name}, {low:g} to {high:g}"
    return f"{shown(raw)} is no value of {name}"


def _value(form: JudgeForm, name: str, raw: Any) -> Value | None:
    if isinstance(raw, bool):
        return float(raw) if form.kind == "checklist" else None
    criterion = form.criterion(name)
    if form.kind == "rating":
        low, high = criterion.scale
        if isinstance(raw, int | float):
            return float(raw) if math.isfinite(raw) and low <= raw <= high else None
        return read_described(raw, low, high) if isinstance(raw, str) else None
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
    elif isinstance(raw, str) and [int(place) for place, _ in NUMBERED.findall(raw[:2000])] == [*range(1, count + 1)]:
        groups = [[letter] for _, letter in NUMBERED.findall(raw[:2000])]
    elif isinstance(raw, str) and len(raw) < 400:
        separator = ">" if ">" in raw or "=" in raw else ","
        groups = [part.split("=") for part in raw.split(separator)]
    else:
        return None
    order = tuple(
        tuple(letter.strip().strip("*`\"'.()[] ").upper().removeprefix("OUTPUT ") for letter in group)
        for group in groups
    )
    letters = [letter for group in order for letter in group]
    if sorted(letters) != [chr(65 + i) for i in range(count)] or (not ties and len(order) < count):
        return None
    return order
