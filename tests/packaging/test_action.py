"""The GitHub Action around `assay check`: its script with the files and variables that a runner gives it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import assay

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools/action/check.sh"
SAMPLE = Path(assay.__file__).parent / "sample"
LEAD, TEMPLATE = (SAMPLE / f"outputs/{system}/news.jsonl" for system in ("lead", "template"))
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the script needs bash")
GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_CALLS"
case "$*" in *--jq*) echo "$GH_COMMENT" ;; esac
"""


class Runner:
    """A folder with the files of a runner, and `assay` and `gh` on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        self.command("assay", f'#!/bin/sh\nexec "{sys.executable}" -m assay "$@"\n')
        self.command("gh", GH)
        (folder / "bin/python").symlink_to(sys.executable)
        (folder / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}), encoding="utf-8")

    def command(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def check(self, outputs: Path, margin: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(Path(assay.__file__).parents[1]),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "step"),
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_REPOSITORY": "ours/texts",
            "GH_CALLS": str(self.folder / "calls"),
            "GH_COMMENT": "",
            "CHECK_OUTPUTS": str(outputs),
            "CHECK_BASELINE": str(LEAD),
            "CHECK_EXAMPLES": str(SAMPLE / "news.jsonl"),
            "CHECK_MARGIN": margin,
            "CHECK_JUNIT": "check.xml",
            "CHECK_SUMMARY": "check.md",
            **more,
        }
        return subprocess.run([SCRIPT], cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_outputs_that_are_not_worse_pass(runner: Runner) -> None:
    done = runner.check(LEAD, "rouge1=12,chrf=12")
    assert done.returncode == 0, done.stderr
    assert runner.read("output").splitlines() == ["result=passed", "junit=check.xml", "summary=check.md"]
    assert runner.read("step") == runner.read("check.md") != ""
    assert ElementTree.parse(runner.folder / "check.xml").getroot().get("failures") == "0"
    assert runner.read("calls") == ""


def test_outputs_that_are_worse_fail_and_are_commented_on(runner: Runner) -> None:
    done = runner.check(TEMPLATE, "rouge1=1", CHECK_COMMENT="true", CHECK_ARGUMENTS="--samples 200")
    assert done.returncode == 1
    assert "result=failed" in runner.read("output")
    assert "--method POST" in runner.read("calls")
    assert "repos/ours/texts/issues/7/comments" in runner.read("calls")
    assert "body=<!-- assay check -->" in runner.read("calls")
    assert "Quality check: failed" in runner.read("calls")


def test_a_comment_of_an_earlier_check_is_replaced(runner: Runner) -> None:
    assert runner.check(LEAD, "rouge1=12", CHECK_COMMENT="true", GH_COMMENT="42").returncode == 0
    assert "repos/ours/texts/issues/comments/42 --method PATCH" in runner.read("calls")
    assert "POST" not in runner.read("calls")


def test_no_comment_without_a_pull_request(runner: Runner) -> None:
    (runner.folder / "event.json").write_text("{}", encoding="utf-8")
    assert runner.check(LEAD, "rouge1=12", CHECK_COMMENT="true").returncode == 0
    assert runner.read("calls") == ""


def test_a_comment_that_is_refused_does_not_change_the_result(runner: Runner) -> None:
    runner.command("gh", "#!/bin/sh\nexit 1\n")
    done = runner.check(LEAD, "rouge1=12", CHECK_COMMENT="true")
    assert done.returncode == 0
    assert "::warning::The comment could not be written." in done.stdout


def test_wrong_options_are_an_error(runner: Runner) -> None:
    """Also where a summary of an earlier check is left over."""
    (runner.folder / "check.md").write_text("old", encoding="utf-8")
    done = runner.check(runner.folder / "missing.jsonl", "rouge1=1")
    assert done.returncode == 2
    assert "result=error" in runner.read("output")
    assert runner.read("step") == ""


@pytest.mark.parametrize(("wanted", "code"), [("pass", 0), ("fail", 3)])
def test_an_inconclusive_check(runner: Runner, wanted: str, code: int) -> None:
    assert runner.check(LEAD, "rouge1=1", CHECK_INCONCLUSIVE=wanted).returncode == code
    assert "result=inconclusive" in runner.read("output")


def test_the_action_hands_every_input_over() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    text = SCRIPT.read_text(encoding="utf-8")
    [step] = [step for step in action["runs"]["steps"] if step.get("id") == "check"]
    assert {name for name in step["env"] if name.startswith("CHECK_")} == {*re.findall(r"CHECK_[A-Z]+", text)}
    used = {*re.findall(r"inputs\.([\w-]+)", json.dumps(action))}
    assert used == set(action["inputs"])
    assert all(entry["description"] for entry in (*action["inputs"].values(), *action["outputs"].values()))
    assert os.access(SCRIPT, os.X_OK)
    assert str(SCRIPT.relative_to(ROOT)) in step["run"]
