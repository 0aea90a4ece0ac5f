"""Named entities in texts: by rules, from a list, by an extractor trained here, or by spaCy.

| name | finds |
|---|---|
| `rules` | dates, times, percentages, money, ordinals, numbers, and runs of capitalised words (`name`) |
| `FILE.json` | the strings of a JSON object from entity to type, longest first |
| `FOLDER` | spans of an extractor (`assay system train extractor`) |
| `spacy:MODEL` | entities of a spaCy pipeline, where spaCy is installed |
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.records.documents import read_json
from assay.text.english import STOP
from assay.text.mentions import DAYS, MONTHS

NUMBER = r"\d[\d,]*(?:\.\d+)?"
DAY, MONTH = (rf"(?:{'|'.join(names)})" for names in (DAYS, MONTHS))
RULES: tuple[tuple[str, str], ...] = (
    ("date", rf"(?:{DAY},? )?(?:(?:\d{{1,2}}(?:st|nd|rd|th)? )?{MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:\s?,? \d{{4}})?"
             rf"|{DAY}|(?<!\w)(?:1\d{{3}}|20\d{{2}})s?|\d{{4}}-\d{{2}}-\d{{2}})"),
    ("time", r"\d{1,2}:\d{2}(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?"),
    ("percent", rf"{NUMBER} ?(?:%|percent|per cent)"),
    ("money", rf"[$€£¥] ?{NUMBER}(?: (?:million|billion))?|{NUMBER} (?:dollars|euros|pounds)"),
    ("ordinal", r"\d+(?:st|nd|rd|th)"),
    ("cardinal", NUMBER),
)  # fmt: skip
"""Patterns of the rules, ignoring case; of overlapping matches, the longest is kept, then the first rule."""
NAME = re.compile(r"(?<![\w.])[A-Z][\w’'-]*\.?(?: (?:(?:of|the|de|la|van|von|der) )*(?:[A-Z][\w’'-]*|[A-Z]\.))*")
STARTS = re.compile(r"(?:^|[.!?]\s+)[\"'(“]*$")
"""The text before the first word of a sentence."""


class Tagged(NamedTuple):
    start: int
    end: int
    label: str


Tagger = Callable[[Sequence[str]], list[list[Tagged]]]
"""Return the entities of each text, in order and without overlap."""


def tagger(name: str) -> Tagger:
    """Return a tagger by name (see the table of this module)."""
    if name == "rules":
        return lambda texts: [apart(_by_rules(text)) for text in texts]
    if name.startswith("spacy:"):
        return _spacy(name.removeprefix("spacy:"))
    path = Path(name)
    if path.is_dir():
        return _extractor(name)
    if path.is_file():
        return _listed(read_labels(path))
    raise AssayError(f"no tagger {name}: give rules, a JSON file from entity to type, an extractor, or spacy:MODEL")


def read_labels(path: Path) -> dict[str, str]:
    """Read a JSON object from entity to label."""
    labels = read_json(path)
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise AssayError(f"{path}: not a JSON object from entity to label")
    return labels


def apart(spans: Iterable[Tagged]) -> list[Tagged]:
    """Return spans without overlap: of overlapping ones the longest, then the first given."""
    kept: list[Tagged] = []
    for span in sorted(spans, key=lambda one: one.start - one.end):
        place = bisect_left(kept, span.start, key=lambda one: one.start)
        free = place == 0 or kept[place - 1].end <= span.start
        if free and (place == len(kept) or span.end <= kept[place].start):
            kept.insert(place, span)
    return kept


def _by_rules(text: str) -> Iterator[Tagged]:
    for label, pattern in RULES:
        for match in re.finditer(rf"(?<![\w@])(?:{pattern})(?!\w)", text, re.IGNORECASE):
            yield Tagged(*match.span(), label)
    for match in NAME.finditer(text):
        words = match[0].rstrip(".").split(" ")
        start = match.start()
        if STARTS.search(text[:start]) and (len(words) == 1 or words[0].lower() in STOP):
            start += len(words[0]) + 1  # the first word of a sentence is capitalised anyway
            words = words[1:]
        while words and words[-1][0].islower():
            words.pop()
        if words and any(word.lower() not in STOP for word in words):
            yield Tagged(start, start + len(" ".join(words)), "name")


def _listed(labels: Mapping[str, str]) -> Tagger:
    by_length = sorted((name for name in labels if name.strip()), key=lambda name: (-len(name), name))
    if not by_length:
        return lambda texts: [[] for _ in texts]
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, by_length))})(?!\w)")
    return lambda texts: [[Tagged(*m.span(), labels[m[0]]) for m in pattern.finditer(text)] for text in texts]


def _extractor(folder: str) -> Tagger:
    from assay.models.context import Context
    from assay.models.extractor import Extractor

    model = Extractor(folder)
    if reason := model.why_not():
        raise AssayError(f"tagger {folder}: {reason}")

    def tag(texts: Sequence[str]) -> list[list[Tagged]]:
        every = model.extract(list(texts), Context())
        return [apart(Tagged(one.start, one.end, one.label) for one in spans if one.start >= 0) for spans in every]

    return tag


def _spacy(name: str) -> Tagger:
    try:
        import spacy  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise AssayError(
            "tagger spacy: spaCy is not installed (pip install spacy); or give rules, a file or an extractor"
        ) from None
    try:
        pipeline: Any = spacy.load(name)
    except OSError as error:
        raise AssayError(f"tagger spacy:{name}: {error}; see `python -m spacy download`") from None
    return lambda texts: [
        [Tagged(one.start_char, one.end_char, one.label_) for one in pipeline(text).ents] for text in texts
    ]


def label_entities(entities: Iterable[str], tag: Tagger) -> dict[str, str]:
    """Return the label of each entity string in which a tagger finds something: that of the longest span."""
    names = list(dict.fromkeys(entities))
    longest = ((name, max(spans, key=lambda one: one.end - one.start, default=None))
               for name, spans in zip(names, tag(names), strict=True))  # fmt: skip
    return {name: span.label.upper() for name, span in longest if span}
