"""The systems of the embedded sample. They read the input of an item, never its references.

- `lead`: the first sentence, clause, slot or act.
- `copy`: the input itself.
- `template`: one sentence per slot or act; articles: title and the sentence closest to it.
- `rewrite`: selects, merges and shortens by rule; see each function below.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

Example = dict[str, Any]

SENTENCE_END = re.compile(r"(?<=[^\d][.!?]) ")  # a digit before the stop: an ordinal such as "3. května"
THAI_CLUSTER = re.compile(r"[เ-ไ]?[^เ-ไ][ะ-ฺ็-๎]*")
CONJUNCTIONS = {"en": "and|but|yet|because|whereas", "de": "und|aber", "cs": "a|ale"}
PRONOUNS = {"which": "it", "who": "they"}
TEXTS = json.loads(Path(__file__).with_name("sample_templates.json").read_text(encoding="utf-8"))
RELATIVE = {"en": "who|which|where|whose|aged", "de": "der|die|das", "cs": r"kter\w+", "ru": r"котор\w+"}
DAY = re.compile(r" on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?: afternoon| evening)?")
ATTRIBUTION = re.compile(r", (?:according to [^,]+|[^,]*\b(?:reports?|suggests|admitted))\.$")
REPORTED = re.compile(r"^[^,]+ said (?:that )?(?=\w+ )")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def units(text: str, language: str) -> list[str]:
    return THAI_CLUSTER.findall(text) if language == "th" else words(text)


def sentences(text: str, language: str) -> list[str]:
    return text.split(" ") if language == "th" else SENTENCE_END.split(text)


def realise(language: str, what: str, detail: str, slot: str, value: str) -> str:
    """Fill the sentence template of a slot or act, preferring the one for this very value or slot."""
    return fill(TEXTS["sentences"][language], what, detail, slot, value)


def fill(templates: dict[str, str], what: str, detail: str, slot: str, value: str) -> str:
    return (templates.get(f"{what} {detail}") or templates[what]).format(slot=slot, value=value)


def clauses(sentence: str, language: str) -> list[str]:
    """Split the sentence at commas and conjunctions; a piece of fewer than four words stays with the next one."""
    pieces: list[str] = []
    ends = rf",? (?:{CONJUNCTIONS[language]}) |[,;] | [(–] ?|\) ?"
    for piece in filter(None, re.split(ends, sentence.rstrip("."))):
        if pieces and len(pieces[-1].split()) < 4:
            pieces[-1] += f", {piece}"
        else:
            first, _, rest = piece.partition(" ")
            pieces.append(f"{PRONOUNS.get(first, first)} {rest}".strip())
    return [capital(piece) + "." for piece in pieces]


def steps(example: Example) -> list[str]:
    """Return what `lead` and `template` choose from: sentences, clauses, or one sentence per slot or act."""
    language, kind = example["language"], kind_of(example)
    if kind == "article":
        return sentences(example["source"], language)
    if kind == "sentence":
        return clauses(example["source"], language)
    if kind == "slots":
        return [realise(language, slot, value, slot, value) for slot, value in example["input"]["slots"]]
    acts = example["input"]["acts"]
    return [realise(language, a["act"], a["slot"], a["slot"], " or ".join(a["values"])) for a in acts]


def kind_of(example: Example) -> str:
    """Return the kind of input; articles have a title only, and sentences have no input but the source."""
    typed = example["input"]
    return "sentence" if typed is None else str(typed.get("kind", "article"))


def lead(example: Example) -> str:
    return steps(example)[0]


def copy(example: Example) -> str:
    if kind_of(example) != "acts":
        return str(example["source"])
    return ", ".join(" ".join([a["act"], a["slot"], *a["values"]]).strip() for a in example["input"]["acts"])


def template(example: Example) -> str:
    if kind_of(example) != "article":
        return " ".join(steps(example))
    title, language = example["input"]["title"], example["language"]
    closest = max(steps(example), key=lambda each: len(set(units(each, language)) & set(units(title, language))))
    return f"{title}{'' if language == 'th' else '.'} {closest}"


def rewrite(example: Example) -> str:
    kinds = {"article": summarise, "slots": describe, "sentence": simplify, "acts": answer}
    return kinds[kind_of(example)](example)


def summarise(example: Example) -> str:
    """The first sentence and the most central of the others, without relative clauses, days and attributions."""
    language = example["language"]
    first, *others = sentences(example["source"], language)
    counts = Counter(unit for each in [first, *others] for unit in set(units(each, language)) if len(unit) > 3)
    central = max(others, key=lambda each: sum(counts[unit] - 1 for unit in set(units(each, language))))
    return f"{shorten(first, language)} {shorten(central, language)}"


def shorten(sentence: str, language: str) -> str:
    if language == "en":
        sentence = REPORTED.sub("", DAY.sub("", ATTRIBUTION.sub(".", sentence)))
    if language in RELATIVE:
        sentence = re.sub(rf", (?:{RELATIVE[language]}) [^,.]+(?:,|(?=\.$))", "", sentence)
    return capital(sentence)


def describe(example: Example) -> str:
    """All slots in one sentence, the place next to the name. There are no patterns for Russian and Thai."""
    if (templates := TEXTS["places"].get(example["language"])) is None:
        return ""
    slots = dict(example["input"]["slots"])
    subject = [slots.pop("name", None) or templates["train"]]
    for place in ("from", "to", "area", "near"):
        if place in slots:
            subject.append(fill(templates, place, slots[place], place, slots.pop(place)))
    facts = [fill(templates, slot, value, slot, value) for slot, value in slots.items()]
    return " ".join([*subject, joined(facts, templates["and"])]).strip() + "."


def answer(example: Example) -> str:
    """One sentence per run of the same act."""
    templates = TEXTS["dialog"][example["language"]]
    runs: dict[str, list[str]] = {}
    for each in example["input"]["acts"]:
        text = fill(templates, each["act"], each["slot"], each["slot"], " or ".join(each["values"]))
        runs.setdefault(each["act"], []).append(text)
    return " ".join(
        capital(f"{templates.get(f'before {act}', '')} {joined(texts, templates['and'])}".strip())
        + ("?" if act in ("REQUEST", "CONFIRM", "OFFER") else ".")
        for act, texts in runs.items()
    )


def simplify(example: Example) -> str:
    """Clauses inside the sentence become sentences of their own, and rare English words frequent ones."""
    text, language = example["source"], example["language"]
    if language != "en":
        return shorten(text, language)
    for rare, frequent in TEXTS["simpler"].items():
        text = re.sub(rf"\b{rare}(?:(?<= )|\b)", frequent, text)
    text = re.sub(r" \([^)]*\)| – [^–]* –", "", text)
    if inner := re.fullmatch(r"([^,]+), (?:(?:who|which) ([^,]+)|((?:a|an|the) [^,]+)), ([^,]+)\.", text):
        subject, clause, noun, rest = inner.groups()
        return f"{subject} {rest}. {subject} {clause or f'is {noun}'}."
    if order := re.fullmatch(r"(Although|Because) ([^,]+), ([^,]+)\.", text):
        return f"{capital(order[2])}. {'But' if order[1] == 'Although' else 'So'} {order[3]}."
    if last := re.fullmatch(r"(.+(\w)), which (.+)\.", text):
        return f"{last[1]}. {'They' if last[2] == 's' else 'It'} {last[3]}."
    return re.sub(r", (?:yet|but) ", ". But ", text)


def joined(parts: list[str], conjunction: str) -> str:
    *before, last = parts or [""]
    return f"{', '.join(before)} {conjunction} {last}" if before else last


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


SYSTEMS: dict[str, Callable[[Example], str]] = {"lead": lead, "copy": copy, "template": template, "rewrite": rewrite}
