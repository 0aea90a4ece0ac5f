"""What a card of some kind has to say: sections in their order, what to write in each, and other names they go by."""

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
    """May be left out, and is not counted."""
    parent: str = ""

    def is_called(self, title: str) -> bool:
        return plain_title(title) in {plain_title(name) for name in (self.title, *self.aliases)}


@dataclass(frozen=True)
class Template:
    name: str
    title: str
    about: str
    front: tuple[str, ...]
    """Keys of the front matter."""
    links: tuple[str, ...]
    """Labels of the list that stands below the first heading."""
    entries: tuple[Entry, ...]

    def entry(self, key: str) -> Entry:
        return next(entry for entry in self.entries if entry.key == key)

    def below(self, key: str) -> Iterator[Entry]:
        return (entry for entry in self.entries if entry.parent == key)

    @property
    def counted(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if not entry.optional)

    def named(self, title: str, parents: Sequence[str]) -> Entry | None:
        """The entry a heading stands for: under a section it is in, else anywhere if only one is so called."""
        called = [entry for entry in self.entries if entry.is_called(title)]
        inside = [entry for entry in called if entry.parent in parents]
        if len(inside) == 1:
            return inside[0]
        return called[0] if len(called) == 1 else None


def plain_title(title: str) -> str:
    """A title without what people write differently: case, marks, blanks."""
    return " ".join("".join(char if char.isalnum() else " " for char in title.casefold()).split())


@lru_cache
def template(name: str) -> Template:
    if name not in NAMES:
        raise UsageError(f"no card template called {name}{did_you_mean(name, NAMES)}; there is {', '.join(NAMES)}")
    text = (files("assay.benchmark.cards") / "templates" / f"{name}.toml").read_text(encoding="utf-8")
    given = tomllib.loads(text)
    entries: list[Entry] = []
    above = {0: ""}
    for section in given["section"]:
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
    return Template(name, given["title"], given["about"], tuple(given["front"]), tuple(given["links"]), tuple(entries))
