"""Texts of strangers in everything that is written and said: they stay texts. And files: a folder that was opened shows
nothing that does not lie in it."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.explorer.standalone import built, unpacked
from assay.records.digests import seal
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
STEER = "\x1b]0;owned\x07\x1b[2J\x9b31m\r"
LATEX = "x\n\\input{/etc/passwd}\r\\input{a}\x0b\\input{b}\u2028\\input{c}\x85\\input{d}\x0c%"
SECRET = "what lies elsewhere"


@pytest.fixture
def saved(here: Run, toy: Path) -> Path:
    examples = [{"id": f"i{i}", "references": [f"reference {i}"], "source": "s"} for i in range(3)]
    write_jsonl(toy / "examples.jsonl", examples)
    assert (
        here("score", toy / "outputs.jsonl", "-e", toy / "examples.jsonl", "-m", "rouge1", "--save", toy / "run").code
        == 0
    )
    return toy / "run"


def change(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    edit(manifest)
    (folder / "run.json").write_text(json.dumps(seal(manifest)), encoding="utf-8")


def test_signatures_are_escaped_in_latex(here: Run, saved: Path, tmp_path: Path) -> None:
    def edit(manifest: dict[str, Any]) -> None:
        manifest["system"] = LATEX
        for score in manifest["scores"].values():
            score["signature"] = LATEX

    change(saved, edit)
    assert here("report", saved, "-o", tmp_path / "r.tex").code == 0
    text = (tmp_path / "r.tex").read_text(encoding="utf-8")
    for line in re.split("[\n\r\x0b\x0c\x85\u2028\u2029]", text):
        assert "\\input" not in line.partition("%")[0].replace("\\textbackslash{}input", "")
    assert "\\input{/etc/passwd}" in text, "it is in a comment"


def test_headings_of_other_tools_are_escaped_in_csv(here: Run, tmp_path: Path) -> None:
    names = ["=cmd|' /C calc'!A0", "@x", "+y", "-z", "\t=1", "＝1", "a\n=1"]
    result = {"results": {"=t": {f"{name},none": 0.5 for name in names}}, "configs": {}, "model_name": "=1+1"}
    (tmp_path / "h.json").write_text(json.dumps(result))
    assert here("report", tmp_path / "h.json", "-o", tmp_path / "r.csv").code == 0
    rows = list(csv.reader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 2
    for cell in (cell for row in rows for cell in row):
        assert not re.match(r"\s*[=+@＝]|\s*-\D", cell)


LINKED = (
    "outputs.jsonl",
    "examples.jsonl",
    "run.json",
    "items.parquet",
    "statistics",
    "choices.jsonl",
    "judgements.jsonl",
)


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("file", ["r.html", "plain.html", "r.md"])
def test_no_report_follows_a_link_out_of_its_folder(
    here: Run, saved: Path, tmp_path: Path, name: str, file: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(saved, elsewhere)
    for text in ("outputs.jsonl", "examples.jsonl"):
        rows = [{"id": f"i{i}", "references": [SECRET], "source": SECRET} for i in range(3)]
        plain = [{"id": f"i{i}", "output": SECRET} for i in range(3)]
        write_jsonl(elsewhere / text, rows if text.startswith("e") else plain)
    judged = [{"id": "i0", "system": "outputs", "annotator": SECRET, "criterion": SECRET, "value": 1}]
    write_jsonl(elsewhere / "judgements.jsonl", judged)
    write_jsonl(elsewhere / "choices.jsonl", [{"id": SECRET, "class": SECRET, "against": SECRET}])
    change(elsewhere, lambda manifest: manifest.update(system=SECRET))
    target = saved / name
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
    target.symlink_to(elsewhere / name)
    call = here("report", saved, "-o", tmp_path / file, *(["--plain"] if file.startswith("plain") else []))
    assert "Traceback" not in call.err
    assert call.code in (0, 1)
    if call.code == 0:
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert SECRET not in text
        assert file != "r.html" or not built() or SECRET.encode() not in unpacked(text)


def test_linked_run_is_named_and_the_others_are_shown(here: Run, saved: Path, tmp_path: Path) -> None:
    """What stands in a folder without a manifest is looked for; links out of it are no part of it."""
    shutil.copytree(saved, tmp_path / "elsewhere")
    for place in ("results/news", "runs"):
        shutil.copytree(saved, tmp_path / place / "own")
        (tmp_path / place / "linked").symlink_to(tmp_path / "elsewhere")
        call = here("report", (tmp_path / place).parent if "/" in place else tmp_path / place, "-o", tmp_path / "r.md")
        assert call.code == 0
        assert "points outside" in call.err.replace("\n  ", " ")
        text = (tmp_path / "r.md").read_text(encoding="utf-8")
        assert "| 0.0 |" in text
        assert "linked" not in text.replace("linked points", "").replace("linked: points", "")


def test_messages_have_no_terminal_control_characters(here: Run, saved: Path, tmp_path: Path) -> None:
    def edit(manifest: dict[str, Any]) -> None:
        manifest["system"] = f"sys{STEER}"
        manifest["warnings"] = [f"beware{STEER}"]
        for score in manifest["scores"].values():
            score["signature"] = f"sig{STEER}"

    change(saved, edit)
    (tmp_path / f"h{STEER[:3]}.json").write_text(json.dumps({"results": {"t": {"a,none": 1}}, "configs": {}}))
    config = textwrap.dedent(
        """
        name = "n\\u001b[31m"
        [[datasets]]
        name = "d"
        examples = "examples.jsonl"
        metrics = ["rouge1"]
        [[systems]]
        name = "s"
        outputs = "no\\u001b[31m{dataset}"
        [[systems]]
        name = "t"
        outputs = "outputs.jsonl"
        """
    )
    (saved.parent / "c.toml").write_text(config)
    examples = [{"id": f"i{i}", "references": ["x"], "tags": {"k": f"v{STEER}"}} for i in range(3)]
    write_jsonl(saved.parent / "examples.jsonl", examples)
    calls = [
        here("score", saved, "--verbose"),
        here(
            "score", saved.parent / "outputs.jsonl", "-e", saved.parent / "examples.jsonl", "-m", "rouge1", "--by", "k"
        ),
        here("compare", saved, saved),
        here("report", saved, "-o", tmp_path / "r.md"),
        here("run", saved.parent / "c.toml", "-o", tmp_path / "out"),
    ]
    for call in calls:
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", call.out + call.err), call


@pytest.mark.parametrize("criterion", ["[/red]", "[bold", "[link=file:///x]y[/link]", "a\x1b[31mb"])
def test_progress_bar_escapes_names(criterion: str) -> None:
    """On a terminal, where bars are shown: brackets in a name are no markup."""
    program = (
        "import sys, time\n"
        "from assay import progress, progress_display\n"
        "progress_display.DELAY = progress.INTERVAL = 0.0\n"
        "for _ in progress.track(range(3), sys.argv[1], 3): time.sleep(0.01)\n"
    )
    master, terminal = pty.openpty()
    with os.fdopen(terminal, "wb") as stream:
        done = subprocess.run(
            [sys.executable, "-c", program, criterion], stderr=stream, stdout=subprocess.PIPE, check=False
        )
    said = os.read(master, 65536)
    os.close(master)
    assert done.returncode == 0, said
    assert b"Traceback" not in said
    assert b"\x1b[31mb" not in said
