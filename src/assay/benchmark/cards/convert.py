"""From a Hugging Face data card to GEM's and back: sections move, and what has no place goes to a named remainder."""

from __future__ import annotations

from dataclasses import replace

from assay.benchmark.cards.card import REMAINDER, Card, Section, template_of
from assay.benchmark.cards.template import PLACEHOLDER, Template, template
from assay.errors import UsageError

CONVERTIBLE = ("hf", "gem")


def convert(card: Card, to: str) -> Card:
    """The same words under the headings of another template; what it lacks is a placeholder, nothing is lost."""
    came = template_of(card)
    if came.name not in CONVERTIBLE or to not in CONVERTIBLE:
        raise UsageError(f"{card.where}: a {came.title} cannot become a {template(to).title}; only hf and gem convert")
    if came.name == to:
        return card
    form = template(to)
    texts, strangers = _texts(card, came, form)
    sections = [Section(1, "Table of Contents")]
    for entry in form.entries:
        if entry.key in texts:
            sections.append(Section(entry.level, entry.title, texts.pop(entry.key)))
        elif not entry.optional:
            sections.append(Section(entry.level, entry.title, "" if any(form.below(entry.key)) else PLACEHOLDER))
    if strangers or texts:
        sections.append(Section(1, f"{REMAINDER} {came.title}"))
        sections += [
            Section(max(2, came.entry(key).level + 1), came.entry(key).title, text) for key, text in texts.items()
        ]
        sections += strangers
    return replace(card, sections=tuple(sections))


def _texts(card: Card, came: Template, form: Template) -> tuple[dict[str, str], list[Section]]:
    """By key the texts of a card, its remainder of the other kind put back; and what no template knows."""
    texts: dict[str, str] = {}
    strangers: list[Section] = []
    back = f"{REMAINDER} {form.title}"
    returning = False
    for section, entry in card.placed(came):
        if section.title == back:
            returning = True
            continue
        returning = returning and section.level > 1
        if returning:
            entry = next((each for each in form.entries if each.is_called(section.title)), None)
        elif entry is not None and _is_bare(section, came, entry.key, form):
            continue  # a heading that the other template has not, with nothing of its own to say
        if entry is None or entry.key in texts:
            strangers.append(replace(section, level=max(2, section.level)))
        elif section.text.strip() != PLACEHOLDER:
            texts[entry.key] = section.text
    return texts, strangers


def _is_bare(section: Section, came: Template, key: str, form: Template) -> bool:
    return not section.text.strip() and all(each.key != key for each in form.entries) and any(came.below(key))
