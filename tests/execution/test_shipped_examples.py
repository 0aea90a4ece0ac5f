"""Shipped examples give no unintended warning, and resample documents where several items share one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

import assay
from assay.results.compare import CompareRequest
from assay.results.many_systems import ManySystems

EXAMPLES = Path(__file__).parents[2] / "examples"
UNTRAINED = {
    "sample": ("lead", "copy", "template"),
    "eks": ("lead-3", "template", "oracle"),
    "fomc": ("lead", "random", "bigram"),
    "tesa": ("random", "frequency"),
    "self-training": ("template",),
    "masked-pretraining": ("template",),
    "simplification": ("copy",),
    "personalisation": ("gold",),
    "drs": ("nearest",),
    "perception": ("nearest", "surface"),
}
"""Systems that need no trained model."""
INTENDED = (r"template: (\d+) of \1 outputs", r"frequency: (\d+) of \1 outputs", "share a value of structure")
"""True of these baselines: one writes the fields of its input, the other the same phrases for every item. True of the
sample's sentences to simplify: those of one structure are written from one pattern."""


@pytest.mark.parametrize("name", UNTRAINED)
def test_no_unintended_warning(name: str, tmp_path: Path) -> None:
    config = "sample" if name == "sample" else EXAMPLES / f"{name}.toml"
    lines: list[str] = []
    folder = assay.run(config, tmp_path / name, only=UNTRAINED[name], say=lines.append)
    assert not folder.missing or all("task" in (entry.why or "") for entry in folder.missing)
    assert not [line for line in unintended(lines) if "!" in line]
    for results in folder.values():
        for result in results.values():
            assert not [note for note in unintended(result.warnings) if "order" in note or "not independent" in note]
        if len(results) > 1:
            notes = ManySystems(list(results.values()), CompareRequest(), intervals=False).notes
            assert not [note for note in unintended(notes) if "not independent" in note]


def unintended(notes: Iterable[str]) -> list[str]:
    return [note for note in notes if not any(re.search(words, note) for words in INTENDED)]


def test_instances_of_one_document_are_one_cluster(tmp_path: Path) -> None:
    """Equivalence instances are made from few documents: 360 were resampled as independent items."""
    folder = assay.run(EXAMPLES / "fomc.toml", tmp_path / "fomc", only=["random", "bigram"])
    result = folder["equivalence"]["random"]
    assert result.clusters_by == "parent"
    assert result.units == len(set(result.index.values("parent"))) < result.n / 5
    compared = assay.compare(result, folder["equivalence"]["bigram"])
    row = compared["eq_accuracy"]
    assert row.clusters == result.units
    assert f"clustered by parent ({result.units} clusters)" in compared.test


def test_a_dataset_of_a_config_has_a_cluster_field(tmp_path: Path) -> None:
    text = (EXAMPLES / "eks.toml").read_text(encoding="utf-8").replace('"eks/', f'"{EXAMPLES}/eks/')
    widths = {}
    for cluster in ("none", "type", "document"):
        config = tmp_path / f"{cluster}.toml"
        config.write_text(text.replace("[[datasets]]\n", f'[[datasets]]\ncluster = "{cluster}"\n'), encoding="utf-8")
        folder = assay.run(config, tmp_path / "results", only=["lead-3"])
        result = folder["events"]["lead-3"]
        assert result.clusters_by == (None if cluster == "none" else cluster)
        widths[cluster] = result.units
    items = len((EXAMPLES / "eks" / "test.jsonl").read_text(encoding="utf-8").splitlines())
    assert widths["none"] == items > widths["document"] > widths["type"]
