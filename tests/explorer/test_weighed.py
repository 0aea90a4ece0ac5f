"""What faithful says word by word, as pages show it: pieces are the text, and only scored outputs have them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from msgspec import UNSET

import assay
from assay.explorer.queries import Queries
from assay.explorer.weighed import weighed
from tests.support import WORDY

SOURCE = "The mill had 12 rooms and was built in 1874. Nobody was hurt."


@given(WORDY)
def test_pieces_are_the_text(output: str) -> None:
    sentences = weighed(SOURCE, output)
    if sentences:
        assert "".join(piece.text for sentence in sentences for piece in sentence.pieces) == output
    for sentence in sentences:
        assert sentence.value == pytest.approx(max(0, 1 - sum(piece.cost for piece in sentence.pieces)))


def test_only_where_it_was_scored(tmp_path: Path) -> None:
    outputs = ["Nobody was hurt. The mill had 15 rooms <b>and</b> was built in 1874.", ""]
    for name, metrics in (("with", "faithful,novelty"), ("without", "novelty")):
        assay.score(outputs, sources=[SOURCE, SOURCE], metrics=metrics, save=tmp_path / name)
    shown = Queries([tmp_path / "with"]).examples("with", [])
    first, second = (example.outputs[0].faithful for example in shown.examples)
    assert first is not UNSET
    assert [round(sentence.value, 1) for sentence in first] == [1.0, 0.4]
    assert any(piece.text == "15" and piece.cost > 0.1 for piece in first[1].pieces)
    assert second is UNSET
    plain = Queries([tmp_path / "without"]).examples("without", [])
    assert all(example.outputs[0].faithful is UNSET for example in plain.examples)
