"""`assay analyze null-test`: does the test keep its level on these very outputs?"""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.load_systems import load_systems
from assay.cli.shared.options import PATH, data_options, json_option
from assay.execution.request import ScoreRequest
from assay.records import to_json
from assay.results.null_test import DRAWS, SAMPLES, null_test
from assay.results.sentences import null_test_conclusion
from assay.results.tables import null_test_table
from assay.stats.paired_tests import TESTS, describe

EXAMPLE = """\b
Examples:
  assay analyze null-test bart.jsonl t5.jsonl --references refs.jsonl
  assay analyze null-test runs/bart runs/t5 runs/pegasus --draws 1000 --cluster document
"""


@new_command(epilog=EXAMPLE)
@click.argument("systems", type=PATH, nargs=-1, required=True)
@data_options
@click.option(
    "--draws", type=click.IntRange(20), default=DRAWS, show_default=True, help="True null hypotheses to test."
)
@click.option(
    "--test",
    type=click.Choice(tuple(TESTS)),
    default="permutation",
    show_default=True,
    help=f"Paired significance test. {describe(TESTS)}.",
)
@click.option(
    "--samples", type=click.IntRange(20), default=SAMPLES, show_default=True, help="Swaps or resamples of each test."
)
@click.option("--cluster", metavar="KEY", help="Draw and swap items that share this property together.")
@json_option
def command(
    systems: tuple[Path, ...],
    draws: int,
    test: str,
    samples: int,
    cluster: str | None,
    as_json: bool,
    request: ScoreRequest,
) -> None:
    """How often the test calls systems different that are not, on two or more outputs files or saved runs.

    The outputs of each item are given to either of two systems by chance, so that there is nothing to find; the share
    of such pairs that are called different should be near 5 %. If it is higher, trust p on this data less.
    """
    results = load_systems(list(systems), request)
    checked = null_test(results, draws=draws, test=test, samples=samples, seed=request.resampling_seed, cluster=cluster)
    if as_json:
        click.echo(to_json(checked.to_dict()))
        return
    print_tables(null_test_table(checked))
    warn([f"{name}: rejects more than it should here" for name, each in checked.by_name.items() if not each.kept])
    click.echo(null_test_conclusion(checked))
