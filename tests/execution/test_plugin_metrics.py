"""Metrics of other packages: signed with their own version, and computed again when their code has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.metrics import METRICS, MeanMetric, Metric, Part, resolve
from assay.metrics.engine.base import foreign_code, version_of
from assay.records.digests import seal
from tests.support.report_text import report_text

METRIC = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics import MeanMetric, Part
{imports}

@dataclass(frozen=True)
class Shouting(MeanMetric):
    """Synthetic: how loud outputs are."""

    name: ClassVar = "shouting"
    category: ClassVar = "descriptive"
    summary: ClassVar = "how loud outputs are"
    needs: ClassVar = ()

    def parts(self):
        return (Part("shouting", bounds=(0.0, None)),)

    def statistics(self, items):
        return self.rows({{"shouting": np.array([{formula} for text in items.outputs], dtype=float)}})
'''


class Plugin:
    """A package that is installed beside assay, as pip would leave it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        about = folder / "loud_metrics-1.2.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: loud-metrics\nVersion: 1.2\n")
        (about / "entry_points.txt").write_text("[assay.metrics]\nshouting = loud_metrics.shouting:Shouting\n")
        self.write("__init__.py", "")
        self.write("shouting.py", METRIC.format(imports="", formula="text.count('!')"))

    def write(self, name: str, text: str) -> None:
        file = self.folder / "loud_metrics" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        os.utime(file, ns=(0, file.stat().st_size * 10**9))  # compiled files are known by time and size

    def run(self, *arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(self.folder), str(Path(assay.__file__).parents[1])])
        done = subprocess.run(
            [sys.executable, "-m", "assay", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    def score(self, outputs: Path, folder: Path) -> float:
        said = json.loads(self.run("score", outputs, "-m", "shouting,lengths", "--save", folder, "--json").stdout)
        score = said["scores"]["shouting"]
        assert score["signature"] == "shouting|version:loud-metrics-1.2"
        assert said["scores"]["mean_length"]["signature"].endswith(f"version:assay-{assay.__version__}")
        return float(score["value"])


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path / "site")


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "loud.txt"
    path.write_text("Go! Now!\nplease\n")
    return path


def reused(folder: Path) -> list[list[str]]:
    return [json.loads(line)["reused"] for line in (folder / "log.jsonl").read_text().splitlines()]


def test_edited_code_is_computed_again(plugin: Plugin, outputs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert plugin.score(outputs, run) == 1.0
    assert plugin.score(outputs, run) == 1.0
    assert reused(run) == [[], ["shouting", "lengths"]]
    plugin.write("shouting.py", METRIC.format(imports="", formula="10 * text.count('!')"))
    old = plugin.run("score", run, "-m", "shouting", code=1).stderr
    assert "the statistics of shouting were computed by other code (loud-metrics-1.2)" in old
    assert "score again with --save" in old
    assert "mean_length" in plugin.run("score", run, "-m", "lengths").stdout
    assert plugin.score(outputs, run) == 10.0
    assert reused(run)[-1] == ["lengths"]
    assert "shouting 10" in plugin.run("score", run, "-m", "shouting").stdout


def test_code_that_the_metric_imports_counts(plugin: Plugin, outputs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    plugin.write("shouting.py", METRIC.format(imports="from .marks import count", formula="count(text)"))
    plugin.write("marks.py", "from loud_metrics.deep import MARK\n\ndef count(text): return text.count(MARK)\n")
    plugin.write("deep.py", "MARK = '!'\n")
    assert plugin.score(outputs, run) == 1.0
    plugin.write("unrelated.py", "SIZE = 1\n")
    assert plugin.score(outputs, run) == 1.0
    assert reused(run)[-1] == ["shouting", "lengths"]
    plugin.write("deep.py", "MARK = 'e'\n")
    assert plugin.score(outputs, run) == 1.0  # by chance the same: two of "please", none elsewhere
    assert reused(run)[-1] == ["lengths"]


def test_a_report_names_what_other_code_made(plugin: Plugin, outputs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    plugin.score(outputs, run)
    plugin.write("shouting.py", METRIC.format(imports="", formula="3.0"))
    plugin.run("report", run, "-o", tmp_path / "report.html")
    page = report_text(tmp_path / "report.html")
    assert "the statistics of shouting were computed by other code" in page
    assert "mean_length" in page


def test_a_metric_that_is_gone_takes_no_other_with_it(plugin: Plugin, outputs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    plugin.score(outputs, run)
    shutil.rmtree(plugin.folder)
    assert "mean_length" in plugin.run("score", run, "-m", "lengths").stdout
    assert "no metric called shouting" in plugin.run("score", run, "-m", "shouting", code=1).stderr
    plugin.run("report", run, "-o", tmp_path / "report.html")
    assert "no metric called shouting" in report_text(tmp_path / "report.html")


def test_a_metric_of_a_loose_module_is_signed_with_its_code() -> None:
    class Mine(MeanMetric):
        name = "mine"
        category = "descriptive"
        summary = "nothing"
        needs = ()

        def parts(self) -> tuple[Part, ...]:
            return (Part("mine"),)

    assert version_of(Mine) == f"{Mine.__module__}-{foreign_code(Mine)}"
    assert len(foreign_code(Mine) or "") == 20


def test_code_without_a_file_is_known_by_what_it_does() -> None:
    def made(formula: str) -> type[Metric]:
        names: dict[str, type[Metric]] = {}
        exec(
            "from assay.metrics import MeanMetric\n"
            "class Typed(MeanMetric):\n"
            f"    def statistics(self, items): return [{formula} for text in items if text in {{'a', 'b', 'c'}}]\n",
            {"__name__": "typed_at_a_prompt"},
            names,
        )
        return names["Typed"]

    assert foreign_code(made("1")) == foreign_code(made("1"))
    assert foreign_code(made("1")) != foreign_code(made("2"))


@pytest.mark.parametrize("name", list(METRICS))
def test_our_own_have_the_version_and_no_digest(name: str) -> None:
    metric = METRICS.get(name)()
    assert metric.stored_as() == metric.statistics_key()
    assert metric.code() is None
    assert version_of(type(metric)) == f"assay-{assay.__version__}"


def test_statistics_that_say_nothing_of_their_code_are_not_believed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assay.score(["a b"], ["a b"], metrics="bleu", save=run)
    manifest = json.loads((run / "run.json").read_text())
    assert "code" not in manifest["metrics"][0]
    manifest["metrics"][0]["code"] = "0" * 20
    (run / "run.json").write_text(json.dumps(seal(manifest)))
    with pytest.raises(AssayError, match="statistics of bleu were computed by other code"):
        assay.load_run(run)
    assert resolve("bleu")[0].metric.code() is None
