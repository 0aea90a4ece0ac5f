"""Conversion between Hugging Face and GEM data cards; content without a place goes to a remainder section."""

from __future__ import annotations

from dataclasses import replace

from assay.benchmark.cards.card import REMAINDER, Card, Section, template_of
from assay.benchmark.cards.template import PLACEHOLDER, Template, template
from assay.errors import UsageError

CONVERTIBLE = ("hf", "gem")


def convert(card: Card, to: str) -> Card:
    """Return the card with its texts under the headings of another template; missing sections get a placeholder."""
    source = template_of(card)
    if source.name not in CONVERTIBLE or to not in CONVERTIBLE:
        raise UsageError(
            f"{card.where}: a {source.title} cannot be converted to a {template(to).title}. Convertible: hf, gem."
        )
    if source.name == to:
        return card
    form = template(to)
    texts, unknown = _texts(card, source, form)
    sections = [Section(1, "Table of Contents")]
    for entry in form.entries:
        if entry.key in texts:
            sections.append(Section(entry.level, entry.title, texts.pop(entry.key)))
        elif not entry.optional:
            sections.append(Section(entry.level, entry.title, "" if any(form.below(entry.key)) else PLACEHOLDER))
    if unknown or texts:
        sections.append(Section(1, f"{REMAINDER} {source.title}"))
        sections += [
            Section(max(2, source.entry(key).level + 1), source.entry(key).title, text) for key, text in texts.items()
        ]
        sections += unknown
    return replace(card, sections=tuple(sections))


def _texts(card: Card, source: Template, form: Template) -> tuple[dict[str, str], list[Section]]:
    """Return the texts of a card by key, with the remainder of an earlier conversion, and sections without a key."""
    texts: dict[str, str] = {}
    unknown: list[Section] = []
    back = f"{REMAINDER} {form.title}"
    returning = False
    for section, entry in card.placed(source):
        if section.title == back:
            returning = True
            continue
        returning = returning and section.level > 1
        if returning:
            entry = next((each for each in form.entries if each.is_called(section.title)), None)
        elif entry is not None and _is_bare(section, source, entry.key, form):
            continue  # a heading without text that the target template does not have
        if entry is None or entry.key in texts:
            unknown.append(replace(section, level=max(2, section.level)))
        elif section.text.strip() != PLACEHOLDER:
            texts[entry.key] = section.text
    return texts, unknown


def _is_bare(section: Section, source: Template, key: str, form: Template) -> bool:
    return not section.text.strip() and all(each.key != key for each in form.entries) and any(source.below(key))
