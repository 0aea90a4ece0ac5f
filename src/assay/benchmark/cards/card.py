"""A card: front matter and sections with headings, read from Markdown or a published page and written as Markdown.

Nothing is lost on the way: the text below a heading is kept as it was written. Writing settles only what nobody reads:
blank lines around headings, the end of lines, the marks of a heading, and the table of contents, which pages make anew.
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
"""How the section begins that holds what has no place in another template."""
TOP = 2
"""How many marks the heading of a section has; a title of the whole card has one."""


@dataclass(frozen=True)
class Section:
    level: int
    """1 is a section, 2 a sub-section, and so on; 0 a title of the whole card."""
    title: str
    text: str = ""


@dataclass(frozen=True)
class Card:
    front: str = ""
    """The front matter as it was written, without its fences."""
    opening: str = ""
    """What stands before the first heading."""
    sections: tuple[Section, ...] = ()
    where: str = field(default="card", compare=False)

    @property
    def facts(self) -> dict[str, Any]:
        """The front matter, read."""
        return parse_front(self.front, self.where)

    def with_fact(self, key: str, value: str) -> Card:
        """The card with one line of its front matter set; all others stay as they are."""
        import json

        lines: list[str] = []
        inside = False
        for line in self.front.splitlines():
            if line and line[0] not in " \t-#":  # else it goes on with the value of the key before
                inside = line.startswith(f"{key}:")
            if not inside:
                lines.append(line)
        return replace(self, front="\n".join([*lines, f"{key}: {json.dumps(value, ensure_ascii=False)}"]).strip("\n"))

    def markdown(self) -> str:
        parts = [f"---\n{self.front}\n---"] if self.front else []
        parts += [self.opening] if self.opening else []
        for section in self.sections:
            parts.append(f"{'#' * (section.level + TOP - 1)} {section.title}".rstrip())
            if section.text and plain_title(section.title) != CONTENTS:
                parts.append(section.text)
        return "\n\n".join(parts) + "\n"

    def placed(self, form: Template) -> Iterator[tuple[Section, Entry | None]]:
        """Every section with the entry of the template it stands for; the table of contents is left out."""
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
    found = parse_yaml(front, f"{where}: front matter")
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise AssayError(f"{where}: front matter is a list of `key: value`, not {type(found).__name__}")
    return {str(key): value for key, value in found.items()}


def parse_card(text: str, where: str = "card") -> Card:
    """A card from its Markdown. Headings inside code are no headings."""
    from markdown_it import MarkdownIt

    if len(text) > LARGEST:
        raise AssayError(f"{where}: {len(text):,} letters are no card; is it the right file?")
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
        raise AssayError(f"{where}:{first + 1}: front matter begins with --- and never ends; close it with ---")
    return "\n".join(lines[first + 1 : last]).strip("\n"), lines[last + 1 :]


def read_card(path: Path) -> Card:
    """A card from a file: Markdown, GEM's page with YAML before it, or the JSON in which its site keeps model cards."""
    text = read_text(path)
    if not text.lstrip("\ufeff \n\r\t").startswith("{"):
        card = parse_card(text, str(path))
        if not card.sections:
            raise AssayError(f"{path}: no headings in it, so it is no card; begin one with `assay benchmark card new`")
        return card
    from assay.benchmark.cards.html import card_of_page

    return card_of_page(parse_json(text, path), str(path))


def new_card(form: Template, title: str = "", guides: bool = False) -> Card:
    """An empty card: every section with the placeholder, and with what to write there if asked for.

    Sections that may be left out are; whoever fills one adds it (`with_entries`)."""
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
    """The card with these entries of its template, those that it lacks where the template has them."""
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
    """The template a card follows: the one that knows most of its headings by their own names."""
    whole = next((place for place, each in enumerate(card.sections) if each.title.startswith(REMAINDER)), None)
    own = replace(card, sections=card.sections[:whole])

    def known(name: str) -> tuple[int, int]:
        found = [(section, entry) for section, entry in own.placed(template(name)) if entry]
        return sum(entry.title == section.title for section, entry in found), len(found)

    best = max(NAMES, key=known)
    if not known(best)[1]:
        raise AssayError(
            f"{card.where}: no heading of a card template in it; begin one with `assay benchmark card new`"
        )
    return template(best)
