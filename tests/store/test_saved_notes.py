"""A saved run that is asked for some of its metrics warns of those alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import assay
from tests.conftest import Call, write_jsonl


def test_warnings_about_metrics_that_are_not_asked_for_are_left_out(tmp_path: Path) -> None:
    texts = ["the harbour opens again", "it rains in Tarn"]
    scored = assay.score(texts, texts, metrics="nist,ttr,chrf", save=tmp_path / "run")
    whole = "scores depend on the number of outputs; compare only sets of the same 2 items"
    assert f"nist, ttr: {whole}" in scored.notes
    assert f"nist, ttr: {whole}" in assay.load_run(tmp_path / "run").notes
    assert f"nist, ttr: {whole}" in assay.load_run(tmp_path / "run", "nist").notes
    assert not [note for note in assay.load_run(tmp_path / "run", "chrf").notes if "nist" in note]


def test_a_warning_is_told_once_for_all_subsets(here: Callable[..., Call], tmp_path: Path) -> None:
    rows = [{"id": str(i), "output": f"the harbour opens again {i}"} for i in range(24)]
    one = write_jsonl(tmp_path / "one.jsonl", rows)
    other = write_jsonl(tmp_path / "other.jsonl", [row | {"output": f"it rains {row['id']}"} for row in rows])
    examples = [
        {"id": row["id"], "references": ["it opens"], "tags": {"half": str(k % 2)}} for k, row in enumerate(rows)
    ]
    given = ["-e", write_jsonl(tmp_path / "examples.jsonl", examples), "-m", "ttr,chrf"]
    said = here("compare", one, other, *given, "--by", "half").err
    assert said.count("ttr: scores depend on the number of outputs") == 1
    assert said.count("Small sample (n = 12): only large differences") == 1
