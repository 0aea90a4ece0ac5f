"""`assay compare --against-parents`: a system on a challenge set against itself on the original items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.load_systems import load_all, parse_margins
from assay.errors import AssayError, UsageError
from assay.execution.request import ScoreRequest
from assay.records import OutputFile, read_examples, to_json
from assay.records.read import read_systems
from assay.results.compare import CompareRequest
from assay.results.comparison import Comparison
from assay.results.parents import compare_challenges, is_challenge
from assay.results.result import Result
from assay.results.sentences import conclusion
from assay.results.tables import comparison_table
from assay.show.tables import Form
from assay.store.library import open_results
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run


def compare_parents(
    paths: list[Path], request: ScoreRequest, parent_examples: tuple[Path, ...], subset: tuple[str, ...],
    margin: str | None, compare: CompareRequest, form: Form, as_json: bool,
) -> None:  # fmt: skip
    """Load, compare and print; every format shows the same tables."""
    results = _results(paths, request, parent_examples)
    if not results:
        raise AssayError(
            f"{paths[0]}: no saved runs; scores without items cannot be paired with those of their parents. Pass runs "
            "of `assay run` or `assay score --save`; `assay view` shows score files of other tools with their parents."
        )
    if subset:
        results = [result.subset(*subset) if is_challenge(result) else result for result in results]
    compared = compare_challenges(results, replace(compare, margin=parse_margins(margin, results[0])))
    if as_json:
        shown = [one.to_dict() for one in compared]
        click.echo(to_json({"against": "parents", "comparisons": shown, "warnings": _warnings(compared)}))
        return
    if form != "text":
        print_tables(*(one.table() for one in compared), form=form)
        return
    for number, one in enumerate(compared):
        if number:
            click.echo()
        print_tables(comparison_table(one))
        warn(one.warnings)
    for line in conclusion(compared).split("\n"):
        say(line)


def _warnings(compared: list[Comparison]) -> list[str]:
    return list(dict.fromkeys(warning for one in compared for warning in one.warnings))


def _results(paths: list[Path], request: ScoreRequest, parent_examples: tuple[Path, ...]) -> list[Result]:
    """Load saved runs and results folders; score outputs files against the examples that they answer."""
    for path in paths:
        if not path.exists():
            raise AssayError(f"{path}: no such file; check the path")
    folders = [path for path in paths if path.is_dir() and not is_run(path)]
    files = [path for path in paths if not path.is_dir()]
    results: list[Result] = [load_run(path, request.metric_names) for path in paths if is_run(path)]
    if folders:
        library = open_results(folders)
        warn(library.problems)
        for dataset in library.datasets.values():
            results += dataset.results.values()
    if files and request.examples is None:
        raise UsageError("--against-parents requires saved runs, or outputs files with --examples of the challenge set")
    if parent_examples and not files:
        raise UsageError("--parent-examples requires outputs files; saved runs contain their examples")
    known = [Path(str(path)) for path in (request.examples, *parent_examples) if path is not None]
    ids = {path: {example.id for example in read_examples(path).examples} for path in known} if files else {}
    for path in files:
        for one in read_systems(path, dataset=request.dataset, skip_bad=request.skip_bad):
            for examples, part in _answered(path, one, ids):
                results += load_all([path], request.but(examples=examples), [part])
    return results


def _answered(path: Path, system: OutputFile, ids: dict[Path, set[str]]) -> list[tuple[Path, OutputFile]]:
    """Return the examples that the outputs answer; outputs for several files are divided."""
    if not system.has_ids:
        sizes = [examples for examples, known in ids.items() if len(known) == len(system.texts)]
        if len(sizes) == 1:
            return [(sizes[0], system)]
        raise AssayError(f"{path}: outputs without ids cannot be matched to original and changed items. Add ids.")
    places: dict[Path, list[int]] = {}
    unknown: list[int] = []
    for place, id in enumerate(system.ids):
        at = next((examples for examples, known in ids.items() if id in known), None)
        (unknown if at is None else places.setdefault(at, [])).append(place)
    if not places:
        named = " nor of ".join(map(str, ids))
        raise AssayError(f"{path}: no id of {named}; pass the original examples with --parent-examples")
    max(places.values(), key=len).extend(unknown)  # where the join names them
    return [(examples, _part(system, sorted(chosen))) for examples, chosen in places.items()]


def _part(system: OutputFile, places: list[int]) -> OutputFile:
    def of(values: Sequence[Any]) -> list[Any]:
        return [values[place] for place in places]

    columns = None if system.columns is None else {name: of(values) for name, values in system.columns.items()}
    examples = None if system.examples is None else of(system.examples)
    return system._replace(ids=of(system.ids), texts=of(system.texts), examples=examples, columns=columns)
