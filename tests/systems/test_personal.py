"""Personalised responses: Tucker factors, mixing, unknown users, and planted styles that are recovered."""

from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe, train_model
from assay.records.types import Example
from assay.systems import system

pytest.importorskip("torch")

OPENINGS = {"ann": "Well,", "bob": "Sure,", "cat": "Honestly,"}


def responses(count: int) -> list[Example]:
    return [
        Example(id=f"{i} {user}", source=f"colour {i % 4}", references=(f"{opening} it is {i % 4}.",),
                tags={"user": user, "question": str(i)})
        for i in range(count)
        for user, opening in OPENINGS.items()
    ]  # fmt: skip


def test_tucker_and_mixing() -> None:
    import torch

    from assay.models.personal_lstm import mixed, tucker

    core = torch.tensor([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]])
    made = tucker(core, torch.tensor([[1.0, 2]]), torch.tensor([[3.0, -1]]), torch.tensor([[1.0, 0], [0, 1], [1, 1]]))
    assert made.tolist() == [[16, 22, 38]]
    state, personal = torch.tensor([1.0, 0]), torch.tensor([0.0, 1])
    assert mixed(state, personal, 0.2).tolist() == pytest.approx([0.8, 0.2])
    assert torch.equal(mixed(state, personal, 0.0), state)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
@pytest.mark.parametrize("person", ["tucker", "speaker", "both"])
def test_the_person_changes_the_output_and_only_then(person: str, kind: str) -> None:
    import torch

    from assay.models.personal_lstm import PersonalConfig, PersonalLstm
    from assay.models.personal_transformer import PersonalTransformer, PersonalTransformerConfig

    own: dict[str, Any] = {"first_question": 5, "questions": 2, "first_user": 7, "users": 3, "ranks": (2, 2, 2)}
    own |= {"vocab_size": 20, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}

    def logits(person: str, user: int, question: int = 5) -> torch.Tensor:
        torch.manual_seed(0)
        if kind == "lstm":
            model = PersonalLstm(PersonalConfig(person=person, hidden_size=8, **own)).eval()
        else:
            sizes = {"d_model": 8, "d_kv": 4, "d_ff": 16, "num_layers": 1, "num_heads": 2}
            model = PersonalTransformer(PersonalTransformerConfig(person=person, **sizes, **own)).eval()
        source = torch.tensor([[question, user, 12, 13, 2]])
        return model(input_ids=source, decoder_input_ids=torch.tensor([[1, 6]])).logits

    assert torch.equal(logits("none", 7), logits("none", 8))
    assert not torch.allclose(logits(person, 7), logits(person, 8))
    assert torch.equal(logits(person, 7), logits(person, 19))  # a token of no user is nobody


def test_bad_input() -> None:
    from assay.systems.neural.personal_objective import person_of

    with pytest.raises(AssayError, match='id x: tag "user" is missing'):
        person_of(Example(id="x", source="a", references=("b",)))
    with pytest.raises(AssayError, match="memory=-1 must be at least 0"):
        read_recipe("personal:memory=-1")
    with pytest.raises(AssayError, match="mix must be from 0 to 1"):
        read_recipe("personal:mix=2")


@pytest.mark.slow
def test_planted_styles_are_recovered(tmp_path: Path) -> None:
    made = responses(16)
    one = Example(id="single", source="colour 1", references=("Oh, it is 1.",), tags={"user": "dan"})
    kind, recipe = read_recipe("personal:lstm:epochs=25:vocabulary=330:dropout=0.0:batch=8:lr=0.01:tucker_rank=4")
    lines: list[str] = []
    train_model(kind, recipe, [*made[:39], one], made[39:42], tmp_path / "m", None, lines.append)
    assert "1 user has one response only (dan)" in lines[0]
    model = system(f"personal:{tmp_path / 'm'}:max_new=12")
    stranger = Example(id="s", source="colour 2", tags={"user": "eve", "question": "1"})
    answers = [answer.text for answer in model.generate([*made[:6], stranger])]
    starts = [text.split()[0] for text in answers[:6] if text]
    assert sum(a == b for a, b in zip(starts, [*OPENINGS.values()] * 2, strict=False)) >= 5, answers
    assert "1 items have a user that was not in the training data" in model.usage()["warnings"][0]


def test_memory_holds_the_nearest_responses_of_the_user_but_not_the_answer(tmp_path: Path) -> None:
    from assay.systems.neural.memory import Memory

    asked = {"1": "red apple", "2": "red apple pie", "3": "blue boat"}
    made = [
        Example(id=id, source=text, references=(f"{user} on {text}",), tags={"user": user})
        for id, text in asked.items()
        for user in ("ann", "bob")
    ]
    (tmp_path / "memory.json").write_text(Memory.of_training(made, 2, None).to_json())
    memory = Memory.read(tmp_path / "memory.json")
    assert memory.responses("ann", made[0], None) == ["ann on red apple pie", "ann on blue boat"]
    assert memory.responses("ann", Example(id="9", source="boat"), None)[0] == "ann on blue boat"
    assert memory.responses("eve", made[0], None) == []
    (tmp_path / "memory.json").write_text("{}")
    with pytest.raises(AssayError, match="not a memory of responses"):
        Memory.read(tmp_path / "memory.json")


@pytest.mark.slow
@pytest.mark.parametrize(
    "recipe", ["lstm:person=none:memory=2:epochs=25:lr=0.01", "tiny:person=speaker:epochs=40:lr=0.005"]
)
def test_memory_or_a_transformer_alone_recovers_the_styles(tmp_path: Path, recipe: str) -> None:
    made = responses(16)
    kind, chosen = read_recipe(f"personal:{recipe}:vocabulary=330:dropout=0.0:batch=8")
    train_model(kind, chosen, made[6:], made[:6], tmp_path / "m", None, lambda line: None)
    model = system(f"personal:{tmp_path / 'm'}:max_new=12:beams=2")
    starts = [answer.text.split()[0] for answer in model.generate(made[:6]) if answer.text]
    assert sum(a == b for a, b in zip(starts, [*OPENINGS.values()] * 2, strict=False)) >= 5, starts
