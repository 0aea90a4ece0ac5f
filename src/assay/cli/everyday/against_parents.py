"""`assay compare --against-parents`: a system on a challenge set against itself on the original items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.load_systems import load_all, plain_margins
from assay.errors import AssayError, UsageError
from assay.records import OutputFile, read_examples, to_json
from assay.records.read import read_systems
from assay.results.comparison import Comparison
from assay.results.parents import compare_with_parents, is_challenge
from assay.results.result import Result
from assay.results.tables import comparison_table, conclusion, procedure
from assay.show.tables import Form
from assay.store.library import open_results
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run


def compare_parents(
    paths: list[Path], options: dict[str, Any], parent_examples: tuple[Path, ...], subset: tuple[str, ...],
    asked: dict[str, Any], form: Form, as_json: bool,
) -> None:  # fmt: skip
    """Load, compare and print; the same tables in every form."""
    results = _results(paths, options, parent_examples)
    if subset:
        results = [result.subset(*subset) if is_challenge(result) else result for result in results]
    margin = plain_margins(asked.pop("margin"), results[0])
    compared = compare_with_parents(results, **asked, margin=margin)
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
    for line in (*conclusion(compared).split("\n"), *procedure(compared).split("\n")):
        say(line)


def _warnings(compared: list[Comparison]) -> list[str]:
    return list(dict.fromkeys(warning for one in compared for warning in one.warnings))


def _results(paths: list[Path], options: dict[str, Any], parent_examples: tuple[Path, ...]) -> list[Result]:
    """Saved runs and results folders as they are; outputs files scored against the examples that they answer."""
    for path in paths:
        if not path.exists():
            raise AssayError(f"{path}: no such file; check the path")
    folders = [path for path in paths if path.is_dir() and not is_run(path)]
    files = [path for path in paths if not path.is_dir()]
    found: list[Result] = [load_run(path, options["metrics"]) for path in paths if is_run(path)]
    if folders:
        library = open_results(folders)
        warn(library.problems)
        for held in library.datasets.values():
            found += held.results.values()
    if files and options["examples"] is None:
        raise UsageError("--against-parents takes saved runs, or outputs with the changed examples as --examples")
    if parent_examples and not files:
        raise UsageError("--parent-examples goes with outputs files; saved runs know theirs")
    known = [path for path in (options["examples"], *parent_examples) if path is not None]
    ids = {path: {example.id for example in read_examples(path).examples} for path in known} if files else {}
    for path in files:
        for one in read_systems(path, dataset=options["dataset"], skip_bad=options["skip_bad"]):
            for examples, part in _answered(path, one, ids):
                found += load_all([path], {**options, "examples": examples}, [part])
    return found


def _answered(path: Path, held: OutputFile, ids: dict[Path, set[str]]) -> list[tuple[Path, OutputFile]]:
    """The examples that the outputs are for; outputs for those of several files are taken apart."""
    if not held.has_ids:
        sizes = [examples for examples, known in ids.items() if len(known) == len(held.texts)]
        if len(sizes) == 1:
            return [(sizes[0], held)]
        raise AssayError(f"{path}: its outputs have no ids, so nobody can say whether they are for parents or children")
    places: dict[Path, list[int]] = {}
    unknown: list[int] = []
    for place, id in enumerate(held.ids):
        at = next((examples for examples, known in ids.items() if id in known), None)
        (unknown if at is None else places.setdefault(at, [])).append(place)
    if not places:
        named = " nor of ".join(map(str, ids))
        raise AssayError(f"{path}: has no id of {named}; give the originals as --parent-examples")
    max(places.values(), key=len).extend(unknown)  # where the join names them
    return [(examples, _part(held, sorted(chosen))) for examples, chosen in places.items()]


def _part(held: OutputFile, places: list[int]) -> OutputFile:
    def of(values: Sequence[Any]) -> list[Any]:
        return [values[place] for place in places]

    columns = None if held.columns is None else {name: of(values) for name, values in held.columns.items()}
    examples = None if held.examples is None else of(held.examples)
    return held._replace(ids=of(held.ids), texts=of(held.texts), examples=examples, columns=columns)
