"""Keyboard typos: the published butter-fingers rule, and one with an exact probability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from assay.challenges.perturbation import Perturbation
from assay.challenges.surface import On, with_texts
from assay.records.types import Example

PUBLISHED: Mapping[str, str] = {line[0]: line for line in (
    "qwasedzx", "wqesadrfcx", "ewrsfdqazxcvgt", "retdgfwsxcvgt", "tryfhgedcvbnju", "ytugjhrfvbnji", "uyihkjtgbnmlo",
    "iuojlkyhnmlp", "oipklujm", "plo['ik", "aqszwxwdce", "swxadrfv", "decsfaqgbv", "fdgrvwsxyhn", "gtbfhedcyjn",
    "hyngjfrvkim", "jhknugtblom", "kjlinyhn", "lokmpujn", "zaxsvde", "xzcsdbvfrewq", "cxvdfzswergb", "vcfbgxdertyn",
    "bvnghcftyun", "nbmhjvgtuik", "mnkjloik",
)}  # fmt: skip
"""Neighbours of a key in butter-fingers; they include the key itself and some distant keys."""
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
OFFSETS = (0.0, 0.25, 0.75)
"""Offset of each keyboard row to the right, in keys."""


def _adjacent() -> dict[str, str]:
    """Return the adjacent keys of a key in keyboard order, without itself."""
    rows = enumerate(zip(ROWS, OFFSETS, strict=True))
    places = {key: (i + offset, r) for r, (row, offset) in rows for i, key in enumerate(row)}

    def touch(a: str, b: str) -> bool:
        (x, r), (u, s) = places[a], places[b]
        return a != b and abs(r - s) <= 1 and abs(x - u) <= (1 if r == s else 0.8)

    return {key: "".join(other for other in places if touch(key, other)) for key in places}


ADJACENT: Mapping[str, str] = _adjacent()


def hit_keys(text: str, probability: float, neighbours: Mapping[str, str], draw: Random) -> str:
    """Select every character with the probability; replace it by a neighbouring key, keeping its case.

    Distances between hits are geometric, which equals one draw per character and is faster.
    """
    if probability <= 0:
        return text
    letters = list(text)
    scale = math.log1p(-probability) if probability < 1 else -math.inf
    place = -1
    while True:
        apart = math.log(1.0 - draw.random()) / scale
        if apart >= len(letters) or (place := place + 1 + int(apart)) >= len(letters):
            return "".join(letters)
        meant = letters[place]
        near = neighbours.get(meant.lower())
        if near:
            hit = near[int(draw.random() * len(near))]
            letters[place] = hit.upper() if meant.isupper() else hit


@dataclass(frozen=True)
class Typos(Perturbation):
    """As published, a letter is selected if a random number from 0 to 99 is at most int(100 p): 3 % with p = 0.02.
    Some selected letters do not change, since the key itself is among its neighbours."""

    p: float = 0.02
    """Nominal probability."""
    on: On = "source"
    """Texts to change: the source, the values of the input, or both."""

    name: ClassVar = "typos"
    about: ClassVar = "letters are replaced by nearby keys, by the rule of butter-fingers as published"
    changes: ClassVar = "the source; with on=input the values of triples, slots, acts, concepts and cells"
    presets: ClassVar = {"bfp02": {"p": 0.02}, "bfp05": {"p": 0.05}}
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark; Yorke, butter-fingers"

    def __post_init__(self) -> None:
        self.require("p", 0, 1)

    def change(self, example: Example, draw: Random) -> Example | None:
        hit = min(1.0, (int(self.p * 100) + 1) / 100)
        return with_texts(example, lambda of, text: hit_keys(text, hit, PUBLISHED, draw), self.on)


@dataclass(frozen=True)
class TyposExact(Perturbation):
    """Replace a letter by an adjacent key with exactly the requested probability."""

    p: float = 0.02
    """Probability for each letter."""
    on: On = "source"
    """Texts to change: the source, the values of the input, or both."""

    name: ClassVar = "typos-exact"
    about: ClassVar = "letters are replaced by an adjacent key with exactly the requested probability"
    changes: ClassVar = Typos.changes

    def __post_init__(self) -> None:
        self.require("p", 0, 1)

    def change(self, example: Example, draw: Random) -> Example | None:
        return with_texts(example, lambda of, text: hit_keys(text, self.p, ADJACENT, draw), self.on)
