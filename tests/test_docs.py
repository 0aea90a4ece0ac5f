"""What the documents show is true: their code runs, their commands exist, their sizes hold."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import COMMANDS
from assay.metrics import MetricRequest
from assay.runs.loading import load_items
from assay.runs.scoring import score_items
from assay.specs import Spec

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src/assay/sample"


def blocks(file: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_contributing_snippets_are_short_and_work(tmp_path: Path) -> None:
    metric, dataset, system = blocks("CONTRIBUTING.md")
    assert all(len(block.splitlines()) < 40 for block in (metric, dataset, system))
    names: dict[str, Any] = {"__name__": "contributed"}
    sys.modules["contributed"] = type(sys)("contributed")  # dataclasses look their module up
    exec(compile(metric, "CONTRIBUTING.md", "exec", dont_inherit=True), names)  # our own text
    exact = MetricRequest(Spec("exact"), names["ExactMatch"](lowercase=True), None)
    result = score_items(load_items(["A b", "c"], [["x", "a B"], ["d"]]), [exact])
    assert result.scores["exact"].value == 0.5
    made = subprocess.run([sys.executable, "-c", dataset], capture_output=True, text=True, check=True).stdout
    said = subprocess.run([sys.executable, "-c", system], input=made, capture_output=True, text=True, check=True)
    assert json.loads(said.stdout) == {"id": "mine-0", "output": "A long text.", "system": "first-sentence"}


def readme_commands() -> list[tuple[list[str], list[str]]]:
    """The commands of the tour with the lines printed under each."""
    commands: list[tuple[list[str], list[str]]] = []
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("    $ assay "):
            commands.append((line.removeprefix("    $ assay ").split(), []))
        elif commands and line.startswith("     "):
            commands[-1][1].append(line.strip())
        elif not line.startswith("    "):
            continue
    return commands


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
def test_the_tour_of_the_readme_is_real(number: int) -> None:
    """Every number printed in the README comes out of the command above it."""
    arguments, printed = readme_commands()[number]
    done = subprocess.run(
        [sys.executable, "-m", "assay", *arguments], cwd=SAMPLE, capture_output=True, text=True, check=True
    )
    said = " ".join(f"{done.stdout} {done.stderr}".split())
    assert len(printed) > 4
    for line in printed:
        if not line.startswith(("lead ·", "import", "result", "assay.")):
            assert " ".join(line.split()) in said, line


def test_every_command_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"`assay {name}`" in text, name


def test_documents_do_not_run_over() -> None:
    assert assay.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_documentation_builds(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", ["assay.api", "assay.results.compare"])
def test_examples_in_docstrings(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module), extraglobs={"assay": assay})
    assert found.attempted > 0
    assert found.failed == 0
