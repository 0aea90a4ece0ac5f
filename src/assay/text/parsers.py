"""Dependency parsers of other packages behind one interface: spaCy and stanza pipelines that are installed.

`parser("spacy:en_core_web_sm").parse(texts)` returns the sentences of each text in Universal Dependencies. The English
pipelines of spaCy have labels of their own, which are converted (`assay.text.clear_labels`).
"""

from __future__ import annotations

import importlib.util
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

from assay.errors import AssayError, first_line
from assay.text.clear_labels import CLEAR, to_universal
from assay.text.conllu import Sentence, Token

Parsed = list[Sentence]
"""Sentences of a text."""
CLUSTERS = "coref_clusters"
"""Start of the names of span groups with the mentions of one entity, as spaCy's coreference component writes them."""


@dataclass(frozen=True)
class Parser:
    """A pipeline of another package, loaded on first use."""

    pipeline: str

    package: ClassVar[str]

    @property
    def label(self) -> str:
        """Package, pipeline and version, for signatures."""
        try:
            return f"{self.package}-{version(self.package)}-{self.pipeline}{self.detail()}"
        except PackageNotFoundError:
            return f"{self.package}-missing-{self.pipeline}"

    def detail(self) -> str:
        """Return the version of the pipeline, where it has one of its own."""
        return ""

    def why_not(self) -> str | None:
        """Return what is missing, with the remedy; None if nothing is."""
        if importlib.util.find_spec(self.package) is None:
            return f"needs the package {self.package}: pip install {self.package}"
        try:
            self.load()
        except AssayError as error:
            return str(error)
        return None

    @abstractmethod
    def load(self) -> Any:
        """Return the loaded pipeline."""

    @abstractmethod
    def parse(self, texts: Sequence[str]) -> Iterator[Parsed]:
        """Yield the sentences of each text."""


class Spacy(Parser):
    """A pipeline of spaCy with a parser: `spacy:en_core_web_sm`, or its folder."""

    package: ClassVar = "spacy"

    def detail(self) -> str:
        return f"-{self.load().meta.get('version', 'unknown')}" if self.why_not() is None else ""

    def load(self) -> Any:
        return _spacy(self.pipeline)

    def parse(self, texts: Sequence[str]) -> Iterator[Parsed]:
        pipeline = self.load()
        clear = bool(CLEAR & set(pipeline.get_pipe("parser").labels))
        for document in pipeline.pipe(texts):
            entities = _entities(document)
            sentences = [_sentence(sentence, entities) for sentence in document.sents]
            yield [to_universal(one) if clear else one for one in sentences if one.tokens]


class Stanza(Parser):
    """A pipeline of stanza by language: `stanza:en`; its models must be downloaded."""

    package: ClassVar = "stanza"

    def load(self) -> Any:
        return _stanza(self.pipeline)

    def parse(self, texts: Sequence[str]) -> Iterator[Parsed]:
        pipeline = self.load()
        for text in texts:
            sentences = pipeline(text).sentences if text.strip() else []
            yield [Sentence([_word(word) for word in sentence.words], {}) for sentence in sentences]


PARSERS: dict[str, type[Parser]] = {"spacy": Spacy, "stanza": Stanza}


def parser(spec: str) -> Parser:
    """Return a parser by its name: `spacy:PIPELINE` or `stanza:LANGUAGE`."""
    package, _, pipeline = spec.partition(":")
    if package not in PARSERS or not pipeline:
        raise AssayError(f"no parser called {spec}. Give spacy:PIPELINE or stanza:LANGUAGE, or CoNLL-U files.")
    return PARSERS[package](pipeline)


@lru_cache(maxsize=1)
def _spacy(name: str) -> Any:
    import spacy

    try:
        pipeline = spacy.load(name, exclude=["ner"])
    except (OSError, ValueError, ImportError) as error:
        raise AssayError(f"spaCy pipeline {name}: {first_line(error)}") from None
    if "parser" not in pipeline.pipe_names:
        raise AssayError(f"spaCy pipeline {name} has no parser. Give another one, such as spacy:en_core_web_sm.")
    return pipeline


@lru_cache(maxsize=1)
def _stanza(language: str) -> Any:
    import stanza

    try:
        return stanza.Pipeline(
            language, processors="tokenize,mwt,pos,lemma,depparse", download_method=None, verbose=False
        )
    except Exception as error:  # a missing model raises errors of many kinds
        remedy = f"Download its models: python -c \"import stanza; stanza.download('{language}')\""
        raise AssayError(f"stanza pipeline {language}: {first_line(error)}. {remedy}") from None


def _sentence(sentence: Any, entities: dict[int, str]) -> Sentence:
    first = sentence.start
    number = {token.i: place for place, token in enumerate((t for t in sentence if not t.is_space), 1)}
    tokens = []
    for token in sentence:
        if token.i not in number:
            continue
        head = token.head
        while head.i not in number and head.head.i != head.i:  # white space has no place in CoNLL-U
            head = head.head
        relation, _, subtype = token.dep_.partition(":")
        root = token.dep_ == "ROOT" or head.i == token.i or head.i not in number
        tokens.append(
            Token(
                number[token.i], token.text, token.lemma_ or token.text, token.pos_, token.morph.to_dict(),
                0 if root else number[head.i], "root" if root else relation, "" if root else subtype,
                entities.get(token.i, ""),
            )
        )  # fmt: skip
    return Sentence(tokens, {"start": str(first)})


def _entities(document: Any) -> dict[int, str]:
    """Return brackets of entities by token, in the form of CoNLL-U, from span groups of coreference."""
    marks: dict[int, str] = {}
    for name, spans in document.spans.items():
        if name.startswith(CLUSTERS):
            entity = "e" + "".join(character for character in name if character.isalnum())
            for span in spans:
                last = span.end - 1
                marks[span.start] = marks.get(span.start, "") + f"({entity}" + (")" if last == span.start else "")
                if last != span.start:
                    marks[last] = marks.get(last, "") + f"{entity})"
    return marks


def _word(word: Any) -> Token:
    relation, _, subtype = str(word.deprel).partition(":")
    features = dict(part.split("=", 1) for part in (word.feats or "").split("|") if "=" in part)
    return Token(
        int(word.id), str(word.text), str(word.lemma or word.text), str(word.upos), features, int(word.head), relation,
        subtype,
    )  # fmt: skip
