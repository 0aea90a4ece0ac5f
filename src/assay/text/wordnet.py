"""Base forms of English nouns as WordNet finds them, where its files are at hand (on Debian: wordnet-base).

A form is looked up among the exceptions; else endings are taken off, once and again, until something is a noun of
WordNet. Words with capitals are none of its nouns, so they stay as they are.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

VARIABLE = "WNSEARCHDIR"
"""Names the folder of WordNet's files, as for its own program."""
FOLDERS = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict")
ENDINGS = (
    ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"),
)  # fmt: skip


def wordnet_folder() -> Path | None:
    """Where WordNet's nouns are, or None."""
    named = os.environ.get(VARIABLE)
    places = [Path(named)] if named else [Path(folder) for folder in FOLDERS]
    return next((place for place in places if (place / "index.noun").is_file()), None)


@lru_cache(maxsize=1)
def _nouns(folder: Path) -> tuple[frozenset[str], dict[str, list[str]]]:
    """All nouns, and the irregular plurals with their singulars."""
    lines = (folder / "index.noun").read_text("utf-8").splitlines()
    nouns = frozenset(line.split(" ", 1)[0] for line in lines if not line.startswith(" "))
    irregular: dict[str, list[str]] = {}
    for line in (folder / "noun.exc").read_text("utf-8").splitlines():
        plural, *singulars = line.split()
        irregular.setdefault(plural, []).extend(singulars)
    return nouns, irregular


@lru_cache(maxsize=100_000)
def noun_lemma(word: str, folder: Path) -> str:
    """The shortest base form of a noun; the word itself where WordNet knows none."""
    nouns, irregular = _nouns(folder)
    if word in irregular:
        return min((form for form in (word, *irregular[word]) if form in nouns), key=len, default=word)
    forms = [word]
    found = [word] if word in nouns else []
    while forms:
        forms = [form.removesuffix(old) + new for form in forms for old, new in ENDINGS if form.endswith(old)]
        found += [form for form in forms if form in nouns]
        if found:
            break
    return min(found, key=len, default=word)
