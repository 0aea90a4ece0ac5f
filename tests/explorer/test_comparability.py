"""Systems that were not scored against the same texts: said alike by the terminal, reports, pages and exports."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.explorer.queries import Queries
from assay.results.comparable import not_comparable, reference_mismatches
from assay.store.run_manifest import EXAMPLES
from tests.conftest import write_jsonl

Call = Callable[..., Any]
N = 30
GOOD = [f"the cat number {i} sat on the mat" for i in range(N)]
BAD = [f"dogs {i}" for i in range(N)]
CONFIG = """
name = "mine"
ci = 0
[[datasets]]
name = "news"
examples = "examples.jsonl"
metrics = ["rouge1", "lengths"]
[[systems]]
name = "a"
outputs = "a.jsonl"
[[systems]]
name = "b"
outputs = "b.jsonl"
"""


def examples(references: list[str], **more: Any) -> list[dict[str, Any]]:
    return [{"id": str(i), "references": [text], **more} for i, text in enumerate(references)]


def outputs(path: Path, texts: list[str], system: str) -> Path:
    return write_jsonl(path, [{"id": str(i), "output": text, "system": system} for i, text in enumerate(texts)])


@pytest.fixture
def mixed(tmp_path: Path, here: Call) -> Path:
    """A results folder in which b was scored against other references than a: put in by hand from another one."""
    outputs(tmp_path / "a.jsonl", GOOD, "a")
    outputs(tmp_path / "b.jsonl", GOOD, "b")
    (tmp_path / "c.toml").write_text(CONFIG)
    for name, references in (("results", GOOD), ("others", BAD)):
        write_jsonl(tmp_path / "examples.jsonl", examples(references))
        assert here("run", tmp_path / "c.toml", "-o", tmp_path / name).code == 0
    shutil.rmtree(tmp_path / "results/news/b")
    shutil.copytree(tmp_path / "others/news/b", tmp_path / "results/news/b")
    return tmp_path / "results"


def test_every_format_withholds_scores_that_are_not_comparable(mixed: Path, here: Call, tmp_path: Path) -> None:
    """b is not worse than a: it was compared with other references."""
    said = here("compare", mixed / "news/a", mixed / "news/b", "--json").json["warnings"]
    warned = " ".join(said)
    assert "Not scored against the same references (30 of 30 items); not comparable: rouge1." in warned
    for form, options in (("md", ()), ("html", ("--plain",)), ("tex", ()), ("csv", ())):
        call = here("report", mixed, "-o", tmp_path / f"r.{form}", *options)
        assert call.code == 0
        told = " ".join(call.err.split())
        assert "news: b was not scored against the same texts as a; not comparable: rouge1" in told
        assert "news/b was scored against other examples than news/examples.jsonl." in told
        text = (tmp_path / f"r.{form}").read_text(encoding="utf-8")
        assert "lower on" not in text
        assert "higher on" not in text
        if form != "csv":
            assert "not scored against the same texts" in text
        if form in ("md", "html"):
            assert "rouge1 not comparable (references differ)" in text.replace("\\_", "_")
    page = Queries([mixed]).comparison("news", "a", "b")
    assert page.metrics["rouge1"].difference is None
    assert page.metrics["rouge1"].p_adjusted is None
    assert page.metrics["rouge1"].why == "references differ"
    assert page.metrics["mean_length"].difference == 0
    assert any("Not scored against the same references" in warning for warning in page.warnings)
    assert any("not scored against the same texts" in note for note in Queries([mixed]).overview_page.notes)


NOTHING = ("difference", "low", "high", "p", "p_adjusted", "effect", "items_needed", "p_equal", "p_not_worse", "better")


@pytest.mark.parametrize("options", [(), ("--test", "bootstrap"), ("--bayes", "--margin", "rouge1=1")])
def test_terminal_has_no_verdict_on_different_references(mixed: Path, here: Call, options: tuple[str, ...]) -> None:
    """Neither p, nor a star, nor a last sentence about numbers of which it warns."""
    call = here("compare", mixed / "news/a", mixed / "news/b", *options)
    assert call.code == 0
    said = " ".join(call.out.split())
    assert "rouge1 not comparable (references differ)." in said
    assert "*" not in said.partition("No significant difference")[0]
    assert "No significant difference on mean_length (adjusted p = 1)" in said  # which reads no references
    assert "better with" not in said.replace("mean_length", "")
    assert next(line.split() for line in call.out.splitlines() if line.strip().startswith("rouge1"))[3:5] == ["–", "–"]
    shown = here("compare", mixed / "news/a", mixed / "news/b", *options, "--json").json["metrics"]
    assert [shown["rouge1"][key] for key in NOTHING] == [None] * len(NOTHING)
    assert (shown["rouge1"]["floor"], shown["rouge1"]["why"]) == (False, "references differ")
    assert "chances" not in shown["rouge1"]
    assert (shown["rouge1"]["a"], shown["mean_length"]["p"]) == (1.0, 1.0)
    alone = here("compare", mixed / "news/a", mixed / "news/b", "-m", "rouge1", *options)
    assert "significant" not in alone.out
    assert "rouge1 not comparable (references differ)." in alone.out


def test_one_of_several_systems_with_other_references(mixed: Path, here: Call, tmp_path: Path) -> None:
    """What is comparable is compared, and corrected over those tests alone."""
    shutil.copytree(mixed / "news/a", tmp_path / "c")
    call = here("compare", mixed / "news/a", mixed / "news/b", tmp_path / "c", "-m", "rouge1")
    said = " ".join(call.out.split())
    assert "b (2): rouge1 not comparable (references differ)." in said
    assert "p < .05, one test of all pairs of systems and all metrics." in said
    found = here("compare", mixed / "news/a", mixed / "news/b", tmp_path / "c", "-m", "rouge1", "--json").json
    assert [each["metrics"]["rouge1"]["p"] for each in found["comparisons"]] == [None, 1.0]
    assert found["groups"] == {}
    assert found["all_pairs"]["left_out"] == {"rouge1": "references differ"}


def test_python_has_no_verdict_on_different_references(mixed: Path) -> None:
    compared = assay.compare(assay.load_run(mixed / "news/a"), assay.load_run(mixed / "news/b"), margin={"rouge1": 0.1})
    assert compared.apart == {"rouge1": "references differ"}
    row = compared.to_frame().row(by_predicate=polars.col("metric") == "rouge1", named=True)
    assert [row[key] for key in NOTHING] == [None] * len(NOTHING)
    for shown in (repr(compared), compared._repr_html_()):
        assert "rouge1 not comparable (references differ)." in shown
        assert "significantly" not in shown


def test_comparability_depends_on_what_the_metric_reads() -> None:
    """Tags, order and items left out make another digest, and no other score."""
    a = assay.score(GOOD, examples=examples(GOOD), metrics="rouge1,lengths")
    tagged = assay.score(GOOD, examples=examples(GOOD, tags={"topic": "cats"}), metrics="rouge1,lengths")
    assert not_comparable(a, tagged, ["rouge1", "mean_length"]) == {}
    rows = [{"id": row["id"], "output": "x"} for row in examples(GOOD)[::-1]]
    fewer = assay.score(rows[3:], examples=examples(GOOD), metrics="rouge1,lengths", allow_missing=True)
    compared = assay.compare(a, fewer)
    assert not any("ot scored against" in warning for warning in compared.warnings)
    assert any("Items differ" in warning for warning in compared.warnings)
    sources = assay.score(GOOD, examples=examples(GOOD, source="s"), metrics="rouge1,novelty")
    other = assay.score(GOOD, examples=examples(GOOD, source="t"), metrics="rouge1,novelty")
    apart = not_comparable(sources, other, ["rouge1", "novel-2"])
    assert apart == {"novel-2": "sources differ"}
    names = ", ".join(name for name in sources.shown if name != "rouge1")
    assert reference_mismatches({"one": sources, "two": other}) == [
        f"two was not scored against the same texts as one; not comparable: {names}."
    ]


@pytest.mark.parametrize("gone", [False, True])
def test_saved_runs_are_compared_by_their_examples(tmp_path: Path, gone: bool) -> None:
    for name, topic in (("a", "cats"), ("b", "dogs")):
        told = examples(GOOD, tags={"topic": topic})
        assay.score(GOOD, examples=told, metrics="rouge1", save=tmp_path / name, system=name)
    if gone:  # nobody can tell any more
        (tmp_path / "b" / EXAMPLES).unlink()
    a, b = (assay.load_run(tmp_path / name) for name in "ab")
    assert not_comparable(a, b, ["rouge1"]) == ({"rouge1": "references differ"} if gone else {})


def test_refused_rerun_leaves_files_unchanged(tmp_path: Path, here: Call) -> None:
    """Neither other references nor other outputs replace anything without --force."""
    outputs(tmp_path / "a.jsonl", GOOD, "a")
    outputs(tmp_path / "b.jsonl", BAD, "b")
    (tmp_path / "c.toml").write_text(CONFIG)
    write_jsonl(tmp_path / "examples.jsonl", examples(GOOD))
    out = tmp_path / "results"
    assert here("run", tmp_path / "c.toml", "-o", out).code == 0
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    write_jsonl(tmp_path / "examples.jsonl", examples(BAD))
    refused = here("run", tmp_path / "c.toml", "-o", out)
    assert refused.code == 1
    assert "other examples" in refused.err
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    write_jsonl(tmp_path / "examples.jsonl", examples(GOOD))
    outputs(tmp_path / "a.jsonl", BAD, "a")
    outputs(tmp_path / "b.jsonl", GOOD, "b")
    refused = here("run", tmp_path / "c.toml", "-o", out)
    assert refused.code == 1
    assert "contains a run of other outputs" in refused.err
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    assert here("run", tmp_path / "c.toml", "-o", out, "--force").code == 0
    assert json.loads((out / "results.json").read_text())["entries"][0]["why"] is None
    assert Queries([out]).overview.problems == []
