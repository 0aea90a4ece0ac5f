"""Names of criteria, and the families that two reviews sort them into; equal names need not mean the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

Taxonomy = Literal["style", "creative"]
OTHER = "other"

STYLE_TRANSFER: dict[str, tuple[str, ...]] = {
    "style": (
        "attribute compatibility", "formality", "politeness level", "sentiment", "style transfer intensity",
        "attractive captions", "attribute change correctness", "bias", "creativity", "highest agency",
        "opposite sentiment", "sentiment strength", "similarity to the target attribute", "style correctness",
        "style transfer accuracy", "style transfer strength", "stylistic similarity", "target attribute match",
        "transformed sentiment degree", "style", "transfer strength",
    ),
    "meaning": (
        "content preservation", "meaning preservation", "semantic intent", "semantic similarity",
        "closer in meaning to the original sentence", "content preservation degree", "content retainment",
        "content similarity", "relevance", "semantic adequacy", "meaning", "content", "adequacy",
    ),
    "fluency": ("fluency", "grammaticality", "naturalness", "gibberish language", "language quality"),
}  # fmt: skip
"""Briakou et al. (2021): the names under which style transfer, meaning and fluency were asked for."""

CREATIVE: dict[str, tuple[str, ...]] = {
    "meaning": (
        "coherence", "semantics", "meaning", "understandability", "paragraph coherence", "content preservation",
        "content", "factuality", "informativeness", "sense",
    ),
    "syntax": (
        "fluency", "grammaticality", "quality of language", "syntax", "readability", "sentence structure", "language",
    ),
    "novelty": ("originality", "novelty", "surprise", "unpredictability", "typicality", "creativity", "familiarity"),
    "relevance": (
        "relevance", "relatedness", "caption relevance", "image relevance", "topicality", "similarity",
        "appropriateness",
    ),
    "emotion": (
        "emotivity", "enjoyment", "evoked emotions", "funniness", "liking", "impactfulness", "engagement", "humour",
        "overall appreciation", "sense of accomplishment",
    ),
}  # fmt: skip
"""Hämäläinen and Alnajjar (2021): five families of what creative systems are judged by; typicality is the inverse of
novelty."""
TAXONOMIES: Mapping[str, Mapping[str, tuple[str, ...]]] = {"style": STYLE_TRANSFER, "creative": CREATIVE}
ABSTRACT = frozenset(
    "fluency coherence typicality quality creativity naturalness relevance novelty originality engagement humour "
    "funniness interestingness informativeness readability".split()
)
"""Words that people read in different ways when they stand alone."""


def plain_name(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def family_of(name: str, taxonomy: Taxonomy = "style") -> str:
    """The family a criterion's name belongs to, `other` for one that no reviewed paper used."""
    wanted = plain_name(name)
    return next((family for family, names in TAXONOMIES[taxonomy].items() if wanted in names), OTHER)


def modelled_by(criterion: str, modelled: Iterable[str]) -> str | None:
    """What a system models that this criterion asks for: it shares a word with its name, or a word of its family."""
    words = set(plain_name(criterion).split())
    family = family_of(criterion, "creative")
    for entry in modelled:
        said = set(plain_name(entry).split())
        if words & said or (family != OTHER and any(family_of(word, "creative") == family for word in said)):
            return entry
    return None
