"""Card templates: the sections of a card in order, with guides and alternative titles."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from assay.errors import UsageError
from assay.specs import did_you_mean

PLACEHOLDER = "[More Information Needed]"
NAMES = ("hf", "gem", "gem2022", "model", "metric")


@dataclass(frozen=True)
class Entry:
    """A section of a template; `level` 1 is a section, 2 a sub-section, 3 a sub-sub-section."""

    key: str
    title: str
    level: int
    guide: str
    aliases: tuple[str, ...] = ()
    optional: bool = False
    """Whether the section may be missing; it does not count for completeness."""
    parent: str = ""

    def is_called(self, title: str) -> bool:
        """Return whether a heading is this section's title or an alias of it."""
        return plain_title(title) in {plain_title(name) for name in (self.title, *self.aliases)}


@dataclass(frozen=True)
class Template:
    """A kind of card."""

    name: str
    title: str
    about: str
    front: tuple[str, ...]
    """Keys of the front matter."""
    links: tuple[str, ...]
    """Labels of the list below the first heading."""
    entries: tuple[Entry, ...]

    def entry(self, key: str) -> Entry:
        return next(entry for entry in self.entries if entry.key == key)

    def below(self, key: str) -> Iterator[Entry]:
        """Yield the sub-sections of a section."""
        return (entry for entry in self.entries if entry.parent == key)

    @property
    def counted(self) -> tuple[Entry, ...]:
        """The required entries."""
        return tuple(entry for entry in self.entries if not entry.optional)

    def named(self, title: str, parents: Sequence[str]) -> Entry | None:
        """Return the entry of a heading: below one of its parents, or anywhere if the title is unique."""
        called = [entry for entry in self.entries if entry.is_called(title)]
        inside = [entry for entry in called if entry.parent in parents]
        if len(inside) == 1:
            return inside[0]
        return called[0] if len(called) == 1 else None


def plain_title(title: str) -> str:
    """Return a title in lower case without punctuation and repeated spaces."""
    return " ".join("".join(char if char.isalnum() else " " for char in title.casefold()).split())


@lru_cache
def template(name: str) -> Template:
    """Return a template by name."""
    if name not in NAMES:
        raise UsageError(f"no card template {name}{did_you_mean(name, NAMES)}. Choose one of: {', '.join(NAMES)}")
    text = (files("assay.benchmark.cards") / "templates" / f"{name}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    entries: list[Entry] = []
    above = {0: ""}
    for section in table["section"]:
        level = section.get("level", 1)
        title = section["title"]
        key = section.get("key", plain_title(title).replace(" ", "-"))
        entries.append(
            Entry(
                key=key,
                title=title,
                level=level,
                guide=" ".join(section.get("guide", "").split()),
                aliases=tuple(section.get("aliases", ())),
                optional=section.get("optional", False),
                parent=above[level - 1],
            )
        )
        above[level] = key
    return Template(name, table["title"], table["about"], tuple(table["front"]), tuple(table["links"]), tuple(entries))
