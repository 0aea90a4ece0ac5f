"""`assay report`: write a one-file report about results."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.submission_file import submission_of
from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, family_option, json_option, refuse_idle
from assay.explorer.report import write_report
from assay.records import to_json, write_text
from assay.results.verdict import Family
from assay.show.numbers import file_size

EXAMPLE = """\b
Examples:
  assay report results/sample -o report.html
  assay report runs/bart runs/t5 -o table.tex
  assay report runs -o all.html
  assay report gem/results -o gem.html
  assay report results/mine/news/bart results/mine/places/bart -o submission.json
"""
SUBMISSION = "submission.json"
"""End of the name of a file that is written as a submission."""


@new_command(epilog=EXAMPLE)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option(
    "--output",
    "-o",
    required=True,
    type=NEW_FILE,
    help="File to write: .html, .md, .tex, .csv, .parquet, .json (every_eval_ever), .yaml (model index), or "
    "submission.json (GEM's layout).",
)
@click.option("--plain", is_flag=True, help="HTML without scripts: tables and figures only.")
@family_option
@json_option
def command(results: tuple[Path, ...], output: Path, plain: bool, family: Family, as_json: bool) -> None:
    """Write a report about RESULTS: folders made by `assay run` or `assay score --save`, or results of other tools.

    A folder of such folders includes all of them. The HTML report contains the explorer in one file and needs no
    network. A file whose name ends in submission.json has the outputs of one system, for `assay benchmark submit`.
    """
    apart([output], results)
    if output.suffix != ".html":
        refuse_idle(plain="an .html file")
    if output.suffix not in (".html", ".md", ".tex"):
        refuse_idle(family="an .html, .md or .tex file")
    if output.name.endswith(SUBMISSION):
        _submission(results, output, as_json)
        return
    report = write_report(results, output, plain=plain, family=family)
    warn([*report.problems, *report.not_comparable, *report.alarms])
    if as_json:
        options_used = {
            "datasets": report.datasets,
            "problems": report.problems,
            "not_comparable": report.not_comparable,
            "alarms": report.alarms,
        }
        click.echo(to_json({"report": str(output), **options_used}))
    else:
        click.echo(f"{output}: {counted(report.datasets, 'dataset')}, {file_size(output.stat().st_size)}")
        if output.suffix == ".html":
            click.echo(f"Next: open {output} in a browser; it needs no network.")


def _submission(results: tuple[Path, ...], output: Path, as_json: bool) -> None:
    made = submission_of(results)
    write_text(output, to_json(made) + "\n")
    if as_json:
        click.echo(to_json({"submission": str(output), "tasks": list(made["tasks"])}))
        return
    texts = sum(len(task["values"]) for task in made["tasks"].values())
    click.echo(
        f"{output}: {made['submission_name']}, {counted(len(made['tasks']), 'task')}, {counted(texts, 'output')}"
    )
    click.echo(f'Next: add "param_count", then assay benchmark validate {output} --task NAME=EXAMPLES --card model.md')
