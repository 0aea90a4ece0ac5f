"""Names of criteria, and the families of two reviews. Equal names do not guarantee equal meanings."""

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
"""Briakou et al. (2021): names of criteria for style transfer, meaning and fluency."""

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
"""Hämäläinen and Alnajjar (2021): five families of criteria for creative systems; typicality is the inverse of
novelty."""
TAXONOMIES: Mapping[str, Mapping[str, tuple[str, ...]]] = {"style": STYLE_TRANSFER, "creative": CREATIVE}
ABSTRACT = frozenset(
    "fluency coherence typicality quality creativity naturalness relevance novelty originality engagement humour "
    "funniness interestingness informativeness readability".split()
)
"""Words that annotators interpret in different ways without a definition."""


def plain_name(name: str) -> str:
    """Return a name in lower case with single spaces."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def family_of(name: str, taxonomy: Taxonomy = "style") -> str:
    """Return the family of a criterion by its name; `other` if no reviewed paper used the name."""
    wanted = plain_name(name)
    return next((family for family, names in TAXONOMIES[taxonomy].items() if wanted in names), OTHER)


def modelled_by(criterion: str, modelled: Iterable[str]) -> str | None:
    """Return the modelled property that a criterion measures: one that shares a word or a family with its name."""
    words = set(plain_name(criterion).split())
    family = family_of(criterion, "creative")
    for entry in modelled:
        own = set(plain_name(entry).split())
        if words & own or (family != OTHER and any(family_of(word, "creative") == family for word in own)):
            return entry
    return None
