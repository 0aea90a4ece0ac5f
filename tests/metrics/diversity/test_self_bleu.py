"""Self-BLEU against sacrebleu with all other outputs as references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from tests.support import each, score

OUTPUTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join), min_size=2, max_size=6)


@given(OUTPUTS)
def test_all_others_as_references(outputs: list[str]) -> None:
    theirs = BLEU(tokenize="none", effective_order=True, force=True)
    expected = [theirs.sentence_score(output, outputs[:i] + outputs[i + 1 :]).score for i, output in enumerate(outputs)]
    assert each("self_bleu", outputs)["self_bleu"] == pytest.approx(expected, abs=1e-9)


def test_extremes() -> None:
    assert score("self_bleu", ["the same words here"] * 3)["self_bleu"] == pytest.approx(100)
    assert score("self_bleu", ["a b c d", "e f g h"])["self_bleu"] == 0
    assert np.isnan(score("self_bleu", ["alone"])["self_bleu"])
