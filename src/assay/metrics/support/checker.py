"""Check outputs sentence by sentence: evidence, probability of support, verdict and reason."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.metrics.engine.base import Metric, Part
from assay.metrics.engine.signatures import label_of
from assay.metrics.support.entailment import entailment_features, entailment_model
from assay.metrics.support.evidence import Document, Evidence, texts_of
from assay.metrics.support.features import Claim, read_claim
from assay.metrics.support.splitting import SENTENCES, claims_of
from assay.metrics.support.weights import read_weights
from assay.models.context import Context
from assay.records.items import Items
from assay.records.types import Example, Passage

Verdict = Literal["supported", "unsupported", "contradicted", "not_checkable"]
OWN = "assay"
"""The checker of our own: rules and words, no model."""
WITH_MODEL = "assay-nli"
"""The same with the entailment model that ships with assay."""
OTHERS = ("minicheck", "alignscore", "lettucedetect", "hhem", "factcc", "nli", "faithful", "judge")
"""Metrics that may be used as checkers, with their options after a colon."""
CHECKERS = (OWN, WITH_MODEL, *OTHERS)
REASONS = {
    "number": "number or unit differs",
    "date": "date differs",
    "name": "name differs",
    "name_replaced": "name differs",
    "roles": "roles exchanged",
    "negation": "negated",
    "opposite": "opposite stated",
    "hedge": "uncertain in the source, stated as fact",
    "stronger": "stronger than the source",
    "number_elsewhere": "number belongs to another statement",
    "name_elsewhere": "name belongs to another statement",
    "negation_loose": "negated",
    "hedge_loose": "uncertain in the source, stated as fact",
}
"""Reasons by sign, in the order in which they are given."""
CONTRADICTIONS = frozenset(("number", "date", "name_replaced", "roles", "negation", "opposite"))
"""Signs that contradict the evidence; the others only lack support."""
NOTHING, NOT_STATED = "nothing found", "not stated by the evidence"
NO_ANSWER = "no readable answer of the judge"
FOUND = 0.6
"""Weight of missing words above which no evidence counts as found."""
EVEN = 0.5
SHOWN = 2
"""Sentences of evidence that are reported."""


class Checked(NamedTuple):
    """One sentence of an output with its verdict."""

    id: str
    claim: Claim
    verdict: Verdict
    probability: float | None
    """Probability of being supported; None if the sentence cannot be checked."""
    reason: str

    @property
    def evidence(self) -> list[Evidence]:
        return self.claim.evidence[:SHOWN]

    def to_dict(self, system: str) -> dict[str, Any]:
        """Return the record of a sentence."""
        sentence = self.claim.sentence
        return {
            "id": self.id, "system": system, "sentence": sentence.text, "start": sentence.start, "end": sentence.end,
            "verdict": self.verdict, "probability": None if self.probability is None else round(self.probability, 6),
            "reason": self.reason,
            "evidence": [
                {"context": one.context, "text": text.text, "start": text.start, "end": text.end}
                for one in self.evidence
                for text in (one.sentence,)
            ],
        }  # fmt: skip


def why_not(checker: str) -> str | None:
    """Return why a checker cannot run here, or None.

    Raises:
        AssayError: The checker is unknown.
    """
    if checker == OWN:
        return None
    return entailment_model().why_not() if checker == WITH_MODEL else _metric(checker).why_not()


def signed(checker: str) -> dict[str, str]:
    """Return what the signature of a checker has besides its name: digests of weights and model."""
    if checker == OWN:
        return {"weights": read_weights().digest}
    if checker == WITH_MODEL:
        return {"weights": read_weights("entailment").digest, "model": label_of(entailment_model())}
    return {}


def _metric(checker: str) -> Metric:
    from assay.metrics import resolve

    if checker.split(":")[0] not in OTHERS:
        raise AssayError(f"no checker called {checker}; there are {', '.join(CHECKERS)}")
    return resolve([checker])[0].metric


def check(
    items: Items, checker: str = "assay", context: Context | None = None, claims: str = SENTENCES
) -> list[list[Checked]]:
    """Check every sentence of every output.

    Args:
        items: Outputs with contexts, or with sources.
        checker: `assay`, `assay-nli`, or a faithfulness metric with its options.
        context: Cache and device (default: those of the environment).
        claims: What is checked: `sentences`, `clauses`, or `chat:MODEL`, claims that a chat model writes.

    Returns:
        For each item its sentences or claims, in order.
    """
    documents: dict[tuple[tuple[str, str], ...], Document] = {}
    read = []
    for parts, example in zip(claims_of(items.outputs, claims), items.examples, strict=True):
        texts = tuple(texts_of(example))
        if texts not in documents:
            documents[texts] = Document(texts)
        read.append([read_claim(one, documents[texts]) for one in parts])
    probabilities = _probabilities(items, read, checker, context or Context())
    return [
        [_judged(example.id, claim, value) for claim, value in zip(own, values, strict=True)]
        for example, own, values in zip(items.examples, read, probabilities, strict=True)
    ]


def _probabilities(items: Items, claims: list[list[Claim]], checker: str, context: Context) -> list[list[float]]:
    if checker == OWN:
        weights = read_weights()
        return [[weights.probability(one.features) for one in own] for own in claims]
    if checker == WITH_MODEL:
        weights = read_weights("entailment")
        more = iter(entailment_features([one for own in claims for one in own], context))
        return [[weights.probability(one.features | next(more)) for one in own] for own in claims]
    metric = _metric(checker)
    alone = [
        (one, example) for own, example in zip(claims, items.examples, strict=True) for one in own if one.checkable
    ]
    if not alone:
        return [[math.nan] * len(own) for own in claims]
    examples = [_alone(example, f"{k}", metric.name) for k, (_, example) in enumerate(alone)]
    checked = Items(tuple(one.sentence.text for one, _ in alone), tuple(examples))
    if reason := metric.unfit(checked):
        raise AssayError(f"checker {checker}: {reason}")
    score = _score(metric)
    low, high = score.bounds
    values = metric.per_example(metric.compute(checked, context))[score.name]
    if low is not None and high is not None:
        values = (values - low) / (high - low)  # levels of a judge become shares
    left = iter(values.tolist())
    return [[next(left) if one.checkable else math.nan for one in own] for own in claims]


def _score(metric: Metric) -> Part:
    parts = metric.parts()
    return next((part for part in parts if part.name in ("nli.source", "lettucedetect.clean")), parts[0])


def _alone(example: Example, id: str, metric: str) -> Example:
    """Return the example of one claim: an id of its own, its texts as contexts and as source.

    LettuceDetect reads contexts, and the source next to contexts as the question.
    """
    if metric == "lettucedetect":
        return msgspec.structs.replace(example, id=id)
    texts = texts_of(example)
    passages = tuple(Passage(context, text) for context, text in texts)
    source = "\n".join(text for _, text in texts)
    return msgspec.structs.replace(example, id=id, source=source, contexts=passages, references=())


def _judged(id: str, claim: Claim, probability: float) -> Checked:
    if not claim.checkable:
        return Checked(id, claim, "not_checkable", None, "")
    if math.isnan(probability):
        return Checked(id, claim, "not_checkable", None, NO_ANSWER)
    if probability >= EVEN:
        return Checked(id, claim, "supported", probability, "")
    signs = [sign for sign in REASONS if claim.signs.values.get(sign)]
    if not claim.evidence or (claim.features["missing"] > FOUND and not signs):
        return Checked(id, claim, "unsupported", probability, NOTHING)
    if not signs:
        return Checked(id, claim, "unsupported", probability, NOT_STATED)
    first = signs[0]
    detail = claim.signs.details.get(first)
    reason = f"{REASONS[first]} ({detail})" if detail else REASONS[first]
    return Checked(id, claim, "contradicted" if first in CONTRADICTIONS else "unsupported", probability, reason)
