"""A card: front matter and sections, read from Markdown or a published page and written as Markdown.

The text of a section is preserved. Writing normalises blank lines around headings, white space at the end of lines, the
style of headings, and the table of contents, which pages generate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.benchmark.cards.template import NAMES, PLACEHOLDER, Entry, Template, plain_title, template
from assay.errors import AssayError
from assay.records.documents import parse_json, parse_yaml
from assay.records.files import read_text

LARGEST = 4_000_000
CONTENTS = plain_title("Table of Contents")
REMAINDER = "Remainder of the"
"""Begin of the title of the section with content that has no place in the target template of a conversion."""
TOP = 2
"""Number of # marks of a section's heading; the title of the card has one."""


@dataclass(frozen=True)
class Section:
    """A heading and the text below it."""

    level: int
    """1 for a section, 2 for a sub-section, and so on; 0 for the title of the card."""
    title: str
    text: str = ""


@dataclass(frozen=True)
class Card:
    """A data card, model card or metric card."""

    front: str = ""
    """Front matter as written, without the --- lines."""
    opening: str = ""
    """Text before the first heading."""
    sections: tuple[Section, ...] = ()
    where: str = field(default="card", compare=False)
    """Name of the card in messages."""

    @property
    def facts(self) -> dict[str, Any]:
        """The parsed front matter."""
        return parse_front(self.front, self.where)

    def with_fact(self, key: str, value: str) -> Card:
        """Return the card with one key of its front matter set."""
        import json

        lines: list[str] = []
        inside = False
        for line in self.front.splitlines():
            if line and line[0] not in " \t-#":  # else it continues the value of the previous key
                inside = line.startswith(f"{key}:")
            if not inside:
                lines.append(line)
        return replace(self, front="\n".join([*lines, f"{key}: {json.dumps(value, ensure_ascii=False)}"]).strip("\n"))

    def markdown(self) -> str:
        """Return the card as Markdown."""
        parts = [f"---\n{self.front}\n---"] if self.front else []
        parts += [self.opening] if self.opening else []
        for section in self.sections:
            parts.append(f"{'#' * (section.level + TOP - 1)} {section.title}".rstrip())
            if section.text and plain_title(section.title) != CONTENTS:
                parts.append(section.text)
        return "\n\n".join(parts) + "\n"

    def placed(self, form: Template) -> Iterator[tuple[Section, Entry | None]]:
        """Yield every section with its entry in the template, without the table of contents."""
        above: dict[int, str] = {}
        for section in self.sections:
            if plain_title(section.title) == CONTENTS or section.level == 0:
                continue
            parents = [above[level] for level in sorted(above, reverse=True) if level < section.level] or [""]
            entry = form.named(section.title, parents)
            above = {level: key for level, key in above.items() if level < section.level}
            above[section.level] = entry.key if entry else f"?{section.title}"
            yield section, entry


def parse_front(front: str, where: str) -> dict[str, Any]:
    """Parse front matter (YAML)."""
    values = parse_yaml(front, f"{where}: front matter")
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise AssayError(
            f"{where}: front matter is a {type(values).__name__}, not a mapping. Write lines of `key: value`."
        )
    return {str(key): value for key, value in values.items()}


def parse_card(text: str, where: str = "card") -> Card:
    """Parse a card in Markdown; # lines in code blocks are not headings."""
    from markdown_it import MarkdownIt

    if len(text) > LARGEST:
        raise AssayError(f"{where}: {len(text):,} characters exceed the limit of {LARGEST:,}. Is this a card?")
    lines = [line.rstrip() for line in text.removeprefix("\ufeff").splitlines()]
    front, lines = _front(lines, where)
    if "<h3" in "\n".join(lines) and not any(line.startswith("#") for line in lines):
        from assay.benchmark.cards.html import sections_of_html

        return Card(front, "", sections_of_html("\n".join(lines), where), where)
    tokens = MarkdownIt("commonmark").parse("\n".join(lines))
    marks = [
        (token.map[0], token.map[1], int(token.tag[1]), tokens[place + 1].content)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    ends = [*(start for start, *_ in marks[1:]), len(lines)] if marks else []
    sections = tuple(
        Section(depth - TOP + 1, " ".join(title.split()), "\n".join(lines[after:end]).strip("\n"))
        for (_, after, depth, title), end in zip(marks, ends, strict=True)
    )
    opening = "\n".join(lines[: marks[0][0] if marks else len(lines)]).strip("\n")
    return Card(front, opening, sections, where)


def _front(lines: list[str], where: str) -> tuple[str, list[str]]:
    first = next((place for place, line in enumerate(lines) if line), None)
    if first is None or lines[first] != "---":
        return "", lines
    last = next((place for place in range(first + 1, len(lines)) if lines[place] in ("---", "...")), None)
    if last is None:
        raise AssayError(f"{where}:{first + 1}: front matter is not closed. Add a line ---.")
    return "\n".join(lines[first + 1 : last]).strip("\n"), lines[last + 1 :]


def read_card(path: Path) -> Card:
    """Read a card: Markdown, a GEM page with YAML front matter, or the JSON of a page on GEM's site."""
    text = read_text(path)
    if not text.lstrip("\ufeff \n\r\t").startswith("{"):
        card = parse_card(text, str(path))
        if not card.sections:
            raise AssayError(f"{path}: no headings, so not a card. Create one with `assay benchmark card new`.")
        return card
    from assay.benchmark.cards.html import card_of_page

    return card_of_page(parse_json(text, path), str(path))


def read_whole_card(path: Path) -> Card:
    """Read a card, and check that its front matter can be parsed."""
    card = read_card(path)
    card.facts  # noqa: B018
    return card


def new_card(form: Template, title: str = "", guides: bool = False) -> Card:
    """Return an empty card: every required section with a placeholder.

    Args:
        form: The template.
        title: Title of the card.
        guides: Add to each section, as a comment, what to write there.
    """
    import json

    values = [title or PLACEHOLDER, *[PLACEHOLDER] * (len(form.front) - 1)]
    pairs = zip(form.front, values, strict=True)
    front = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in pairs)
    links = "\n".join(f"- **{label}:** {PLACEHOLDER}" for label in form.links)
    sections = [Section(1, "Table of Contents")]
    for place, entry in enumerate(form.counted):
        over = any(not below.optional for below in form.below(entry.key))
        text = links if not place else "" if over else PLACEHOLDER
        if guides:
            text = f"<!-- {entry.guide} -->\n\n{text}".strip()
        sections.append(Section(entry.level, entry.title, text))
    return Card(front, "", tuple(sections), form.title)


def with_entries(card: Card, form: Template, keys: Collection[str]) -> Card:
    """Return the card with these entries of the template; missing ones are inserted in the template's order."""
    sections = list(card.sections)
    placed = {id(section): entry for section, entry in card.placed(form)}
    entries = [placed.get(id(section)) for section in sections]
    order = {entry.key: place for place, entry in enumerate(form.entries)}
    for entry in form.entries:
        if entry.key not in keys or any(each and each.key == entry.key for each in entries):
            continue
        before = [at for at, each in enumerate(entries) if each and order[each.key] < order[entry.key]]
        at = before[-1] + 1 if before else next((i for i, each in enumerate(entries) if each), len(entries))
        text = "" if any(form.below(entry.key)) else PLACEHOLDER
        sections.insert(at, Section(entry.level, entry.title, text))
        entries.insert(at, entry)
    return replace(card, sections=tuple(sections))


def template_of(card: Card) -> Template:
    """Return the template of a card: the one that matches most of its headings."""
    whole = next((place for place, each in enumerate(card.sections) if each.title.startswith(REMAINDER)), None)
    own = replace(card, sections=card.sections[:whole])

    def known(name: str) -> tuple[int, int]:
        matches = [(section, entry) for section, entry in own.placed(template(name)) if entry]
        return sum(entry.title == section.title for section, entry in matches), len(matches)

    best = max(NAMES, key=known)
    if not known(best)[1]:
        raise AssayError(f"{card.where}: no heading of a card template. Create a card with `assay benchmark card new`.")
    return template(best)
