"""Marked texts as metrics read them: as they are, without their markers, or with one word for each marker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from assay.errors import AssayError
from assay.inputs.schema import FOMC, Schema, foreign_markers, unmarked
from assay.inputs.schema_files import content_word


@dataclass(frozen=True)
class MarkedTexts:
    """How the marked outputs of a system, and their references, are scored."""

    how: str
    """`as it is`, `without markers` or `markers as words`."""
    schema: Schema = FOMC
    named: bool = False
    """Whether the schema was named, by the user or by the examples: markers that it lacks are then mistakes of the
    system, which count as words. Otherwise they are of another schema, and are refused."""
    references: bool = True
    """Whether references are changed, too."""

    @property
    def treatment(self) -> str:
        """Return how a signature says what was done: `without-markers-fomc`; empty if nothing was."""
        if self.how == "as it is":
            return ""
        return f"{self.how.replace(' ', '-')}-{content_word(self.schema, 'markers')}"

    def output(self, text: str) -> str:
        return shown(text, self.how, self.schema, strict=not self.named)

    def reference(self, text: str) -> str:
        return shown(text, self.how, self.schema)

    def notes(
        self, system: str, ids: Sequence[str], outputs: Sequence[str], references: Iterable[Sequence[str]] = ()
    ) -> list[str]:
        """Return a warning if outputs have markers that the schema lacks, or if neither they nor the references have
        one of the schema: markers that are any text cannot be told from words."""
        if not self.named:
            why = unmarked(chain(outputs, *references), self.schema) if self.references else ""
            return [f"{why}: nothing was changed. Name the schema of the markers with --schema FILE"] if why else []
        marks = {id: self._foreign(text) for id, text in zip(ids, outputs, strict=True)}
        lost = [id for id, names in marks.items() if names]
        if not lost:
            return []
        names = dict.fromkeys(name for id in lost for name in marks[id])
        first, more = lost[0], " …" if len(lost) > 1 else ""
        return [
            f"{system}: {len(lost):,} of {len(outputs):,} outputs ({first}{more}) mark {', '.join(names)}, which the "
            f"schema {self.schema.name} lacks; these markers are scored as words"
        ]

    def _foreign(self, text: str) -> list[str]:
        return [] if self.how == "as it is" else foreign_markers(text, self.schema, paired=False)


def shown(text: str, how: str, known: Schema = FOMC, strict: bool = True) -> str:
    """Return a marked text for scoring: one line per sentence; markers are removed or count as one word each.

    Raises:
        AssayError: The text has markers of another schema, which would be scored as words (if `strict`).
    """
    if how == "as it is":
        return text
    if strict and (foreign := foreign_markers(text, known)):
        raise AssayError(
            f"the text marks {', '.join(foreign)}, which the schema {known.name} lacks. Name its schema: --schema "
            "FILE, `schema` in a config, schema=FILE of a metric or recipe, or the tag `schema` of the examples."
        )
    lines = re.split(r"<sent>|\n", text)
    if how == "without markers":
        return "\n".join(map(known.without_markers, lines))
    return "\n".join(" ".join(_one_word(line, known).split()) for line in lines)


def _one_word(line: str, known: Schema) -> str:
    """Return a line whose markers have no underscores, at which tokenizers would split; custom ones become words."""
    pieces, last = [], 0
    for marker in known.markers(line):
        token = line[marker.start : marker.end]
        default = token.startswith("[") and token.endswith("]")
        word = token if default else f"[{marker.category}{'START' if marker.opens else 'END'}]"
        pieces += [line[last : marker.start], _ascii(word)]
        last = marker.end
    return "".join([*pieces, line[last:]]).replace("_", "")


def _ascii(word: str) -> str:
    """Return a marker whose letters every tokenizer keeps: that of ROUGE splits at letters of other scripts, so that
    two categories would be the same word."""
    return "".join(letter if letter.isascii() else f"u{ord(letter):x}" for letter in word)
