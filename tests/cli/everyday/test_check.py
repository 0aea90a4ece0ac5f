"""`assay check`: exit codes, JUnit and Markdown, and baselines that bring their own metrics and examples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import assay
from tests.conftest import Call, write_jsonl

SAMPLE = Path(assay.__file__).parent / "sample"
LEAD, TEMPLATE = (SAMPLE / f"outputs/{system}/news.jsonl" for system in ("lead", "template"))
EXAMPLES = ("-e", SAMPLE / "news.jsonl")
Run = Callable[..., Call]


def test_files(here: Run, tmp_path: Path) -> None:
    same = here("check", LEAD, "--baseline", LEAD, *EXAMPLES, "--margin", "chrf=0.5,rouge1=1")
    assert same.code == 0
    assert "lead passes: not worse than lead (baseline) by the margin or more on chrf, rouge1." in same.out
    worse = here("check", TEMPLATE, "-b", LEAD, *EXAMPLES, "--margin", "rouge1=1")
    assert worse.code == 1
    assert "rouge1: fell by 3.3" in worse.out
    assert "assay: quality fell" in worse.err
    better = here("check", TEMPLATE, "-b", LEAD, *EXAMPLES, "--margin", "chrf=1", "--json")
    assert better.code == 0
    assert better.json["passed"] is True
    assert better.json["numbers"]["chrf"]["outcome"] == "passed"
    failed = here("check", TEMPLATE, "-b", LEAD, *EXAMPLES, "--margin", "rouge1=1", "--json")
    assert failed.code == 1
    assert failed.json["numbers"]["rouge1"]["margin"] == 0.01


def test_a_saved_baseline_brings_metrics_and_examples(here: Run, tmp_path: Path) -> None:
    here("score", LEAD, *EXAMPLES, "-m", "rouge:stemmer=true,chrf", "--save", tmp_path / "base")
    call = here("check", TEMPLATE, "-b", tmp_path / "base", "--margin", "rouge1=1,chrf=0.5", "--json")
    assert call.code == 1
    stemmed = assay.score(TEMPLATE, examples=SAMPLE / "news.jsonl", metrics="rouge1:stemmer=true")
    assert call.json["numbers"]["rouge1"]["new"] == stemmed.values["rouge1"]
    here("score", TEMPLATE, *EXAMPLES, "-m", "rouge:stemmer=true,chrf", "--save", tmp_path / "new")
    runs = here("check", tmp_path / "new", "-b", tmp_path / "base", "--margin", "rouge1=1,chrf=0.5", "--json")
    assert runs.json["numbers"] == call.json["numbers"]
    unknown = here("check", TEMPLATE, "-b", tmp_path / "base", "--margin", "bleu=1")
    assert unknown.code == 2
    assert "which has rouge1" in unknown.err


def test_what_continuous_integration_reads(here: Run, tmp_path: Path) -> None:
    xml, summary = tmp_path / "check.xml", tmp_path / "check.md"
    more = ("--junit", xml, "--summary", summary)
    here("check", TEMPLATE, "-b", LEAD, *EXAMPLES, "--margin", "chrf=1,rouge1=1", *more)
    root = ElementTree.parse(xml).getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    cases = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    assert cases["chrf"] is None
    assert cases["rouge1"] is not None
    assert "### Quality check: failed" in summary.read_text(encoding="utf-8")
    assert "| rouge1 | 41.0 | 37.7 |" in summary.read_text(encoding="utf-8")


def test_names_are_data(here: Run, tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "output": f"a cat {i}", "reference": f"a cat {i}", "system": '<a & "b">\x00|'} for i in range(12)
    ]
    path = write_jsonl(tmp_path / "o.jsonl", rows)
    more = ("--junit", tmp_path / "c.xml", "--summary", tmp_path / "c.md")
    assert here("check", path, "-b", path, "--margin", "chrf=1", *more).code == 0
    assert '<a & "b"> |' in str(next(ElementTree.parse(tmp_path / "c.xml").getroot().iter("testsuite")).get("name"))
    assert r"\<a" in (tmp_path / "c.md").read_text(encoding="utf-8")


def test_wrong_usage(here: Run, tmp_path: Path) -> None:
    for margin, why in (
        ("", "name at least one metric"),
        ("chrf", "is not NAME=NUMBER"),
        ("chrf=-1", "must be above 0"),
    ):
        call = here("check", LEAD, "-b", LEAD, *EXAMPLES, "--margin", margin)
        assert call.code == 2, margin
        assert why in call.err
    assert here("check", LEAD, "-b", LEAD, *EXAMPLES).code == 2
    clash = here("check", LEAD, "-b", LEAD, *EXAMPLES, "--margin", "chrf=1", "--junit", LEAD)
    assert clash.code == 2
    assert "is an input of this command" in clash.err
