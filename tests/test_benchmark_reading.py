"""The benchmark of reading runs, small, and its peak does not follow the size of the file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def measured(megabytes: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.reading",
        "--megabytes",
        str(megabytes),
        "--sentences",
        "300",
        "--json",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_peak_memory_does_not_follow_the_file() -> None:
    small, large = measured(2), measured(30)
    assert large["examples"] > 10 * small["examples"]
    assert large["peak"] < small["peak"] + 10
    assert large["oracle_seconds"] > 0
