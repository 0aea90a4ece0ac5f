"""Warnings use the singular for one item: `1 item has`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.metrics.checks.linter import size_warning
from assay.metrics.diversity.mauve import Mauve
from assay.metrics.faithfulness.alignscore import AlignScore
from assay.metrics.faithfulness.bartscore import BartScore
from assay.metrics.faithfulness.factcc import FactCC
from assay.metrics.faithfulness.minicheck import MiniCheck
from assay.metrics.semantic.prism import Prism
from tests.conftest import Call, write_jsonl
from tests.support import items


@pytest.mark.parametrize("metric", [AlignScore(), MiniCheck(), FactCC()], ids=lambda metric: metric.name)
def test_empty_outputs_and_sources(metric: AlignScore | MiniCheck | FactCC) -> None:
    one, two = "1 empty {} scores 0", "2 empty {}s score 0"
    for empty, note in ((["", "a"], one), (["", "\u200b"], two)):
        assert metric.notes(items(empty, None, ["a", "b"])) == [f"{metric.name}: {note.format('output')}"]
        assert metric.notes(items(["a", "b"], None, empty)) == [f"{metric.name}: {note.format('source')}"]
    assert metric.notes(items(["a"], None, ["a"])) == []


def test_an_empty_output_under_a_likelihood() -> None:
    for metric in (BartScore(), Prism()):
        (note,) = metric.notes(items(["", "a"], ["a", "b"], ["a", "b"]))
        assert note.startswith(f"{metric.name}: 1 empty output has the likelihood of an immediate end of text")
        assert metric.notes(items(["a"], ["a"], ["a"])) == []


def test_references_beyond_the_first() -> None:
    assert "mauve: 1 item has several references; only the first is used" in Mauve().notes(items(["a"], [["b", "c"]]))


def test_what_depends_on_size() -> None:
    assert size_warning(["nist", "cider"]) == "nist, cider: scores depend on the number of outputs"
    notes = list(assay.score(["a b"], ["a b"], metrics="nist").notes)
    assert "nist: scores depend on the number of outputs; compare only sets of the same 1 item" in notes


def test_headlines_and_joins(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": i, "output": "a b"} for i in ("1", "2")])
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "1", "references": ["a b"], "tags": {"topic": "sea"}}])
    call = here("score", outputs, "-e", examples, "-m", "chrf", "--allow-missing", "--by", "topic")
    assert "o · 1 output · 1 reference each" in call.out
    assert " sea · 1 output\n" in call.out
    note = f"! 1 output has an id that is not in {examples} and was not scored"
    assert "".join(call.err.split()) == "".join(note.split())  # lines may end inside the path


def test_the_line_of_a_failure_is_short(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "1", "output": "a b"}])
    call = here("score", outputs, "-m", "bleu,chrf,rouge")
    assert call.code == 1
    assert call.err.splitlines()[-1] == (
        f"assay: {outputs}: no metric could be computed (bleu: needs references, and none were given; 2 others above). "
        "Give references with -r FILE or -e FILE."
    )
    assert call.out.count("needs references, and none were given") == 3
