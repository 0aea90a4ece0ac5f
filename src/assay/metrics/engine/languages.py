"""Items in a language that a metric does not read: how many they are, and how the others are scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from assay.metrics.engine.signatures import tally
from assay.text.english import primary

if TYPE_CHECKING:
    from assay.records.items import Items

ENGLISH = frozenset({"en"})


def unread(metric: str, model: str, read: frozenset[str] | None, items: Items) -> str | None:
    """Which items are in a language that a model does not read, and what to do; None where it reads all of them, or
    nobody knows what it reads."""
    if read is None or "any" in read or not (other := _others(items, read)):
        return None
    remedy = f"give a model that reads them{_apart(items, read, ', or')}"
    return f"{model} reads {'+'.join(sorted(read))}, and {other}; {remedy} ({metric}:languages=any takes all)"


def not_english(what: str, items: Items) -> str | None:
    """The same of a metric whose rules or weights (`its rules are English`) are for one language."""
    other = _others(items, ENGLISH)
    return f"{what}, and {other}{_apart(items, ENGLISH, ';')}" if other else None


def _others(items: Items, read: Collection[str]) -> str:
    known = {primary(language) for language in read}
    held = Counter(primary(example.language) for example in items.bare if example.language)
    other = Counter({language: count for language, count in held.items() if language not in known})
    told = tally(other).replace("*", " ").replace("+", ", ")
    return f"{other.total()} of {len(items)} items are {told}" if other else ""


def _apart(items: Items, read: Collection[str], word: str) -> str:
    """How the items that are read are scored without the others; nothing where there are none."""
    known = {primary(language) for language in read}
    held = {example.language for example in items.bare if example.language}
    fit = sorted(language for language in held if primary(language) in known)
    return f"{word} score the rest alone with --subset language={','.join(fit)} and without --save" if fit else ""
