"""`assay study review`: tabulate coded papers."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, refuse_idle, table_options
from assay.errors import UsageError
from assay.meta.review_papers import paper_tables, read_papers, review
from assay.meta.review_years import by_year, draw_review, year_tables
from assay.records import to_json
from assay.show.tables import Form
from assay.studies.review_records import creative_survey, read_evaluations, record_tables, survey

EXAMPLE = """\b
Examples:
  assay study review creative
  assay study review coded-papers.tsv --json
  assay study review coded-papers.tsv --plots figures
"""


@new_command(epilog=EXAMPLE)
@click.argument("papers", type=PATH)
@table_options
def command(papers: Path, form: Form, plots: Path | None, figure_format: str, as_json: bool) -> None:
    """Tabulate PAPERS: a TSV with the columns of the style-transfer review, a TOML of [[evaluations]], or `creative`
    for the built-in survey of creative systems. Papers of a TSV are also counted by year, and drawn with --plots."""
    if plots is None:
        refuse_idle(figure_format="--plots")
    built_in = str(papers) == "creative" and not papers.exists()
    if built_in or papers.suffix == ".toml":
        if plots is not None:
            raise UsageError("--plots: only coded papers in a TSV have figures")
        counts = survey(creative_survey() if built_in else read_evaluations(papers))
        tables = record_tables(counts)
    else:
        read = read_papers(papers)
        counts = review(read) | {"by_year": by_year(read)}
        tables = [*paper_tables(counts), *year_tables(counts["by_year"], list(counts["years"]))]
        for path in draw_review(read, plots, figure_format) if plots else ():
            click.echo(f"{path}", err=True)
    if as_json:
        click.echo(to_json(counts))
        return
    print_tables(*tables, form=form)
