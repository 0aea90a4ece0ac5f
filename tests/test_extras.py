"""A core install: every import is guarded or of the core, and every metric and system runs or names its package."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement

from assay.extras import EXTRAS, INSTALLED_WITH, SEPARATE, missing_extra
from tests.test_licences import PROJECT, installed, plain

SOURCE = Path(__file__).parents[1] / "src" / "assay"
OPTIONAL_MODULES = ("serving.", "server.", "studies.server", "benchmark.service", "benchmark.cards.editor")
"""Rooms of the studio extra: only commands that check for it import them."""
NEURAL_MODULES = (
    "models.cpu_linear", "models.insertion_network", "models.lstm", "models.nli_network",
    "models.personal_lstm", "models.personal_transformer",
)  # fmt: skip
"""Modules of the neural extra: loaded with the weights."""


class Import(NamedTuple):
    """One import of a package that is neither Python's nor assay's own."""

    file: str
    line: int
    package: str
    guarded: bool
    """Inside `try` with `except ImportError`, or for type checkers or compiled kernels only."""
    local: bool
    """Inside a function."""


def imports_of(path: Path) -> Iterator[Import]:
    """Yield the third-party imports of a module."""
    name = str(path.relative_to(SOURCE))
    waiting: list[tuple[ast.AST, bool, bool]] = [(ast.parse(path.read_text("utf-8")), False, False)]
    while waiting:
        node, guarded, local = waiting.pop()
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for package in {name.partition(".")[0] for name in names} - {*sys.stdlib_module_names, "assay"}:
            yield Import(name, getattr(node, "lineno", 0), package, guarded, local)
        local = local or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        inside = _guarded_body(node)
        waiting += [(child, guarded or child in inside, local) for child in _statements(node)]


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements of a node's blocks: an import is never inside an expression, and most nodes are of those."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        children = getattr(node, field, ())
        yield from children if isinstance(children, list) else ()


def _guarded_body(node: ast.AST) -> list[ast.stmt]:
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith(("TYPE_CHECKING", "cython.compiled")):
        return node.body
    caught = [ast.unparse(each.type) for each in getattr(node, "handlers", []) if each.type]
    if isinstance(node, ast.Try) and any(re.search(r"ImportError|ModuleNotFoundError", each) for each in caught):
        return node.body
    return []


def third_party() -> list[Import]:
    core = {plain(name) for name in installed(PROJECT["dependencies"])}
    distributions = packages_distributions()
    return [
        each
        for path in sorted(SOURCE.rglob("*.py"))
        for each in imports_of(path)
        if not core & {plain(name) for name in distributions.get(each.package, [])}
    ]


def test_every_import_is_of_the_core_or_guarded() -> None:
    optional = {*(name for names in EXTRAS.values() for name in names), *INSTALLED_WITH, *SEPARATE}
    every = third_party()
    unknown = [each for each in every if each.package not in optional and not each.guarded]
    assert not unknown, "neither a core dependency nor a package of assay.extras:\n" + "\n".join(map(str, unknown))
    early = [each for each in every if not (each.guarded or each.local)]
    outside = [each for each in early if not _module(each.file).startswith((*OPTIONAL_MODULES, *NEURAL_MODULES))]
    assert not outside, "import optional packages inside the function that needs them:\n" + "\n".join(map(str, outside))
    assert optional <= {each.package for each in every} | {"python_multipart"}, "no longer imported"


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_extras_are_those_of_the_project() -> None:
    declared = {
        extra: {plain(Requirement(each).name) for each in wanted}
        for extra, wanted in PROJECT["optional-dependencies"].items()
    }
    distributions = {**packages_distributions()} | {"comet": ["unbabel-comet"], "zstandard": ["zstandard"]}
    for extra, packages in EXTRAS.items():
        for package in packages:
            assert {plain(name) for name in distributions[package]} & declared[extra], f"{extra}: {package}"


def test_a_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert missing_extra("neural") == "torch is not installed; pip install 'assay-eval[neural]'"
    assert missing_extra("neural", "json") is None
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    assert missing_extra("dialog") == "rapidfuzz is not installed; pip install 'assay-eval[dialog]'"


CORE_ONLY = """
import importlib, json, pkgutil, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None

import assay
from assay.metrics import METRICS
from assay.records import Example, Items
from assay.systems import SYSTEMS

failed = {}
for module in pkgutil.walk_packages(assay.__path__, "assay.", onerror=lambda name: None):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            failed[module.name.removeprefix("assay.")] = error.name
        except ImportError as error:
            failed[module.name.removeprefix("assay.")] = str(error)

event = {"kind": "event", "template": {"type": "attack", "victim": ["Ann", "Bo"], "weapon": ["bomb"]}}
slots = {"kind": "slots", "slots": [["name", "Aromi"], ["food", "French"]]}
concepts = {"kind": "concepts", "concepts": ["dog", "run"]}
sets = [
    (["A cat sat on the mat.", "Two dogs ran home."], [None, None]),
    (['{"victim": [["Ann"], ["Cy"]]}', '{"weapon": [["bomb"]]}'], [event, event]),
    (["Aromi is a French place.", "Aromi."], [slots, slots]),
    (["The dog ran.", "Dogs run."], [concepts, concepts]),
]
metrics = {}
for name in METRICS:
    metric = METRICS.get(name)()
    metrics[name] = {"why_not": metric.why_not(), "scored": False}
    if metrics[name]["why_not"]:
        continue
    for outputs, inputs in sets:
        examples = [Example(id=str(i), references=("A cat sat on a mat.",), source="A cat sat there. Dogs ran home.",
                            language="en", **({"input": each} if each else {})) for i, each in enumerate(inputs)]
        result = assay.score(outputs, examples, metrics=[name])
        metrics[name].setdefault("failed", []).extend(each.why for each in result.failed)
        metrics[name]["scored"] |= bool(result.scores)
        if result.skipped:
            metrics[name]["skipped"] = result.skipped[0].why
systems = {}
for name in SYSTEMS:
    from assay.extras import missing_extra
    extra = getattr(SYSTEMS.get(name), "extra", None)
    systems[name] = missing_extra(extra) if extra else None
print(json.dumps({"failed": failed, "metrics": metrics, "systems": systems}))
"""


@pytest.fixture(scope="module")
def core_only() -> Any:
    """What a process reports that has none of the optional packages."""
    core = {plain(name) for name in installed(PROJECT["dependencies"])}
    names = [
        name
        for name, owners in packages_distributions().items()
        if name.isidentifier() and name != "assay" and not core & {plain(owner) for owner in owners}
    ]
    done = subprocess.run(
        [sys.executable, "-c", CORE_ONLY, json.dumps(names)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_modules_of_the_core_import_without_extras(core_only: Any) -> None:
    optional = (*OPTIONAL_MODULES, *NEURAL_MODULES)
    outside = {name: why for name, why in core_only["failed"].items() if not name.startswith(optional)}
    assert not outside


def test_every_metric_runs_or_names_its_package(core_only: Any) -> None:
    for name, about in core_only["metrics"].items():
        why = about["why_not"]
        assert why is None or "pip install" in why or re.search(rf"{name}:\w+=|: {name}:|--", why), (name, why)
        assert "No module named" not in str(about)
    assert {name for name, about in core_only["metrics"].items() if about["scored"]} >= {
        "rouge", "bleu", "ter", "sari", "msttr", "consistency", "faithful", "ceaf_ree", "filler_recall", "slot_error",
        "concept_coverage",
    }  # fmt: skip
    assert core_only["metrics"]["bertscore"]["why_not"] == (
        "torch, transformers, tokenizers, safetensors are not installed; pip install 'assay-eval[neural]'"
    )


def test_every_system_runs_or_names_its_package(core_only: Any) -> None:
    assert core_only["systems"]["chat"] == "httpx is not installed; pip install 'assay-eval[endpoint]'"
    assert core_only["systems"]["lead"] is None
    assert all(why is None or "pip install 'assay-eval[" in why for why in core_only["systems"].values())
