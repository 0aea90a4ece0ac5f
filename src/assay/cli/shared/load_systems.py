"""The systems that several commands compare: outputs files scored together, and saved runs; margins on their scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.cli.shared.options import comma_separated, directions, named_numbers, refuse_idle
from assay.errors import AssayError, UsageError
from assay.execution.imported_scores import read_scores, with_scores
from assay.execution.scoring import choose, score_systems
from assay.records import OutputFile
from assay.records.lazy_files import is_large
from assay.records.read import read_systems
from assay.results.result import Result
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run


def data_of(options: dict[str, Any]) -> dict[str, Any]:
    """What outputs files are judged against, and how the two are joined."""
    others = ("metrics", "suite", "executor", "scores", "better", "only")
    return {key: value for key, value in options.items() if key not in others}


def plain_margins(text: str | None, result: Result) -> dict[str, float]:
    """Margins as plain values: they are given on the scale on which tables show the numbers."""
    margins = {}
    if text and "=" not in text and len(result.shown) == 1:  # one number is scored, so it needs no name
        text = f"{result.shown[0]}={text}"
    for given, shown in named_numbers(text, "--margin").items():
        name = result.named(given)
        if name not in result.parts:
            raise UsageError(f"--margin {given}: it is not scored here; there are {', '.join(result.shown)}")
        if shown <= 0:
            raise UsageError(f"--margin {name}={shown:g}: give a number above 0")
        margins[name] = shown / result.parts[name][1].scale
    return margins


def load_systems(paths: list[Path], options: dict[str, Any]) -> list[Result]:
    """Runs as they were saved and files scored, each under a name of its own; of a file that holds several systems all
    of them, or those that `--system` names."""
    wanted = comma_separated(options.get("system"))
    found: list[tuple[Path, OutputFile | None]] = []
    for path in paths:
        if is_run(path) or (path.is_file() and is_large(path)):
            found.append((path, None))
            continue
        held = read_systems(path, dataset=options["dataset"], skip_bad=options["skip_bad"])
        if len(held) > 1:
            held = [each for each in held if not wanted or each.system in wanted]
        found += [(path, each) for each in held]
    if not found:
        raise AssayError(f"{paths[0]}: no system {options['system']} in it; check --system")
    plain = {**options, "system": None, "scores": ()}
    if options["scores"]:  # their rows may stand for all outputs, in order
        plain["only"] = ()
    results = load_all([path for path, _ in found], plain, [held for _, held in found])
    return scores_beside(_tell_apart(results, [path for path, _ in found]), options)


def scores_beside(results: list[Result], options: dict[str, Any]) -> list[Result]:
    """Files scored and saved runs alike, by the names that are shown, with the numbers of `--scores`."""
    if not options["scores"]:
        refuse_idle(better="--scores")
    given = [
        read_scores(path, dataset=options["dataset"], better=directions(options["better"]))
        for path in options["scores"]
    ]
    return with_scores(results, given)


def load_all(
    paths: list[Path], options: dict[str, Any], read: Sequence[OutputFile | None] | None = None
) -> list[Result]:
    """Runs as they were saved; files (or what was read of them) are scored, together where they can be."""
    given: list[Any] = [held or path for path, held in zip(paths, read or [None] * len(paths), strict=True)]
    files = [each for each, path in zip(given, paths, strict=True) if not is_run(path)]
    results: Iterator[Result] = iter(())
    if files:
        requests = choose(options["metrics"], options["suite"])
        executor, scores = options["executor"], options.get("scores", ())
        better = directions(options.get("better"))
        given_to = {"scores": scores, "better": better, "only": options.get("only", ())}
        results = iter(score_systems(files, requests, executor=executor, **given_to, **data_of(options)))
    return [load_run(path, options["metrics"]) if is_run(path) else next(results) for path in paths]


def _tell_apart(results: list[Result], paths: list[Path]) -> list[Result]:
    """Files of one name are called by the folder in which their paths part."""
    names = [result.system for result in results]
    if len(set(names)) == len(names):
        return results
    for level in zip(*(path.resolve().parts for path in paths), strict=False):
        if len({Path(part).stem for part in level}) == len(paths):
            return [replace(result, system=Path(part).stem) for result, part in zip(results, level, strict=True)]
    return [replace(result, system=f"{result.system} ({number})") for number, result in enumerate(results, 1)]
