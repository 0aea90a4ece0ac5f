"""Word-level costs of `faithful` on pages: pieces concatenate to the text, and only scored outputs have them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from msgspec import UNSET

import assay
from assay.explorer.queries import Queries
from assay.explorer.word_costs import word_costs
from tests.support import WORDY

SOURCE = "The mill had 12 rooms and was built in 1874. Nobody was hurt."


@given(WORDY)
def test_pieces_concatenate_to_the_output(output: str) -> None:
    sentences = word_costs(SOURCE, output)
    if sentences:
        assert "".join(piece.text for sentence in sentences for piece in sentence.pieces) == output
    for sentence in sentences:
        costs = sum(piece.cost for piece in sentence.pieces)  # signs of a contradiction belong to no word
        assert sentence.value <= max(0, 1 - costs) + 1e-9


def test_only_outputs_scored_with_faithful_have_costs(tmp_path: Path) -> None:
    outputs = ["Nobody was hurt. The mill had 15 rooms <b>and</b> was built in 1874.", ""]
    for name, metrics in (("with", "faithful,novelty"), ("without", "novelty")):
        assay.score(outputs, sources=[SOURCE, SOURCE], metrics=metrics, save=tmp_path / name)
    shown = Queries([tmp_path / "with"]).examples("with", [])
    first, second = (example.outputs[0].faithful for example in shown.examples)
    assert first is not UNSET
    assert [round(sentence.value, 1) for sentence in first] == [1.0, 0.2]
    assert any(piece.text == "15" and piece.cost > 0.1 for piece in first[1].pieces)
    assert second is UNSET
    plain = Queries([tmp_path / "without"]).examples("without", [])
    assert all(example.outputs[0].faithful is UNSET for example in plain.examples)
