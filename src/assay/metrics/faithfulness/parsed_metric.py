"""Base class of metrics over dependency parses of outputs and sources: files, or a parser of another package."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator
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
from assay.text.conllu import Token, read_conllu
from assay.text.parsers import Parsed, parser

NEWDOC = "newdoc id"


@dataclass(frozen=True)
class ParsedMetric(SumMetric):
    """Share of the facts in the parse of an output that the parse of its source contains."""

    parser: str = ""
    """Parser of outputs and sources: `spacy:PIPELINE` or `stanza:LANGUAGE`; empty reads the two files."""
    outputs: str = ""
    """CoNLL-U file with the parses of the outputs, `# newdoc id = ID` before the sentences of each item."""
    sources: str = ""
    """CoNLL-U file with the parses of the sources, in the same form."""

    category: ClassVar = "faithfulness"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part(self.name, digits=3),)

    def columns(self) -> tuple[str, ...]:
        return "found", "said"

    def options(self) -> dict[str, Any]:
        if self.parser:
            return super().options() | {"parser": parser(self.parser).label}
        return super().options() | {name: self._content(getattr(self, name)) for name in ("outputs", "sources")}

    def _content(self, path: str) -> str:
        return content_digest(lambda: [repr(sorted(read_parses(path, file_digest(path)).items()))])

    def why_not(self) -> str | None:
        if self.parser:
            if self.outputs or self.sources:
                return "parser parses both; leave out outputs and sources"
            return parser(self.parser).why_not()
        if not (self.outputs and self.sources):
            return (
                f"needs a parser or parses. Give {self.name}:parser=spacy:PIPELINE, or "
                f"{self.name}:outputs=FILE.conllu:sources=FILE.conllu."
            )
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

    def unfit(self, items: Items) -> str | None:
        if self.parser and not items.has("sources"):
            return "needs sources"
        return super().unfit(items)

    def statistics(self, items: Items) -> Dense:
        parsed = self._parsed(items) if self.parser else self._read(items)
        rows = []
        for one, other in parsed:
            ours, theirs = (list(dict.fromkeys(self.facts(parse))) for parse in (one, other))
            rows.append((self.supported(ours, theirs), len(ours)))
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(-1, 2))

    def _parsed(self, items: Items) -> Iterator[tuple[Parsed, Parsed]]:
        """Yield the parses of each output and its source; each distinct text is parsed once."""
        texts = list(dict.fromkeys((*items.outputs, *items.sources)))
        of = dict(zip(texts, parser(self.parser).parse(texts), strict=True))
        for output, source in zip(items.outputs, items.sources, strict=True):
            yield of[output], of[source]

    def _read(self, items: Items) -> Iterator[tuple[Parsed, Parsed]]:
        """Yield the parses of each output and its source from the two files."""
        outputs, sources = (read_parses(path, file_digest(path)) for path in (self.outputs, self.sources))
        for id, output in zip(items.ids, items.outputs, strict=True):
            if output.strip() and id not in outputs:
                raise AssayError(
                    f"{self.outputs}: no parse of id {id}. Write `# newdoc id = {id}` before its sentences."
                )
            if id not in sources:
                raise AssayError(
                    f"{self.sources}: no parse of id {id}. Write `# newdoc id = {id}` before its sentences."
                )
            yield outputs.get(id, []), sources[id]

    def values(self, sums: Floats) -> Values:
        return {self.name: divide(sums[:, 0], sums[:, 1])}


def lemma(token: Token) -> str:
    """Return the lemma in lower case; the word itself if the parse has no lemma."""
    return (token.form if token.lemma in ("", "_") else token.lemma).lower()


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
