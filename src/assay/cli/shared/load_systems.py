"""Load the systems that a command compares: outputs files, which are scored together, and saved runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.cli.shared.options import comma_separated, named_numbers, refuse_idle
from assay.errors import AssayError, UsageError
from assay.execution.imported_scores import with_scores
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_systems
from assay.records import OutputFile
from assay.records.lazy_files import is_large
from assay.records.read import read_systems
from assay.results.result import Result
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run


def parse_margins(text: str | None, result: Result) -> dict[str, float]:
    """Parse margins, on the scale of the printed table, by the names of scores."""
    margins = {}
    if text and len(result.shown) == 1 and text.strip()[-1:].isdigit() and "=" not in text:
        text = f"{result.shown[0]}={text}"  # the only metric needs no name
    for metric, margin in named_numbers(text, "--margin").items():
        name = result.named(metric)
        if name not in result.parts:
            scored = ", ".join(result.shown)
            raise UsageError(f"--margin {metric}: not scored here; scored are {scored}. Add it to --metrics.")
        margins[name] = margin
    return margins


def load_systems(paths: list[Path], request: ScoreRequest) -> list[Result]:
    """Load saved runs and score outputs files, each under a distinct name.

    Of a file with several systems, all are scored, or those that `--system` names.
    """
    wanted = comma_separated(request.system)
    systems: list[tuple[Path, OutputFile | None]] = []
    for path in paths:
        if is_run(path) or (path.is_file() and is_large(path)):
            systems.append((path, None))
            continue
        read = read_systems(path, dataset=request.dataset, skip_bad=request.skip_bad)
        if len(read) > 1:
            read = [each for each in read if not wanted or each.system in wanted]
        systems += [(path, each) for each in read]
    if not systems:
        raise AssayError(f"{paths[0]}: no system {request.system} in it; check --system")
    # rows of imported scores may be in the order of all outputs, so conditions on items come after them
    plain = request.but(system=None, scores=(), better={}, only=() if request.scores else request.only)
    files = [path for path, _ in systems]
    results = load_all(files, plain, [read for _, read in systems])
    return add_imported_scores(_with_distinct_names(results, files), request)


def add_imported_scores(results: list[Result], request: ScoreRequest) -> list[Result]:
    """Add the scores of `--scores` to results, matched by the names that are shown."""
    if not request.scores:
        refuse_idle(better="--scores")
    return with_scores(results, request.imported_scores())


def load_all(paths: list[Path], request: ScoreRequest, read: Sequence[OutputFile | None] | None = None) -> list[Result]:
    """Load saved runs; score outputs files, or what was read of them, together where possible."""
    outputs = [system or path for path, system in zip(paths, read or [None] * len(paths), strict=True)]
    files = [each for each, path in zip(outputs, paths, strict=True) if not is_run(path)]
    results: Iterator[Result] = iter(score_systems(files, request) if files else ())
    return [load_run(path, request.metric_names) if is_run(path) else next(results) for path in paths]


def _with_distinct_names(results: list[Result], paths: list[Path]) -> list[Result]:
    """Name files of the same name by the folder in which their paths differ."""
    names = [result.system for result in results]
    if len(set(names)) == len(names):
        return results
    for level in zip(*(path.resolve().parts for path in paths), strict=False):
        if len({Path(part).stem for part in level}) == len(paths):
            return [replace(result, system=Path(part).stem) for result, part in zip(results, level, strict=True)]
    return [replace(result, system=f"{result.system} ({number})") for number, result in enumerate(results, 1)]
