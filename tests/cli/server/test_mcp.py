"""`assay server mcp`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call


def test_messages_go_through_standard_input_and_output(tmp_path: Path) -> None:
    line = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'
    command = [sys.executable, "-m", "assay", "server", "mcp", str(tmp_path)]
    done = subprocess.run(command, input=line, capture_output=True, text=True, timeout=60, check=True)
    assert len(json.loads(done.stdout)["result"]["tools"]) == 4


def test_the_skill_is_written_once(here: Callable[..., Call], tmp_path: Path) -> None:
    path = tmp_path / "skills" / "SKILL.md"
    assert here("server", "mcp", "--skill", str(path)).code == 0
    assert path.read_text("utf-8").startswith("---\nname: ")
    assert here("server", "mcp", "--skill", str(path)).code == 1


def test_folders_are_required(here: Callable[..., Call], tmp_path: Path) -> None:
    assert here("server", "mcp").code == 2
    assert here("server", "mcp", str(tmp_path / "no")).code == 2
