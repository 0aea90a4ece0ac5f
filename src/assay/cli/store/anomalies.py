"""`assay store anomalies`: find implausible results."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.errors import AssayError
from assay.explorer.overview import overview_of
from assay.records import to_json
from assay.store.library import open_results

EXAMPLE = """\b
Examples:
  assay store anomalies results/sample
  assay store anomalies gem/results --json
  assay store anomalies results/mine --fail
"""
TITLES = {
    "bounds": "out of the range of the metric",
    "order": "in an impossible order",
    "zero": "exactly zero",
    "sizes": "with unequal numbers of items",
    "equal": "equal for different systems",
}


@new_command(epilog=EXAMPLE)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option("--fail", is_flag=True, help="Exit with code 1 if there is any anomaly.")
@json_option
def command(results: tuple[Path, ...], fail: bool, as_json: bool) -> None:
    """Check RESULTS (results folders, or score files of other tools) for implausible values before they are
    compared."""
    overview = overview_of(open_results(results))
    anomalies_found = overview.anomalies()
    warn(overview.problems)
    if as_json:
        click.echo(to_json({"lines": len(overview.lines), "anomalies": [each.plain() for each in anomalies_found]}))
    else:
        say(f"{counted(len(overview.lines), 'run')} of {overview.title}: {len(anomalies_found) or 'no'} anomalies")
        for kind, title in TITLES.items():
            mine = [each for each in anomalies_found if each.kind == kind]
            if mine:
                say(f" {title}: {len(mine)}")
            for each in mine:
                place = f"{each.dataset} {each.subset}".rstrip()
                who = f" {each.systems[0]}:" if len(each.systems) == 1 else ""
                say(f"  {place}:{who} {each.problem}")
    if fail and anomalies_found:
        raise AssayError(
            f"{len(anomalies_found)} anomalies in {overview.title}, the first on {anomalies_found[0].dataset}: "
            f"{anomalies_found[0].problem}"
        )
