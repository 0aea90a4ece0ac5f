"""triples: who does what to whom, from parses, by equal words or by near ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.metrics import resolve
from assay.metrics.faithfulness.triples import Triples
from tests.metrics.faithfulness.test_arcs import parsed
from tests.support import score

PAYS = [
    ("Nora", "Nora", "PROPN", 3, "nsubj"), ("Quist", "Quist", "PROPN", 1, "flat"), ("paid", "pay", "VERB", 0, "root"),
    ("the", "the", "DET", 5, "det"), ("bank", "bank", "NOUN", 3, "obj"), ("in", "in", "ADP", 7, "case"),
    ("May", "May", "PROPN", 3, "obl"),
]  # fmt: skip
DENIED = [
    ("Nora", "Nora", "PROPN", 4, "nsubj"), ("Quist", "Quist", "PROPN", 1, "flat"), ("not", "not", "PART", 4, "advmod"),
    ("paid", "pay", "VERB", 0, "root"), ("bank", "bank", "NOUN", 4, "obj"),
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return parsed(tmp_path / "o.conllu", {"0": [PAYS]}), parsed(tmp_path / "s.conllu", {"0": [PAYS]})


def spec(files: tuple[Path, Path], more: str = ":vectors=hashed") -> str:
    return f"triples:outputs={files[0]}:sources={files[1]}{more}"


def test_triples_are_read_off_the_parse(files: tuple[Path, Path]) -> None:
    metric = resolve(spec(files))[0].metric
    assert isinstance(metric, Triples)
    from assay.metrics.faithfulness.parsed_metric import read_parses

    found = list(metric.facts(read_parses(str(files[0]), "x")["0"]))
    assert found == [("nora quist", "pay", "bank"), ("nora quist", "pay", "may")]


def test_the_share_that_the_source_has(files: tuple[Path, Path]) -> None:
    assert score(spec(files), ["Nora Quist paid the bank in May"])["triples"] == 1
    parsed(files[0], {"0": [PAYS, DENIED]})
    assert score(spec(files), ["Nora Quist paid the bank in May. Not paid bank."])["triples"] == pytest.approx(2 / 3)
    parsed(files[1], {"0": [DENIED]})
    assert score(spec(files), ["Nora Quist paid"])["triples"] == pytest.approx(1 / 3)


def test_near_words_match_by_their_vectors(files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(
        "bank 1 0\nlender 0.9 0.1\nmay 0 1\nnora 1 1\nquist 1 1\npay 1 0\n", encoding="utf-8"
    )
    other = [*PAYS[:4], ("lender", "lender", "NOUN", 3, "obj"), *PAYS[5:]]
    parsed(files[0], {"0": [other]})
    assert score(spec(files, f":vectors={tmp_path / 'v.txt'}"), ["x"])["triples"] == 1
    assert score(spec(files, f":vectors={tmp_path / 'v.txt'}:threshold=0.999"), ["x"])["triples"] == pytest.approx(
        1 / 2
    )
    (tmp_path / "v.txt").write_text("6 2\nbank 1 0\n\nlender 1 0\nmay 1 0\nnora 1 1\nquist 1 1\npay 1 0\n\n", "utf-8")
    assert score(spec(files, f":vectors={tmp_path / 'v.txt'}:threshold=0.999"), ["x"])["triples"] == 1  # it has changed
    assert "needs a parser or parses" in str(resolve("triples")[0].metric.why_not())
