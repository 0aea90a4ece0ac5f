"""Entailment of claims by their evidence, as features in addition to the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.models.context import Context
from assay.models.nli import Nli

if TYPE_CHECKING:
    from assay.metrics.support.features import Claim

ENTAILMENT = ("unentailed", "conflict")
"""Features: 1 minus the probability of entailment, and that of contradiction."""
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
    """Return the features of each claim; a claim without evidence is not entailed.

    Each distinct pair is computed once, in batches of similar length, and kept in the cache.
    """
    pairs = [(premise(one), one.sentence.text) for one in claims]
    distinct = list(dict.fromkeys(pair for pair in pairs if pair[0]))
    rows = entailment_model().probabilities(distinct, context).tolist() if distinct else []
    known = dict(zip(distinct, rows, strict=True)) | {("", one.sentence.text): [0.0, 1.0, 0.0] for one in claims}
    return [dict(zip(ENTAILMENT, (1 - known[pair][0], known[pair][2]), strict=True)) for pair in pairs]
