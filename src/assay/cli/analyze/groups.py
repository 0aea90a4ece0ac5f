"""`assay analyze groups`: differences of a system between groups of items."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.load_systems import load_all, load_systems
from assay.cli.shared.options import PATH, cluster_option, data_options, format_option, json_option
from assay.errors import UsageError
from assay.execution.request import ScoreRequest
from assay.records import to_json
from assay.results.group_differences import LEAST, SAMPLES, generalisation_gap, group_differences
from assay.show.tables import Form

EXAMPLE = """\b
Examples:
  assay analyze groups bart.jsonl -e examples.jsonl --by topic -m rouge,chrf
  assay analyze groups runs/test runs/train-sample runs/validation-sample
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@click.argument("others", type=PATH, nargs=-1)
@data_options
@click.option(
    "--by",
    metavar="KEY",
    help="Field that defines the groups; each is compared with all other items (required without OTHERS).",
)
@click.option(
    "--least", type=click.IntRange(2), default=LEAST, show_default=True, help="Minimum number of items per group."
)
@click.option(
    "--samples", type=click.IntRange(20), default=SAMPLES, show_default=True, help="Number of bootstrap resamples."
)
@cluster_option
@format_option
@json_option
def command(
    outputs: Path, others: tuple[Path, ...], by: str | None, least: int, samples: int, cluster: str | None, form: Form,
    as_json: bool, request: ScoreRequest,
) -> None:  # fmt: skip
    """Report how scores of one system differ between groups of items of OUTPUTS (an outputs file or a saved run), or
    between OTHERS (runs on samples of training or validation data) and OUTPUTS on the test set.

    The groups have different items, so each side is resampled independently, in whole documents or originals where
    items say so. Groups below --least are listed and not tested.
    """
    if bool(by) == bool(others):
        raise UsageError("pass either --by KEY for groups of items, or runs on other sets to compare with the first")
    seed = request.resampling_seed
    if by:
        results = load_systems([outputs], request)
        comparisons = [
            group_differences(result, by, least=least, samples=samples, seed=seed, cluster=cluster)
            for result in results
        ]
    else:
        results = load_all([outputs, *others], request)
        # runs of one system on several sets are called by their folders
        named = [replace(one, system=path.stem) for one, path in zip(results, (outputs, *others), strict=True)]
        comparisons = [
            generalisation_gap(named[0], named[1:], least=least, samples=samples, seed=seed, cluster=cluster)
        ]
    notes = [note for result in results for note in result.notes]
    warn(dict.fromkeys([*notes, *(warning for each in comparisons for warning in each.warnings)]))
    if as_json:
        click.echo(to_json({"gaps": [each.to_dict() for each in comparisons]}))
    else:
        print_tables(*(each.table() for each in comparisons), form=form)
