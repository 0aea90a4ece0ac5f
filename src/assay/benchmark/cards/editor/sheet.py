"""A card as a form: fields with stable names, converted from and to a card.

The fields are stored, not the Markdown, so that an open code block or a heading in one text does not affect the other
fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from assay.benchmark.cards.card import CONTENTS, Card, Section, parse_card, parse_front, with_entries
from assay.benchmark.cards.check import LEFT, CardCheck, CardFinding, check_card
from assay.benchmark.cards.template import PLACEHOLDER, Entry, Template, plain_title
from assay.errors import AssayError


@dataclass(frozen=True)
class Field:
    """A form field: a key of the front matter, a section, or other text of the card."""

    name: str
    title: str
    text: str
    guide: str = ""
    level: int = 1
    key: str = ""
    """Key of the template's entry; empty for unknown sections."""


class Part(msgspec.Struct, frozen=True):
    """A section of the form."""

    level: int
    title: str
    text: str


class Sheet(msgspec.Struct, frozen=True):
    """The contents of the form."""

    front: dict[str, str]
    """Front matter by key of the template."""
    rest: str
    """The remaining front matter as written."""
    opening: str
    parts: list[Part]

    def fields(self, form: Template) -> Iterator[Field]:
        """Yield the form fields in order."""
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

    def updated(self, data: Mapping[str, Any]) -> Sheet:
        """Return the sheet with the submitted fields; fields that are not submitted stay."""
        texts = {name: text.replace("\r\n", "\n") for name, text in data.items() if isinstance(text, str)}
        return Sheet(
            {key: " ".join(texts.get(f"front-{key}", text).split()) for key, text in self.front.items()},
            texts.get("rest", self.rest),
            texts.get("opening", self.opening),
            [Part(each.level, each.title, texts.get(f"part-{i}", each.text)) for i, each in enumerate(self.parts)],
        )

    def card(self, form: Template, where: str = "card") -> Card:
        """Return the card: empty required sections get a placeholder, empty optional sections are left out."""
        lines = [f"{key}: {json.dumps(text or PLACEHOLDER, ensure_ascii=False)}" for key, text in self.front.items()]
        sections = []
        entries = self._entries(form)
        written = {entry.key for part, entry in zip(self.parts, entries, strict=True) if entry and part.text.strip()}
        for part, entry in zip(self.parts, entries, strict=True):
            if entry and entry.optional and not written & {entry.key, *(each.key for each in form.below(entry.key))}:
                continue
            required = entry is not None and not any(not each.optional for each in form.below(entry.key))
            text = "\n".join(line.rstrip() for line in part.text.splitlines()).strip("\n")
            sections.append(Section(part.level, part.title, text or (PLACEHOLDER if required else "")))
        front = "\n".join([*lines, self.rest]).strip("\n")
        return Card(front, self.opening.strip("\n"), tuple(sections), where)

    def checked(self, form: Template) -> CardCheck:
        """Check the card like `assay benchmark card check`, and whether its Markdown would be read back unchanged."""
        card = self.card(form)
        more = []
        try:
            card.facts  # noqa: B018
        except AssayError as error:
            problem = str(error).removeprefix("card: ").removesuffix(".")
            more.append(CardFinding("front matter", problem, "write lines of `key: value`"))
            card = replace(card, front="\n".join(line for line in card.front.splitlines()[: len(self.front)]))
        check = check_card(card, form)
        return replace(check, findings=[*more, *self._misread(card), *check.findings])

    def _misread(self, card: Card) -> Iterator[CardFinding]:
        try:
            again = [each.title for each in parse_card(card.markdown()).sections]
        except AssayError as error:
            yield CardFinding("front matter", str(error).removesuffix("."), "remove the line ---")
            return
        for place, part in enumerate(card.sections):
            if place >= len(again) or again[place] != part.title:
                before = card.sections[max(0, place - 1)].title
                why = "a heading or an open code block in the text changes the sections below"
                remedy = "close the code block with ```; indent lines that begin with #"
                yield CardFinding(before, why, remedy, is_error=False)
                return

    def _entries(self, form: Template) -> list[Entry | None]:
        sections = tuple(Section(part.level, part.title) for part in self.parts)
        placed = {id(section): entry for section, entry in Card("", "", sections).placed(form)}
        return [placed.get(id(section)) for section in sections]


def sheet_of(card: Card, form: Template) -> Sheet:
    """Return the form of a card with every field of the template."""
    front, rest = _front(card.front, form)
    whole = with_entries(card, form, [entry.key for entry in form.entries])
    parts = [Part(each.level, each.title, _shown(each.text)) for each in whole.sections]
    return Sheet(front, rest, card.opening, parts)


def _front(front: str, form: Template) -> tuple[dict[str, str], str]:
    """Split front matter into single-line values of the template's keys and all other lines."""
    groups: list[list[str]] = []
    for line in front.splitlines():
        if groups and (not line or line[0] in " \t-#"):  # continues the value of the previous key
            groups[-1].append(line)
        else:
            groups.append([line])
    values: dict[str, str] = {}
    rest = []
    for group in groups:
        key = group[0].partition(":")[0]
        value = _value("\n".join(group), key) if key in form.front and key not in values else None
        if value is None:
            rest += group
        else:
            values[key] = value
    elsewhere = {line.partition(":")[0] for line in rest}
    return {key: values.get(key, "") for key in form.front if key in values or key not in elsewhere}, "\n".join(rest)


def _value(lines: str, key: str) -> str | None:
    """Return the value of a key; None if it is not a single line of text (a list, a date, several lines)."""
    try:
        value = parse_front(lines, "card").get(key)
    except AssayError:
        return None
    if value is None:
        return ""
    return " ".join(_shown(value).split()) if isinstance(value, str) and "\n" not in value else None


def _shown(text: str) -> str:
    """Return the text of a field; empty for a placeholder alone."""
    return "" if not LEFT.sub("", text).strip() else text


def _is_contents(title: str) -> bool:
    return plain_title(title) == CONTENTS
