"""Policy gradient: drawn texts that a metric rewards become more likely."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe, train_model
from assay.records.types import Example

pytest.importorskip("torch")

ASKED = [
    Example(id=f"{i}", source=f"shall we {word}?", references=("yes, sure.", "no, never."))
    for i, word in enumerate(("go", "eat", "sing", "row"))
]


def test_rewards_are_shares_of_the_range_of_a_score() -> None:
    from assay.execution.training.text_reward import mean_reward, text_reward

    reward = text_reward(read_recipe("seq2seq:lstm:reward=token_f1")[1])
    assert reward is not None
    assert reward(["no, never.", "what?"], ASKED[:2]) == pytest.approx([1, 0])
    assert mean_reward(reward).score(["no, never.", "what?"], ASKED[:2]) == pytest.approx(0.5)
    assert text_reward(read_recipe("seq2seq:lstm")[1]) is None


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        ("seq2seq:reward=perception", "set reward_model=FOLDER"),
        ("seq2seq:reward=mean_length", "needs a score with a better end and a range"),
        ("seq2seq:reward=distinct-2", "of a whole corpus"),
        ("seq2seq:reward=nothing", "reward=nothing"),
        ("seq2seq:select=reward", "reward is missing"),
        ("seq2seq:reward=token_f1:reward_weight=0", "must be above 0"),
        ("classifier:reward=token_f1", "applies to seq2seq and causal only"),
    ],
)
def test_bad_rewards_are_named(recipe: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=why):
        train_model(*read_recipe(recipe), ASKED, ASKED, tmp_path / "m", None, lambda line: None)
    assert not (tmp_path / "m").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["seq2seq", "causal"])
def test_rewarded_answers_become_likely(kind: str, tmp_path: Path, one_thread: None) -> None:
    """Both answers are equally frequent in the training data; a reward of one of them decides."""
    from assay.systems.neural.fine_tune import train_examples
    from assay.systems.neural.hugging_face import Model

    options = "vocabulary=300:epochs=60:batch=8:lr=0.01:dropout=0.0:max_new=12"
    spec = f"{kind}:lstm:{options}" if kind == "seq2seq" else f"{kind}:tiny:{options}"

    def refusals(weight: float) -> int:
        folder = tmp_path / str(weight)
        _, recipe = read_recipe(f"{spec}:reward=token_f1:reward_weight={weight or 1}")
        wanted = None if weight == 0 else lambda texts, examples: [float(text.startswith("no")) for text in texts]
        train_examples(kind, recipe, ASKED, ASKED, folder, reward=wanted)
        model = Model(path=str(folder), sample=True, max_new=12)
        many = [Example(id=f"{i} {one.id}", source=one.source) for i in range(25) for one in ASKED]
        return sum(answer.text.startswith("no") for answer in model.generate(many))

    # Where both forces balance, p - 1/2 = weight x p (1 - p): 1/2 without a reward, about .98 with a weight of 30.
    assert refusals(0) <= 65
    assert refusals(30) >= 75
