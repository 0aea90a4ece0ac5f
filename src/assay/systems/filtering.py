"""Which sentences are worth keeping, as a task to learn: every sentence of a source, labelled by the oracle."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import AssayError
from assay.inputs.filters import oracle, split_sentences, whitespace_length
from assay.inputs.spans import remove_markers
from assay.records import Example
from assay.systems.base import System

BUDGET = 512


def sentence_pairs(examples: Sequence[Example], budget: int = BUDGET, special: int = 2) -> list[Example]:
    """One ranking example a source: its sentences are the candidates, those that the oracle takes are gold."""
    made = []
    for example in examples:
        sentences = list(dict.fromkeys(split_sentences(example.source or "")))
        targets = [remove_markers(text.replace("<sent>", " ")) for text in example.references]
        kept = set(oracle(sentences, targets, budget, whitespace_length(special)))
        if 0 < len(kept) < len(sentences):
            labels = [int(i in kept) for i in range(len(sentences))]
            given = {"kind": "sentences", "candidates": sentences, "labels": labels}
            made.append(Example(id=example.id, source="keep", input=given, split=example.split))
    if examples and not made:
        raise AssayError(
            f"a filter has nothing to learn: in none of {len(examples)} sources ({examples[0].id} first) does the "
            f"oracle keep some sentences and leave others out, at {budget} words; give longer sources, with references"
        )
    return made


def keep_scores(system: System, sentences: Sequence[str]) -> list[float]:
    """How much a trained filter wants to keep each sentence."""
    asked = Example(id="filter", source="keep", input={"kind": "sentences"})
    return next(iter(system.classify([asked], [list(sentences)])))
