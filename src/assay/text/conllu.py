"""Parsed sentences in CoNLL-U, the format of Universal Dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.text.integers import is_integer


class Token(NamedTuple):
    """One word with its head and relation."""

    id: int
    form: str
    lemma: str
    upos: str
    features: dict[str, str]
    head: int
    relation: str
    """Relation without its subtype after the colon."""
    subtype: str
    entity: str = ""
    """Brackets of the mentions of entities that begin or end here: `Entity` of the last field, as in CorefUD."""


class Sentence(NamedTuple):
    """A sentence: its words in order, and its comments."""

    tokens: list[Token]
    comments: dict[str, str]

    def children(self, head: int) -> list[Token]:
        return [token for token in self.tokens if token.head == head]


def read_conllu(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a file; an error names the line that is not CoNLL-U."""
    tokens: list[Token] = []
    places: list[int] = []
    comments: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # words can contain other line separators of Unicode
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"{path}: cannot be read as CoNLL-U ({error}); give a file in UTF-8") from None
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif line.strip():
            token = _token(line, f"{path}:{number}")
            if token:
                tokens.append(token)
                places.append(number)
        elif tokens:
            _check_heads(tokens, path, places)
            yield Sentence(tokens, comments)
            tokens, places, comments = [], [], {}


def _token(line: str, where: str) -> Token | None:
    fields = line.split("\t")
    if len(fields) != 10:
        many = f"{len(fields)} field{'s' * (len(fields) != 1)}"
        raise AssayError(f"{where}: has {many} and not the 10 of CoNLL-U, between tabs")
    if not is_integer(fields[0]):
        if "-" in fields[0] or "." in fields[0]:  # multiword tokens and empty nodes
            return None
        raise AssayError(f"{where}: the first field is a number; here it is '{fields[0][:20]}'")
    if not is_integer(fields[6]):
        raise AssayError(f"{where}: the head is '{fields[6][:20]}', not the number of a word; parse the text first")
    features = dict(part.split("=", 1) for part in fields[5].split("|") if "=" in part)
    relation, _, subtype = fields[7].partition(":")
    lemma = fields[1] if fields[2] == "_" else fields[2]  # not every parser writes lemmas
    entity = next((part[7:] for part in fields[9].split("|") if part.startswith("Entity=")), "")
    return Token(int(fields[0]), fields[1], lemma, fields[3], features, int(fields[6]), relation, subtype, entity)


def _check_heads(tokens: list[Token], path: Path, places: list[int]) -> None:
    known = {0, *(token.id for token in tokens)}
    for token, place in zip(tokens, places, strict=True):
        if token.head not in known:
            why = f"the head of {token.form} is {token.head}, and the sentence has no such word"
            raise AssayError(f"{path}:{place}: {why}; parse the text again")
