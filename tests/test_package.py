"""The promises of the package: small, quick to import, typed, and without heavy things at the start."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pytest

import assay
from assay.text._kernels import compiled
from tests.test_licences import PROJECT, installed

ROOT = Path(__file__).parents[1]
LIMIT = 25


def test_core_is_small() -> None:
    distributions = {"assay-eval", *installed(PROJECT["dependencies"])}
    assert {"assay-eval", "numpy", "polars", "sacrebleu", "click"} <= distributions
    assert len(distributions) <= LIMIT, sorted(distributions)


def test_import_is_light() -> None:
    """In seconds of the processor, the best of three: others may use the machine at the same time."""
    code = (
        "import sys, time; start = time.process_time(); import assay; took = time.process_time() - start; "
        "heavy = [m for m in ('torch', 'scipy.stats', 'fastapi', 'polars', 'numpy') if m in sys.modules]; "
        "print(took, heavy)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert all(run.stdout.strip().endswith("[]") for run in runs), runs[0].stdout
    assert min(float(run.stdout.split()[0]) for run in runs) < 0.1


def test_help_is_quick() -> None:
    took = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, "-m", "assay", "--help"], capture_output=True, check=True)
        after = os.times()
        took.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert 0 < min(took) < 0.25


def test_a_comparison_of_small_systems_loads_only_what_it_uses(tmp_path: Path) -> None:
    """Loading polars would take longer than the comparison; neither texts nor an error about a file need it. The masked
    arrays of numpy come with `np.unique` of values alone."""
    sample = Path(assay.__file__).parent / "sample"
    outputs = [str(sample / "outputs" / name / "news.jsonl") for name in ("lead", "template")]
    code = (
        "import sys\nfrom assay.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as end:\n    print(end.code)\n"
        "print(sorted({'polars', 'scipy', 'pandas', 'torch', 'sacrebleu', 'tomllib', 'numpy.ma'} & {*sys.modules}))"
    )
    for arguments in (
        ["compare", *outputs, "-e", str(sample / "news.jsonl"), "-m", "rouge,chrf,bleu", "--items", "3"],
        ["compare", *outputs, "-e", str(tmp_path / "none.jsonl")],
        ["score", outputs[0], "-e", str(sample / "news.jsonl"), "-m", "rouge,chrf", "--ci", "100"],
    ):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]", (arguments, done.stdout[-300:])


def test_scoring_a_small_file_loads_little() -> None:
    """Half of a short command was importing: stores, datasets and slow libraries are loaded where they are used."""
    sample = Path(assay.__file__).parent / "sample"
    code = (
        "import sys\nfrom assay.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(sorted({'polars', 'scipy', 'regex', 'numpy.ma', 'assay.datasets', 'assay.store.run_folder',"
        " 'assay.cli.everyday.score_tasks', 'assay.inputs.spans', 'rich'} & {*sys.modules}))"
    )
    arguments = ["score", str(sample / "outputs" / "lead" / "news.jsonl"), "-e", str(sample / "news.jsonl")]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "-m", "bleu"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_written_report_needs_neither_a_server_nor_a_model(tmp_path: Path) -> None:
    """What is only for other commands is not loaded: no web server, no HTTP client, no torch."""
    assay.run("sample", tmp_path / "results", only=["lead"])
    code = (
        "import sys\nfrom assay.cli import main\n"
        "try:\n    main(['report', *sys.argv[1:]])\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(sorted({'torch', 'transformers', 'fastapi', 'uvicorn', 'httpx', 'http.client', 'http.server',"
        " 'urllib.request', 'matplotlib'} & {*sys.modules}))"
    )
    page = tmp_path / "report.md"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "results"), "-o", str(page)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert page.read_text(encoding="utf-8").startswith("#")
    assert done.stdout.splitlines()[-1] == "[]"


def test_dir_shows_the_api_and_nothing_else() -> None:
    """In a fresh interpreter and after everything was used: neither helpers nor submodules leak."""
    names = [
        "AssayError", "Comparison", "Example", "Judgement", "Output", "Result", "Score", "__version__", "agreement",
        "assert_not_worse", "audit", "check", "compare", "compare_all", "compare_pairs", "compare_sequential",
        "compare_with_parents", "correlate", "generalisation_gap", "generate", "group_differences", "load_run",
        "null_test", "power", "rarefy", "reproduce", "run", "score", "score_all", "slots", "support", "table",
    ]  # fmt: skip
    code = "import assay; before = dir(assay); assay.score; assay.run; print(before == dir(assay), *before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", *names]
    assert dir(assay) == sorted(assay.__all__) == names
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        assay.scores  # noqa: B018


def test_public_names_resolve() -> None:
    for name in assay.__all__:
        assert getattr(assay, name) is not None
    assert assay.__version__ == version("assay-eval")


def test_typed_and_licensed() -> None:
    assert (ROOT / "src/assay/py.typed").exists()
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_kernels_are_compiled_here() -> None:
    """The build on a machine with a C compiler must not silently fall back to the slow path."""
    assert all(compiled().values()), compiled()


def says_something(node: ast.AST, helpers: Mapping[str, ast.FunctionDef]) -> bool:
    """Whether a test can fail by what it found: an assert, an expected error, or a helper that has one."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        if isinstance(part, ast.Call):
            name = ast.unparse(part.func)
            if name in {"pytest.raises", "pytest.warns", "pytest.fail"} or ".assert_" in name:
                return True
            if name in helpers and says_something(helpers[name], {k: v for k, v in helpers.items() if k != name}):
                return True
    return False


def test_no_test_is_without_an_assertion() -> None:
    silent = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        functions = {n.name: n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.FunctionDef)}
        helpers = {name: node for name, node in functions.items() if not name.startswith("test_")}
        silent += [
            f"{path.name}: {name}"
            for name, node in functions.items()
            if name.startswith("test_") and not says_something(node, helpers)
        ]
    assert silent == []
