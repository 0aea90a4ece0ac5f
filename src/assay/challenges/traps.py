"""Attention checks: sentences of a document with one planted error, and unchanged controls, for testing annotators
and metrics. An attentive annotator rejects the former and accepts the controls; a metric should score the original
higher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from assay.challenges.manipulations import MANIPULATIONS
from assay.challenges.manipulations.base import Given
from assay.errors import AssayError
from assay.records.types import Example
from assay.seeds import rng_for
from assay.specs import did_you_mean
from assay.text.sentences import split_sentences

CONTROL = "control"
KINDS: Mapping[str, str] = {
    "negation": "relation", "pronoun-swap": "pronoun", "entity-swap": "entity", "number-swap": "circumstance",
    "foreign-sentence": "not in the document", "shuffle-words": "grammar", CONTROL: "",
}  # fmt: skip
"""Kinds of attention check, with the error an annotator should report; none for the control."""
FEWEST_WORDS = 5
"""Shorter sentences are headings and exclamations."""


class Trap(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One sentence to judge against its document."""

    id: str
    document: str
    kind: str
    text: str
    value: int
    """The right answer: 1 for a sentence that the document supports, else 0. `assay analyze agreement --traps` reads
    it."""
    original: str | None = None
    """The original sentence; None if the sentence is from another document."""
    error: str = ""
    """The error to report."""
    language: str | None = None


def make_traps(
    examples: Sequence[Example], kinds: Sequence[str] = tuple(KINDS), *, each: int = 1, seed: int = 0
) -> Iterator[Trap]:
    """Return `each` attention checks of each kind for every document (the source of an example).

    There are fewer if a document has no suitable sentence. Sampling depends on the seed, the kind and the document's
    id; other documents matter only for the sentences taken from them.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise AssayError(f"no trap called {kind}{did_you_mean(kind, KINDS)}; there are {', '.join(KINDS)}")
    if each < 1:
        raise AssayError(f"each={each}: must be 1 or more")
    documents = [example for example in examples if example.source]
    sources: dict[str | None, list[str]] = {}
    for example in documents:
        sources.setdefault(example.language, []).append(example.source or "")
    for example in documents:
        sentences = [s for s in split_sentences(example.source or "", language=example.language) if _long(s)]
        for kind in kinds:
            yield from _of_kind(kind, example, sentences, sources[example.language], each, seed)


def _of_kind(
    kind: str, example: Example, sentences: Sequence[str], sources: Sequence[str], each: int, seed: int
) -> Iterator[Trap]:
    draw = rng_for(seed, "trap", kind, example.id)
    found = 0
    for sentence in draw.sample(sentences, len(sentences)):
        text: str | None = sentence
        if kind != CONTROL:
            given = Given(sentence, example.source, sources, example.language)
            text = MANIPULATIONS[kind].change(given, draw)
            if text is not None and (text in (example.source or "") or not _long(text)):
                text = None  # then it is no mistake: the document says so elsewhere
        if text is None:
            continue
        found += 1
        yield Trap(
            id=f"{example.id}/{kind}-{found}", document=example.id, kind=kind, text=text,
            original=None if kind == "foreign-sentence" else sentence, value=int(kind == CONTROL), error=KINDS[kind],
            language=example.language,
        )  # fmt: skip
        if found == each:
            return


def _long(sentence: str) -> bool:
    return len(sentence.split()) >= FEWEST_WORDS
