"""A card as an HTML page: table of contents, sections and missing content. HTML in its texts is escaped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.benchmark.cards.card import CONTENTS, Card, template_of
from assay.benchmark.cards.check import LEFT, check_card, without_comments
from assay.benchmark.cards.template import plain_title
from assay.show.sheet import sheet


@dataclass(frozen=True)
class Part:
    """A section, rendered."""

    level: int
    title: str
    html: Any
    lacking: str = ""
    """The error of the section, if any."""


def page(card: Card) -> str:
    """Return a self-contained HTML page."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    environment = Environment(loader=PackageLoader("assay.benchmark.cards"), autoescape=True)
    return environment.get_template("card.html").render(sheet=Markup(sheet()), **contents(card))


def contents(card: Card) -> dict[str, Any]:
    """Return the template values of a card: title, kind, facts, complete, opening and parts."""
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    form = template_of(card)
    checked = check_card(card, form)
    # Raw HTML is escaped, only safe link schemes are kept, and images are not loaded.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

    def html(text: str) -> Markup:
        return Markup(markdown.render(text))

    lacking = {each.section: each.problem for each in checked.findings if each.is_error}
    parts = [
        Part(min(max(each.level, 1), 4), each.title, html(without_comments(each.text)), lacking.get(each.title, ""))
        for each in card.sections
        if each.level and plain_title(each.title) != CONTENTS
    ]
    facts = [(key, str(value)) for key, value in card.facts.items() if not LEFT.search(str(value))]
    return {
        "title": title_of(card), "kind": form.title, "facts": facts, "complete": checked.complete, "parts": parts,
        "opening": html(card.opening),
    }  # fmt: skip


def title_of(card: Card) -> str:
    """Return the title in the front matter, or the name of the card's file."""
    facts = card.facts
    named = [facts[key] for key in ("title", "pretty_name", "name") if isinstance(facts.get(key), str)]
    return next((name for name in named if not LEFT.search(name)), card.where)
