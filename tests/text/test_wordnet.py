"""Base forms of nouns: by hand on a small WordNet of our own, and as NLTK finds them where WordNet is at hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.text.english import noun, words
from assay.text.wordnet import VARIABLE, noun_lemma, wordnet_folder

NOUNS = "bus\nbox\ncity\ncompany\ngas\nknife\nman\nmouse\npolitician\ntwo_words\nwolf\naxis\naxe\n"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "index.noun").write_text("  1 a licence\n" + "".join(f"{one} n 1\n" for one in NOUNS.split()))
    (tmp_path / "noun.exc").write_text("mice mouse\nknives knife\naxes axe axis\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("politicians", "politician"), ("Politicians", "Politicians"), ("cities", "city"), ("mice", "mouse"),
        ("knives", "knife"), ("wolves", "wolf"), ("boxes", "box"), ("buses", "bus"), ("men", "man"), ("gas", "gas"),
        ("axes", "axe"), ("zzz", "zzz"), ("companieses", "company"), ("", ""),
    ],
)  # fmt: skip
def test_by_hand(small: Path, word: str, base: str) -> None:
    assert noun(word) == base


def test_words_use_it(small: Path) -> None:
    assert words("The mice of U.S. Cities", lemmas=True) == ["mouse", "us", "cities"]


def test_without_wordnet_it_is_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    assert wordnet_folder() is None
    assert (noun("cities"), noun("mice")) == ("city", "mice")


def test_as_nltk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = wordnet_folder()
    if folder is None:
        pytest.skip("needs WordNet's files (Debian: wordnet-base)")
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])  # it reads from nowhere else
    for file in folder.iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "lexnames").write_text("".join(f"{i:02}\tnoun.{i}\t1\n" for i in range(45)))
    monkeypatch.setattr(WordNetCorpusReader, "map_wn", lambda self, version="": None)  # to other versions, not needed
    reader = WordNetCorpusReader(str(tmp_path), None)
    found = reader.all_lemma_names("n")
    sample = [name for i, name in enumerate(sorted(found)) if i % 97 == 0 and "_" not in name]
    for name in [*sample, *(f"{one}s" for one in sample), *(f"{one[:-1]}ies" for one in sample), "axes", "news"]:
        known = reader._morphy(name, "n")
        assert noun_lemma(name, folder) == (min(known, key=len) if known else name), name
