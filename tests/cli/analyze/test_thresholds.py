"""`assay analyze thresholds`: what each threshold keeps of n-best lists, and which is best."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.meta.acceptability_thresholds import Candidates, sweep
from tests.conftest import Call, write_jsonl

PAPER = Candidates(["a", "b", "c"], [0.8, 0.3, 0.1])
ALL_BAD = Candidates(["a", "b", "c"], [0.8, 0.9, 0.7])


def test_what_thresholds_keep() -> None:
    none, low, six, high = sweep([PAPER, ALL_BAD], [0.2, 0.6, 0.8])
    assert none.texts == ("a", "a")
    assert (low.texts, low.changed, low.fallbacks) == (("c", "a"), (0,), 1)
    assert (six.texts, six.changed, six.fallbacks) == (("b", "a"), (0,), 1)
    assert (high.texts, high.changed, high.fallbacks) == (("a", "a"), (), 0)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Forty items: in 36 the second text is right and the first unacceptable, in four it is the other way round."""
    examples = [{"id": str(i), "references": [f"the red boat {i} sails home"]} for i in range(40)]
    rows = []
    for i in range(40):
        texts = [f"a {'red ' * (1 + i % 4)}boat {i} home", f"the red boat {i} sails home"]
        chances = [0.75, 0.1]
        if i >= 36:
            texts, chances = texts[::-1], [0.35, 0.1]
        listed = [[text, -1.0] for text in texts]
        rows.append({"id": str(i), "output": texts[0], "nbest": listed, "unacceptable": chances})
    return write_jsonl(tmp_path / "e.jsonl", examples), write_jsonl(tmp_path / "o.jsonl", rows)


def test_the_best_threshold_is_found_and_applied(
    here: Callable[..., Call], files: tuple[Path, Path], tmp_path: Path
) -> None:
    examples, outputs = files
    written = tmp_path / "filtered.jsonl"
    found = here("analyze", "thresholds", outputs, "-e", examples, "-m", "token_f1", "-o", written, "--json")
    assert found.code == 0, found.err
    rows = {row["threshold"]: row for row in found.json["thresholds"]}
    assert list(rows) == [None, *(i / 10 for i in range(1, 10))]
    assert [rows[t]["changed"] for t in (None, 0.2, 0.4, 0.7, 0.8)] == [0, 40, 36, 36, 0]
    assert found.json["best"] == 0.7  # of equal ones, the highest
    assert rows[0.7]["score"] == pytest.approx(1.0)
    assert rows[0.7]["low"] > 0
    assert rows[0.7]["p"] < 0.05
    assert all(f"the red boat {i} sails home" in line for i, line in enumerate(written.read_text().splitlines()))
    shown = here("analyze", "thresholds", outputs, "-e", examples, "-m", "token_f1").out
    assert "threshold 0.7" in shown
    assert "threshold=0.7" in shown


@pytest.mark.parametrize(
    ("options", "code", "why"),
    [
        (("--thresholds", "0.5,high"), 2, "numbers separated by commas"),
        (("--thresholds", "1.5"), 2, "from 0 to 1"),
        (("-m", "lengths"), 1, "has several scores"),
        (("-m", "mean_length"), 1, "no better end"),
    ],
)
def test_wrong_options_are_named(
    here: Callable[..., Call], files: tuple[Path, Path], options: tuple[str, ...], code: int, why: str
) -> None:
    call = here("analyze", "thresholds", files[1], "-e", files[0], *options)
    assert (call.code, call.out) == (code, "")
    assert why in " ".join(call.err.split())


def test_lists_are_required(here: Callable[..., Call], files: tuple[Path, Path], tmp_path: Path) -> None:
    plain = write_jsonl(tmp_path / "p.jsonl", [{"id": str(i), "output": "x"} for i in range(40)])
    assert "has no n-best list" in here("analyze", "thresholds", plain, "-e", files[0]).err
    listed = write_jsonl(tmp_path / "l.jsonl", [{"id": str(i), "output": "x", "nbest": [["x", 0]]} for i in range(40)])
    assert "give --model" in here("analyze", "thresholds", listed, "-e", files[0]).err
