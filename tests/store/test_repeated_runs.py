"""Several seeds or prompts of one system are averaged into one row, wherever results are shown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.execution.config import read_config
from assay.explorer.overview import overview_of
from assay.store.library import open_results
from tests.conftest import Call, write_jsonl
from tests.support.report_text import report_text
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
WORDS = ["one two three four", "five six seven eight", "nine ten eleven twelve"]


@pytest.fixture
def config(tmp_path: Path, server: Server) -> Path:
    """A chat model that says more or less of the input, depending on which prompt it was asked with."""
    rows = [{"id": str(i), "source": text, "references": [text]} for i, text in enumerate(WORDS)]
    write_jsonl(tmp_path / "e.jsonl", rows)
    (tmp_path / "mine.toml").write_text('name = "mine"\nversion = 1\nsystem = "say 4"\nuser = "{text}"\n')

    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        told = body["messages"][0]["content"]
        count = 4 if told == "say 4" else 1 if "editor" in told else 2
        return 200, server.answer(" ".join(body["messages"][-1]["content"].split()[:count]))

    server.behave = behave
    path = tmp_path / "c.toml"
    path.write_text(
        f"""
name = "prompts"
ci = 50
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1"]
[[systems]]
name = "toy"
system = "chat:toy:base={server.url}:cache=none"
prompts = ["eks-1", "eks-2", "mine.toml"]
[[systems]]
name = "copy"
system = "copy"
""",
        encoding="utf-8",
    )
    return path


def test_prompts_are_averaged_into_one_row(here: Run, config: Path, server: Server, tmp_path: Path) -> None:
    call = here("run", config, "-o", tmp_path / "out")
    assert call.code == 0, call.err
    assert len(server.calls) == 9
    assert len({body["messages"][0]["content"] for body in server.calls}) == 3
    runs = [f"toy-{name}" for name in ("eks-1", "eks-2", "mine")]
    scores = [
        json.loads((tmp_path / f"out/d/{name}/run.json").read_text())["scores"]["rouge1"]["value"] for name in runs
    ]
    assert scores == pytest.approx([2 / 3, 2 / 5, 1.0])
    rows = json.loads((tmp_path / "out/groups.json").read_text())["groups"]
    (row,) = [row for row in rows if row["number"] == "rouge1"]
    assert (row["group"], row["runs"]) == ("toy", 3)
    assert row["mean"] == pytest.approx(statistics.fmean(scores))
    assert row["sd"] == pytest.approx(statistics.stdev(scores))
    assert (row["low"], row["high"]) == (None, None)  # three items are too few
    assert "toy          mean of 3: rouge1 68.9 ± 30.1" in call.out


def test_the_row_is_in_every_report(here: Run, config: Path, tmp_path: Path) -> None:
    here("run", config, "-o", tmp_path / "out")
    assert here("report", tmp_path / "out", "-o", tmp_path / "r.md").code == 0
    assert "toy (mean of 3)" in (tmp_path / "r.md").read_text()
    assert here("report", tmp_path / "out", "-o", tmp_path / "r.html").code == 0
    assert "toy (mean of 3)" in report_text(tmp_path / "r.html")
    overview = overview_of(open_results([tmp_path / "out"]))
    (line,) = [line for line in overview.runs if line.system == "toy (mean of 3)"]
    assert line.scores["rouge1"].value == pytest.approx((2 / 3 + 2 / 5 + 1) / 3)
    assert line.scores["rouge1"].signature == overview.runs[0].scores["rouge1"].signature


def test_the_interval_is_that_of_items(here: Run, tmp_path: Path) -> None:
    """One run twice has the interval of the run: averaging the same thing adds no certainty."""
    texts = [f"word{i} " * (1 + i % 5) for i in range(40)]
    rows = [{"id": str(i), "source": text, "references": [f"word{i} word2"]} for i, text in enumerate(texts)]
    write_jsonl(tmp_path / "e.jsonl", rows)
    (tmp_path / "c.toml").write_text(
        'name = "x"\nci = 200\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\n'
        '[[systems]]\nname = "s"\nsystem = "copy"\nseeds = [1, 2]\n',
        encoding="utf-8",
    )
    here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    alone = json.loads((tmp_path / "out/d/s-1/run.json").read_text())["scores"]["rouge1"]
    rows = json.loads((tmp_path / "out/groups.json").read_text())["groups"]
    (row,) = [row for row in rows if row["number"] == "rouge1"]
    assert (row["mean"], row["low"], row["high"]) == pytest.approx((alone["value"], alone["low"], alone["high"]))
    assert row["sd"] == 0


def test_seeds_and_prompts_multiply(tmp_path: Path) -> None:
    text = 'name = "x"\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\n[[systems]]\nname = "s"\n'
    path = tmp_path / "c.toml"
    path.write_text(text + 'system = "hf:m"\nseeds = [0, 1]\nprompts = ["a", "b"]\n', encoding="utf-8")
    systems = read_config(path)[0].systems
    assert [one.name for one in systems] == ["s-a-0", "s-a-1", "s-b-0", "s-b-1"]
    assert {one.group for one in systems} == {"s"}
    assert systems[0].system == "hf:m:prompt=a"


def test_prompts_without_a_system(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(
        'name = "x"\n[[datasets]]\nname = "d"\nexamples = "e"\n'
        '[[systems]]\nname = "s"\noutputs = "o"\nprompts = ["a"]\n',
        encoding="utf-8",
    )
    assert "has prompts but no system" in here("run", path).err


HEAD = 'name = "x"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\n'
HEAD += '[[systems]]\nname = "s"\n'


def test_outputs_that_are_there_by_seed(here: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "e.jsonl", [{"id": "1", "references": ["a b"]}])
    for seed, text in ((1, "a b"), (2, "a c")):
        write_jsonl(tmp_path / f"{seed}-d.jsonl", [{"id": "1", "output": text}])
    (tmp_path / "c.toml").write_text(HEAD + 'outputs = "{seed}-{dataset}.jsonl"\nseeds = [1, 2]\n', encoding="utf-8")
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert call.code == 0, call.err
    row = next(r for r in json.loads((tmp_path / "out/groups.json").read_text())["groups"] if r["number"] == "rouge1")
    assert (row["mean"], row["runs"]) == (pytest.approx(0.75), 2)


def test_entries_of_one_group_have_a_mean(here: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "e.jsonl", [{"id": "1", "references": ["a b"]}])
    write_jsonl(tmp_path / "one.jsonl", [{"id": "1", "output": "a b"}])
    write_jsonl(tmp_path / "two.jsonl", [{"id": "1", "output": "c"}])
    second = '[[systems]]\nname = "t"\noutputs = "two.jsonl"\ngroup = "both"\n'
    (tmp_path / "c.toml").write_text(HEAD + 'outputs = "one.jsonl"\ngroup = "both"\n' + second, encoding="utf-8")
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert call.code == 0, call.err
    row = next(r for r in json.loads((tmp_path / "out/groups.json").read_text())["groups"] if r["number"] == "rouge1")
    assert (row["group"], row["mean"]) == ("both", pytest.approx(0.5))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('outputs = "{seed}.jsonl"\n', "outputs has {seed}, but the system has no seeds"),
        ('outputs = "{run}.jsonl"\n', "outputs has {run}; allowed are {dataset}, {seed} and {prompt}"),
        ('outputs = "o.jsonl"\nseeds = [1, 2]\n', "add {seed} to the path"),
    ],
)
def test_places_in_paths_that_mean_nothing(here: Run, tmp_path: Path, entry: str, message: str) -> None:
    (tmp_path / "c.toml").write_text(HEAD + entry, encoding="utf-8")
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert (call.code, call.out) == (1, "")
    assert message in call.err
