"""A card as somebody fills it in: fields that keep their names however often they are saved, and a card again.

The fields are what is kept, not the Markdown made of them: half a code block or a heading inside a text changes nothing
about the other fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from assay.benchmark.cards.card import CONTENTS, Card, Section, parse_card, parse_front, with_entries
from assay.benchmark.cards.check import LEFT, Checked, Finding, check_card
from assay.benchmark.cards.template import PLACEHOLDER, Entry, Template, plain_title
from assay.errors import AssayError


@dataclass(frozen=True)
class Field:
    """Something to write: a line of the front matter, a section, or what else a card holds."""

    name: str
    title: str
    text: str
    guide: str = ""
    level: int = 1
    key: str = ""
    """Of the template's entry; nothing for what it does not know."""


class Part(msgspec.Struct, frozen=True):
    level: int
    title: str
    text: str


class Sheet(msgspec.Struct, frozen=True):
    front: dict[str, str]
    """The keys that the template asks for."""
    rest: str
    """Of the front matter, all else as it was written."""
    opening: str
    parts: list[Part]

    def fields(self, form: Template) -> Iterator[Field]:
        for key, text in self.front.items():
            yield Field(f"front-{key}", key, text)
        yield Field("rest", "rest", self.rest)
        if self.opening:
            yield Field("opening", "opening", self.opening)
        for place, (part, entry) in enumerate(zip(self.parts, self._entries(form), strict=True)):
            if not _is_contents(part.title):
                level = min(max(part.level, 1), 4)
                about = {"guide": entry.guide, "key": entry.key} if entry else {}
                yield Field(f"part-{place}", part.title, part.text, level=level, **about)

    def taken(self, given: Mapping[str, Any]) -> Sheet:
        """With what a form says. What is not among its fields stays."""
        texts = {name: text.replace("\r\n", "\n") for name, text in given.items() if isinstance(text, str)}
        return Sheet(
            {key: " ".join(texts.get(f"front-{key}", text).split()) for key, text in self.front.items()},
            texts.get("rest", self.rest),
            texts.get("opening", self.opening),
            [Part(each.level, each.title, texts.get(f"part-{i}", each.text)) for i, each in enumerate(self.parts)],
        )

    def card(self, form: Template, where: str = "card") -> Card:
        """What is empty has the placeholder, but for headings over others; what may be left out is, while empty."""
        lines = [f"{key}: {json.dumps(text or PLACEHOLDER, ensure_ascii=False)}" for key, text in self.front.items()]
        sections = []
        entries = self._entries(form)
        written = {entry.key for part, entry in zip(self.parts, entries, strict=True) if entry and part.text.strip()}
        for part, entry in zip(self.parts, entries, strict=True):
            if entry and entry.optional and not written & {entry.key, *(each.key for each in form.below(entry.key))}:
                continue
            asked = entry is not None and not any(not each.optional for each in form.below(entry.key))
            text = "\n".join(line.rstrip() for line in part.text.splitlines()).strip("\n")
            sections.append(Section(part.level, part.title, text or (PLACEHOLDER if asked else "")))
        front = "\n".join([*lines, self.rest]).strip("\n")
        return Card(front, self.opening.strip("\n"), tuple(sections), where)

    def checked(self, form: Template) -> Checked:
        """As `assay benchmark card check` does; besides, what keeps the card from being read again as it was
        written."""
        card = self.card(form)
        more = []
        try:
            card.facts  # noqa: B018
        except AssayError as error:
            more.append(Finding("front matter", str(error).removeprefix("card: "), "write lines of `key: value`"))
            card = replace(card, front="\n".join(line for line in card.front.splitlines()[: len(self.front)]))
        return self._with(check_card(card, form), [*more, *self._misread(card)])

    def _misread(self, card: Card) -> Iterator[Finding]:
        try:
            again = [each.title for each in parse_card(card.markdown()).sections]
        except AssayError as error:
            yield Finding("front matter", str(error), "take the line --- out")
            return
        for place, part in enumerate(card.sections):
            if place >= len(again) or again[place] != part.title:
                before = card.sections[max(0, place - 1)].title
                why = "a heading or an open code block in its text changes the sections below"
                yield Finding(before, why, "close the code block with ```; indent lines that begin with #", grave=False)
                return

    def _with(self, checked: Checked, more: list[Finding]) -> Checked:
        return replace(checked, findings=[*more, *checked.findings])

    def _entries(self, form: Template) -> list[Entry | None]:
        sections = tuple(Section(part.level, part.title) for part in self.parts)
        placed = {id(section): entry for section, entry in Card("", "", sections).placed(form)}
        return [placed.get(id(section)) for section in sections]


def sheet_of(card: Card, form: Template) -> Sheet:
    """Every field that the template asks for, whether the card has it or not."""
    front, rest = _front(card.front, form)
    whole = with_entries(card, form, [entry.key for entry in form.entries])
    parts = [Part(each.level, each.title, _shown(each.text)) for each in whole.sections]
    return Sheet(front, rest, card.opening, parts)


def _front(front: str, form: Template) -> tuple[dict[str, str], str]:
    """Texts and numbers of the keys that the template asks for; and all other lines as they are."""
    groups: list[list[str]] = []
    for line in front.splitlines():
        if groups and (not line or line[0] in " \t-#"):  # goes on with the value of the key before
            groups[-1].append(line)
        else:
            groups.append([line])
    found: dict[str, str] = {}
    rest = []
    for group in groups:
        key = group[0].partition(":")[0]
        value = _value("\n".join(group), key) if key in form.front and key not in found else None
        if value is None:
            rest += group
        else:
            found[key] = value
    elsewhere = {line.partition(":")[0] for line in rest}
    asked = {key: found.get(key, "") for key in form.front if key in found or key not in elsewhere}
    return asked, "\n".join(rest)


def _value(lines: str, key: str) -> str | None:
    """None for what one line of text cannot say: a list, a date, several lines."""
    try:
        value = parse_front(lines, "card").get(key)
    except AssayError:
        return None
    if value is None:
        return ""
    said = value if isinstance(value, str) else None
    return None if said is None or "\n" in said else " ".join(_shown(said).split())


def _shown(text: str) -> str:
    """A placeholder alone is an empty field."""
    return "" if not LEFT.sub("", text).strip() else text


def _is_contents(title: str) -> bool:
    return plain_title(title) == CONTENTS
