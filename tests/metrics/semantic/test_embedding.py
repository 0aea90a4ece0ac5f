"""Sentence embeddings: cosines of MiniLM, and what every metric over an encoder says of itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.metrics import METRICS, resolve
from assay.metrics.semantic.encoder_metric import EncoderMetric
from assay.models import encoder as encoders
from assay.models.encoder import Encoder
from tests.conftest import OUTPUTS, REFERENCES, Call, write_jsonl
from tests.support import each, score

pytestmark = pytest.mark.skipif(bool(why_not := Encoder().why_not()), reason=str(why_not))
OVER_ENCODERS = [name for name in METRICS if issubclass(METRICS.get(name), EncoderMetric)]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def test_it_is_the_cosine_of_mean_vectors() -> None:
    """Worked out with transformers alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = Encoder().folder
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        vectors = [
            model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0).numpy()
            for text in (*OUTPUTS, *REFERENCES)
        ]
    unit = [vector / np.linalg.norm(vector) for vector in vectors]
    expected = [float(unit[i] @ unit[i + 3]) for i in range(3)]
    assert each("embedding", OUTPUTS, REFERENCES)["embedding"] == pytest.approx(expected, abs=1e-5)
    best = each("embedding", OUTPUTS[:1], [REFERENCES])["embedding"][0]
    assert best == pytest.approx(max(float(unit[0] @ unit[i]) for i in (3, 4, 5)), abs=1e-5)


@pytest.mark.parametrize("name", OVER_ENCODERS)
def test_an_empty_output_counts_nothing_and_is_named(name: str) -> None:
    result = assay.score(["", " \n\u200b\ufeff", "a cat"], ["a cat", "a dog", "a cat"], metrics=name, ci=50)
    assert not result.failed
    assert any(f"{name}: 2 empty outputs have no vector and score 0" in warning for warning in result.warnings)
    assert any("2 of 3 outputs are empty" in warning for warning in result.warnings)
    for number in result.scores.values():
        assert number.value is not None
    for name_of in result.per_example.columns[1:]:
        assert result.per_example[name_of].to_list()[:2] == [0, 0]


@pytest.mark.parametrize("name", OVER_ENCODERS)
def test_nothing_is_like_an_empty_text(name: str) -> None:
    outputs = ["a cat", "a cat"]
    assert all(
        value == 0 for values in each(f"{name}:against=source", outputs, None, ["", " "]).values() for value in values
    )
    assert each(name, outputs[:1], [["", "a dog"]]) == each(name, outputs[:1], ["a dog"])


@pytest.mark.parametrize("name", OVER_ENCODERS)
def test_items_in_a_language_the_encoder_does_not_read_are_not_judged(name: str) -> None:
    examples = [
        assay.Example(id=str(i), references=("ein Hund",), language=said)
        for i, said in enumerate(("de", "en-GB", None))
    ]
    outputs = {str(i): "ein Hund lief" for i in range(3)}
    result = assay.score(outputs, examples=examples, metrics=name)
    (skipped,) = result.skipped
    assert skipped.why == (
        "minilm supports en, but 1 of 3 items are de; choose a model for them, or score the rest with "
        f"--subset language=en-GB, without --save ({name}:languages=any scores all items)"
    )
    for given in (f"{name}:languages=any", f"{name}:languages=en+de"):
        assert not assay.score(outputs, examples=examples, metrics=given).skipped
    assert not assay.score({"1": "a dog"}, examples=examples[1:2], metrics=name).skipped


@pytest.mark.parametrize("name", OVER_ENCODERS)
def test_the_second_run_encodes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = assay.score(OUTPUTS, REFERENCES, metrics=name)
    assert not first.failed
    monkeypatch.setattr(encoders, "_forward", None)
    again = assay.score(OUTPUTS, REFERENCES, metrics=name)
    assert not again.failed
    assert again.scores == first.scores


@pytest.mark.parametrize("name", OVER_ENCODERS)
def test_the_signature_names_weights_window_and_libraries(name: str) -> None:
    (request,) = resolve(name)
    said = dict(part.partition(":")[::2] for part in request.metric.signature("1").split("|"))
    assert said["model"] == Encoder().label
    assert (said["layer"], said["window"], said["long"]) == ("6", "512", "windows")
    assert said["libraries"].startswith("torch-")
    assert "batch" not in said


@pytest.mark.parametrize("name", OVER_ENCODERS)
def test_missing_weights_are_a_reason_to_skip(name: str, here: Callable[..., Call], toy: Path) -> None:
    given = (toy / "outputs.jsonl", "-r", toy / "references.jsonl", "--json")
    call = here("score", *given, "-m", f"rouge1,{name}:model={toy}")
    assert call.code == 0
    assert call.json["skipped"][0]["why"].endswith(
        "the model folder is incomplete: no config.json. Copy the whole folder."
    )
    assert "|model:gone|" in resolve(f"{name}:model={toy}")[0].metric.signature("1")


def test_learned_numbers_have_intervals_subsets_tests_and_correlations(
    here: Callable[..., Call], tmp_path: Path
) -> None:
    """As any other metric: nothing of it knows that a model was asked."""
    words = "cat dog bird boat house tree river stone cloud road".split()
    examples = [
        {"id": f"i{i}", "references": [f"the {word} is old and grey"], "tags": {"half": str(i % 2)}}
        for i, word in enumerate(words)
    ]
    write_jsonl(tmp_path / "e.jsonl", examples)
    for system, text in (("a", "the {} is old"), ("b", "a {} was bought by somebody")):
        rows = [{"id": f"i{i}", "output": text.format(word)} for i, word in enumerate(words)]
        write_jsonl(tmp_path / f"{system}.jsonl", rows)
    call = here("score", tmp_path / "a.jsonl", "-e", tmp_path / "e.jsonl", "-m", "embedding,bertscore.f1", "--ci", 200,
                "--by", "half", "--per-example", tmp_path / "p.jsonl", "--json")  # fmt: skip
    assert call.code == 0
    for found in call.json["scores"].values():
        assert found["low"] < found["value"] < found["high"]
    compared = here("compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-e", tmp_path / "e.jsonl", "-m",
                    "embedding", "--samples", 500, "--json")  # fmt: skip
    assert compared.json["metrics"]["embedding"]["difference"] < 0
    assert compared.json["metrics"]["embedding"]["p"] < 0.01
    write_jsonl(tmp_path / "h.jsonl", [{"id": f"i{i}", "liked": i % 4} for i in range(len(words))])
    correlated = here(
        "metric", "correlate", "--human", tmp_path / "h.jsonl", "--scores", tmp_path / "p.jsonl", "--json"
    )
    assert set(correlated.json["metrics"]) >= {"embedding"}


def test_a_longer_text_is_read_whole() -> None:
    padding = "The weather was fine and nothing happened. " * 80
    whole = score("embedding", [f"{padding} At last a ship sank."], ["A ship sank."])["embedding"]
    cut = score("embedding:long=cut", [f"{padding} At last a ship sank."], ["A ship sank."])["embedding"]
    assert whole > cut


@pytest.mark.parametrize("spec", ["embedding:model=assay-nli", "factcc:model=assay-nli", "bartscore:model=assay-nli"])
def test_an_update_of_another_model_is_no_model(spec: str) -> None:
    (skipped,) = assay.score(["a cat"], ["a cat"], sources=["a cat"], metrics=spec).skipped
    assert skipped.why == "assay-nli: an update for `nli:model=` only. Give a complete model."
