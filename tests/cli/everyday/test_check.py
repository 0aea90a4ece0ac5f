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
    same = here("check", LEAD, "--baseline", LEAD, *EXAMPLES, "--margin", "chrf=12,rouge1=12")
    assert same.code == 0
    assert "lead passes: not worse than lead (baseline) by the margin or more on chrf, rouge1." in same.out
    assert "identical scores on all 40 items" in same.out
    worse = here("check", TEMPLATE, "-b", LEAD, *EXAMPLES, "--margin", "rouge1=1")
    assert worse.code == 1
    assert "rouge1: fell by 3.3" in worse.out
    assert "assay: the check failed" in worse.err
    better = here("check", TEMPLATE, "-b", LEAD, *EXAMPLES, "--margin", "chrf=12", "--json")
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
    here("check", TEMPLATE, "-b", LEAD, *EXAMPLES, "--margin", "chrf=12,rouge1=1", *more)
    root = ElementTree.parse(xml).getroot()
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    cases = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    assert cases["chrf"] is None
    assert cases["items"] is None
    assert cases["rouge1"] is not None
    assert "### Quality check: failed" in summary.read_text(encoding="utf-8")
    assert "| rouge1 | 41.0 | 37.7 |" in summary.read_text(encoding="utf-8")


def test_names_are_data(here: Run, tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "output": f"a cat {i}", "reference": f"a cat {i}", "system": '<a & "b">\x00|'} for i in range(60)
    ]
    path = write_jsonl(tmp_path / "o.jsonl", rows)
    more = ("--junit", tmp_path / "c.xml", "--summary", tmp_path / "c.md")
    assert here("check", path, "-b", path, "--margin", "chrf=12", *more).code == 0
    assert '<a & "b"> |' in str(next(ElementTree.parse(tmp_path / "c.xml").getroot().iter("testsuite")).get("name"))
    assert r"\<a" in (tmp_path / "c.md").read_text(encoding="utf-8")


def test_wrong_usage(here: Run, tmp_path: Path) -> None:
    for margin, why in (
        ("", "name at least one metric"),
        ("chrf", "is not NAME=NUMBER"),
        ("chrf=-1", "is not a number above 0"),
        ("chrf=20", "a fifth or more of its range"),
    ):
        call = here("check", LEAD, "-b", LEAD, *EXAMPLES, "--margin", margin)
        assert call.code == 2, margin
        assert why in call.err
    assert here("check", LEAD, "-b", LEAD, *EXAMPLES).code == 2
    clash = here("check", LEAD, "-b", LEAD, *EXAMPLES, "--margin", "chrf=1", "--junit", LEAD)
    assert clash.code == 2
    assert "is an input of this command" in clash.err


def test_exit_codes(here: Run, tmp_path: Path) -> None:
    """0 passes, 1 fails, 3 is inconclusive, 2 is a wrong call or an unreadable file."""
    common = ("-b", LEAD, *EXAMPLES)
    assert here("check", TEMPLATE, *common, "--margin", "chrf=12").code == 0
    assert here("check", TEMPLATE, *common, "--margin", "rouge1=1").code == 1
    unsure = here("check", TEMPLATE, *common, "--margin", "chrf=0.5")
    assert unsure.code == 3
    assert "requires at least 598 items (here 40)" in " ".join(unsure.out.split())
    assert "inconclusive" in unsure.err
    lenient = here("check", TEMPLATE, *common, "--margin", "chrf=0.5", "--lenient", "--json")
    assert lenient.code == 0
    assert (lenient.json["outcome"], lenient.json["numbers"]["chrf"]["outcome"]) == ("passed", "undecided")
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text('{"id": "news-1", "output": ', encoding="utf-8")
    for new in (tmp_path / "none.jsonl", damaged, tmp_path):
        assert here("check", new, *common, "--margin", "chrf=1").code == 2, new


def test_missing_items_fail_and_are_in_every_output(here: Run, tmp_path: Path) -> None:
    lines = LEAD.read_text(encoding="utf-8").splitlines(keepends=True)
    short = tmp_path / "lead.jsonl"
    short.write_text("".join(lines[:37]), encoding="utf-8")
    xml, summary = tmp_path / "check.xml", tmp_path / "check.md"
    common = ("check", short, "-b", LEAD, *EXAMPLES, "--margin", "chrf=12", "--junit", xml, "--summary", summary)
    call = here(*common)
    assert call.code == 1
    words = "3 of 40 items missing (news-38, news-39, news-40)"
    for text in (call.out, summary.read_text(encoding="utf-8"), xml.read_text(encoding="utf-8")):
        assert words in " ".join(text.split())
    assert ElementTree.parse(xml).getroot().get("failures") == "1"
    as_json = here(*common, "--json")
    assert as_json.code == 1
    assert as_json.json["missing"] == {"count": 3, "of": 40, "allowed": 0, "ids": ["news-38", "news-39", "news-40"]}
    assert here(*common, "--allow-missing", "2").code == 1
    for allowed in ("3", "8%"):
        passed = here(*common, "--allow-missing", allowed)
        assert passed.code == 0
        assert words in " ".join(passed.out.split())
        assert words in " ".join(summary.read_text(encoding="utf-8").split())
        assert words in xml.read_text(encoding="utf-8")
    assert here(*common, "--allow-missing", "few").code == 2
    runs = [tmp_path / "old", tmp_path / "new"]
    here("score", LEAD, *EXAMPLES, "-m", "chrf", "--save", runs[0])
    here("score", short, *EXAMPLES, "-m", "chrf", "--allow-missing", "--save", runs[1])
    assert here("check", runs[1], "-b", runs[0], "--margin", "chrf=12").code == 1


def test_sequential_checks(here: Run) -> None:
    common = ("check", TEMPLATE, "-b", LEAD, *EXAMPLES)
    call = here(*common, "--margin", "rouge1=19", "--sequential", "--json")
    assert call.code == 0
    row = call.json["numbers"]["rouge1"]
    assert row["decision"] == "passed"
    assert row["e_value"] >= 20
    assert row["decided_after"] < row["looks"] == 40
    refused = here(*common, "--margin", "chrf=12", "--sequential")
    assert refused.code == 2
    assert "not sequential: needs the mean of item scores" in refused.err
    assert here(*common, "--margin", "rouge1=19", "--order", "random").code == 2
    assert here(*common, "--margin", "rouge1=19", "--sequential", "--allow-missing", "2").code == 2
