"""`assay store anomalies`: find implausible results."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.errors import AssayError
from assay.explorer.overview import overview_of
from assay.explorer.text_anomalies import text_anomalies
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
    "misaligned": "outputs that do not belong to their items",
    "damaged": "damaged outputs",
    "empty": "empty outputs",
    "leak": "outputs equal to references",
    "copy": "systems with nearly the same outputs",
}


@new_command(epilog=EXAMPLE)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option("--fail", is_flag=True, help="Exit with code 1 if there is any anomaly.")
@json_option
def command(results: tuple[Path, ...], fail: bool, as_json: bool) -> None:
    """Check RESULTS (results folders, saved runs, or score files of other tools) for implausible scores and texts
    before they are compared.

    Texts are checked where the folder contains them: outputs of other items, damaged or empty outputs, outputs equal
    to a reference, and systems with nearly the same outputs.
    """
    library = open_results(results)
    overview = overview_of(library)
    problems = list(overview.problems)
    scores = overview.anomalies()
    anomalies_found = [*scores, *text_anomalies(library, scores, problems)]
    warn(problems)
    if as_json:
        click.echo(to_json({"lines": len(overview.runs), "anomalies": [each.plain() for each in anomalies_found]}))
    else:
        say(f"{counted(len(overview.runs), 'run')} of {overview.title}: {_number(len(anomalies_found))}")
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
            f"{_number(len(anomalies_found))} in {overview.title}, the first on {anomalies_found[0].dataset}: "
            f"{anomalies_found[0].problem}"
        )


def _number(count: int) -> str:
    return "1 anomaly" if count == 1 else f"{count or 'no'} anomalies"
