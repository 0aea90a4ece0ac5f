"""Challenge sets on the page and in reports: the same numbers as `assay compare --against-parents` has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

import assay
from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import built
from assay.records import Example
from assay.results.parents import compare_with_parents
from assay.store.saved_run import load_run

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two systems on texts and on their typos."""
    folder = tmp_path_factory.mktemp("runs")
    texts = [f"The ferry number {i} left the harbour at dawn." for i in range(40)]
    plain = [Example(id=f"t{i}", source=text, references=(text,)) for i, text in enumerate(texts)]
    made = challenge_set(perturbation("typos-exact:p=0.1"), plain).examples
    found = []
    for name, examples in (("test", plain), ("typos", made)):
        for system in ("copy", "short"):
            outputs = [(one.source or "") if system == "copy" else (one.source or "")[:20] for one in examples]
            found.append(folder / name / system)
            assay.score(outputs, examples=examples, metrics="chrf,rouge1", system=system, save=found[-1])
    return found


def test_parents_page_has_the_values_of_the_comparison(runs: list[Path]) -> None:
    page = Queries(runs)
    (dataset,) = [name for name in page.overview_page.stored if page.parents(name).comparisons]
    found = {one.b: one for one in page.parents(dataset).comparisons}
    expected = {one.b.system: one for one in compare_with_parents([load_run(run) for run in runs])}
    assert set(found) == set(expected) == {"copy (typos-exact:p=0.1)", "short (typos-exact:p=0.1)"}
    for name, one in found.items():
        for metric, row in one.metrics.items():
            same = expected[name][metric]
            assert (row.a, row.b, row.low, row.high) == (same.a, same.b, same.low, same.high)
            assert (row.p, row.p_adjusted) == (same.p, same.p_adjusted)


def test_every_format_compares_challenge_sets_with_original_items(runs: list[Path], tmp_path: Path) -> None:
    gap = compare_with_parents([load_run(run) for run in runs])[0]["chrf"].difference
    assert gap is not None
    for name in ("report.md", "report.tex", "plain.html"):
        write_report(runs, tmp_path / name, plain=True)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "copy (parents)" in text
        assert f"{gap:.1f}".lstrip("-") in text


def test_challenge_sets_in_the_browser(runs: list[Path], look: Callable[..., Page], tmp_path: Path) -> None:
    """The section stands on the page that compares, with the interval of the difference."""
    if not built():
        pytest.skip("needs the built pages (make pages)")
    gap = compare_with_parents([load_run(run) for run in runs])[0]["chrf"].difference
    queries = Queries(runs)
    (dataset,) = [name for name in queries.overview_page.stored if queries.parents(name).comparisons]
    write_report(runs, tmp_path / "report.html")
    page = look(f"{(tmp_path / 'report.html').as_uri()}#/compare?a=copy&b=short&dataset={quote(dataset)}")
    said = page.locator("#parents").inner_text()
    assert f"{abs(gap or 0):.1f}" in said
    assert "copy (typos-exact:p=0.1)" in said
