"""Attention checks: sentences of a document with one inserted error, and unchanged controls, for testing annotators
and metrics. An attentive annotator rejects the former and accepts the controls; a metric should score the original
higher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from assay.challenges.manipulations import MANIPULATIONS
from assay.challenges.manipulations.base import Passage
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
    sentences: tuple[str, ...] = ()
    """Sentences of the reference with this one in it, where traps are made from references."""
    sentence: int | None = None
    """Number of this sentence among them."""


def make_traps(
    examples: Sequence[Example],
    kinds: Sequence[str] = tuple(KINDS),
    *,
    references: bool = False,
    each: int = 1,
    seed: int = 0,
) -> Iterator[Trap]:
    """Return `each` attention checks of each kind for every document (the source of an example).

    There are fewer if a document has no suitable sentence. Sampling depends on the seed, the kind and the document's
    id; other documents matter only for the sentences taken from them.

    Args:
        examples: The documents.
        kinds: Kinds of attention check.
        references: Alter sentences of the first reference of each example instead of its source.
        each: Number of checks for each kind and document.
        seed: Random seed.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise AssayError(f"no trap called {kind}{did_you_mean(kind, KINDS)}; there are {', '.join(KINDS)}")
    if each < 1:
        raise AssayError(f"each={each}: must be 1 or more")
    documents = [example for example in examples if example.source and (example.references or not references)]
    altered = {example.id: example.references[0] if references else example.source or "" for example in documents}
    texts: dict[str | None, list[str]] = {}
    for example in documents:
        texts.setdefault(example.language, []).append(altered[example.id])
    for example in documents:
        sentences = split_sentences(altered[example.id], language=example.language)
        for kind in kinds:
            for number, trap in _of_kind(kind, example, sentences, texts[example.language], each, seed):
                context = (*sentences[:number], trap.text, *sentences[number + 1 :])
                yield msgspec.structs.replace(trap, sentences=context, sentence=number) if references else trap


def _of_kind(
    kind: str, example: Example, all_sentences: Sequence[str], texts: Sequence[str], each: int, seed: int
) -> Iterator[tuple[int, Trap]]:
    """Yield traps with the number of the altered sentence."""
    draw = rng_for(seed, "trap", kind, example.id)
    count = 0
    sentences = [(number, sentence) for number, sentence in enumerate(all_sentences) if _long(sentence)]
    for number, sentence in draw.sample(sentences, len(sentences)):
        text: str | None = sentence
        if kind != CONTROL:
            passage = Passage(sentence, example.source, texts, example.language)
            text = MANIPULATIONS[kind].change(passage, draw)
            if text is not None and (text in (example.source or "") or text in all_sentences or not _long(text)):
                text = None  # not an error: the document contains it elsewhere
        if text is None:
            continue
        count += 1
        yield number, Trap(
            id=f"{example.id}/{kind}-{count}", document=example.id, kind=kind, text=text,
            original=None if kind == "foreign-sentence" else sentence, value=int(kind == CONTROL), error=KINDS[kind],
            language=example.language,
        )  # fmt: skip
        if count == each:
            return


def _long(sentence: str) -> bool:
    return len(sentence.split()) >= FEWEST_WORDS
