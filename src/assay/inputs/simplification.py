"""Pairs for controllable simplification: cleaning, entity placeholders, and control tokens before the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.errors import AssayError
from assay.inputs.controls import NAMES, character_ratio, similarity, word_rank
from assay.inputs.placeholders import Placed, place
from assay.inputs.taggers import Tagged, Tagger
from assay.records.types import Example
from assay.text.english import STOP

SHORTEST = 3
"""Source words below which a pair is dropped."""
RATIOS = (0.2, 1.5)
"""Ratio of target to source words outside which a pair is dropped."""
HIGHEST = 2.0
"""Highest value of a control token."""
ORACLE, OFF = "oracle", "off"
COMPUTED = ("nbchars", "levsim", "wordrank")


def fault(source: str, target: str) -> str | None:
    """Return why a pair is not used for training; None if it is."""
    words, written = len(source.split()), len(target.split())
    if words < SHORTEST:
        return f"source shorter than {SHORTEST} words"
    if not RATIOS[0] <= written / words <= RATIOS[1]:
        return f"length ratio outside {RATIOS[0]:g} to {RATIOS[1]:g}"
    return None


def frequency_ranks(texts: Iterable[str]) -> dict[str, int]:
    """Return the rank, from 0, of every lower-case word by frequency."""
    counts = Counter(word for text in texts for word in text.lower().split())
    return {word: rank for rank, word in enumerate(sorted(counts, key=lambda word: (-counts[word], word)))}


def measured(source: str, output: str, ranks: Mapping[str, int]) -> dict[str, float]:
    """Return the control values of a pair, in lower case; without ranks, no `wordrank`."""
    complex, simple = source.lower(), output.lower()
    values = {"nbchars": character_ratio(complex, simple), "levsim": similarity(complex, simple)}
    if ranks:
        below = word_rank(complex, ranks, STOP)
        values["wordrank"] = word_rank(simple, ranks, STOP) / below if below else 0.0
    return values


def control_tokens(controls: Mapping[str, float]) -> list[str]:
    return [f"<{NAMES[name]}_{value:.2f}>" for name, value in controls.items()]


class Prepared(NamedTuple):
    example: Example
    """What the model reads and writes."""
    placed: Placed
    controls: dict[str, float]


@dataclass(frozen=True)
class Preparation:
    """How sources are written. A control is a number, `oracle` (from the reference) or `off`."""

    controls: Mapping[str, str]
    lower: bool = True
    step: float = 0.05
    ranks: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.controls.items():
            if value not in (ORACLE, OFF):
                try:
                    if not 0 < float(value) <= HIGHEST:
                        raise ValueError
                except ValueError:
                    raise AssayError(
                        f"control {name} is a number up to {HIGHEST:g}, oracle or off, not {value!r}"
                    ) from None
        if self.controls.get("depth", OFF) == ORACLE:
            raise AssayError("an oracle DepTreeDepth needs a parser; pass a number or off")
        if self.controls.get("wordrank", OFF) == ORACLE and not self.ranks:
            raise AssayError("an oracle WordRank needs ranks=FILE, words by frequency, or ranks=train")

    def tokens(self, source: str, reference: str | None) -> dict[str, float]:
        """Return the controls of a source, in steps."""
        known: dict[str, float] = {}
        if ORACLE in self.controls.values():
            if reference is None:
                raise AssayError("oracle control values need a reference")
            known = measured(source, reference, self.ranks)
        wanted = {name: known[name] if value == ORACLE else float(value)
                  for name, value in self.controls.items() if value != OFF}  # fmt: skip
        return {name: min(HIGHEST, round(round(value / self.step) * self.step, 2)) for name, value in wanted.items()}

    def prepare(self, example: Example, spans: Sequence[Tagged], references: Sequence[str]) -> Prepared:
        """Return what the model reads for an example; the references are targets, the first one is the oracle."""
        source = example.source
        if not source or not source.strip():
            raise AssayError(f"id {example.id}: no source sentence to simplify")
        try:
            placed = place(source, spans)
            controls = self.tokens(source, references[0] if references else None)
        except AssayError as error:
            raise AssayError(f"id {example.id}: {error}") from None
        texts = [placed.text, *(placed.target(text) for text in references)]
        texts = [text.lower() for text in texts] if self.lower else texts
        made = Example(
            id=example.id, source=" ".join([*control_tokens(controls), texts[0]]), references=tuple(texts[1:])
        )
        return Prepared(made, placed, controls)


class Pairs(NamedTuple):
    prepared: list[Prepared]
    dropped: Counter[str]


def training_pairs(examples: Sequence[Example], how: Preparation, tag: Tagger | None, clean: bool = True) -> Pairs:
    """Return a pair for every reference, with the control values of that reference; pairs with a fault are dropped."""
    spans = tag([example.source or "" for example in examples]) if tag else [[] for _ in examples]
    made: list[Prepared] = []
    dropped: Counter[str] = Counter()
    for example, own in zip(examples, spans, strict=True):
        for number, text in enumerate(example.references):
            why = fault(example.source or "", text) if clean else None
            if why:
                dropped[why] += 1
                continue
            one = how.prepare(example, own, [text])
            made.append(one._replace(example=_numbered(one.example, number)))
    return Pairs(made, dropped)


def _numbered(example: Example, number: int) -> Example:
    return Example(id=f"{example.id} {number}", source=example.source, references=example.references)


def inference_items(examples: Sequence[Example], how: Preparation, tag: Tagger | None) -> list[Prepared]:
    """Return every item, with all its references; nothing is dropped."""
    spans = tag([example.source or "" for example in examples]) if tag else [[] for _ in examples]
    return [how.prepare(example, own, example.references) for example, own in zip(examples, spans, strict=True)]
