"""The weights of faithful: what they are fitted on, that nothing else is looked at, and that they can be had again."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.optimize import nnls
from tools.fit_faithful import fit_weights, fitted_examples, study, without_negatives

from assay.datasets import DATASETS
from assay.errors import AssayError
from assay.metrics.faithfulness.faithful_weights import read_weights
from assay.models.context import Context
from assay.records import Example, kinds

WORDS = "the mill river council bridge chief fire town school ship island storm price 12 1874".split()


def judged(n: int, split: str, seed: int) -> Iterator[Example]:
    """Articles of chance words, summaries that copy a sentence of theirs and change some of its words, and people who
    notice most changes."""
    draw = random.Random(seed)
    for i in range(n):
        sentences = [[draw.choice(WORDS) for _ in range(9)] for _ in range(4)]
        for system in ("a", "b"):
            told = list(draw.choice(sentences))
            wrong = draw.randrange(4)
            for place in draw.sample(range(9), wrong):
                told[place] = f"other{draw.choice('xyz')}"
            human = {"Factuality": float(draw.random() > wrong / 4)}
            yield Example(
                id=f"{split}{i}/{system}",
                source=" ".join(" ".join(words) + "." for words in sentences),
                input=kinds.Judged(human=human, summary=" ".join(told) + ".").plain(),
                split=split,
                tags={"hash": f"{split}{i}", "system": system, "dataset": "synthetic"},
            )


def test_labels_of_the_test_part_are_never_looked_at() -> None:
    """With its judgements scrambled, with nonsense in their place and without the test part the same bytes come out."""
    learned, held = list(judged(40, "validation", 0)), list(judged(20, "test", 1))
    wanted = fit_weights([*learned, *held], [()], Context())
    upside_down = [
        msgspec.structs.replace(one, input={**(one.input or {}), "human": {"Factuality": 1 - i % 2}})
        for i, one in enumerate(held)
    ]
    nonsense = [msgspec.structs.replace(one, input={"kind": "judged", "human": {"Factuality": "?"}}) for one in held]
    for other in ([*upside_down, *learned], [*learned, *nonsense], learned):
        assert fit_weights(other, [()], Context()) == wanted
    turned = [
        msgspec.structs.replace(one, input={**(one.input or {}), "human": {"Factuality": 0.0}}) for one in learned
    ]
    assert fit_weights([*turned[:40], *learned[40:]], [()], Context()) != wanted


def test_what_was_fitted_is_read_and_judges_as_people_did(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(fit_weights(list(judged(60, "validation", 0)), [()], Context()), encoding="utf-8")
    costs = read_weights(str(file)).costs
    assert all(cost >= 0 for pair in costs.values() for cost in pair)
    assert sum(cost for pair in costs.values() for cost in pair) > 0.1
    assert 'fitted_on = "FRANK, validation part"' in file.read_text(encoding="utf-8")


@given(
    arrays.arrays(np.float64, (7, 3), elements=st.floats(-4, 4)),
    arrays.arrays(np.float64, 7, elements=st.floats(-4, 4)),
)
def test_least_squares_without_negatives(x: np.ndarray, y: np.ndarray) -> None:
    """As scipy has it, with the ridge as rows of their own."""
    found = without_negatives(x.T @ x + 0.3 * np.eye(3), x.T @ y)
    rows = np.vstack([x, np.sqrt(0.3) * np.eye(3)])
    assert found == pytest.approx(nnls(rows, np.concatenate([y, np.zeros(3)]))[0], abs=1e-6)


def test_what_cannot_be_learned_from_is_refused() -> None:
    with pytest.raises(AssayError, match="fit: no validation example"):
        fitted_examples(list(judged(2, "test", 0)))
    bare = [msgspec.structs.replace(one, source=None) for one in judged(2, "validation", 0)]
    with pytest.raises(AssayError, match=r"validation0/a has no texts\. Put texts\.jsonl next to"):
        study(bare, (), Context())


@pytest.mark.slow
def test_the_weights_of_the_package_are_those_of_the_fit(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    examples = list(DATASETS.get("frank")().read(shared_data("frank"), "validation"))
    (tmp_path / "again.toml").write_text(fit_weights(examples, [()], Context()), encoding="utf-8")
    assert read_weights(str(tmp_path / "again.toml")).costs == read_weights(None).costs
