"""`assay table`: the table of a paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.cli.everyday.score_files import ScoreFiles, are_score_files
from assay.cli.shared.display import warn, width
from assay.cli.shared.help import advanced, new_command, section
from assay.cli.shared.load_systems import add_imported_scores, load_systems
from assay.cli.shared.options import (
    NEW_FILE,
    PATH,
    Resamples,
    apart,
    cluster_option,
    data_options,
    family_option,
    json_option,
    refuse_idle,
)
from assay.errors import AssayError, UsageError
from assay.execution.request import ScoreRequest
from assay.records import to_json
from assay.records.files import replacing
from assay.results.paper_table import PaperTable, table
from assay.results.result import Result
from assay.results.verdict import Family
from assay.show.tables import FORMS, Form, write
from assay.store.library import DatasetResults, open_results
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run

EXAMPLE = """\b
Examples:
  assay table bart.jsonl t5.jsonl pegasus.jsonl -e examples.jsonl -m rouge,chrf --format latex
  assay table outputs/*.txt -e web_nlg_en:webnlg/test -m bleu,chrf,ter -o table.tex
  assay table results/sample --by language --ci 1000
  assay table gem/results -m bleu,rouge,meteor --subset split=validation -o table-3.tex
"""
ENDINGS: dict[str, Form] = {
    ".tex": "latex", ".md": "markdown", ".html": "html", ".csv": "csv", ".txt": "text"
}  # fmt: skip


@new_command(epilog=EXAMPLE)
@click.argument("systems", type=PATH, nargs=-1, required=True)
@data_options
@section(
    "Statistics",
    click.option(
        "--ci", type=Resamples(0), default=0, metavar="N",
        help="Number of bootstrap resamples for 95 % confidence intervals (default: 0, no intervals).",
    ),
    cluster_option,
    click.option("--by", multiple=True, metavar="KEY", help="Also columns for each value of this field. Repeatable."),
    click.option(
        "--subset", multiple=True, metavar="KEY=VALUE", help="Use only items with this language, split or tag."
    ),
)  # fmt: skip
@section(
    "Output",
    click.option("--sort", metavar="METRIC", help="Sort systems by this metric, best first (default: as named)."),
    click.option("--caption", default="", metavar="TEXT", help="Caption of the table (default: none)."),
    click.option("--label", default="", metavar="TEXT", help="LaTeX label of the table (default: none)."),
    click.option(
        "--format", "form", type=click.Choice(FORMS), metavar="FORMAT",
        help="text, markdown, latex (needs booktabs), html or csv (default: by the ending of -o, else text).",
    ),
    click.option("--output", "-o", type=NEW_FILE, metavar="FILE", help="Write a .tex, .md, .html, .csv or .txt file."),
    json_option,
)  # fmt: skip
@advanced(
    family_option,
    click.option(
        "--samples", type=click.IntRange(20), metavar="N",
        help="Number of random permutations (default: chosen by the number of tests).",
    ),
)  # fmt: skip
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
    as_json: bool,
    request: ScoreRequest,
) -> None:
    """Write a paper-ready table of SYSTEMS: outputs files, saved runs, results folders, or score files of GEM.

    Systems are rows, metrics are columns. The best score is bold; † marks scores that are not significantly different
    from the best (paired permutation test over all pairs). Datasets of a results folder are side by side.
    """
    apart([output], [*systems, *request.files])
    if output and form is None and output.suffix not in ENDINGS:
        raise UsageError(f"{output}: unknown ending; use {', '.join(ENDINGS)}, or pass --format")
    if output and form and form != ENDINGS.get(output.suffix, form):
        raise UsageError(f"{output}: --format {form} does not fit the ending {output.suffix}; leave --format out")
    form = form or (ENDINGS[output.suffix] if output else "text")
    if form != "latex":
        refuse_idle(label="--format latex")
    if are_score_files(systems):
        _scores(list(systems), request, subset, sort, caption, form, output, as_json)
        return
    sets = load_sets(list(systems), request.but(only=subset))
    if subset:
        sets = {name: {key: one.subset(*subset) for key, one in results.items()} for name, results in sets.items()}
    made = table(
        sets if len(sets) > 1 else next(iter(sets.values())),
        by=by,
        ci=ci,
        seed=request.resampling_seed,
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
    notes = [note for results in sets.values() for result in results.values() for note in result.notes]
    _put(made, form, output)
    warn(dict.fromkeys([*made.warnings, *notes]))


def _scores(
    paths: list[Path], request: ScoreRequest, subset: tuple[str, ...], sort: str | None, caption: str, form: Form,
    output: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Write the table of score files, which need no data and have no items to test."""
    refuse_idle(by="saved runs", ci="saved runs", cluster="saved runs", samples="saved runs", family="saved runs")
    names = request.metric_names
    made = ScoreFiles(paths, names.split(",") if isinstance(names, str) else names, subset)
    if as_json:
        click.echo(to_json(made.to_dict()))
        return
    table = made.table(sort, caption)
    if output is None:
        click.echo(write(table, form, width(), styled=True))
    else:
        with replacing(output, "w") as stream:
            stream.write(write(table, form) + "\n")
        click.echo(f"{output}: {len(made.runs)} rows")
    warn(dict.fromkeys(made.problems))


def _put(made: PaperTable, form: Form, output: Path | None) -> None:
    if output is None:
        click.echo(made.write(form, width(), styled=True))
        return
    with replacing(output, "w") as stream:
        stream.write(made.write(form) + "\n")
    click.echo(f"{output}: {len(made.systems)} systems, {len(made.sets)} sets of items" if len(made.sets) > 1
               else f"{output}: {len(made.systems)} systems, {made.sets[0].n:,} items")  # fmt: skip


def load_sets(paths: list[Path], request: ScoreRequest) -> dict[str, dict[str, Result]]:
    """Return results by set of items: files and runs that are named together, or the datasets of folders."""
    if any(not path.is_dir() for path in paths):
        results = load_systems(paths, request)
        return {"": {result.system: result for result in results}}
    for name in ("references", "sources", "examples", "suite"):
        if getattr(request, name) is not None:
            raise UsageError(f"--{name}: saved runs are already scored; pass outputs files to score them again")
    library = open_results(paths)
    warn(library.problems)
    datasets = library.datasets.values()
    sets = {_name(dataset): _runs(dataset, request) for dataset in datasets}
    sets = {name: runs for name, runs in sets.items() if runs}
    if not sets:
        raise AssayError(f"{paths[0]}: no saved runs. Make some with `assay run` or `assay score --save`.")
    if len(sets) < len(datasets):
        sets = {dataset.name: _runs(dataset, request) for dataset in datasets}
    if len(sets) > 1:
        refuse_idle(scores="one set of items", better="--scores")
        return sets
    name, runs = next(iter(sets.items()))
    results = add_imported_scores([replace(result, system=system) for system, result in runs.items()], request)
    title = "" if is_run(next(iter(datasets)).folder) else name
    return {title: {result.system: result for result in results}}


def _name(dataset: DatasetResults) -> str:
    """Return the name of a dataset; runs that were named one by one are called by their common folder."""
    if not is_run(dataset.folder):
        return dataset.name
    parents = {run.folder.resolve().parent.name for run in dataset.runs.values()}
    return parents.pop() if len(parents) == 1 else dataset.name


def _runs(dataset: DatasetResults, request: ScoreRequest) -> dict[str, Result]:
    if request.metrics is None:
        return dataset.results
    return {name: load_run(run.folder, request.metric_names) for name, run in dataset.runs.items()}
