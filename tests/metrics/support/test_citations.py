"""citations: markers by position and by id, after full stops, unknown ones; rates by hand."""

from __future__ import annotations

import pytest

import assay
from assay.metrics.support.citations import cited_sentences
from assay.records import Example
from assay.records.types import Passage

CONTEXTS = (Passage("d1", "Acme bought Bolt in March 2019."), Passage("d2", "Revenue was 4 million dollars."))


def scored(output: str, contexts: tuple[Passage, ...] = CONTEXTS) -> dict[str, float | None]:
    found = assay.score([output], examples=[Example(id="1", contexts=contexts)], metrics="citations")
    return {name.removeprefix("citations."): score.value for name, score in found.scores.items()}


def test_markers_belong_to_the_sentence_before_them() -> None:
    assert cited_sentences("Acme bought Bolt. [1][2] Revenue was flat [3, 4].") == [
        ("Acme bought Bolt.", ["1", "2"]), ("Revenue was flat [3, 4].", ["3", "4"]),
    ]  # fmt: skip


def test_rates_by_hand() -> None:
    # of three citations the first and the third are right, of three sentences the first and the third
    text = "Acme bought Bolt in March 2019 [1]. Revenue was 7 million dollars [2]. Revenue was 4 million dollars [2]."
    assert scored(text) == {"precision": pytest.approx(2 / 3), "recall": pytest.approx(2 / 3), "unknown": 0.0}


def test_a_wrong_or_missing_context() -> None:
    assert scored("Revenue was 4 million dollars [1].") == {"precision": 0.0, "recall": 0.0, "unknown": 0.0}
    assert scored("Revenue was 4 million dollars [7].") == {"precision": 0.0, "recall": 0.0, "unknown": 1.0}
    assert scored("Revenue was 4 million dollars [1, 2].") == {"precision": 0.5, "recall": 1.0, "unknown": 0.0}


def test_no_citation() -> None:
    assert scored("Revenue was 4 million dollars.") == {"precision": None, "recall": 0.0, "unknown": None}


def test_ids_come_before_positions() -> None:
    turned = (Passage("2", CONTEXTS[0].text), Passage("1", CONTEXTS[1].text))
    assert scored("Revenue was 4 million dollars [1].", turned)["precision"] == 1.0
    # where numbers are ids, a number that is no id is unknown, not a position
    numbered = (Passage("2", CONTEXTS[0].text), Passage("3", CONTEXTS[1].text))
    assert scored("Acme bought Bolt in March 2019 [1].", numbered)["unknown"] == 1.0


def test_items_without_contexts_are_skipped() -> None:
    found = assay.score(["Acme bought Bolt [1]."], examples=[Example(id="1", source="x")], metrics="citations")
    assert "needs contexts" in str(found.skipped)
