"""Released data that is damaged, or is not what was released: one line that names it, for every published work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.meta.reproduce import REPRODUCTIONS
from tests.conftest import Call

Run = Callable[..., Call]
REFERENCES = "webnlg/{0}/test/rdf-to-text-generation-test-data-with-refs-{0}.xml"
XML = '<benchmark><entries><entry eid="1"><lex lang="{0}">Wexley has a harbour .</lex></entry></entries></benchmark>'


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The smallest data of two shared tasks that gives cells."""
    for language in ("en", "ru"):
        put(tmp_path, REFERENCES.format(language), XML.format(language))
        put(tmp_path, f"webnlg/outputs-2020/{language}/mine.txt", "Wexley has a harbour .\n")
    put(tmp_path, "e2e/testset_w_refs.csv", "mr,ref\nname[Aromi],Aromi is a place to eat .\n")
    put(tmp_path, "e2e/outputs/mine.tsv", "MR\toutput\nname[Aromi]\tAromi is a place to eat .\n")
    for name in ("human_annotations.json", "baseline_factuality_metrics_outputs.json"):
        put(tmp_path, f"frank/{name}", json.dumps([{"hash": "a", "model_name": "b", "Factuality": 1}]))
    put(tmp_path, "frank/texts.jsonl", json.dumps({"sentences": ["a"]}))
    put(
        tmp_path,
        "narrative/complete_human_annotations.csv",
        ",interesting,coherent,fluent,relevant\n1_0.3,[1],[1],[1],[1]\n",
    )
    put(tmp_path, "eks/data/mucsum/test.json", "{}")
    for rater in ("a1", "a2", "a3"):
        put(tmp_path, f"eks/data/human_study/{rater}_data_with_model_names.json", "{}")
    put(tmp_path, "eks/model_outputs/x/y/1_test_preds.jsonl", json.dumps({"prediction": "a", "reference": "b"}))
    return tmp_path


FILES = {
    "webnlg": (REFERENCES.format("en"),),
    "e2e": ("e2e/testset_w_refs.csv", "e2e/outputs/mine.tsv"),
    "frank": ("frank/human_annotations.json", "frank/texts.jsonl"),
    "narrative": ("narrative/complete_human_annotations.csv",),
    "eks": ("eks/model_outputs/x/y/1_test_preds.jsonl", "eks/data/human_study/a2_data_with_model_names.json"),
}
BAD: dict[str, bytes] = {
    "cut": b'<benchmark><entries><entry eid="1"><lex',
    "entities": b'<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx">]><benchmark>&x;</benchmark>',
    "other columns": b"a,b\n1,2\n",
    "one column": b"MR\nx\n",
    "no UTF-8": b"\xff\xfe,\xff\n\xff,\x80\n",
    "NUL": b"mr,ref\n\x00,\x00\n",
    "empty": b"",
    "nested": b"[" * 100_000,
    "a list of nothing": b"[]",
    "a number": b"3",
    "objects": b'{"a": {"b": [1, {"c": null}]}}',
    "lines": b'{"a": 1}\n[2]\n"x"\n',
    "quotes": b'mr,ref\n"a,b\n',
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", FILES)
def test_bad_files_are_one_line(here: Run, data: Path, name: str, bad: str) -> None:
    for file in FILES[name]:
        kept = (data / file).read_bytes()
        put(data, file, BAD[bad])
        call = here("metric", "reproduce", name, "--data", data)
        assert (call.code, call.err.count("\n")) == (1, 1), (file, call.err)
        assert str(data) in call.err
        assert "mistake" not in call.err
        put(data, file, kept)


def test_outputs_that_are_no_text(here: Run, data: Path) -> None:
    put(data, "webnlg/outputs-2020/en/mine.txt", b"caf\xe9\n")
    call = here("metric", "reproduce", "webnlg", "--data", data)
    assert (call.code, call.err.count("\n")) == (1, 1)
    assert "mine.txt:1: not valid UTF-8" in call.err


def test_the_rest_is_reproduced_and_the_bad_is_named(here: Run, data: Path) -> None:
    put(data, REFERENCES.format("ru"), BAD["cut"])
    call = here("metric", "reproduce", "--data", data, "--json")
    assert call.code == 0
    printed = {name for name, work in REPRODUCTIONS.items() if not work.released}
    tables = {row["table"] for row in call.json["rows"]}
    assert {table for table in tables if table.partition(":")[0] not in printed} == {"e2e: E2E challenge"}
    skipped = {each["name"]: each["why"] for each in call.json["skipped"]}
    assert "not well-formed XML" in skipped["webnlg"]
    assert skipped.keys() == REPRODUCTIONS.keys() - {"e2e", *printed}
