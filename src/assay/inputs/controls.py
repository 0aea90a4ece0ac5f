"""Simplification with control tokens in front of the sentence, and entities as placeholders that can be restored."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.records.files import read_text
from assay.text.alignment import common_length

if TYPE_CHECKING:
    from assay.records import Example

CONTROL = re.compile(r"\s*(?:<[A-Za-z\-_\d.]+>\s*)+")
PLACEHOLDER = re.compile(r"\b[a-z_]+@\d+\b")
NAMES = {"nbchars": "NbChars", "levsim": "LevSim", "wordrank": "WordRank", "depth": "DepTreeDepth"}


def character_ratio(complex: str, simple: str) -> float:
    """Characters of the words of the simple sentence over those of the complex one; spaces do not count."""
    total = sum(map(len, complex.split()))
    return sum(map(len, simple.split())) / total if total else 0.0


def similarity(a: str, b: str) -> float:
    """Twice the longest common subsequence over the two lengths: 1 for equal texts, 0 for nothing in common."""
    return 2 * common_length(a, b) / (len(a) + len(b)) if a or b else 1.0


def word_rank(sentence: str, ranks: Mapping[str, int], stop_words: Iterable[str] = ()) -> float:
    """Third quartile of ln(1 + rank) over ranked words that are no stop words; 1 when none is left."""
    stop = set(stop_words)
    found = sorted(math.log1p(ranks[word]) for word in sentence.split() if word in ranks and word not in stop)
    if not found:
        return 1.0
    place = 0.75 * (len(found) - 1)
    low = math.floor(place)
    high = min(low + 1, len(found) - 1)
    return found[low] + (found[high] - found[low]) * (place - low)


def strip_controls(text: str) -> str:
    """The sentence without control tokens in front."""
    match = CONTROL.match(text)
    return text[match.end() :] if match else text


@lru_cache(maxsize=4)
def _ranks(path: str) -> Mapping[str, int]:
    """A word list by frequency, one a line (the first column of a vector file will do)."""
    words = (line.split(" ", 1)[0] for line in read_text(Path(path)).splitlines())
    return {word: rank for rank, word in reversed(list(enumerate(words)))}


def mask_entities(text: str, entities: Sequence[tuple[str, str]]) -> tuple[str, dict[str, str]]:
    """Entities (string, type) in order of appearance to `type@index`; the text and what each placeholder stands for."""
    counts: dict[str, int] = {}
    table: dict[str, str] = {}
    for string, kind in entities:
        counts[kind.lower()] = counts.get(kind.lower(), 0) + 1
        table[f"{kind.lower()}@{counts[kind.lower()]}"] = string
    # Longest first, so that a name inside a longer one is not taken out of it; masked parts are set apart.
    pieces: list[str | None] = [text]
    names: dict[int, str] = {}
    for placeholder, string in sorted(table.items(), key=lambda item: -len(item[1])):
        for i, piece in enumerate(pieces):
            if piece is not None and string and string in piece:
                before, _, after = piece.partition(string)
                names = {at if at < i else at + 2: name for at, name in names.items()} | {i + 1: placeholder}
                pieces[i : i + 1] = [before, None, after]
                break
    return "".join(names[i] if piece is None else piece for i, piece in enumerate(pieces)), table


def restore_entities(text: str, table: Mapping[str, str]) -> tuple[str, list[str]]:
    """Placeholders back to strings, every occurrence; and those that stand for nothing, which stay."""
    unknown = [name for name in PLACEHOLDER.findall(text) if name not in table]
    return PLACEHOLDER.sub(lambda match: table.get(match[0], match[0]), text), unknown


@dataclass(frozen=True)
class Controls(Form):
    name: ClassVar = "controls"
    about: ClassVar = (
        "control tokens before the sentence: for each a number, 'oracle' (from the first reference) or 'off'"
    )
    kind: ClassVar = "text"
    reversible: ClassVar = "the sentence"

    nbchars: str = "0.95"
    levsim: str = "0.75"
    wordrank: str = "0.75"
    depth: str = "off"
    ranks: str = ""
    """A file of words by frequency, for an oracle WordRank."""
    lower: bool = False

    def write(self, example: Example, given: None) -> str:
        if example.source is None:
            raise AssayError(f"id {example.id}: no source sentence to control")
        tokens = []
        for name, printed in NAMES.items():
            value = getattr(self, name)
            if value == "off":
                continue
            try:
                number = self.oracle(name, example) if value == "oracle" else float(value)
            except ValueError:
                raise AssayError(f"control {name} is a number, 'oracle' or 'off', not {value!r}") from None
            tokens.append(f"<{printed}_{number:.2f}>")
        return " ".join([*tokens, example.source.lower() if self.lower else example.source])

    def warnings(self, example: Example) -> list[str]:
        looks = "oracle" in (self.nbchars, self.levsim, self.wordrank, self.depth)
        return ["holds control values computed from the reference: for training only"] if looks else []

    def oracle(self, name: str, example: Example) -> float:
        """What the first reference does to the source; only for training, as it looks at the answer."""
        if not example.references or example.source is None:
            raise AssayError(f"id {example.id}: oracle control values need a source and a reference")
        complex, simple = example.source.lower(), example.references[0].lower()
        if name == "nbchars":
            return character_ratio(complex, simple)
        if name == "levsim":
            return similarity(complex, simple)
        if name == "depth":
            raise AssayError("an oracle DepTreeDepth needs a parser; give a number or 'off'")
        if not self.ranks:
            raise AssayError("an oracle WordRank needs ranks=FILE, words by frequency one a line")
        below = word_rank(complex, _ranks(self.ranks))
        return word_rank(simple, _ranks(self.ranks)) / below if below else 0.0

    def read(self, text: str) -> str:
        return strip_controls(text)
