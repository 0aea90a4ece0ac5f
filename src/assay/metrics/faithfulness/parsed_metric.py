"""What metrics over parsed texts have in common: two files in CoNLL-U, one of the outputs and one of the sources."""

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
"""The sentences of a document."""
NEWDOC = "newdoc id"


@dataclass(frozen=True)
class ParsedMetric(SumMetric):
    """A share of what the parse of an output has that the parse of its source has too."""

    outputs: str = ""
    """The outputs as a parser read them: a file in CoNLL-U with `# newdoc id = ID` before the sentences of each
    item."""
    sources: str = ""
    """The sources, in the same way."""

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
            return f"it needs parses: {self.name}:outputs=FILE.conllu:sources=FILE.conllu (any UD parser writes them)"
        try:
            read_parses(self.outputs, file_digest(self.outputs))
            read_parses(self.sources, file_digest(self.sources))
        except AssayError as error:
            return str(error)
        return None

    @abstractmethod
    def facts(self, parsed: Parsed) -> Iterable[Hashable]:
        """What is compared."""

    def supported(self, said: list[Hashable], known: list[Hashable]) -> int:
        """How many of the output's are among the source's."""
        return sum(fact in known for fact in said)

    def statistics(self, items: Items) -> Dense:
        said, known = (read_parses(path, file_digest(path)) for path in (self.outputs, self.sources))
        rows = []
        for id, output in zip(items.ids, items.outputs, strict=True):
            if output.strip() and id not in said:
                raise AssayError(f"{self.outputs}: no parse of {id}; write `# newdoc id = {id}` before its sentences")
            if id not in known:
                raise AssayError(f"{self.sources}: no parse of {id}; write `# newdoc id = {id}` before its sentences")
            ours, theirs = (list(dict.fromkeys(self.facts(parsed))) for parsed in (said.get(id, []), known[id]))
            rows.append((self.supported(ours, theirs), len(ours)))
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(-1, 2))

    def values(self, sums: Floats) -> Values:
        return {self.name: divide(sums[:, 0], sums[:, 1])}


def lemma(token: Token) -> str:
    """The base form in lower case; the word itself where a parser gives none."""
    return (token.form if token.lemma in ("", "_") else token.lemma).lower()


def _content(path: str) -> str:
    return content_digest(lambda: [repr(sorted(read_parses(path, file_digest(path)).items()))])


@lru_cache(maxsize=4)
def read_parses(path: str, digest: str | None) -> dict[str, Parsed]:
    """Known by its content too: a file may change while we run."""
    if digest is None:
        raise AssayError(f"{path}: no such file; give parses in CoNLL-U")
    documents: dict[str, Parsed] = {}
    current: Parsed | None = None
    for number, sentence in enumerate(read_conllu(Path(path)), 1):
        if {"newdoc", NEWDOC} & sentence.comments.keys():
            id = sentence.comments.get(NEWDOC, "")
            if not id:
                raise AssayError(f"{path}: sentence {number} begins a document without an id; write `# {NEWDOC} = ID`")
            if id in documents and documents[id] is not current:
                raise AssayError(f"{path}: sentence {number} begins {id} a second time; give each item one place")
            current = documents.setdefault(id, [])
        if current is None:
            raise AssayError(f"{path}: sentences before the first `# {NEWDOC} = ID`; say which item they belong to")
        current.append(sentence)
    return documents
