"""Reasons to skip a metric because items are in a language that it does not support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from assay.metrics.engine.signatures import tally
from assay.text.english import primary

if TYPE_CHECKING:
    from assay.records.items import Items

ENGLISH = frozenset({"en"})


def unsupported_languages(metric: str, model: str, supported: frozenset[str] | None, items: Items) -> str | None:
    """Return which items are in a language that a model does not support, and what to do; None if all are supported
    or the languages of the model are unknown."""
    if supported is None or "any" in supported or not (others := _count_others(items, supported)):
        return None
    remedy = f"choose a model for them{_score_rest(items, supported, ', or')}"
    languages = "+".join(sorted(supported))
    return f"{model} supports {languages}, but {others}; {remedy} ({metric}:languages=any scores all items)"


def english_only(reason: str, items: Items) -> str | None:
    """Return why a metric for English (`its rules are English`) does not apply to some of the items, or None."""
    others = _count_others(items, ENGLISH)
    return f"{reason}, but {others}{_score_rest(items, ENGLISH, ';')}" if others else None


def _count_others(items: Items, supported: Collection[str]) -> str:
    known = {primary(language) for language in supported}
    counts = Counter(primary(example.language) for example in items.bare if example.language)
    others = Counter({language: count for language, count in counts.items() if language not in known})
    names = tally(others).replace("*", " ").replace("+", ", ")
    return f"{others.total()} of {len(items)} items are {names}" if others else ""


def _score_rest(items: Items, supported: Collection[str], joint: str) -> str:
    """Return how to score the supported items alone; empty if there are none."""
    known = {primary(language) for language in supported}
    languages = {example.language for example in items.bare if example.language}
    fit = sorted(language for language in languages if primary(language) in known)
    return f"{joint} score the rest with --subset language={','.join(fit)}, without --save" if fit else ""
