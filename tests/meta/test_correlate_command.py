"""`assay metric correlate` on unusual files: what would be ignored is refused, what is left out is counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call


def _files(folder: Path, human: str, scores: str) -> list[object]:
    (folder / "h.csv").write_text(human)
    (folder / "s.csv").write_text(scores)
    return ["metric", "correlate", "--human", folder / "h.csv", "--scores", folder / "s.csv"]


ROWS = [(f"d{i // 4}", f"s{i % 4}", i % 4 if i >= 4 else 1, i * 7 % 5) for i in range(12)]
"""Document, system, human score, metric; the first document's human scores are all the same."""
HUMAN = "id,system,coherence\n" + "".join(f"{doc},{system},{value}\n" for doc, system, value, _ in ROWS)
SCORES = "id,system,m\n" + "".join(f"{doc},{system},{score}\n" for doc, system, _, score in ROWS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--level", "summary", "--williams"), "--williams requires --level global"),
        (("--level", "summary", "--control", "system"), "--control requires --level global"),
        (("--cluster", "id", "--classical"), "--cluster has no effect on classical values"),
    ],
)
def test_options_that_would_do_nothing(
    here: Callable[..., Call], tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    call = here(*_files(tmp_path, HUMAN, SCORES), *options)
    assert call.code == 2
    assert message in call.err


def test_groups_without_a_correlation_are_counted(here: Callable[..., Call], tmp_path: Path) -> None:
    call = here(*_files(tmp_path, HUMAN, SCORES), "--level", "summary")
    assert "m, pearson: 1 of 3 groups without a correlation are excluded" in " ".join(call.err.split())


def test_columns_that_are_nearly_metrics(here: Callable[..., Call], tmp_path: Path) -> None:
    odd = [f"{doc},{system},{score},{'n/a' if not i else score}\n" for i, (doc, system, _, score) in enumerate(ROWS)]
    call = here(*_files(tmp_path, HUMAN, "id,system,m,bad\n" + "".join(odd)))
    assert "bad: not used as a metric; 1 values are not numbers (first: 'n/a')." in " ".join(call.err.split())
    call = here(*_files(tmp_path, HUMAN, "id,m\nd0,1,2,3\n"))
    assert call.code == 1
    assert "Traceback" not in call.err
