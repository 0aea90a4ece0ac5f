"""Cards are complete, and the documentation is written from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.datasets import DATASETS, dataset
from assay.datasets.doc_pages import main, overview, page
from assay.errors import AssayError
from assay.metrics import SUITES

DOCS = Path(__file__).parents[2] / "docs" / "datasets"


@pytest.mark.parametrize("name", list(DATASETS))
def test_a_card_answers_every_question(name: str) -> None:
    card = dataset(name).card
    for text in (
        card.title,
        card.task,
        card.goal,
        card.licence,
        card.references,
        card.input_type,
        card.files,
    ):
        assert text.strip()
    assert card.suite in SUITES or (not card.suite and card.task in ("extraction", "annotation"))
    assert card.source.startswith("https://")
    assert card.languages
    assert all(count > 0 for count in card.sizes.values())
    assert card.citation


@pytest.mark.parametrize("name", list(DATASETS))
def test_pages_are_those_of_the_cards(name: str) -> None:
    """When this fails: python -m assay.datasets.doc_pages docs/datasets."""
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == page(dataset(name))


def test_the_overview_links_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When this fails: python -m assay.datasets.doc_pages docs/datasets."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    assert overview(text) == text
    for name in DATASETS:
        assert f"[{name}]({name}.md) | {dataset(name).card.task} |" in text
    monkeypatch.setitem(DATASETS._added, "tesa2", DATASETS.get("tesa"))
    (tmp_path / "index.md").write_text(text, encoding="utf-8")
    main(tmp_path)
    longer = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "| [tesa2](tesa2.md) | ranking | entity group |" in longer
    assert longer.partition("\n## From the hub\n")[2] == text.partition("\n## From the hub\n")[2]
    assert overview(longer) == longer


def test_an_overview_without_its_table_is_named() -> None:
    with pytest.raises(AssayError, match="has no table"):
        overview("# Datasets\n")
