"""Items that are not English, declared or recognised by their words: the rules of support do not apply to them."""

from __future__ import annotations

from assay.metrics.checks.language_mismatch import BEGINNING, language_of
from assay.metrics.engine.languages import ENGLISH, english_only
from assay.metrics.support.evidence import texts_of
from assay.records.items import Items
from assay.text.english import primary

RECOGNISED = "English"
MOST = 20
"""Items whose beginnings are read together."""


def foreign_items(items: Items) -> list[tuple[str, str]]:
    """Return ids and languages of the items that are not English.

    The `language` of an item counts; of an item without one, the words of its output, of its contexts or source, and of
    all of them. Where these are too short to tell in every item, the beginnings of the items together decide.
    """
    others: list[tuple[str, str]] = []
    unknown: list[tuple[str, str]] = []
    english = False
    for output, example in zip(items.outputs, items.examples, strict=True):
        if example.language:
            if primary(example.language) not in ENGLISH:
                others.append((example.id, example.language))
            continue
        texts = (output, *(text for _, text in texts_of(example)))
        whole = " ".join(text[:BEGINNING] for text in texts)
        known = [name for name in map(language_of, (*texts, whole)) if name]
        english = english or RECOGNISED in known
        other = next((name for name in known if name != RECOGNISED), None)
        if other:
            others.append((example.id, other))
        elif not known:
            unknown.append((example.id, whole))
    if unknown and not english:
        together = language_of(" ".join(whole[: BEGINNING // len(unknown[:MOST])] for _, whole in unknown[:MOST]))
        if together not in (None, RECOGNISED):
            others += [(id, str(together)) for id, _ in unknown]
    return others


def not_english(items: Items) -> str | None:
    """Return why the rules do not apply to some of the items, with the remedy, or None."""
    if declared := english_only("its rules are English", items):
        return declared
    if not (others := foreign_items(items)):
        return None
    (id, language), *_ = others
    return (
        f"its rules are English, but {len(others)} of {len(items)} items look different: id {id} looks {language}; "
        f"leave them out, or give them language=en if they are English"
    )
