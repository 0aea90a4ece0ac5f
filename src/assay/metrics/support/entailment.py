"""Entailment of claims by their evidence, as features in addition to the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.metrics.support.features import SIGNS
from assay.models.context import Context
from assay.models.nli import Nli

if TYPE_CHECKING:
    from assay.metrics.support.features import Claim

CONFLICT = "conflict"
"""Feature: the probability that the evidence contradicts the claim."""
WITH_ENTAILMENT = (*(sign for sign in SIGNS if not sign.endswith("_elsewhere")), "far", CONFLICT)
"""What the probability is computed from with the model: signs, and contradiction. Missing words count only if most are
missing, because true paraphrases bring new words, too; what belongs to another statement, the model sees."""
WINDOW = 112
"""Tokens of evidence and claim that are read: mostly two or three sentences of evidence."""


def entailment_model() -> Nli:
    """Return the model that ships with assay."""
    return Nli(window=WINDOW)


def premise(claim: Claim) -> str:
    """Return the evidence as one text: the best sentence first, because the end of a long text is not read."""
    if not claim.evidence:
        return ""
    best, *rest = claim.evidence
    rest.sort(key=lambda one: (one.context, one.sentence.start))
    return " ".join(one.sentence.text for one in (best, *rest))


def entailment_features(claims: Sequence[Claim], context: Context) -> list[dict[str, float]]:
    """Return the feature of each claim; nothing contradicts a claim without evidence.

    Each distinct pair is computed once, in batches of similar length, and kept in the cache.
    """
    pairs = [(premise(one), one.sentence.text) for one in claims]
    distinct = list(dict.fromkeys(pair for pair in pairs if pair[0]))
    rows = entailment_model().probabilities(distinct, context).tolist() if distinct else []
    known = {pair: row[2] for pair, row in zip(distinct, rows, strict=True)}
    return [{CONFLICT: known.get(pair, 0.0)} for pair in pairs]
