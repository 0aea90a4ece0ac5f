"""`assay.compat.evaluate` on the examples of the metrics' cards, with the values that stand there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sacrebleu
from rouge_score import rouge_scorer, scoring

from assay.compat import evaluate
from assay.errors import AssayError

KENOBI: dict[str, Any] = {
    "predictions": ["hello there general kenobi", "on our way to ankh morpork"],
    "references": [["hello there general kenobi", "hello there !"], ["goodbye ankh morpork", "ankh morpork"]],
}
CARDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "rouge",
        {"predictions": ["hello there", "general kenobi"], "references": ["hello there", "general kenobi"]},
        {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0, "rougeLsum": 1.0},
    ),
    (
        "rouge",
        {
            "predictions": ["hello goodbye", "ankh morpork"],
            "references": ["goodbye", "general kenobi"],
            "use_aggregator": False,
            "rouge_types": ["rouge1", "rougeL"],
        },
        {"rouge1": [2 / 3, 0.0], "rougeL": [2 / 3, 0.0]},
    ),
    (
        "bleu",
        {
            "predictions": ["hello there general kenobi", "foo bar foobar"],
            "references": [["hello there general kenobi", "hello there!"], ["foo bar foobar"]],
        },
        {
            "bleu": 1.0,
            "precisions": [1.0, 1.0, 1.0, 1.0],
            "brevity_penalty": 1.0,
            "length_ratio": 7 / 6,
            "translation_length": 7,
            "reference_length": 6,
        },
    ),
    (
        "sacrebleu",
        KENOBI,
        {
            "score": 39.76353643835252,
            "counts": [6, 4, 2, 1],
            "totals": [10, 8, 6, 4],
            "precisions": [60.0, 50.0, 100 / 3, 25.0],
            "bp": 1.0,
            "sys_len": 10,
            "ref_len": 7,
        },
    ),
    (
        "chrf",
        {
            "predictions": [
                "The relationship between cats and dogs is not exactly friendly.",
                "a good bookshop is just a genteel black hole that knows how to read.",
            ],
            "references": [
                ["The relationship between dogs and cats is not exactly friendly."],
                ["A good bookshop is just a genteel Black Hole that knows how to read."],
            ],
        },
        {"score": 84.64214891738334, "char_order": 6, "word_order": 0, "beta": 2},
    ),
    (
        "ter",
        {
            "predictions": ["does this sentence match??", "what about this sentence?"],
            "references": [
                ["does this sentence match", "does this sentence match!?!"],
                ["wHaT aBoUt ThIs SeNtEnCe?"] * 2,
            ],
            "case_sensitive": True,
        },
        {"score": 62.5, "num_edits": 5, "ref_length": 8.0},
    ),
    (
        "sari",
        {
            "sources": ["About 95 species are currently accepted."],
            "predictions": ["About 95 you now get in."],
            "references": [
                [
                    "About 95 species are currently known.",
                    "About 95 species are now accepted.",
                    "95 species are now accepted.",
                ]
            ],
        },
        {"sari": 26.953601953601954},
    ),
]


@pytest.mark.parametrize(("name", "given", "expected"), CARDS)
def test_the_examples_of_the_cards(name: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = evaluate.load(name).compute(**given)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value), key


def test_rouge_aggregates_as_the_original_does() -> None:
    """It takes the middle of an unseeded bootstrap; with numpy's seed set both draw the same."""
    rng = np.random.default_rng(5)
    words = np.array("the cat sat on mat dog ran home now then".split())
    predictions = [" ".join(rng.choice(words, 8)) for _ in range(25)]
    references = [[" ".join(rng.choice(words, 8)) for _ in range(1 + i % 3)] for i in range(25)]
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
    aggregator = scoring.BootstrapAggregator()
    for texts, prediction in zip(references, predictions, strict=True):
        aggregator.add_scores(scorer.score_multi(texts, prediction))
    np.random.seed(11)
    expected = {name: score.mid.fmeasure for name, score in aggregator.aggregate().items()}
    np.random.seed(11)
    found = evaluate.load("rouge").compute(
        predictions=predictions, references=references, rouge_types=["rouge1", "rougeL"], use_stemmer=True
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_batches_add_up_and_are_forgotten() -> None:
    chrf = evaluate.load("chrf")
    chrf.add(prediction=KENOBI["predictions"][0], reference=KENOBI["references"][0])
    chrf.add_batch(predictions=KENOBI["predictions"][1:], references=KENOBI["references"][1:])
    streams = list(map(list, zip(*KENOBI["references"], strict=True)))
    assert chrf.compute()["score"] == pytest.approx(sacrebleu.corpus_chrf(KENOBI["predictions"], streams).score)
    with pytest.raises(ValueError, match="no predictions"):
        chrf.compute()


def test_combined() -> None:
    found = evaluate.combine(["sacrebleu", "chrf", "bleu"]).compute(**KENOBI)
    assert {"sacrebleu_score", "chrf_score", "sacrebleu_precisions", "bleu_precisions", "bleu", "bp"} <= found.keys()


def test_what_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match="Use one of rouge, bleu, sacrebleu"):
        evaluate.load("bertscore")
    with pytest.raises(ValueError, match="2 predictions for 1 references"):
        evaluate.load("bleu").compute(predictions=["a", "b"], references=["a"])
    with pytest.raises(ValueError, match="same number of references"):
        evaluate.load("sacrebleu").compute(predictions=["a", "b"], references=[["a"], ["a", "b"]])
    with pytest.raises(AssayError, match="Use evaluate for others"):
        evaluate.load("bleu").compute(predictions=["a"], references=["a"], max_order=2)
