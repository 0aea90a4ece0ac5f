"""Lexical complexity from a word frequency list."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.metrics import resolve
from tests.support import score


@pytest.fixture
def ranks(tmp_path: Path) -> str:
    path = tmp_path / "ranks.txt"
    path.write_text("the\nhouse\ncat\nquark\n", encoding="utf-8")
    return str(path)


def test_upper_quartile_of_log_ranks(ranks: str) -> None:
    spec = f"lexical_complexity:ranks={ranks}"
    # house, cat and quark have ranks 1, 2, 3; "the" is a function word, "zebra" is not in the list
    expected = log(3) + 0.5 * (log(4) - log(3))
    assert score(spec, ["The house, the cat, the quark: zebra."])["lexical_complexity"] == pytest.approx(expected)
    assert score(spec, ["zebra"])["lexical_complexity"] == pytest.approx(log(5))


def test_a_missing_list_is_reported() -> None:
    (request,) = resolve("lexical_complexity:ranks=nowhere.txt")
    with pytest.raises(AssayError, match=r"nowhere.txt: no such file"):
        score("lexical_complexity:ranks=nowhere.txt", ["a"])
    assert request.metric.why_not() is None
