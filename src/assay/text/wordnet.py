"""English words in WordNet, if its files are installed (on Debian: wordnet-base).

A form is looked up among the exceptions; else endings are taken off until something is a word of WordNet. Words with
capitals are none of its nouns, so they stay as they are.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

VARIABLE = "WNSEARCHDIR"
"""Environment variable with the folder of WordNet's files, as for its own program."""
FOLDERS = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict")
ENDINGS = {
    "noun": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
             ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
"""Endings that are removed and added, by part of speech."""


class Lexicon(NamedTuple):
    """Return the words of a part of speech with the offsets of their senses, and irregular forms with their bases."""

    senses: dict[str, list[int]]
    irregular: dict[str, list[str]]


def wordnet_folder() -> Path | None:
    """Return the folder of WordNet's files, or None."""
    named = os.environ.get(VARIABLE)
    places = [Path(named)] if named else [Path(folder) for folder in FOLDERS]
    return next((place for place in places if (place / "index.noun").is_file()), None)


@lru_cache(maxsize=8)
def lexicon(folder: Path, kind: str) -> Lexicon:
    senses: dict[str, list[int]] = {}
    for line in (folder / f"index.{kind}").read_text("utf-8").splitlines():
        if not line.startswith(" "):
            word, _, count, *rest = line.split()
            senses[word] = [int(place) for place in rest[-int(count) :]]
    irregular: dict[str, list[str]] = {}
    for line in (folder / f"{kind}.exc").read_text("utf-8").splitlines():
        form, *bases = line.split()
        irregular.setdefault(form, []).extend(bases)
    return Lexicon(senses, irregular)


def _off(forms: list[str], kind: str) -> list[str]:
    return [form.removesuffix(old) + new for form in forms for old, new in ENDINGS[kind] if form.endswith(old)]


@lru_cache(maxsize=100_000)
def noun_lemma(word: str, folder: Path) -> str:
    """Return the shortest base form of a noun; the word itself if it is not in WordNet."""
    nouns, irregular = lexicon(folder, "noun")
    if word in irregular:
        return min((form for form in (word, *irregular[word]) if form in nouns), key=len, default=word)
    forms = [word]
    bases = [word] if word in nouns else []
    while forms:
        forms = _off(forms, "noun")
        bases += [form for form in forms if form in nouns]
        if bases:
            break
    return min(bases, key=len, default=word)


@lru_cache(maxsize=100_000)
def synonyms(word: str, folder: Path) -> frozenset[str]:
    """Return the word and the single words of all its senses, also of forms with one ending removed."""
    names = {word}
    for kind in ENDINGS:
        senses, irregular = lexicon(folder, kind)
        forms = {word, *(irregular[word] if word in irregular else _off([word], kind))}
        names.update(name for form in forms for place in senses.get(form, ()) for name in _names(folder, kind, place))
    return frozenset(names)


@lru_cache(maxsize=4)
def _text(folder: Path, kind: str) -> bytes:
    return (folder / f"data.{kind}").read_bytes()


@lru_cache(maxsize=100_000)
def _names(folder: Path, kind: str, place: int) -> tuple[str, ...]:
    """Return the single words of the sense at an offset of its file."""
    text = _text(folder, kind)
    _, _, _, count, *rest = text[place : text.index(b"\n", place)].decode("utf-8").split(" ")
    names = (name.partition("(")[0] for name in rest[: 2 * int(count, 16) : 2])
    return tuple(name for name in names if "_" not in name)
