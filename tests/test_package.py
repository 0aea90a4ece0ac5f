"""The promises of the package: small, quick to import, typed, and without heavy things at the start."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import assay
from assay.text._kernels import compiled

ROOT = Path(__file__).parents[1]
LIMIT = 25


def core_distributions() -> set[str]:
    """assay and everything its core pulls in, by the metadata of what is installed."""
    found: set[str] = set()
    waiting = ["assay"]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            needs = requires(name) or []
        except PackageNotFoundError:  # a requirement of another platform
            continue
        found.add(name)
        for need in needs:
            marker = need.partition(";")[2]
            if "extra ==" in marker or "platform_system ==" in marker or "sys_platform ==" in marker:
                continue
            waiting.append(re.split(r"[ \[<>=!~;(]", need, maxsplit=1)[0])
    return found


def test_core_is_small() -> None:
    distributions = core_distributions()
    assert {"assay", "numpy", "polars", "sacrebleu", "click"} <= distributions
    assert len(distributions) <= LIMIT, sorted(distributions)


def test_import_is_light() -> None:
    code = (
        "import sys, time; start = time.perf_counter(); import assay; took = time.perf_counter() - start; "
        "heavy = [m for m in ('torch', 'scipy.stats', 'fastapi', 'polars', 'sacrebleu') if m in sys.modules]; "
        "print(took, heavy)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert all(run.stdout.strip().endswith("[]") for run in runs), runs[0].stdout
    assert min(float(run.stdout.split()[0]) for run in runs) < 0.2


def test_public_names_resolve() -> None:
    for name in assay.__all__:
        assert getattr(assay, name) is not None
    assert assay.__version__ == version("assay")


def test_typed_and_licensed() -> None:
    assert (ROOT / "src/assay/py.typed").exists()
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_kernels_are_compiled_here() -> None:
    """The build on a machine with a C compiler must not silently fall back to the slow path."""
    assert all(compiled().values()), compiled()
