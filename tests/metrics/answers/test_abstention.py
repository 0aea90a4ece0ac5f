"""abstention: declined where unanswerable, and needlessly declined."""

from __future__ import annotations

import assay
from assay.records import Example


def test_rates() -> None:
    tags = ("false", "No", "true", "yes", "1")
    outputs = ["I don't know.", "It is Lyon.", "It is Lyon.", "I'm unable to answer this.", "Four."]
    examples = [Example(id=str(i), tags={"answerable": tag}) for i, tag in enumerate(tags)]
    found = assay.score(outputs, examples=examples, metrics="abstention").scores
    assert found["abstention"].value == 1 / 2
    assert found["abstention.needless"].value == 1 / 3


def test_untagged_items_are_named() -> None:
    found = assay.score(["x"], examples=[Example(id="q7", tags={"answerable": "maybe"})], metrics="abstention")
    assert "id q7 has maybe" in str(found.skipped)
