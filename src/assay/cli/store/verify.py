"""`assay store verify`: is what is stored what was written?"""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.errors import AssayError
from assay.execution.repair import mend
from assay.records import to_json
from assay.records.files import refuse_copy
from assay.show.escape import plain
from assay.store.verify import Checked, check

EXAMPLE = """\b
Examples:
  assay store verify runs/bart
  assay store verify results/sample --repair
  assay store verify bart.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("paths", nargs=-1, required=True, type=PATH)
@click.option(
    "--repair", "--mend", "mending", is_flag=True, help="Compute again what can be; tidy up after killed processes."
)
@json_option
def command(paths: tuple[Path, ...], mending: bool, as_json: bool) -> None:
    """Check saved runs, results folders and answers at PATHS against the digests that were kept with them.

    Statistics and numbers that are damaged are computed again from the stored texts by --repair, and swapped in at once.
    Texts and answers cannot be computed: what is to be done about them is said. The exit code is 1 while anything is
    left to be done.
    """
    for path in paths if mending else ():
        refuse_copy(path)
    found = [checked for path in paths for checked in check(path)]
    done: list[str] = []
    cannot: list[str] = []
    for checked in found if mending else ():
        if any(finding.mendable for finding in checked.findings):
            try:
                done += mend(checked)
            except AssayError as error:
                cannot.append(str(error))
    if done:
        found = [checked for path in paths for checked in check(path)]
    wrong = [checked for checked in found if checked.findings]
    if as_json:
        click.echo(to_json({"whole": not wrong, "checked": found, "mended": done, "not_mended": cannot}))
    else:
        _print(found, done)
        if any(finding.mendable for checked in wrong for finding in checked.findings) and not mending:
            click.echo(f"Next: assay store verify {' '.join(f'{path}' for path in paths)} --repair")
    warn(cannot)
    if wrong:
        first = wrong[0].findings[0]
        many = sum(len(checked.findings) for checked in wrong)
        where = f"{wrong[0].path}/{first.file}" if wrong[0].kind != "answers" else wrong[0].path
        raise AssayError(f"{counted(many, 'problem')} found, {where} first ({first.problem}); {first.remedy}")


def _print(found: list[Checked], done: list[str]) -> None:
    for line in done:
        click.echo(f"mended: {plain(line)}")
    for checked in found:
        state = counted(len(checked.findings), "problem") if checked.findings else "whole"
        click.echo(f"{plain(checked.path)} · {checked.kind} · {counted(checked.files, 'file')} · {state}")
        for finding in checked.findings:
            click.echo(f"  {plain(finding.file)}: {plain(finding.problem)}; {plain(finding.remedy)}")
        for note in checked.notes:
            click.echo(f"  {plain(note)}")
