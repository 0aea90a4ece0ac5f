"""A saved run that is asked for some of its metrics warns of those alone."""

from __future__ import annotations

from pathlib import Path

import assay


def test_warnings_about_metrics_that_are_not_asked_for_are_left_out(tmp_path: Path) -> None:
    texts = ["the harbour opens again", "it rains in Tarn"]
    scored = assay.score(texts, texts, metrics="nist,ttr,chrf", save=tmp_path / "run")
    whole = "depend on how many outputs there are; compare only sets of the same 2 items"
    assert f"nist, ttr: {whole}" in scored.notes
    assert f"nist, ttr: {whole}" in assay.load_run(tmp_path / "run").notes
    assert f"nist, ttr: {whole}" in assay.load_run(tmp_path / "run", "nist").notes
    assert not [note for note in assay.load_run(tmp_path / "run", "chrf").notes if "nist" in note]
