"""What signs of a contradiction leave of the score of a sentence: numbers, names, roles, negation, hedges."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from assay.metrics.faithfulness.faithful_models import SourcePair
from assay.metrics.support.claims import read_sentence
from assay.metrics.support.evidence import SOURCE, Document
from assay.metrics.support.features import MOST, SIGNS
from assay.metrics.support.signs import find_signs
from assay.metrics.support.weights import Weights, read_weights

STRENGTH = 0.7
"""Power of the ratio of probabilities with and without the signs, for a sentence whose words are all in order in the
source; less for others, whose signs are less certain. Chosen on the validation part of FRANK, planted edits of its
articles and SummEdits."""


def read_sign_weights() -> Weights:
    """Return the weights of signs."""
    return read_weights("signs")


class Kept(NamedTuple):
    """What signs leave of a sentence: a factor, 1 without signs, and what a reader would compare."""

    factor: float
    reasons: tuple[str, ...] = ()


def kept_of(pair: SourcePair) -> list[Kept]:
    """Return what signs leave of each sentence of an output."""
    document = _document(pair.source)
    weights = read_sign_weights()
    none = weights.probability(dict.fromkeys(SIGNS, 0.0))
    kept = []
    for k in range(len(pair.sentences)):
        sentence = read_sentence(pair.sentence(k))
        signs = find_signs(sentence, document.nearest(sentence), document)
        chance = weights.probability({name: min(signs.values.get(name, 0.0), MOST) for name in SIGNS})
        reasons = tuple(signs.details[name] for name in SIGNS if name in signs.details)
        kept.append(Kept(min(1.0, chance / none) ** (STRENGTH * pair.sentences[k].shares["order"]), reasons))
    return kept


@lru_cache(maxsize=256)
def _document(source: str) -> Document:
    return Document([(SOURCE, source)])
