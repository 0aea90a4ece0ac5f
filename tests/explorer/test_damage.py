"""Damaged results: every form of a report ends the same way, names the same problem and shows what is left."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import assay
from assay.execution.config import read_config
from assay.execution.run_config import run
from assay.explorer.queries import Queries
from tests.support.report_text import report_text

Call = Callable[..., Any]
FORMS: dict[str, tuple[str, ...]] = {
    "r.md": (), "r.tex": (), "r.html": (), "plain.html": ("--plain",), "r.csv": (), "r.parquet": (),
}  # fmt: skip
SILENT = ("r.csv", "r.parquet")
"""Tables for other programs hold rows and nothing else; what is wrong is said on stderr alone."""


def cut(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def other_format(file: Path) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"format": 99}), encoding="utf-8")


def without(file: Path, key: str) -> None:
    manifest = json.loads(file.read_text(encoding="utf-8"))
    del manifest[key]
    file.write_text(json.dumps(manifest), encoding="utf-8")


def first_statistics(folder: Path) -> Path:
    return next((folder / "news" / "lead" / "statistics").glob("rouge*"))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "whole": (lambda folder: None, ""),
    "results.json cut": (lambda folder: cut(folder / "results.json"), "results.json"),
    "results.json gone": (lambda folder: (folder / "results.json").unlink(), "results.json"),
    "run.json cut": (lambda folder: cut(folder / "news" / "lead" / "run.json"), "news/lead/run.json"),
    "run.json gone": (lambda folder: (folder / "news" / "lead" / "run.json").unlink(), "news/lead/run.json"),
    "run.json of another format": (
        lambda folder: other_format(folder / "news" / "lead" / "run.json"), "news/lead/run.json",
    ),
    "run.json without metrics": (
        lambda folder: without(folder / "news" / "lead" / "run.json", "metrics"), "news/lead/run.json",
    ),
    "items cut": (lambda folder: cut(folder / "news" / "lead" / "items.parquet"), "news/lead/items.parquet"),
    "statistics gone": (lambda folder: first_statistics(folder).unlink(), "news/lead/statistics/rouge"),
    "statistics cut": (lambda folder: cut(first_statistics(folder)), "news/lead/statistics/rouge"),
    "a run folder gone": (lambda folder: shutil.rmtree(folder / "news" / "lead"), "news/lead/run.json"),
    "a dataset gone": (lambda folder: shutil.rmtree(folder / "news"), "news/lead/run.json"),
    "judgements cut": (lambda folder: cut(folder / "news" / "judgements.jsonl"), "judgements.jsonl"),
    "texts gone": (lambda folder: (folder / "news" / "lead" / "outputs.jsonl").unlink(), ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two datasets, two systems and few metrics: every form is written in a moment."""
    config, base = read_config(Path("sample"))
    datasets = [
        msgspec.structs.replace(dataset, suite=None, metrics=["rouge", "chrf"])
        for dataset in config.datasets
        if dataset.name in ("news", "simple")
    ]
    folder = tmp_path_factory.mktemp("small")
    run(msgspec.structs.replace(config, datasets=datasets, systems=config.systems[:2], ci=50), base, folder)
    return folder


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_format_names_the_same_damage(here: Call, small: Path, tmp_path: Path, damage: str) -> None:
    harm, named = DAMAGES[damage]
    folder = tmp_path / "results"
    shutil.copytree(small, folder)
    harm(folder)
    ends = {}
    for file, options in FORMS.items():
        said = here("report", folder, "-o", tmp_path / file, *options)
        problems = said.err.replace("\n  ", " ").splitlines()  # folded to the width of a terminal
        ends[file] = (said.code, problems)
        if named and file not in SILENT:
            text = report_text(tmp_path / file).replace("\\_", "_")
            assert named in text, f"{file} does not name {named}"
    assert len({str(end) for end in ends.values()}) == 1, ends
    code, problems = ends["r.md"]
    assert code == 0
    assert any(named in problem for problem in problems) == bool(named)


@pytest.mark.parametrize("file", FORMS)
def test_report_without_readable_scores_is_refused(here: Call, small: Path, tmp_path: Path, file: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(small / "news" / "lead", folder)
    cut(folder / "run.json")
    said = here("report", folder, "-o", tmp_path / file, *FORMS[file])
    assert said.code == 1
    assert "run.json" in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not (tmp_path / file).exists()


def test_report_json_lists_problems(here: Call, small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    shutil.copytree(small, folder)
    cut(folder / "news" / "lead" / "run.json")
    said = here("report", folder, "-o", tmp_path / "r.md", "--json")
    found = json.loads(said.out)
    assert found["datasets"] == 2
    assert any("news/lead/run.json" in problem for problem in found["problems"])


def rows_of(text: str) -> list[list[str]]:
    """The cells of every row of LaTeX tables."""
    return [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in text.splitlines() if line.endswith(r" \\")]


def test_report_and_export_write_the_same_latex(here: Call, sample: Path, tmp_path: Path) -> None:
    """Systems are rows and numbers columns, and the server's export is the report's table."""
    from assay.explorer.export import EXPORTS

    assert here("report", sample, "-o", tmp_path / "r.tex").code == 0
    report = (tmp_path / "r.tex").read_text(encoding="utf-8")
    export = EXPORTS[".tex"][1](Queries([sample])).decode()
    assert report == export
    rows = [[cell.strip() for cell in row] for row in rows_of(report)]
    assert rows[0][:3] == ["system", r"chrf $\uparrow$", r"rouge1:stemmer $\uparrow$"]
    assert [row[0] for row in rows[1:5]] == ["lead", "copy", "template", "rewrite"]
    assert {len(row) for row in rows[:5]} == {len(rows[0])}


def test_every_format_has_the_same_verdicts(here: Call, sample: Path, tmp_path: Path) -> None:
    queries = Queries([sample])
    found = queries.comparison("news", "lead", "rewrite")
    sure = {name for name, row in found.metrics.items() if row.p_adjusted is not None and row.p_adjusted < 0.05}
    for file in ("r.md", "plain.html"):
        here("report", sample, "-o", tmp_path / file, *FORMS[file])
        text = (tmp_path / file).read_text(encoding="utf-8").replace("\\_", "_")
        start = text.index("compared with", text.index("rewrite", text.index("Significant differences")))
        said = text[start : text.index(".\n" if file == "r.md" else ".</li>", start)]
        assert set(re.findall(r"[\w-]+-?\d?", said)) >= sure
        significant = said.partition("no significant difference")[0]
        assert not set(re.findall(r"[\w-]+", significant)) & (set(found.metrics) - sure)


@pytest.mark.parametrize("file", ["r.md", "r.tex", "r.csv"])
def test_reports_import_no_server_and_no_model(small: Path, tmp_path: Path, file: str) -> None:
    program = (
        "import sys; from pathlib import Path; from assay.explorer.report import write_report; "
        f"write_report([Path({str(small)!r})], Path({str(tmp_path / file)!r})); "
        "heavy = {'fastapi', 'uvicorn', 'starlette', 'httpx', 'http.server', 'http.client', 'torch', 'transformers'}; "
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_damaged_run_keeps_its_requested_metrics(tmp_path: Path) -> None:
    """Also where another metric is damaged: `rouge1` does not become all of ROUGE."""
    assay.score(["a cat"] * 3, ["the cat"] * 3, metrics="rouge1,bleu", save=tmp_path / "run")
    whole = [name for name in Queries([tmp_path / "run"]).overview.axes if name != "bleu"]
    cut(next((tmp_path / "run/statistics").glob("bleu*")))
    damaged = Queries([tmp_path / "run"])
    assert [name for name in damaged.overview.axes if name != "bleu"] == whole
    (result,) = next(iter(damaged.library.datasets.values())).results.values()
    assert list(result.parts) == ["rouge1", "rouge1.precision", "rouge1.recall"]
