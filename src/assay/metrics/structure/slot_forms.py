"""Surface forms of slot values: those of E2E (`e2e_forms.toml`), and those of a file.

Interchangeable values ("cheap" and "less than £20") form one group: if one is expressed, all are.
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
"""Value that a negated value becomes."""
REACH = 4
"""Number of words that a negation affects."""
GENERIC = frozenset((("eattype", "restaurant"),))
"""Values that apply to every item, so that they never count as added."""
WORDS = re.compile(r"<(\w+)>")
Key = tuple[str, str]
"""A slot and a value, or a group of values by its first value, both normalised."""


class Forms(NamedTuple):
    """Phrases for the values of slots."""

    phrases: Phrases[Key]
    """Phrases of each group; the longest match counts, so that a high price is no high rating. The group "" of a slot
    matches any value ("a good rating")."""
    groups: Mapping[Key, str]
    """The group of a value."""
    turned: Mapping[Key, str]
    names: Mapping[Key, frozenset[str]] | None = None
    """For forms of a file: the first words of groups that are always capitalised."""


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
    """Expand a pattern with the words it names; `@rated 1 WORDS` gives several."""
    patterns = [pattern]
    if pattern.startswith("@priced "):
        patterns = [each.replace("WORDS", pattern.removeprefix("@priced ")) for each in table["templates"]["priced"]]
    elif pattern.startswith("@rated "):
        _, number, words = pattern.split(" ", 2)
        patterns = [each.replace("WORDS", words).replace("NUMBER", number) for each in table["templates"]["rated"]]
    return [WORDS.sub(lambda match: str(table["words"][match[1]]), each) for each in patterns]


def read_forms(path: str) -> Forms:
    """Read surface forms: `{slot: {value: [form, ...]}}`.

    Of a form with tabs (lemma, form, tag) the second column is used. Values with `_` for a number have no forms.
    """
    return _parse_forms(path, read_bytes(Path(path)))


@lru_cache(maxsize=8)
def _parse_forms(path: str, content: bytes) -> Forms:
    table = parse_json(content, Path(path))
    if not isinstance(table, dict) or not all(isinstance(values, dict) for values in table.values()):
        raise AssayError(f"{path}: not a file of surface forms. Expected {{slot: {{value: [form, ...]}}}}.")
    phrases: dict[Key, list[str]] = {}
    groups: dict[Key, str] = {}
    names: dict[Key, frozenset[str]] = {}
    for slot, values in table.items():
        for value, forms in values.items():
            if not isinstance(forms, list) or not all(isinstance(form, str) for form in forms):
                raise AssayError(f"{path}: {slot} {value}: expected a list of texts")
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
