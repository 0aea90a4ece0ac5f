"""qags: what is asked and answered, with models from chance and with synthetic ones, and models that are
none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics.faithfulness.qags import Qags, word_f1
from assay.systems.neural.question_answering import answers, questions
from tests.support import each
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

SOURCE = "Nora paid 12 pounds in Wexley."


def save_reader(folder: Path) -> Path:
    from transformers import AutoTokenizer, BertConfig, BertForQuestionAnswering

    save_tiny(folder, "encoder")
    torch.manual_seed(3)
    words = len(AutoTokenizer.from_pretrained(folder))
    config = BertConfig(vocab_size=words, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=64, initializer_range=0.5)  # fmt: skip
    BertForQuestionAnswering(config).save_pretrained(folder)
    return folder


def test_answers_of_models_that_are_synthetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number is asked for as `how many`: 12 here and 15 there; the name as `who`, whom both have."""

    def ask(path: str, prompts: Sequence[str]) -> list[str]:
        assert all(prompt.startswith("answer: ") for prompt in prompts)
        return ["how many?" if "answer: 1" in prompt else "who?" for prompt in prompts]

    def answer(path: str, asked: Sequence[tuple[str, str]]) -> list[str]:
        return [
            ("12 pounds" if "12" in text else "15 pounds") if "many" in question else "Nora" for question, text in asked
        ]

    monkeypatch.setattr("assay.metrics.faithfulness.qags.questions", ask)
    monkeypatch.setattr("assay.metrics.faithfulness.qags.answers", answer)
    q, a = save_tiny(tmp_path / "q", "seq2seq"), save_reader(tmp_path / "a")
    found = each(
        f"qags:questions={q}:model={a}", ["He saw Nora pay 15 pounds.", "He saw Nora.", ""], None, [SOURCE] * 3
    )
    assert found["qags"] == pytest.approx([(1 + 1 / 2) / 2, 1, 0])


def test_models_from_chance_ask_and_answer(tmp_path: Path) -> None:
    q, a = save_tiny(tmp_path / "q", "seq2seq"), save_reader(tmp_path / "a")
    spec = f"qags:questions={q}:model={a}"
    long = f"{SOURCE} " * 20
    result = assay.score([SOURCE, "They left."], sources=[long, SOURCE], metrics=spec)
    assert not result.failed
    assert "|questions:q-" in result.scores["qags"].signature
    assert result.scores["qags"].value is None or 0 <= result.scores["qags"].value <= 1


def test_a_prompt_with_any_sign_is_one_choice_of_the_signature() -> None:
    signed = [resolve("qags")[0].metric.signature("1")]
    signed += [Qags(prompt=f"{{answer}}{mark}{{text}}").signature("1") for mark in ("|", "\n", "||")]
    assert len({*signed}) == 4
    assert {one.count("|") for one in signed} == {signed[0].count("|")}
    assert not any("\n" in one for one in signed)


def test_f1_of_words() -> None:
    assert word_f1("the 12 pounds", "12 pounds!") == 1
    assert word_f1("12 pounds", "15 pounds") == pytest.approx(1 / 2)
    assert word_f1("", "x") == word_f1("x", "") == 0


def test_what_cannot_be_asked_is_said(tmp_path: Path) -> None:
    assert resolve("qags")[0].metric.why_not() == (
        "needs weights for question generation and answering. Give qags:questions=FOLDER:model=FOLDER."
    )
    with pytest.raises(AssayError, match=r"must contain \{answer\} and \{text\}, each once"):
        resolve("qags:prompt=ask")
    q, wrong = save_tiny(tmp_path / "q", "seq2seq"), save_tiny(tmp_path / "w", "encoder")
    (failed,) = assay.score(["Nora paid 12."], sources=[SOURCE], metrics=f"qags:questions={q}:model={wrong}").failed
    assert "not a question-answering model" in failed.why
    causal = save_tiny(tmp_path / "c", "causal")
    (failed,) = assay.score(
        ["Nora paid 12."], sources=[SOURCE], metrics=f"qags:questions={causal}:model={wrong}"
    ).failed
    assert "this one has no encoder" in failed.why


def test_half_a_character_can_be_asked_and_answered(tmp_path: Path) -> None:
    q, a = save_tiny(tmp_path / "q", "seq2seq"), save_reader(tmp_path / "a")
    assert questions(str(q), ["answer: Nora context: \ud800 Nora"])
    (found,) = answers(str(a), [("who \ud800", "Nora \ud800 paid")])
    assert "\ud800" not in found


def test_a_reader_that_changes_is_read_again_and_a_damaged_one_named(tmp_path: Path) -> None:
    folder = save_reader(tmp_path / "a")
    answers(str(folder), [("who", SOURCE)])
    held = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").unlink()  # the model that was read may still look into it
    (folder / "model.safetensors").write_bytes(held[:1000])
    with pytest.raises(AssayError, match=r"the checkpoint is damaged \(.*\); copy the whole folder again"):
        answers(str(folder), [("who", SOURCE)])


def test_weights_that_are_no_numbers_answer_nothing(tmp_path: Path) -> None:
    from transformers import BertForQuestionAnswering

    folder = save_reader(tmp_path / "a")
    model = BertForQuestionAnswering.from_pretrained(folder)
    with torch.no_grad():
        model.qa_outputs.bias.fill_(float("nan"))
    model.save_pretrained(folder)
    with pytest.raises(AssayError, match="the output of the model is not finite"):
        answers(str(folder), [("who", SOURCE)])
