"""`assay analyze null-test`: false-positive rate of the test on your own outputs."""

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
from assay.results.tables import dependence_table, null_test_table
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
    "--draws", type=click.IntRange(20), default=DRAWS, show_default=True, help="Number of simulated null hypotheses."
)
@click.option(
    "--test",
    type=click.Choice(tuple(TESTS)),
    default="permutation",
    show_default=True,
    help=f"Paired significance test. {describe(TESTS)}.",
)
@click.option(
    "--samples",
    type=click.IntRange(20),
    default=SAMPLES,
    show_default=True,
    help="Number of random permutations or resamples per test.",
)
@click.option(
    "--cluster",
    metavar="KEY",
    help="Field whose clusters are resampled and permuted, or none (default: as in `assay compare`, else the field "
    "with the strongest dependence).",
)
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
    """Estimate the false-positive rate of the test on two or more outputs files or saved runs.

    The outputs of each item are assigned to two systems at random, so that the null hypothesis is true. About 5 % of
    such pairs should be significant; a higher rate means that p-values on this data are too small. Items that share a
    document, source, reference or input are examined for dependence; if there is any, whole clusters are simulated.
    """
    results = load_systems(list(systems), request)
    checked = null_test(results, draws=draws, test=test, samples=samples, seed=request.resampling_seed, cluster=cluster)
    if as_json:
        click.echo(to_json(checked.to_dict()))
        return
    if checked.dependence:
        print_tables(dependence_table(checked.dependence))
    print_tables(null_test_table(checked))
    warn([f"{name}: rejects more often than its level" for name, each in checked.by_name.items() if not each.kept])
    click.echo(null_test_conclusion(checked))
