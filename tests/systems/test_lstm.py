"""LSTM encoder-decoder with attention: it learns to copy, its probabilities add up, and it is saved and loaded."""

from pathlib import Path
from random import Random

import pytest

from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe
from assay.records.types import Example
from assay.systems import system

pytest.importorskip("torch")

LETTERS = "bdfgklmnprst"


def words(count: int, seed: int) -> list[Example]:
    """Inputs `A beats B` with texts `B lost to A`; the names are random, so they have to be copied."""
    draw = Random(seed)

    def name() -> str:
        return "".join(draw.choice(LETTERS) + draw.choice("aeiou") for _ in range(2))

    rows = []
    for number in range(count):
        winner, loser = name(), name()
        rows.append(
            Example(id=str(number), source=f"{winner} beats {loser}", references=(f"{loser} lost to {winner}",))
        )
    return rows


def test_probabilities_add_up_and_padding_does_not_count() -> None:
    import torch

    from assay.models.lstm import LstmConfig, LstmForConditionalGeneration

    torch.manual_seed(0)
    for copies in (True, False):
        config = LstmConfig(
            vocab_size=20, hidden_size=8, copies=copies, pad_token_id=1, eos_token_id=2, decoder_start_token_id=1
        )
        model = LstmForConditionalGeneration(config).eval()
        source = torch.tensor([[5, 6, 7, 2]])
        padded = torch.tensor([[5, 6, 7, 2, 1, 1]])
        begin = torch.tensor([[1, 6]])
        plain = model(input_ids=source, decoder_input_ids=begin).logits
        mask = (padded != 1).long()
        same = model(input_ids=padded, attention_mask=mask, decoder_input_ids=begin).logits
        assert torch.allclose(plain.exp().sum(dim=-1), torch.ones(1, 2), atol=1e-5)
        assert torch.allclose(plain, same, atol=1e-5)


@pytest.mark.slow
def test_copies_names_it_has_never_seen(tmp_path: Path) -> None:
    from assay.systems.neural.fine_tune import train_examples

    kind, recipe = read_recipe("seq2seq:lstm:epochs=12:vocabulary=300:dropout=0.0:batch=32")
    assert kind == "seq2seq"
    train_examples(kind, recipe, words(600, 1), words(30, 2), tmp_path / "lstm")
    unseen = words(20, 3)
    answers = {answer.id: answer.text for answer in system(f"hf:{tmp_path / 'lstm'}:beams=2").generate(unseen)}
    right = sum(answers[example.id] == example.references[0] for example in unseen)
    assert right >= 15


def test_refused_where_it_does_not_apply() -> None:
    from assay.systems.neural.build_model import build_model

    with pytest.raises(AssayError, match="architecture=lstm is for seq2seq"):
        build_model(read_recipe("causal:lstm")[1], ["a b"], kind="causal")
    with pytest.raises(AssayError, match="starts from random weights"):
        build_model(read_recipe("seq2seq:lstm:model=t5-small")[1], ["a b"])
