"""ROUGE is bit-identical to `rouge_score`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer

import assay
from assay.metrics import resolve
from tests.support import TEXT, each, items, score

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
LINES = st.text(alphabet="abc \n.", max_size=80)


def expected(output: str, reference: str, stemmer: bool) -> dict[str, float]:
    scores = RougeScorer(TYPES, use_stemmer=stemmer).score(reference, output)
    actual: dict[str, float] = {}
    for name, values in scores.items():
        actual |= {name: values.fmeasure, f"{name}.precision": values.precision, f"{name}.recall": values.recall}
    return actual


@given(output=st.one_of(LINES, TEXT), reference=st.one_of(LINES, TEXT), stemmer=st.booleans())
def test_equal_to_rouge_score(output: str, reference: str, stemmer: bool) -> None:
    spec = f"rouge:rouge_score:stemmer={'true' if stemmer else 'false'}"
    assert {name: values[0] for name, values in each(spec, [output], [reference]).items()} == expected(
        output, reference, stemmer
    )


@settings(max_examples=200)
@given(output=LINES, reference=LINES)
def test_ties_of_lsum(output: str, reference: str) -> None:
    """With three letters nearly every alignment has alternatives of the same length."""
    ours = each("rouge:rouge_score", [output], [reference])
    assert ours["rougeLsum"][0] == expected(output, reference, False)["rougeLsum"]


@pytest.mark.slow
def test_all_released_predictions(shared_data: Callable[[str], Path]) -> None:
    """6,688 pairs of 32 systems: F1 of all four variants, with stems, against rouge_score on every seventh pair."""
    rows: list[Any] = []
    for path in sorted(shared_data("eks/model_outputs").rglob("*_test_preds.jsonl")):
        rows += [json.loads(line) for line in path.open(encoding="utf-8")]
    assert len(rows) == 6688
    outputs, references = [row["prediction"] for row in rows], [row["reference"] for row in rows]
    ours = each("rouge:stemmer=true", outputs, references)
    for i in range(0, len(rows), 7):
        theirs = expected(outputs[i], references[i], True)
        assert {name: ours[name][i] for name in theirs} == theirs, i
    assert np.mean(ours["rouge1"]) == pytest.approx(0.551027, abs=1e-6)


def test_released_per_example_values(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("eks/model_outputs")
    path = next(folder.rglob("*_test_metrics_per_example.json"))
    stored = json.loads(path.read_text(encoding="utf-8"))
    predictions = path.with_name(path.name.replace("_test_metrics_per_example.json", "_test_preds.jsonl"))
    rows = [json.loads(line) for line in predictions.open(encoding="utf-8")]
    ours = each("rouge:stemmer=true", [row["prediction"] for row in rows], [row["reference"] for row in rows])
    for i, row in enumerate(rows):
        for name in ("rouge1", "rouge2", "rougeL"):
            assert ours[name][i] == pytest.approx(stored[row["instance_id"]][f"test_{name}"], abs=1e-12)


def test_several_references() -> None:
    output, references = "a b c d", ["a b x y", "a b c e", "d c b a"]
    alone = [each("rouge", [output], [reference])["rouge2"][0] for reference in references]
    assert each("rouge", [output], [references])["rouge2"][0] == max(alone)
    assert each("rouge:multi=mean", [output], [references])["rouge2"][0] == pytest.approx(np.mean(alone))
    best = [max(alone[:k] + alone[k + 1 :]) for k in range(3)]
    assert each("rouge:multi=jackknife", [output], [references])["rouge2"][0] == pytest.approx(np.mean(best))


def test_one_reference_for_all_variants() -> None:
    """`joint` uses the reference with the highest sum over variants, not the best of each variant."""
    references = ["f e d c b a", "a b c x y z"]
    joint = each("rouge:multi=joint", ["a b c d e f"], [references])
    assert [joint["rouge1"][0], joint["rouge2"][0], joint["rougeLsum"][0]] == pytest.approx([0.5, 0.4, 0.5])
    assert each("rouge", ["a b c d e f"], [references])["rouge1"][0] == 1


def test_ragged_references_are_combined_item_by_item() -> None:
    outputs = ["a b c", "a b c", "x y"]
    references = [["a b", "c d"], ["a b c"], ["x", "y x", "x y"]]
    together = each("rouge:multi=jackknife", outputs, references)
    for i in range(3):
        alone = each("rouge:multi=jackknife", outputs[i : i + 1], references[i : i + 1])
        assert {name: values[i] for name, values in together.items()} == {n: v[0] for n, v in alone.items()}


def test_gem_preset() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    values = score("rouge:gem", OUTPUTS, REFERENCES)
    assert values["rouge1"] == pytest.approx(0.620395, abs=1e-6)
    assert values["rouge2.recall"] == pytest.approx(0.320513, abs=1e-6)
    assert values["rougeL.precision"] == pytest.approx(0.578571, abs=1e-6)


def test_warning_about_dropped_letters() -> None:
    (request,) = resolve("rouge")
    german = items(["Die Größe"], ["Die Größe der Häuser überrascht"])
    assert "letters that the English tokenizer drops" in request.metric.notes(german)[0]
    assert not request.metric.notes(items(["The size"], ["The size of houses"]))
    assert not request.metric.notes(items(["Die Größe"], ["Die Größe der Häuser"], language="de"))


def test_empty_texts_with_another_script() -> None:
    """The items of one tokenizer rule may have no lines."""
    result = assay.score(["", "ก"], ["", "ก"], metrics="rouge")
    assert result.per_example["rouge1"].to_list() == [0.0, 1.0]


class Spaces:
    """A tokenizer for `rouge_score`."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


@given(output=st.one_of(LINES, TEXT), reference=st.one_of(LINES, TEXT))
def test_whitespace_equals_rouge_score_with_that_tokenizer(output: str, reference: str) -> None:
    theirs = RougeScorer(TYPES[:3], tokenizer=Spaces()).score(reference, output)
    ours = each("rouge:whitespace", [output], [reference])
    for name, values in theirs.items():
        assert ours[name][0] == values.fmeasure
        assert ours[f"{name}.recall"][0] == values.recall


def perl(n: int, output: str, references: list[str]) -> tuple[float, float, float]:
    """Return ROUGE-N of ROUGE-1.5.5 with -m: matches and n-grams summed over references."""
    stemmer = PorterStemmer(mode="MARTIN_EXTENSIONS")

    def grams(text: str) -> Counter[tuple[str, ...]]:
        words = [word if len(word) <= 3 else stemmer.stem(word) for word in re.findall("[a-z0-9]+", text.lower())]
        return Counter(zip(*(words[i:] for i in range(n)), strict=False))

    peer, models = grams(output), [grams(reference) for reference in references]
    hits = sum((peer & model).total() for model in models)
    recall = hits / max(sum(model.total() for model in models), 1)
    precision = hits / max(peer.total() * len(models), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


WORDY = st.lists(st.sampled_from("the cat sat dies dying on enjoy enjoying mats Theology".split()), max_size=9)


@given(output=WORDY, references=st.lists(WORDY, min_size=1, max_size=3))
def test_equal_to_rouge_155(output: list[str], references: list[list[str]]) -> None:
    text, models = " ".join(output), [" ".join(words) for words in references]
    ours = each("rouge:1.5.5", [text], [models])
    for n in (1, 2):
        precision, recall, f = perl(n, text, models)
        assert ours[f"rouge{n}.precision"][0] == pytest.approx(precision)
        assert ours[f"rouge{n}.recall"][0] == pytest.approx(recall)
        assert ours[f"rouge{n}"][0] == pytest.approx(f)


def test_counts_are_summed_over_references() -> None:
    """Computed by hand: 3 of 3 and 1 of 5 words of the references, for an output of 4."""
    values = {
        name: actual[0] for name, actual in each("rouge:multi=sum", ["a b c d"], [["a b c", "d x y z w"]]).items()
    }
    assert (values["rouge1.recall"], values["rouge1.precision"]) == (4 / 8, 4 / 8)
    assert (values["rouge2.recall"], values["rouge2.precision"]) == (2 / 6, 2 / 6)
    assert (values["rougeL.recall"], values["rougeLsum.recall"]) == (4 / 8, 4 / 8)
    more = {
        name: actual[0] for name, actual in each("rouge_more:multi=sum", ["a b c d"], [["a b c", "d x y z w"]]).items()
    }
    assert more["rouge3.recall"] == 1 / 4
    assert more["rougeW.recall"] == pytest.approx(((3**1.2 + 1) / (3**1.2 + 5**1.2)) ** (1 / 1.2))


def test_items_with_different_numbers_of_references() -> None:
    together = each("rouge:multi=sum", ["a b", "c", ""], [["a", "a b c"], ["c d"], ["x", "y", "z"]])
    for i, (output, references) in enumerate([("a b", ["a", "a b c"]), ("c", ["c d"]), ("", ["x", "y", "z"])]):
        alone = each("rouge:multi=sum", [output], [references])
        assert {name: values[0] for name, values in alone.items()} == {name: v[i] for name, v in together.items()}
