"""Files that GitHub, Read the Docs and pre-commit read: valid, with pinned actions and scripts that bash accepts."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.version import VERSION

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every step of a workflow or an action."""
    if isinstance(node, dict):
        if "uses" in node or "run" in node:
            yield node
        for value in node.values():
            yield from steps(value)
    elif isinstance(node, list):
        for value in node:
            yield from steps(value)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.stem))
def test_workflows(path: Path) -> None:
    workflow = read(path)
    assert workflow["name"] == path.stem.replace("test", "tests")
    assert workflow[True]  # YAML reads the key `on` as a truth value
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert "uses" in job or {"runs-on", "steps"} <= set(job), name


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: str(path.stem))
def test_steps_are_pinned_and_parse(path: Path) -> None:
    listed = list(steps(read(path)))
    assert listed
    for step in listed:
        if "uses" in step:
            assert re.fullmatch(r"[\w./-]+@v\d+\.\d+\.\d+|\./[\w./-]+\.yml", step["uses"]), step["uses"]
        if "run" in step and isinstance(step["run"], str):
            script = re.sub(r"\$\{\{.*?\}\}", "value", step["run"])
            done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def test_files_named_by_workflows_exist() -> None:
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?:python3 |\./|run: )((?:tools|\.ci|\.github)/[\w./-]+)", text):
            assert (ROOT / name).is_file(), f"{path.name}: {name}"
        for target in re.findall(r"run: make (\w+)", text):
            assert re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8")), target
    [matrix] = [job for job in read(ROOT / ".github/workflows/test.yml")["jobs"].values() if "strategy" in job]
    for entry in matrix["strategy"]["matrix"]["include"]:
        assert all((ROOT / folder).is_dir() for folder in entry["tests"].split()), entry


def test_commands_of_continuous_integration_pass(tmp_path: Path) -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8").replace("\\\n", " ").replace("results/", f"{tmp_path}/")
    commands = re.findall(r"(?m)^\.venv/bin/assay (.+)$", script)
    assert len(commands) == 2
    for command in commands:
        done = subprocess.run([sys.executable, "-m", "assay", *shlex.split(command)], cwd=ROOT, check=False)
        assert done.returncode == 0, command


def test_the_matrix_is_that_of_the_package() -> None:
    """Classifiers, wheels and tests name the same versions of Python."""
    classifiers = [text.rpartition(" ")[2] for text in PROJECT["project"]["classifiers"] if "Python :: 3." in text]
    [matrix] = [job for job in read(ROOT / ".github/workflows/test.yml")["jobs"].values() if "strategy" in job]
    assert matrix["strategy"]["matrix"]["python"] == classifiers == ["3.11", "3.12", "3.13", "3.14"]
    assert {system.partition("-")[0] for system in matrix["strategy"]["matrix"]["os"]} == {"ubuntu", "macos", "windows"}
    wheels = PROJECT["tool"]["cibuildwheel"]["build"]
    assert wheels == [f"cp{version.replace('.', '')}-*" for version in classifiers]
    assert PROJECT["project"]["requires-python"] == f">={classifiers[0]}"


@pytest.mark.parametrize("path", FORMS, ids=lambda path: str(path.stem))
def test_issue_forms(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body"} <= set(form)
    identifiers = [field["id"] for field in form["body"]]
    assert len(identifiers) == len(set(identifiers))
    assert all(field["attributes"]["label"] for field in form["body"])


def test_citation_and_settings_of_services() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)
    assert citation["version"] == VERSION
    assert citation["license"] == PROJECT["project"]["license"]
    site = read(ROOT / ".readthedocs.yaml")
    assert (ROOT / site["mkdocs"]["configuration"]).is_file()
    [how] = site["python"]["install"]
    assert set(how["extra_requirements"]) <= set(PROJECT["project"]["optional-dependencies"])


def test_pre_commit_uses_the_locked_ruff() -> None:
    hooks = {entry["repo"]: entry for entry in read(ROOT / ".pre-commit-config.yaml")["repos"]}
    lock = (ROOT / "locks/dev.txt").read_text(encoding="utf-8")
    locked = re.search(r"(?m)^ruff==(\S+)", lock)
    assert locked
    assert hooks["https://github.com/astral-sh/ruff-pre-commit"]["rev"] == f"v{locked[1]}"


def test_versions_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """A tag is released only if package, citation file and changelog name its version."""
    tool = runpy.run_path(str(ROOT / "tools/check_version.py"))
    tool["main"]([VERSION])
    assert capsys.readouterr().out == ""
    tool["main"]([VERSION, "--notes"])
    assert len(capsys.readouterr().out) > 100
    with pytest.raises(SystemExit, match=r"CHANGELOG.md: no section for 9\.9\.9"):
        tool["main"](["9.9.9"])
    assert tool["notes"]("# C\n\n## 2.0\n\nnew\n\n## 1.0\n\nold\n", "2.0") == "new\n"
