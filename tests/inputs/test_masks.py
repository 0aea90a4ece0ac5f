"""Masked pre-training: spans and sentinels of six strategies."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.inputs.masking import Masking
from assay.inputs.masks import MASK, SENTINELS, STRATEGIES, Masked, masked, pretraining
from assay.records import Example

SENTENCE = "Fen Mill stands in Wexley; Oda Brook owns Fen Mill and throws flour."
TRIPLES = {"kind": "triples", "triples": [["Fen_Mill", "ownedBy", "Oda Brook"], ["Fen Mill", "stands in", "Wexley"]]}
SLOTS = {"kind": "slots", "slots": [["name", "Fen Mill"], ["family_friendly", "yes"], ["owner", "Oda Brook"]]}
CONCEPTS = {"kind": "concepts", "concepts": ["throw", "mill"]}


def filled(source: str, target: str) -> str:
    """Put the spans of a target back into its input."""
    spans = re.split("|".join(map(re.escape, SENTINELS)), target)[1:]
    for mark, span in zip(SENTINELS, spans, strict=False):
        source = source.replace(mark, span.strip())
    return source


@pytest.mark.parametrize(
    ("strategy", "input", "hidden"),
    [
        ("entity", TRIPLES, ["Fen Mill", "Wexley", "Oda Brook", "Fen Mill"]),
        ("predicate", TRIPLES, ["stands in"]),
        ("entity+predicate", TRIPLES, ["Fen Mill", "stands in", "Wexley", "Oda Brook", "Fen Mill"]),
        ("values", SLOTS, ["Fen Mill", "Oda Brook", "Fen Mill"]),
        ("concepts", CONCEPTS, ["Mill", "Mill", "throws"]),
    ],
)
def test_a_strategy_masks_its_parts_and_the_target_restores_them(
    strategy: Masking, input: dict[str, object], hidden: list[str]
) -> None:
    example = Example(id="1", input=input, references=(SENTENCE,))
    made = masked(example, SENTENCE, strategy)
    assert made.spans == hidden
    assert made.text.count(MASK) == len(hidden)
    assert filled(*made.sentinels()) == SENTENCE


@given(st.lists(st.sampled_from("a bb ccc dd e".split()), min_size=1, max_size=300), st.floats(0.1, 0.9))
def test_random_masks_are_restored_within_the_sentinels(words: list[str], rate: float) -> None:
    """A sentence has at most as many spans as there are sentinels before the last one."""
    text = " ".join(words)
    made = masked(Example(id="1", references=(text,)), text, "random", rate)
    assert len(made.spans) < len(SENTINELS)
    source, target = made.sentinels()
    assert filled(source, target) == text
    assert target.endswith(SENTINELS[len(made.spans)])


def test_every_strategy_needs_its_kind_of_input() -> None:
    for strategy in STRATEGIES[1:]:
        with pytest.raises(AssayError, match=f"id 7: masking={re.escape(strategy)} reads .*none"):
            masked(Example(id="7", references=("a b",)), "a b", strategy)  # type: ignore[arg-type]


def test_texts_without_anything_to_mask_are_counted() -> None:
    examples = [
        Example(id="1", input=SLOTS, references=("Oda Brook came.", "Nobody came.")),
        Example(id="2", input=SLOTS, references=("Nothing.",)),
    ]
    made = pretraining(examples, "values")
    assert (len(made.examples), made.sentences, made.without) == (1, 3, 2)
    assert made.examples[0].references == ("<extra_id_0> Oda Brook <extra_id_1>",)


def test_draws_give_different_masks_and_sources_count_without_references() -> None:
    texts = [Example(id="1", source="one two three four five six seven eight nine ten")]
    made = pretraining(texts, "random", draws=5).examples
    assert len({example.source for example in made}) == len(made) > 2
    assert pretraining(texts, "random", draws=5) == pretraining(texts, "random", draws=5)


def test_a_text_with_a_mask_is_refused() -> None:
    with pytest.raises(AssayError, match="contains"):
        masked(Example(id="1"), f"a {MASK} b", "random")


def test_sentinels_of_a_display_form() -> None:
    assert Masked("a [MASK] c [MASK]", ["b", "d"]).sentinels() == (
        "a <extra_id_0> c <extra_id_1>",
        "<extra_id_0> b <extra_id_1> d <extra_id_2>",
    )
