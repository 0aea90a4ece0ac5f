"""`assay support`: table, JSON, JSONL and page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.show.sheet import sheet
from tests.conftest import Call, write_jsonl

SOURCE = "Acme bought Bolt in March 2019. Revenue was 4 million dollars."


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    outputs = [
        {"id": id, "output": text, "system": system}
        for system in ("a", "b")
        for id, text in (("1", "Revenue was 7 million dollars. <b>Acme</b> bought Bolt."), ("2", "Acme bought Bolt."))
    ]
    examples = [{"id": id, "contexts": [{"id": "d1", "text": SOURCE}]} for id in ("1", "2")]
    return [str(write_jsonl(tmp_path / "o.jsonl", outputs)), "-e", str(write_jsonl(tmp_path / "e.jsonl", examples))]


def test_table(here: Callable[..., Call], files: list[str]) -> None:
    done = here("support", *files)
    assert done.code == 0, done.err
    assert "supported %" in done.out
    assert "number or unit differs (7 million dollars: the evidence has 4 million dollars)" in done.out


def test_other_languages_are_refused(here: Callable[..., Call], files: list[str], tmp_path: Path) -> None:
    german = [{"id": id, "source": "Der Rat lehnte den Plan ab.", "language": "de"} for id in ("1", "2")]
    done = here("support", files[0], "-e", str(write_jsonl(tmp_path / "de.jsonl", german)))
    assert done.code == 1
    assert "the rules are English, but 2 of 2 items are not: id 1 is de" in " ".join(done.err.split())


def test_undeclared_languages_are_recognised(here: Callable[..., Call], files: list[str], tmp_path: Path) -> None:
    text = "Der Rat lehnte den Plan ab, und die Kosten sind nicht mit dem Ausschuss besprochen."
    undeclared = [{"id": "1", "source": SOURCE}, {"id": "2", "source": text}]
    done = here("support", files[0], "-e", str(write_jsonl(tmp_path / "de.jsonl", undeclared)))
    assert done.code == 1
    assert "1 of 2 items are not: id 2 is German" in " ".join(done.err.split())
    declared = [one | {"language": "en"} for one in undeclared]
    assert here("support", files[0], "-e", str(write_jsonl(tmp_path / "en.jsonl", declared))).code == 0


def test_json(here: Callable[..., Call], files: list[str]) -> None:
    found = json.loads(here("support", *files, "--json").out)
    assert (found["n"], found["sentences"], set(found["systems"])) == (2, 6, {"a", "b"})
    rate = found["systems"]["a"]
    assert rate["supported"] == pytest.approx(2 / 3)
    assert rate["low"] < rate["supported"] < rate["high"]
    alone = json.loads(here("support", *files, "--system", "b", "--json").out)
    assert set(alone["systems"]) == {"b"}


def test_sentences(here: Callable[..., Call], files: list[str], tmp_path: Path) -> None:
    assert here("support", *files, "-o", str(tmp_path / "s.jsonl")).code == 0
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    keys = {"id", "system", "sentence", "start", "end", "verdict", "probability", "reason", "evidence"}
    assert all(set(row) == keys for row in rows)
    assert rows[0]["verdict"] == "contradicted"
    assert rows[0]["evidence"][0]["context"] == "d1"


def test_page(here: Callable[..., Call], files: list[str], tmp_path: Path) -> None:
    assert here("support", *files, "-o", str(tmp_path / "s.html")).code == 0
    page = (tmp_path / "s.html").read_text()
    assert '<mark class="contradicted"' in page
    assert "&lt;b&gt;Acme&lt;/b&gt;" in page
    assert "<script" not in page
    assert "<b>" not in page
    assert sheet() in page  # font, colours and components of all pages
    colours = page.partition(sheet())[2].partition("</style>")[0]
    assert not re.search(r"#[0-9a-f]{3}|rgb|system-ui", colours)  # none of its own


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--checker", "bleu"], "no checker called bleu"),
        (["-o", "x.txt"], "unknown ending"),
        (["--system", "c"], "no system c"),
    ],
)
def test_wrong_files_and_options_are_refused(
    here: Callable[..., Call], files: list[str], options: list[str], problem: str
) -> None:
    done = here("support", *files, *options)
    assert done.code in (1, 2)
    assert problem in done.err


def test_items_without_texts(here: Callable[..., Call], tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "o.jsonl", [{"id": "1", "output": "A text."}])
    done = here("support", str(path))
    assert done.code == 1
    assert "neither contexts nor source" in done.err
