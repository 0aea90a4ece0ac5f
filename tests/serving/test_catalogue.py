"""Every text of the pages stands in a catalogue, in every language, and no template has words of its own."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

pytest.importorskip("fastapi")

from assay.serving.pages import LANGUAGES, catalogue

SOURCE = Path(__file__).parents[2] / "src" / "assay"
ROOMS = sorted({path.parent.parent for path in SOURCE.rglob("catalogue/en.toml")})
TEMPLATES = sorted(path for room in ROOMS for path in (room / "templates").glob("*.html"))
SHOWN = re.compile(r"""\s(?:placeholder|title|alt|aria-label)=(?:"([^"]*)"|'([^']*)')""")


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.name)
def test_languages_have_the_same_texts_with_the_same_gaps(room: Path) -> None:
    def gaps(text: str) -> set[str | None]:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}

    texts = {language: catalogue(room, language) for language in LANGUAGES}
    assert len(texts["en"]) > 5
    for language in LANGUAGES:
        assert texts[language].keys() == texts["en"].keys()
        for key, text in texts[language].items():
            assert text.strip(), key
            assert gaps(text) == gaps(texts["en"][key]), key


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_have_no_words(path: Path) -> None:
    text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = [first or second for first, second in SHOWN.findall(text)]
    words = re.sub(r"<[^>]*>", " ", text)
    assert re.findall(r"[^\W\d_]{2,}", words) == []
    assert [name for name in named if re.search(r"[^\W\d_]{2,}", name)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_name_texts_that_there_are(path: Path) -> None:
    known = {key for room in ROOMS for key in catalogue(room, "en")}
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"""\bt\(["']([\w.-]+)["'](?! *~)""", text)
    assert set(named) <= known
    assert "|safe" not in text.replace(" ", "")
    assert not re.search(r"\son\w+=|<style|style=|<script(?![^>]* src=)", text)


def test_every_text_is_used() -> None:
    """By its whole key, or by its part where a template puts the key together."""
    code = "".join(path.read_text(encoding="utf-8") for path in [*TEMPLATES, *SOURCE.rglob("*.py")])
    for room in ROOMS:
        for key in catalogue(room, "en"):
            part = key.partition(".")[0]
            assert f'"{key}"' in code or f"'{key}'" in code or f'"{part}." ~' in code or f'f"{part}.' in code, key
