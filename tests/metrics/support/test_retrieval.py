"""retrieval: relevance by references, short answers and judged ids; rates by hand."""

from __future__ import annotations

import pytest

import assay
from assay.records import Example
from assay.records.types import Passage

CONTEXTS = (
    Passage("d1", "The harbour was calm on Monday."), Passage("d2", "Revenue was 4 million dollars."),
    Passage("d3", "Acme bought Bolt in March 2019. It is based in Lyon."),
)  # fmt: skip


def scored(example: Example, metric: str = "retrieval") -> dict[str, float | None]:
    found = assay.score(["any"], examples=[example], metrics=metric)
    assert not found.skipped, found.skipped
    return {name.removeprefix("retrieval."): score.value for name, score in found.scores.items()}


def test_statements() -> None:
    wanted = ("Revenue was 4 million dollars. Acme bought Bolt in March 2019. The minister resigned on Friday.",)
    found = scored(Example(id="1", references=wanted, contexts=CONTEXTS))
    assert found == {"precision": pytest.approx(2 / 3), "recall": pytest.approx(2 / 3), "rank": 0.5}


def test_short_answers() -> None:
    found = scored(Example(id="1", references=("Lyon",), contexts=CONTEXTS))
    assert found == {"precision": pytest.approx(1 / 3), "recall": 1.0, "rank": pytest.approx(1 / 3)}
    assert scored(Example(id="1", references=("Ly",), contexts=CONTEXTS))["recall"] == 0.0


def test_the_best_covered_reference_counts() -> None:
    references = ("The minister resigned on Friday.", "Revenue was 4 million dollars.")
    assert scored(Example(id="1", references=references, contexts=CONTEXTS))["recall"] == 1.0


def test_judged() -> None:
    example = Example(id="1", contexts=CONTEXTS, tags={"relevant": "d2, d9"})
    found = scored(example, "retrieval:relevance=judged")
    assert found == {"precision": pytest.approx(1 / 3), "recall": 0.5, "rank": 0.5}


@pytest.mark.parametrize(
    ("example", "metric", "reason"),
    [
        (Example(id="1", references=("x",)), "retrieval", "needs contexts"),
        (Example(id="1", contexts=CONTEXTS), "retrieval", "needs references, or relevance=judged"),
        (Example(id="1", contexts=CONTEXTS), "retrieval:relevance=judged", "needs the tag relevant"),
    ],
)
def test_what_is_missing_is_said(example: Example, metric: str, reason: str) -> None:
    assert reason in str(assay.score(["any"], examples=[example], metrics=metric).skipped)
