"""Entailment: the four directions, formulas, sentence pairs and windows, with a model whose answers are known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.metrics import resolve
from assay.metrics.faithfulness.source_passages import nearest_passages, pack_windows
from assay.metrics.semantic.nli import WEIGHTS
from assay.models.nli import Nli
from tests.support import each, items, saved_bert, score

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small BERT from chance with three classes, in an order of its own."""
    return named(saved_bert(tmp_path / "m", 3), ["contradiction", "entailment", "neutral"])


def named(folder: Path, labels: list[str]) -> Path:
    about = json.loads((folder / "config.json").read_text("utf-8"))
    about["id2label"] = {str(i): label for i, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


def chances(folder: Path, premise: str, hypothesis: str) -> list[float]:
    """Entailment, neutral and contradiction, as transformers gives them."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, tokenizer = (
        AutoModelForSequenceClassification.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    with torch.inference_mode():
        found = torch.softmax(model(**tokenizer(premise, hypothesis, return_tensors="pt")).logits[0].double(), -1)
    return [float(found[i]) for i in (1, 2, 0)]


def test_directions_are_those_of_the_model(folder: Path) -> None:
    source, reference, output = "a cat sat . the dog ran .", "the cat sat", "a dog ran"
    found = score(f"nli:model={folder}:source=whole", [output], [reference], [source])
    forward, backward = chances(folder, reference, output)[0], chances(folder, output, reference)[0]
    assert found["nli.forward"] == pytest.approx(forward, abs=1e-6)
    assert found["nli.backward"] == pytest.approx(backward, abs=1e-6)
    assert found["nli"] == found["nli.menli"] == pytest.approx((forward + backward) / 2, abs=1e-6)
    assert found["nli.source"] == pytest.approx(chances(folder, source, output)[0], abs=1e-6)
    swapped = score(f"nli:model={folder}", [reference], [output])
    # the source was in the same batch before, and padding changes last digits
    assert swapped["nli.forward"] == pytest.approx(found["nli.backward"], abs=1e-6)
    assert swapped["nli.backward"] == pytest.approx(found["nli.forward"], abs=1e-6)
    assert np.isnan(swapped["nli.source"])


def test_of_several_references_the_best_counts(folder: Path) -> None:
    found = each(f"nli:model={folder}", ["a dog ran"], [["the cat sat", "dogs ran home"]])
    best = max(chances(folder, text, "a dog ran")[0] for text in ("the cat sat", "dogs ran home"))
    assert found["nli.forward"] == pytest.approx([best], abs=1e-6)


@pytest.mark.parametrize("formula", sorted(WEIGHTS))
def test_formulas(folder: Path, formula: str) -> None:
    found = score(f"nli:model={folder}:formula={formula}", ["a dog ran"], ["the cat sat"])["nli.forward"]
    e, n, c = chances(folder, "the cat sat", "a dog ran")
    expected = {"e": e, "-c": -c, "e-n": e - n, "e-c": e - c, "e-n-2c": e - n - 2 * c}[formula]
    assert found == pytest.approx(expected, abs=1e-6)


def test_sentence_pairs_take_the_best_premise_of_each_sentence(folder: Path) -> None:
    source, output = "The cat sat. A dog ran home.", "A cat sat. The dogs ran."
    found = score(f"nli:model={folder}:against=source:near=0", [output], None, [source])
    said = [max(chances(folder, p, h)[0] for p in ("The cat sat.", "A dog ran home."))
            for h in ("A cat sat.", "The dogs ran.")]  # fmt: skip
    assert found == {"nli.source": pytest.approx(sum(said) / 2, abs=1e-6)}


def test_the_nearest_sentences_share_the_rarest_words() -> None:
    text = ["The king came.", "The mill burned.", "The king left.", "Nobody saw the mill."]
    assert nearest_passages(text, "The mill burned down", 1) == ["The mill burned."]
    assert nearest_passages(text, "The mill burned down", 2) == ["The mill burned.", "Nobody saw the mill."]
    assert nearest_passages(text, "Nothing shared", 2) == text[:2]
    assert nearest_passages(text, "x", 0, block=3) == [" ".join(text[:3]), " ".join(text[1:])]
    assert nearest_passages(text[:1], "x", 5, block=3) == text[:1]


def test_what_is_too_long_is_read_in_windows_of_sentences(folder: Path) -> None:
    def words(texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    text = "One two three. Four five. Six seven eight nine. Ten."
    assert pack_windows(text, 5, words, "plain") == ["One two three. Four five.", "Six seven eight nine. Ten."]
    assert pack_windows(text, 60, words, "plain") == [text]
    assert pack_windows("a b c d e f g", 3, words, "plain") == ["a b c", "d e", "f g"]
    long = " ".join(["A cat sat."] * 3 + ["Two dogs ran home."] * 3)
    found = score(f"nli:model={folder}:source=whole:against=source", ["a dog ran"], None, [long])["nli.source"]
    assert 0 < found < 1
    assert "|window:24|" in resolve(f"nli:model={folder}")[0].metric.signature("1")


def test_an_empty_output_counts_nothing_and_that_is_said(folder: Path) -> None:
    spec = f"nli:model={folder}:formula=e-c"
    found = each(spec, ["", "a cat"], ["a cat", "a cat"], ["a cat", "the cat sat"])
    assert [found[name][0] for name in ("nli", "nli.forward", "nli.backward", "nli.source")] == [-1.0] * 4
    assert all(np.isfinite(values).all() for values in found.values())
    (request,) = resolve(spec)
    assert request.metric.notes(items(["", "a"], ["a", "a"])) == ["nli: 1 empty output scores -1"]


def test_an_empty_reference_entails_nothing_and_beats_no_other(folder: Path) -> None:
    spec = f"nli:model={folder}"
    alone = each(spec, ["a cat"], [["the cat sat"]])
    beside = each(spec, ["a cat"], [["the cat sat", " "]])
    none = each(spec, ["a cat"], [[""]])
    for name in ("nli", "nli.forward", "nli.backward"):
        assert beside[name] == pytest.approx(alone[name])
        assert none[name] == [0.0]
    (request,) = resolve(spec)
    for unseen in ("", "\u200b"):
        told = request.metric.notes(items(["a"], [[unseen]]))
        assert told == ["nli: 1 item has only empty references and scores 0"]


def test_a_pair_is_read_once_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    plain = Nli._read

    def watched(self: Nli, pairs: list[Any], context: Any) -> Any:
        read.extend(pairs)
        return plain(self, pairs, context)

    monkeypatch.setattr(Nli, "_read", watched)
    for _ in range(2):
        assay.score(["a dog", "a dog"], ["the cat", "the cat"], metrics=f"nli:model={folder}")
    assert sorted(read) == [("a dog", "the cat"), ("the cat", "a dog")]


def test_a_share_of_bertscore_makes_menlis_mixture(folder: Path) -> None:
    if why_not := resolve("bertscore")[0].metric.why_not():
        pytest.skip(why_not)
    found = score(f"nli:model={folder}:weight=0.2", ["a dog ran"], ["the cat sat"])
    other = score("bertscore", ["a dog ran"], ["the cat sat"])["bertscore.f1"]
    assert found["nli.menli"] == pytest.approx(0.2 * found["nli"] + 0.8 * other, abs=1e-9)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["LABEL_0", "LABEL_1", "LABEL_2"], "none is named entailment among its classes label_0, label_1, label_2"),
        (["yes", "no"], "2 classes (yes, no)"),
        (["entailment", "not_entailment", "neutral"], "none is named contradiction"),
        (
            ["entailment", "entailment", "neutral"],
            "2 are named entailment among its classes entailment, entailment, neutral",
        ),
    ],
)
def test_classes_without_fitting_names_are_a_reason_to_skip(tmp_path: Path, labels: list[str], said: str) -> None:
    folder = named(saved_bert(tmp_path / "m", len(labels)), labels)
    result = assay.score(["a"], ["a"], metrics=f"nli:model={folder}")
    assert said in result.skipped[0].why
    assert "id2label" in result.skipped[0].why


def test_what_is_no_model_and_other_languages_are_skipped_with_the_reason(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "empty").mkdir()
    for model in ("empty", "gone"):
        assert str(tmp_path) in assay.score(["a"], ["a"], metrics=f"nli:model={tmp_path / model}").skipped[0].why
    (folder / "README.md").write_text("---\nlanguage: en\n---\n", encoding="utf-8")
    example = assay.Example(id="1", references=("a",), language="tr")
    found = assay.score({"1": "a"}, examples=[example], metrics=f"nli:model={folder}")
    assert "supports en, but 1 of 1 items are tr" in found.skipped[0].why


def test_characters_of_several_tokens_do_not_hide_that_a_text_is_long() -> None:
    def bytewise(texts: Sequence[str]) -> list[int]:
        return [len(text.encode()) for text in texts]

    assert pack_windows("東京 東京", 11, bytewise, "plain") == ["東京", "東京"]


@pytest.mark.skipif(bool(Nli().why_not()), reason=str(Nli().why_not()))
@pytest.mark.parametrize("how", ["sentences", "whole"])
def test_what_stands_late_in_a_sentence_without_end_is_read(how: str) -> None:
    filler = "the council met again and talked of roads and schools " * 80
    said = "a man is playing a guitar"
    late = each(f"nli:against=source:source={how}", [said], None, [f"{filler} {said}"])["nli.source"]
    never = each(f"nli:against=source:source={how}", [said], None, [filler])["nli.source"]
    assert abs(late[0] - never[0]) > 0.001, "unread, both would be the same"


def test_the_signature_of_a_mixture_says_both_models() -> None:
    assert "|beside:minilm-" in resolve("nli:menli")[0].metric.signature("1")
    assert "|beside:" not in resolve("nli")[0].metric.signature("1")


def test_a_mixture_needs_that_both_models_read_the_language(folder: Path) -> None:
    (request,) = resolve(f"nli:model={folder}:weight=0.5")
    assert "minilm supports en" in str(request.metric.unfit(items(["Ja."], ["Ja."], language="de")))
    (request,) = resolve(f"nli:model={folder}")
    assert request.metric.unfit(items(["Ja."], ["Ja."], language="de")) is None


def test_white_space_that_a_tokenizer_counts_is_one_window() -> None:
    assert pack_windows("\n" * 40, 10, lambda texts: [len(text) for text in texts], "multilingual") == ["\n" * 40]
