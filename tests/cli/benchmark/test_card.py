"""`assay benchmark card`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def test_a_card_from_its_beginning_to_its_page(here: Run, tmp_path: Path) -> None:
    card, data = (
        tmp_path / "h.md",
        write_jsonl(tmp_path / "h.jsonl", [{"id": "a", "references": ["High."], "language": "en"}]),
    )
    assert here("benchmark", "card", "new", "--title", "Harbours", "-o", card).code == 0
    assert "already exists" in here("benchmark", "card", "new", "-o", card).err
    assert here("benchmark", "card", "check", card, "--json").json["complete"] == 0
    assert here("benchmark", "card", "fill", card, "-e", data, "--json").json["written"] == [
        "Languages", "Data Instances", "Data Fields", "Data Statistics"
    ]  # fmt: skip
    found = here("benchmark", "card", "check", card, "-e", data, "--json").json
    assert 0 < found["complete"] < 0.3
    assert {"section", "problem"} <= set(found["findings"][0])
    call = here("benchmark", "card", "check", card, "--at-least", 90)
    assert call.code == 1
    assert "required: " in call.err
    page = tmp_path / "h.html"
    assert here("benchmark", "card", "render", card, "-o", page).code == 0
    assert "<title>Harbours" in page.read_text()
    other = tmp_path / "hf.md"
    assert here("benchmark", "card", "convert", card, "--to", "hf", "-o", other).code == 0
    assert here("benchmark", "card", "check", other, "--json").json["template"] == "hf"
    assert [each["title"] for each in here("benchmark", "card", "catalogue", card, other, "--json").json["cards"]] == [
        "Harbours"
    ] * 2


def test_what_is_no_card_is_named(here: Run, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("# Tides\n\nhigh\n")
    call = here("benchmark", "card", "check", tmp_path / "x.md")
    assert call.code == 1
    assert (
        call.err == f"assay: {tmp_path / 'x.md'}: no heading of a card template. "
        "Create a card with `assay benchmark card new`.\n"
    )
    assert here("benchmark", "card", "new", "--template", "gm").code == 2


def test_the_guide_stands_beside_the_sections(here: Run) -> None:
    call = here("benchmark", "card", "guide", "model")
    assert "Measuring Impact: A test that measures this harm." in call.out
    assert (
        here("benchmark", "card", "guide", "gem", "--json").json["sections"][0]["title"]
        == "Dataset and Task Description"
    )


def test_a_catalogue_passes_over_other_files_and_says_so(here: Run, tmp_path: Path) -> None:
    here("benchmark", "card", "new", "--template", "gem", "--title", "Harbours", "-o", tmp_path / "harbours.md")
    (tmp_path / "notes.md").write_text("# Notes\n\nno card\n")
    call = here("benchmark", "card", "catalogue", tmp_path)
    assert call.code == 0
    assert "Harbours" in call.out
    assert "notes.md" in call.err
    assert here("benchmark", "card", "catalogue", tmp_path / "notes.md").code == 1
