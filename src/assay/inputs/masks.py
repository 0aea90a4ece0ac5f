"""Masking sentences for pre-training: random spans, entities, predicates, values of a representation, concepts.

`[MASK]` is the display form. A model is trained with sentinels: every masked span is a token of its own in the input,
and the target lists the spans after their sentinels.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

from assay.errors import AssayError
from assay.inputs.masking import Masking
from assay.inputs.triples import clean, split_camel
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Acts, Concepts, Slots, Triples
from assay.records.types import Example
from assay.seeds import rng_for
from assay.text.english import stem

MASK = "[MASK]"
STRATEGIES: tuple[str, ...] = get_args(Masking)
SENTINELS = tuple(f"<extra_id_{i}>" for i in range(33))
"""Sentinels, named like those of T5; a sentence has one fewer spans at most, because the last one ends the target."""
FLAGS = frozenset(("yes", "no", "true", "false", "none", "dontcare"))
"""Values that name no words of the text."""
WORD = re.compile(r"\w+(?:['’-]\w+)*")


class Masked(NamedTuple):
    text: str
    """The sentence with MASK for each span."""
    spans: list[str]
    """The masked spans, in order."""

    def sentinels(self) -> tuple[str, str]:
        """Return input and target with sentinels.

        >>> Masked("[MASK] sat on the [MASK].", ["The cat", "mat"]).sentinels()
        ('<extra_id_0> sat on the <extra_id_1>.', '<extra_id_0> The cat <extra_id_1> mat <extra_id_2>')
        """
        pieces = self.text.split(MASK)
        marks = SENTINELS[: len(self.spans)]
        text = pieces[0] + "".join(mark + piece for mark, piece in zip(marks, pieces[1:], strict=True))
        target = " ".join(f"{mark} {span}" for mark, span in zip(marks, self.spans, strict=True))
        return text, f"{target} {SENTINELS[len(self.spans)]}"


def mask_strings(sentence: str, strings: Iterable[str], mask: str = MASK) -> str:
    """Mask each whole-word occurrence, longest string first, ignoring case."""
    pattern = _pattern(strings)
    return pattern.sub(lambda _: mask, sentence) if pattern else sentence


def _pattern(strings: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern of whole-word occurrences, longest first; None without any string."""
    wanted = sorted({string for string in strings if string.strip()}, key=lambda s: (-len(s), s))
    words = "|".join(map(re.escape, wanted))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if wanted else None


def mask_triples(sentence: str, triples: Iterable[Iterable[str]], what: str = "entity+predicate") -> str:
    """Mask parts of the triples in a sentence: `entity`, `predicate` or `entity+predicate`."""
    return mask_strings(sentence, triple_strings(triples, what))


def triple_strings(triples: Iterable[Iterable[str]], what: str) -> list[str]:
    """Return the strings of triples to mask; a predicate also with its words apart (`ethnicGroup`: ethnic group)."""
    entities, predicates = list[str](), list[str]()
    for subject, predicate, object in triples:
        entities += [subject.replace("_", " "), object.replace("_", " "), clean(subject), clean(object)]
        predicates += [predicate.replace("_", " "), split_camel(predicate)]
    return {"entity": entities, "predicate": predicates, "entity+predicate": entities + predicates}[what]


def mask_random(sentence: str, rate: float = 0.15, longest: int = 3, seed: int = 0) -> tuple[str, list[str]]:
    """Mask about `rate` of the words in spans of up to `longest`; return the text and the masked spans in order."""
    words = sentence.split(" ")
    goal = round(len(words) * rate)
    if not words or goal == 0:
        return sentence, []
    generator = random.Random(seed)
    hidden: set[int] = set()
    while len(hidden) < goal:
        start = generator.randrange(len(words))
        hidden.update(range(start, min(start + generator.randint(1, longest), len(words), start + goal - len(hidden))))
    made: list[str] = []
    spans: list[list[str]] = []
    for i, word in enumerate(words):
        if i not in hidden:
            made.append(word)
        elif i - 1 in hidden:
            spans[-1].append(word)
        else:
            made.append(MASK)
            spans.append([word])
    return " ".join(made), [" ".join(span) for span in spans]


def masked(example: Example, sentence: str, strategy: Masking, rate: float = 0.15, seed: int = 0) -> Masked:
    """Mask a sentence of an example by a strategy; all but `random` read its input."""
    if MASK in sentence or any(mark in sentence for mark in SENTINELS):
        raise AssayError(f"id {example.id}: the text contains {MASK} or a sentinel already; leave the item out")
    if strategy == "random":
        return _limited(*mask_random(sentence, rate, seed=rng_for(seed, "masks", example.id, sentence).getrandbits(32)))
    if strategy == "concepts":
        stems = {stem(word.lower()) for one in _strings(example, strategy) for word in WORD.findall(one)}
        pairs = {match[0] for match in WORD.finditer(sentence) if stem(match[0].lower()) in stems}
        return _matching(sentence, pairs)
    return _matching(sentence, _strings(example, strategy))


def _strings(example: Example, strategy: str) -> Sequence[str]:
    """Return the strings of an input that a strategy masks."""
    kind = kind_of(example) if example.input else ""
    if strategy in ("entity", "predicate", "entity+predicate") and kind == "triples":
        return triple_strings(read_input(example, Triples).triples, strategy)
    if strategy == "values" and kind == "slots":
        return [str(value) for _, value in read_input(example, Slots).slots if str(value).lower() not in FLAGS]
    if strategy == "values" and kind == "acts":
        return [value for act in read_input(example, Acts).acts for value in act.values if value.lower() not in FLAGS]
    if strategy == "concepts" and kind == "concepts":
        return read_input(example, Concepts).concepts
    needed = {"values": "slots or acts", "concepts": "concepts"}.get(strategy, "triples")
    raise AssayError(
        f"id {example.id}: masking={strategy} reads {needed}, and this input is of kind {kind or 'none'}; "
        "use masking=random"
    )


def _matching(sentence: str, strings: Iterable[str]) -> Masked:
    pattern = _pattern(strings)
    return _limited(pattern.sub(MASK, sentence), pattern.findall(sentence)) if pattern else Masked(sentence, [])


def _limited(text: str, spans: list[str]) -> Masked:
    """Return at most as many masks as there are sentinels; the rest of the sentence stays as it is."""
    most = len(SENTINELS) - 1
    pieces = text.split(MASK)
    for span in spans[most:]:
        pieces[most : most + 2] = [pieces[most] + span + pieces[most + 1]]
    return Masked(MASK.join(pieces), spans[:most])


class Pretraining(NamedTuple):
    """Masked sentences as pairs, and how many sentences had nothing to mask."""

    examples: list[Example]
    sentences: int
    without: int


def pretraining(
    examples: Iterable[Example], strategy: Masking, rate: float = 0.15, seed: int = 0, draws: int = 1
) -> Pretraining:
    """Return a pair of masked text and spans for every reference; for the source of examples without references.

    Only `random` differs between several draws.
    """
    made: list[Example] = []
    total = without = 0
    for example in examples:
        texts = example.references or ((example.source,) if example.source else ())
        for number, text in enumerate(texts):
            total += 1
            pairs = dict.fromkeys(
                masked(example, text, strategy, rate, seed + draw).sentinels()
                for draw in range(draws if strategy == "random" else 1)
                if masked(example, text, strategy, rate, seed + draw).spans
            )
            without += not pairs
            made += [
                Example(id=f"{example.id} {number}.{draw}", source=source, references=(target,))
                for draw, (source, target) in enumerate(pairs)
            ]
    return Pretraining(made, total, without)
