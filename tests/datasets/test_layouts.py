"""Other layouts that publishers use for the same data, and what readers leave out on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.datasets import Report, dataset
from assay.datasets.web_nlg import TYPES
from assay.datasets.writing_prompts import story
from assay.datasets.xsum import XSUM_SPLIT
from assay.errors import AssayError
from assay.records import Example
from tests.datasets.synthetic_files import XML, write


def read(name: str, path: Path, split: str | None = None) -> tuple[list[Example], Report]:
    report = Report(name)
    return list(dataset(name).read(path, split, report)), report


def test_common_gen_as_parallel_lines_groups_by_concepts(tmp_path: Path) -> None:
    (tmp_path / "commongen.dev.src_alpha.txt").write_text("cat sit\ncat sit\ndog run\n")
    (tmp_path / "commongen.dev.tgt.txt").write_text("A cat sits.\nThe cat sat.\nDogs run.\n")
    (tmp_path / "commongen.test.src_alpha.txt").write_text("bird fly\n")
    examples, report = read("common_gen", tmp_path)
    assert [(e.split, e.references) for e in examples] == [
        ("validation", ("A cat sits.", "The cat sat.")), ("validation", ("Dogs run.",)), ("test", ()),
    ]  # fmt: skip
    assert report.records == 4
    assert read("common_gen", tmp_path / "commongen.dev.tgt.txt")[0] == examples[:2]


def test_xsum_as_crawled(tmp_path: Path) -> None:
    (tmp_path / XSUM_SPLIT).write_text(json.dumps({"train": [], "validation": [], "test": ["7", "8"]}))
    folder = tmp_path / "bbc-summary-data"
    folder.mkdir()
    marks = ["URL", "u", "TITLE", "t", "FIRST-SENTENCE", "Short.", "RESTBODY"]
    body = "".join(f"[SN]{mark}[SN]\n" if i % 2 == 0 else f"{mark}\n" for i, mark in enumerate(marks))
    (folder / "7.summary").write_text(body + "Share this with\nLong text.\nEmail\nMore.\n")
    with pytest.raises(AssayError, match=r"8\.summary id 8: is missing"):
        read("xsum", tmp_path, "test")
    (folder / "8.summary").write_text("[SN]cut off")
    with pytest.raises(AssayError, match=r"has 2 \[SN\] parts"):
        read("xsum", tmp_path, "test")
    report = Report("xsum", lenient=True)
    (example,) = dataset("xsum").read(tmp_path, "test", report)
    assert (example.id, example.references, example.source) == ("7", ("Short.",), "Long text.\nMore.")
    assert sum(report.bad.values()) == 1


def test_stories_have_three_lengths(tmp_path: Path) -> None:
    text = "A <newline> <newline> B <newline> C <newline> D"
    assert [story(text, length) for length in ("small", "medium", "large")] == ["A", "A\nB\nC", "A\nB\nC\nD"]
    long = " ".join(f"w{i}" for i in range(90))
    assert len(story(f"{long} {long} <newline> B", "small").split()) == 100
    assert len(story(f"{long} <newline> {long} <newline> {long} <newline> B", "medium").split()) == 256
    (tmp_path / "valid.wp_source").write_text("[WP] One .\n[ EU ] Two .\n[ WP ] Three [ 3 ] .\n[ WP ] Four .\n")
    with pytest.raises(AssayError, match=r"valid\.wp_target: missing"):
        read("writing_prompts", tmp_path)
    (tmp_path / "valid.wp_target").write_text("a <newline> b\nc\nd\n<newline>\n")
    examples, report = read("writing_prompts:length=small", tmp_path)
    assert [(one.source, one.references, one.split) for one in examples] == [
        ("One .", ("a",), "validation"), ("Three [ 3 ] .", ("d",), "validation")
    ]  # fmt: skip
    assert report.dropped == {"prompts with another tag than WP": 1, "prompts without a story": 1}
    (tmp_path / "valid.wp_target").write_text("a\n")
    with pytest.raises(AssayError, match="has only 1 lines"):
        read("writing_prompts", tmp_path)


def test_multiwoz_predictions_are_read_as_outputs(tmp_path: Path) -> None:
    folder = tmp_path / "predictions"
    folder.mkdir()
    turn = {"response": "ok [value_name]", "state": {"taxi": {"leave": "9"}}, "active_domains": ["taxi"]}
    (folder / "ubar.json").write_text(json.dumps({"SNG1.json": [turn, {"response": ""}]}))
    examples, _ = read("multiwoz", folder / "ubar.json")
    assert [example.id for example in examples] == ["sng1.0", "sng1.1"]
    assert (examples[0].input or {})["state"] == {"taxi": {"leave": "9"}}
    outputs = list(dataset("multiwoz").outputs(tmp_path))
    assert [(output.id, output.output, output.system) for output in outputs] == [
        ("sng1.0", "ok [value_name]", "ubar"), ("sng1.1", "", "ubar"),
    ]  # fmt: skip


def test_web_nlg_leaves_out_entries_without_its_language_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "ru" / "dev" / "2triples" / "Food.xml"
    path.parent.mkdir(parents=True)
    path.write_text(XML.replace('<lex lang="ru" lid="Id1">Он из Нарнии.</lex>', ""), encoding="utf-8")
    examples, report = read("web_nlg_ru", tmp_path)
    assert [example.id for example in examples] == ["2/Food/Id1"]
    assert report.dropped == {"no text in ru": 1}


def test_web_nlg_test_items_are_tagged_seen_or_unseen(tmp_path: Path) -> None:
    (tmp_path / "rdf-to-text-generation-test-data-with-refs-en.xml").write_text(XML, encoding="utf-8")
    examples, _ = read("web_nlg_en", tmp_path, "test")
    assert all("seen" not in example.tags for example in examples)
    types = tmp_path / TYPES
    types.write_text(json.dumps({"Id1": "type2", "Id2": "type3"}))
    examples, _ = read("web_nlg_en", tmp_path, "test")
    assert [example.tags["seen"] for example in examples] == ["unseen", "unseen-category"]
    types.write_text(json.dumps({"Id1": "type1"}))
    with pytest.raises(AssayError, match=r"id Id2: .*types\.json next to it has no type for Id2"):
        read("web_nlg_en", tmp_path, "test")
    for wrong in ('{"Id1": "type4"}', '["type1"]'):
        types.write_text(wrong)
        with pytest.raises(AssayError, match=r"not one of type1, type2, type3 by id"):
            read("web_nlg_en", tmp_path, "test")


def test_fomc_text_files_are_read_by_document(tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text("a\nb\n")
    for id in "ab":
        (tmp_path / f"{id}.src.txt").write_text("The Committee met.\nIt voted.\n")
        (tmp_path / f"{id}.tgt.txt").write_text("[ACT_START] it voted [ACT_END]\nanother<sent>one\n")
    examples, _ = read("fomc", tmp_path, "test")
    assert [len(example.references) for example in examples] == [2, 2]
    assert examples[0].source == "The Committee met.\nIt voted."
    (tmp_path / "b.tgt.txt").unlink()
    with pytest.raises(AssayError, match=r"test\.txt:2 id b: b\.tgt\.txt is missing"):
        read("fomc", tmp_path, "test")


def _entity(code: str, **more: Any) -> dict[str, Any]:
    return {"classId": code, "part": "s1", "offsets": [{"start": 0, "text": "It"}], **more}


def test_fomc_annotations_are_read_and_checked(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "text": "It rose.", "spans": [{"category": "actor", "start": 0, "end": 2, "comment": "Fed"}]},
        {
            "id": "2",
            "text": "It rose.",
            "entities": [_entity("e_26", fields={"f_42": {"value": "Fed"}}), _entity("e_38")],
        },
        {"id": "3", "text": "It rose.", "entities": [_entity("e_41")]},
        {"id": "4", "text": "It rose.", "entities": [_entity("e_48"), _entity("e_26")]},
    ]
    path = tmp_path / "annotations.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    examples, report = read("fomc", path)
    assert [(example.input or {})["spans"] for example in examples] == [
        [{"category": "actor", "start": 0, "end": 2, "comment": "Fed"}],
        [{"category": "actor", "start": 0, "end": 2, "comment": "Fed"}, {"category": "act", "start": 0, "end": 2}],
    ]
    assert report.dropped == {"irrelevant article": 1, "duplicate article": 1}
    for wrong, message in (
        ({"entities": [_entity("e_41"), _entity("e_26")]}, "mixes e_41"),
        ({"entities": [_entity("e_99")]}, "field 'classId' is not one of"),
        ({"entities": [{**_entity("e_26"), "offsets": [{"start": 1, "text": "It"}]}]}, "is not at its offset"),
        ({"spans": [{"category": "actor", "start": 3, "end": 99}]}, "are outside the text"),
        ({"spans": [{"category": "verb", "start": 0, "end": 2}]}, "is not one of std_sentence"),
    ):
        path.write_text(json.dumps({"id": "x", "text": "It rose.", **wrong}))
        with pytest.raises(AssayError, match=message):
            read("fomc", path)


def test_totto_without_references_and_wiki_lingua_without_languages(tmp_path: Path) -> None:
    path = write("totto", tmp_path)
    row = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    del row["sentence_annotations"]
    unlabeled = tmp_path / "unlabeled_totto_test_data.jsonl"
    unlabeled.write_text(json.dumps(row))
    (example,) = read("totto", tmp_path, "test")[0]
    assert (example.references, example.tags["overlap"]) == ((), "true")
    pair = tmp_path / "es_en"
    pair.mkdir()
    (pair / "val.src").write_text("uno\n")
    (pair / "val.tgt").write_text("one\n")
    (example,) = read("wiki_lingua", tmp_path)[0]
    assert (example.id, example.split) == ("wiki_lingua_es_en-validation-0", "validation")


CROWD = (
    "entities_type,entities,answer_0,answer_1,answer_2,title,date,urls,summaries,context_type,context\n"
    """org,"['Aby', 'Oby']","['the two firms', 'firms']",companies,,T,2006/01/01,[],[],content,"<b>Aby</b> met <i>Oby</i>."\n"""  # noqa: E501
    """org,"['Aby', 'Uby']",firms,,people,T,2006/01/01,[],[],content,Aby met Uby.\n"""
)


def test_tesa_instances_that_cannot_be_aggregated_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "dataset.csv").write_text(CROWD)
    (example,), report = read("tesa", tmp_path)
    assert example.references == ("firms", "companies")
    assert example.source == "Aby met Oby ."
    assert report.dropped == {"not aggregatable: fewer than two annotators gave a phrase": 1}


REAL = [
    ("mucsum", "eks/data/mucsum/test.json"), ("muc4", "muc4/test.json"), ("summeval", "summeval/summeval.jsonl"),
    ("frank", "frank/human_annotations.json"), ("cs_restaurants", "cs_restaurants/test.json"),
    ("dart", "dart/dart-v1.1.1-full-dev.json"), ("schema_guided_dialog", "sgd/test/dialogues_001.json"),
    ("totto", "totto/dev_sample.jsonl"), ("multiwoz", "multiwoz/hdsa_test_reference.json"),
    ("web_nlg_en", "webnlg/en/test/rdf-to-text-generation-test-data-with-refs-en.xml"),
    ("fomc", "fomc/equivalence_classes.json"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file"), REAL)
def test_part_of_a_split_is_reported(shared_data: Callable[[str], Path], tmp_path: Path, name: str, file: str) -> None:
    """One clear line by default; with --lenient everything before the cut, and a count of one."""
    source = shared_data(file)
    path = tmp_path / source.name
    data = source.read_bytes()
    path.write_bytes(data[: len(data) * 6 // 10 - 1])
    with pytest.raises(AssayError, match=r"cut off|not JSON|damaged") as error:
        read(name, path)
    assert str(path) in str(error.value)
    report = Report(name, lenient=True)
    kept = sum(1 for _ in dataset(name).read(path, None, report))
    assert kept > 0
    assert sum(report.bad.values()) == 1
