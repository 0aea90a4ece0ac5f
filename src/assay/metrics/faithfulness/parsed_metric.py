"""Base class of metrics over dependency parses: CoNLL-U files of the outputs and of the sources."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.models.code_digest import file_digest
from assay.records.items import Items
from assay.text.conllu import Sentence, Token, read_conllu

Parsed = list[Sentence]
"""Sentences of a document."""
NEWDOC = "newdoc id"


@dataclass(frozen=True)
class ParsedMetric(SumMetric):
    """Share of the facts in the parse of an output that the parse of its source contains."""

    outputs: str = ""
    """CoNLL-U file with the parses of the outputs, `# newdoc id = ID` before the sentences of each item (required)."""
    sources: str = ""
    """CoNLL-U file with the parses of the sources, in the same form (required)."""

    category: ClassVar = "faithfulness"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part(self.name, digits=3),)

    def columns(self) -> tuple[str, ...]:
        return "found", "said"

    def options(self) -> dict[str, Any]:
        return super().options() | {name: _content(getattr(self, name)) for name in ("outputs", "sources")}

    def why_not(self) -> str | None:
        if not (self.outputs and self.sources):
            return f"needs parses of any UD parser. Give {self.name}:outputs=FILE.conllu:sources=FILE.conllu."
        try:
            read_parses(self.outputs, file_digest(self.outputs))
            read_parses(self.sources, file_digest(self.sources))
        except AssayError as error:
            return str(error)
        return None

    @abstractmethod
    def facts(self, parsed: Parsed) -> Iterable[Hashable]:
        """Return the facts of a parse that are compared."""

    def supported(self, facts: list[Hashable], source_facts: list[Hashable]) -> int:
        """Return the number of facts of the output that the source supports."""
        return sum(fact in source_facts for fact in facts)

    def statistics(self, items: Items) -> Dense:
        outputs, sources = (read_parses(path, file_digest(path)) for path in (self.outputs, self.sources))
        rows = []
        for id, output in zip(items.ids, items.outputs, strict=True):
            if output.strip() and id not in outputs:
                raise AssayError(
                    f"{self.outputs}: no parse of id {id}. Write `# newdoc id = {id}` before its sentences."
                )
            if id not in sources:
                raise AssayError(
                    f"{self.sources}: no parse of id {id}. Write `# newdoc id = {id}` before its sentences."
                )
            ours, theirs = (list(dict.fromkeys(self.facts(parsed))) for parsed in (outputs.get(id, []), sources[id]))
            rows.append((self.supported(ours, theirs), len(ours)))
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(-1, 2))

    def values(self, sums: Floats) -> Values:
        return {self.name: divide(sums[:, 0], sums[:, 1])}


def lemma(token: Token) -> str:
    """Return the lemma in lower case; the word itself if the parse has no lemma."""
    return (token.form if token.lemma in ("", "_") else token.lemma).lower()


def _content(path: str) -> str:
    return content_digest(lambda: [repr(sorted(read_parses(path, file_digest(path)).items()))])


@lru_cache(maxsize=4)
def read_parses(path: str, digest: str | None) -> dict[str, Parsed]:
    """Read parses by item; the digest is an argument, so that a changed file is read again."""
    if digest is None:
        raise AssayError(f"{path}: file not found. Give parses in CoNLL-U.")
    documents: dict[str, Parsed] = {}
    current: Parsed | None = None
    for number, sentence in enumerate(read_conllu(Path(path)), 1):
        if {"newdoc", NEWDOC} & sentence.comments.keys():
            id = sentence.comments.get(NEWDOC, "")
            if not id:
                raise AssayError(f"{path}: sentence {number}: document without an id. Write `# {NEWDOC} = ID`.")
            if id in documents and documents[id] is not current:
                raise AssayError(f"{path}: sentence {number}: document {id} appears twice. Keep one.")
            current = documents.setdefault(id, [])
        if current is None:
            raise AssayError(f"{path}: sentences before the first `# {NEWDOC} = ID`. Add the id of their item.")
        current.append(sentence)
    return documents
