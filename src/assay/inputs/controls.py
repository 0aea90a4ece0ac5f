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
    """Return the ratio of characters, without spaces, of the simple to the complex sentence."""
    total = sum(map(len, complex.split()))
    return sum(map(len, simple.split())) / total if total else 0.0


def similarity(a: str, b: str) -> float:
    """Return twice the longest common subsequence over the sum of the lengths: 1 for equal texts."""
    return 2 * common_length(a, b) / (len(a) + len(b)) if a or b else 1.0


def word_rank(sentence: str, ranks: Mapping[str, int], stop_words: Iterable[str] = ()) -> float:
    """Return the third quartile of ln(1 + rank) of ranked words except stop words; 1 without any."""
    stop = set(stop_words)
    ranked = sorted(math.log1p(ranks[word]) for word in sentence.split() if word in ranks and word not in stop)
    if not ranked:
        return 1.0
    place = 0.75 * (len(ranked) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (ranked[high] - ranked[low]) * (place - low)


def strip_controls(text: str) -> str:
    """Return the sentence without leading control tokens."""
    match = CONTROL.match(text)
    return text[match.end() :] if match else text


@lru_cache(maxsize=4)
def _ranks(path: str) -> Mapping[str, int]:
    """Read words by frequency, one per line (or the first column of a file of vectors)."""
    words = (line.split(" ", 1)[0] for line in read_text(Path(path)).splitlines())
    return {word: rank for rank, word in reversed(list(enumerate(words)))}


def mask_entities(text: str, entities: Sequence[tuple[str, str]]) -> tuple[str, dict[str, str]]:
    """Replace entities (string, type), in order of appearance, by `type@index`; return text and placeholders."""
    counts: dict[str, int] = {}
    table: dict[str, str] = {}
    for string, kind in entities:
        counts[kind.lower()] = counts.get(kind.lower(), 0) + 1
        table[f"{kind.lower()}@{counts[kind.lower()]}"] = string
    # Longest first, so that a name inside a longer one is not masked; masked parts are protected.
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
    """Restore every placeholder; return the text and the unknown placeholders, which remain."""
    unknown = [name for name in PLACEHOLDER.findall(text) if name not in table]
    return PLACEHOLDER.sub(lambda match: table.get(match[0], match[0]), text), unknown


@dataclass(frozen=True)
class Controls(Form):
    name: ClassVar = "controls"
    about: ClassVar = "control tokens before the sentence: each a number, 'oracle' (from the first reference) or 'off'"
    kind: ClassVar = "text"
    reversible: ClassVar = "the sentence"

    nbchars: str = "0.95"
    levsim: str = "0.75"
    wordrank: str = "0.75"
    depth: str = "off"
    ranks: str = ""
    """File of words by frequency, for an oracle WordRank."""
    lower: bool = False

    def write(self, example: Example, structure: None) -> str:
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

    def tokens(self, example: Example) -> Iterable[str]:
        text = self.render(example)
        return [*re.findall(r"<[A-Za-z]+_[\d.]+>", text[: len(text) - len(strip_controls(text))]),
                *PLACEHOLDER.findall(text)]  # fmt: skip

    def warnings(self, example: Example) -> list[str]:
        looks = "oracle" in (self.nbchars, self.levsim, self.wordrank, self.depth)
        return ["contains control values computed from the reference: for training only"] if looks else []

    def oracle(self, name: str, example: Example) -> float:
        """Return the control values of the first reference; for training only, since they depend on the reference."""
        if not example.references or example.source is None:
            raise AssayError(f"id {example.id}: oracle control values need a source and a reference")
        complex, simple = example.source.lower(), example.references[0].lower()
        if name == "nbchars":
            return character_ratio(complex, simple)
        if name == "levsim":
            return similarity(complex, simple)
        if name == "depth":
            raise AssayError("an oracle DepTreeDepth needs a parser; pass a number or 'off'")
        if not self.ranks:
            raise AssayError("an oracle WordRank needs ranks=FILE, words by frequency, one per line")
        below = word_rank(complex, _ranks(self.ranks))
        return word_rank(simple, _ranks(self.ranks)) / below if below else 0.0

    def read(self, text: str) -> str:
        return strip_controls(text)
