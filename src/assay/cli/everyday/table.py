"""`assay table`: the table of a paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import warn, width
from assay.cli.shared.help import new_command
from assay.cli.shared.load_systems import load_systems, scores_beside
from assay.cli.shared.options import (
    NEW_FILE,
    PATH,
    apart,
    data_files,
    data_options,
    family_option,
    json_option,
    refuse_idle,
)
from assay.errors import AssayError, UsageError
from assay.records import to_json
from assay.records.files import replacing
from assay.results.paper_table import PaperTable, table
from assay.results.result import Result
from assay.results.verdict import Family
from assay.show.tables import FORMS, Form
from assay.store.library import DatasetResults, open_results
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run

EXAMPLE = """\b
Examples:
  assay table bart.jsonl t5.jsonl pegasus.jsonl -e examples.jsonl -m rouge,chrf --format latex
  assay table outputs/*.txt -e web_nlg_en:webnlg/test -m bleu,chrf,ter -o table.tex
  assay table results/sample --by language --ci 1000
"""
ENDINGS: dict[str, Form] = {
    ".tex": "latex", ".md": "markdown", ".html": "html", ".csv": "csv", ".txt": "text"
}  # fmt: skip


@new_command(epilog=EXAMPLE)
@click.argument("systems", type=PATH, nargs=-1, required=True)
@data_options
@click.option(
    "--by", multiple=True, metavar="KEY", help="Also columns for each value of this property; several add up."
)
@click.option("--subset", multiple=True, metavar="KEY=VALUE", help="Only items with this language, split or tag.")
@click.option("--ci", type=click.IntRange(0), default=0, help="Resamples for 95 % intervals beside values, e.g. 1000.")
@click.option("--cluster", metavar="KEY", help="Swap and draw items that share this property together.")
@family_option
@click.option("--samples", type=click.IntRange(20), help="Random swaps; if not said, as many as the tests take.")
@click.option("--sort", metavar="NAME", help="Systems in the order of this number, the best first.")
@click.option("--caption", default="", help="What stands above the table.")
@click.option("--label", default="", help="By which a LaTeX document refers to it.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    help="How it is written: as the ending of -o says, else text; latex needs booktabs, csv keeps exact values.",
)
@click.option("--output", "-o", type=NEW_FILE, help="Write it to this file: .tex, .md, .html, .csv or .txt.")
@json_option
def command(
    systems: tuple[Path, ...],
    by: tuple[str, ...],
    subset: tuple[str, ...],
    ci: int,
    cluster: str | None,
    family: Family,
    samples: int | None,
    sort: str | None,
    caption: str,
    label: str,
    form: Form | None,
    output: Path | None,
    seed: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """The table of a paper from SYSTEMS: outputs files, saved runs, or folders of results.

    Systems are rows, metrics columns. The best value is bold, and marked is whoever is not told apart from it by a
    paired permutation test over all pairs; the note below says how. Datasets of a results folder, and runs on other
    items, stand side by side.
    """
    apart([output], [*systems, *data_files(options)])
    if output and form is None and output.suffix not in ENDINGS:
        raise UsageError(f"{output}: the ending says the form; use {', '.join(ENDINGS)}, or say --format")
    form = form or (ENDINGS[output.suffix] if output else "text")
    if form != "latex":
        refuse_idle(label="--format latex")
    sets = load_sets(list(systems), options | {"only": subset})
    if subset:
        sets = {name: {key: one.subset(*subset) for key, one in held.items()} for name, held in sets.items()}
    made = table(
        sets if len(sets) > 1 else next(iter(sets.values())),
        by=by,
        ci=ci,
        seed=seed or 0,
        samples=samples,
        cluster=cluster,
        family=family,
        sort=sort,
        caption=caption or (next(iter(sets)) if len(sets) == 1 else ""),
        label=label,
    )
    if as_json:
        click.echo(to_json(made.to_dict()))
        return
    notes = [note for held in sets.values() for result in held.values() for note in result.notes]
    _put(made, form, output)
    warn(dict.fromkeys([*made.warnings, *notes]))


def _put(made: PaperTable, form: Form, output: Path | None) -> None:
    if output is None:
        click.echo(made.write(form, width(), styled=True))
        return
    with replacing(output, "w") as stream:
        stream.write(made.write(form) + "\n")
    click.echo(f"{output}: {len(made.systems)} systems, {len(made.sets)} sets of items" if len(made.sets) > 1
               else f"{output}: {len(made.systems)} systems, {made.sets[0].n:,} items")  # fmt: skip


def load_sets(paths: list[Path], options: dict[str, Any]) -> dict[str, dict[str, Result]]:
    """Results by set of items: files and runs that are named together are one, folders hold what they hold."""
    if any(not path.is_dir() for path in paths):
        results = load_systems(paths, options)
        return {"": {result.system: result for result in results}}
    for name in ("references", "sources", "examples", "suite"):
        if options[name] is not None:
            raise UsageError(f"--{name}: saved runs are scored already; give outputs files to score anew")
    library = open_results(paths)
    warn(library.problems)
    found = {_name(held): _runs(held, options["metrics"]) for held in library.datasets.values()}
    found = {name: held for name, held in found.items() if held}
    if not found:
        raise AssayError(f"{paths[0]}: no saved runs in it; make some with assay run, or assay score --save")
    if len(found) < len(library.datasets):
        found = {held.name: _runs(held, options["metrics"]) for held in library.datasets.values()}
    if len(found) > 1:
        refuse_idle(scores="one set of items", better="--scores")
        return found
    name, held = next(iter(found.items()))
    beside = scores_beside([replace(result, system=system) for system, result in held.items()], options)
    called = "" if is_run(next(iter(library.datasets.values())).folder) else name
    return {called: {result.system: result for result in beside}}


def _name(held: DatasetResults) -> str:
    """Runs that were named one by one are called by the folder in which they stand."""
    if not is_run(held.folder):
        return held.name
    parents = {run.folder.resolve().parent.name for run in held.runs.values()}
    return parents.pop() if len(parents) == 1 else held.name


def _runs(held: DatasetResults, metrics: str | None) -> dict[str, Result]:
    if metrics is None:
        return held.results
    return {name: load_run(run.folder, metrics) for name, run in held.runs.items()}
