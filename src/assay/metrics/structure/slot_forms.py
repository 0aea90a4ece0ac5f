"""How values of slots are put into words: E2E's (`e2e_forms.toml`), and those that a file gives.

Values that people use for one another ("cheap" and "less than £20") stand in one group: if one is said, all are.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.records.files import read_bytes
from assay.text.phrases import Phrases, plain_words

NEGATION = frozenset("""
    not no non isnt isn doesnt dont arent aint wasnt wont cannot cant never nor neither without less un lacks
    discourages prohibits
""".split())  # fmt: skip
TURNED = {("familyfriendly", "yes"): "no"}
"""What a value becomes after a negation."""
REACH = 4
"""How many words a negation reaches."""
GENERIC = frozenset((("eattype", "restaurant"),))
"""Said of everything; nobody would call it made up."""
WORDS = re.compile(r"<(\w+)>")
Key = tuple[str, str]
"""A slot and a value, or a group of values by its first one; both as plain words."""


class Forms(NamedTuple):
    """Phrases for the values of some slots."""

    phrases: Phrases[Key]
    """Each stands for a group; the longest counts, so that a high price is no high rating. The group "" of a slot is
    said of any value ("a good rating")."""
    groups: Mapping[Key, str]
    """The group of a value."""
    turned: Mapping[Key, str]
    names: Mapping[Key, frozenset[str]] | None = None
    """Of forms that a file gives: the first words of those groups that are always capitalised."""


def named(text: str) -> str:
    return " ".join(plain_words(text))


@lru_cache
def e2e_forms() -> Forms:
    table = tomllib.loads(files("assay.metrics.structure").joinpath("e2e_forms.toml").read_text(encoding="utf-8"))
    phrases: dict[Key, list[str]] = {}
    groups: dict[Key, str] = {}
    for entry in table["groups"]:
        slot, values = named(entry["slot"]), entry["values"]
        first = values[0] if values else ""
        phrases[slot, first] = [full for pattern in entry["patterns"] for full in _written_out(pattern, table)]
        groups.update({(slot, named(value)): first for value in values})
    return Forms(Phrases(phrases), groups, TURNED)


def _written_out(pattern: str, table: Mapping[str, Any]) -> list[str]:
    """A pattern with the words it names; `@rated 1 WORDS` is several."""
    patterns = [pattern]
    if pattern.startswith("@priced "):
        patterns = [each.replace("WORDS", pattern.removeprefix("@priced ")) for each in table["templates"]["priced"]]
    elif pattern.startswith("@rated "):
        _, number, words = pattern.split(" ", 2)
        patterns = [each.replace("WORDS", words).replace("NUMBER", number) for each in table["templates"]["rated"]]
    return [WORDS.sub(lambda found: str(table["words"][found[1]]), each) for each in patterns]


def read_forms(path: str) -> Forms:
    """A file of surface forms: `{slot: {value: [form, ...]}}`. Of a form with tabs the second column is taken (lemma,
    form, tag); values with `_` for a number are looked for as they stand."""
    return _given_forms(path, read_bytes(Path(path)))


@lru_cache(maxsize=8)
def _given_forms(path: str, content: bytes) -> Forms:
    given = parse_json(content, Path(path))
    if not isinstance(given, dict) or not all(isinstance(values, dict) for values in given.values()):
        raise AssayError(f"{path}: no surface forms; it needs {{slot: {{value: [form, ...]}}}}")
    phrases: dict[Key, list[str]] = {}
    groups: dict[Key, str] = {}
    names: dict[Key, frozenset[str]] = {}
    for slot, values in given.items():
        for value, forms in values.items():
            if not isinstance(forms, list) or not all(isinstance(form, str) for form in forms):
                raise AssayError(f"{path}: {slot} {value}: the forms are no list of texts; give a list, be it of one")
            if "_" in value or not forms:
                continue
            written = list(dict.fromkeys(_form(form) for form in forms))
            phrases[named(slot), value] = [form.replace("(", " ").replace(")", " ") for form in written]
            groups[named(slot), named(value)] = value
            if all(form[:1].isupper() for form in written):
                names[named(slot), value] = frozenset(word for form in written for word in plain_words(form)[:1])
    return Forms(Phrases(phrases), groups, {}, names)


def _form(form: str) -> str:
    columns: Sequence[str] = form.split("\t")
    return columns[1] if len(columns) > 1 else form
