"""`assay study review`: tabulate coded papers."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option
from assay.records import to_json
from assay.show.tables import Form
from assay.studies.review_papers import paper_tables, read_papers, review
from assay.studies.review_records import creative_survey, read_evaluations, record_tables, survey

EXAMPLE = """\b
Examples:
  assay study review creative
  assay study review coded-papers.tsv --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("papers", type=PATH)
@format_option
@json_option
def command(papers: Path, form: Form, as_json: bool) -> None:
    """Tabulate PAPERS: a TSV with the columns of the style-transfer review, a TOML of [[evaluations]], or `creative`
    for the built-in survey of creative systems."""
    built_in = str(papers) == "creative" and not papers.exists()
    if built_in or papers.suffix == ".toml":
        counts = survey(creative_survey() if built_in else read_evaluations(papers))
        tables = record_tables(counts)
    else:
        counts = review(read_papers(papers))
        tables = paper_tables(counts)
    if as_json:
        click.echo(to_json(counts))
        return
    print_tables(*tables, form=form)
