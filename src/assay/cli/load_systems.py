"""The systems that several commands compare: outputs files scored together, and saved runs; margins on their scale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.cli.options import named_numbers
from assay.errors import AssayError, UsageError
from assay.results.result import Result
from assay.runs.executors import choose_executor
from assay.runs.manifest import is_run
from assay.runs.saved_run import load_run
from assay.runs.scoring import choose, score_systems


def data_of(options: dict[str, Any]) -> dict[str, Any]:
    """What outputs files are judged against, and how the two are joined."""
    return {key: value for key, value in options.items() if key not in ("metrics", "suite", "workers")}


def plain_margins(text: str | None, result: Result) -> dict[str, float]:
    """Margins as plain values: they are given on the scale on which tables show the numbers."""
    margins = {}
    for given, shown in named_numbers(text, "--margin").items():
        name = result.named(given)
        if name not in result.parts:
            raise UsageError(f"--margin {given}: it is not scored here; there are {', '.join(result.shown)}")
        if shown <= 0:
            raise UsageError(f"--margin {name}={shown:g}: give a number above 0")
        margins[name] = shown / result.parts[name][1].scale
    return margins


def load_systems(paths: list[Path], options: dict[str, Any]) -> list[Result]:
    """Runs as they were saved and files scored, each under a name of its own."""
    return _tell_apart(load_all(paths, options), paths)


def load_all(paths: list[Path], options: dict[str, Any]) -> list[Result]:
    """Runs as they were saved; files are scored, together where they can be."""
    for path in paths:
        if path.is_dir() and not is_run(path):
            raise AssayError(f"{path}: a folder without run.json; give an outputs file, or a folder made with --save")
    files = [path for path in paths if not path.is_dir()]
    data = data_of(options)
    scored: dict[Path, Result] = {}
    if files:
        requests = choose(options["metrics"], options["suite"])
        results = score_systems(files, requests, executor=choose_executor(options["workers"]), **data)
        scored = dict(zip(files, results, strict=True))
    return [scored[path] if path in scored else load_run(path, options["metrics"]) for path in paths]


def _tell_apart(results: list[Result], paths: list[Path]) -> list[Result]:
    """Files of one name are called by the folder in which their paths part."""
    names = [result.system for result in results]
    if len(set(names)) == len(names):
        return results
    for level in zip(*(path.resolve().parts for path in paths), strict=False):
        if len({Path(part).stem for part in level}) == len(paths):
            return [replace(result, system=Path(part).stem) for result, part in zip(results, level, strict=True)]
    return [replace(result, system=f"{result.system} ({number})") for number, result in enumerate(results, 1)]
