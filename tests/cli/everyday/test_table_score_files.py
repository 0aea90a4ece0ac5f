"""`assay table` over score files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call

Run = Callable[..., Call]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Two submissions; one calls its validation set `val`."""
    folder = tmp_path / "results"
    folder.mkdir()
    for name, key, bleu in (("small", "totto_val", 40.5), ("large", "totto_validation", 47.9)):
        scores = {"N": 70, "bleu": bleu, "rouge1": {"precision": 0.5, "recall": 0.5, "fmeasure": bleu / 100}}
        both = {"submission_name": name, key: scores, "totto_test": scores | {"bleu": 1.0}}
        (folder / f"{name}.scores.json").write_text(json.dumps(both))
    return folder


def test_metrics_and_splits_are_chosen(here: Run, published: Path) -> None:
    found = here("table", published, "-m", "bleu", "--subset", "split=val", "--json").json["rows"]
    assert [(row["system"], row["set"], row["scores"]) for row in found] == [
        ("large", "validation", {"bleu": 47.9}),
        ("small", "validation", {"bleu": 40.5}),
    ]
    shown = here("table", *sorted(published.iterdir()), "-m", "rouge", "--sort", "rouge1", "--format", "markdown").out
    lines = [line for line in shown.splitlines() if line.startswith("| totto")]
    assert [line.split(" | ")[1:3] for line in lines] == [
        ["test", "large"], ["test", "small"], ["validation", "large"], ["validation", "small"]
    ]  # fmt: skip
    assert "**47.9**" in lines[2]
    assert "no significance test" in shown


@pytest.mark.parametrize(
    ("options", "code", "why"),
    [
        (("--subset", "split=dev"), 1, "split is one of test, validation"),
        (("--subset", "size=1"), 2, "one of split, dataset, language, task"),
        (("-m", "blue"), 1, "did you mean bleu"),
        (("--ci", "100"), 2, "--ci"),
    ],
)
def test_what_files_of_scores_cannot_give_is_named(
    here: Run, published: Path, options: tuple[str, ...], code: int, why: str
) -> None:
    call = here("table", published, *options)
    assert (call.code, call.out) == (code, "")
    assert why in " ".join(call.err.split())
