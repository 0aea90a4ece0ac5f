"""`assay store verify`: verify stored files against their digests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from assay.cli.server.options import database_option
from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.errors import AssayError
from assay.execution.repair import repair
from assay.records import to_json
from assay.records.files import refuse_copy
from assay.server.verify import check_server, is_server_folder
from assay.show.escape import plain
from assay.store.verify import Checked, check

EXAMPLE = """\b
Examples:
  assay store verify runs/bart
  assay store verify results/sample --repair
  assay store verify bart.jsonl
  assay store verify server
"""


@new_command(epilog=EXAMPLE)
@click.argument("paths", nargs=-1, required=True, type=PATH)
@click.option(
    "--repair",
    "repairing",
    is_flag=True,
    help="Recompute what can be recomputed; clean up after interrupted processes.",
)
@click.option("--mend", "former_repair", is_flag=True, hidden=True)
@database_option
@json_option
def command(paths: tuple[Path, ...], repairing: bool, former_repair: bool, database: str | None, as_json: bool) -> None:
    """Verify saved runs, results folders, answers and server folders at PATHS against their stored digests.

    --repair recomputes damaged statistics and scores from the stored texts and replaces them atomically. Texts,
    answers and the rows of a server cannot be recomputed; a remedy is printed. Exit code 1 while a problem remains.
    """
    repairing = repairing or former_repair
    for path in paths if repairing else ():
        refuse_copy(path)
    checked_paths = [checked for path in paths for checked in _check(path, database)]
    done: list[str] = []
    cannot: list[str] = []
    for checked in checked_paths if repairing else ():
        if any(finding.repairable for finding in checked.findings):
            try:
                done += repair(checked)
            except AssayError as error:
                cannot.append(str(error))
    if done:
        checked_paths = [checked for path in paths for checked in _check(path, database)]
    wrong = [checked for checked in checked_paths if checked.findings]
    if as_json:
        click.echo(to_json({"whole": not wrong, "checked": checked_paths, "mended": done, "not_mended": cannot}))
    else:
        _print(checked_paths, done)
        if any(finding.repairable for checked in wrong for finding in checked.findings) and not repairing:
            click.echo(f"Next: assay store verify {' '.join(f'{path}' for path in paths)} --repair")
    warn(cannot)
    if wrong:
        first = wrong[0].findings[0]
        many = sum(len(checked.findings) for checked in wrong)
        where = f"{wrong[0].path}/{first.file}" if wrong[0].kind != "answers" else wrong[0].path
        raise AssayError(f"{counted(many, 'problem')} found, {where} first ({first.problem}); {first.remedy}")


def _check(path: Path, database: str | None) -> Iterator[Checked]:
    if is_server_folder(path):
        return check_server(path, database)
    return check(path)


def _print(checked_paths: list[Checked], done: list[str]) -> None:
    for line in done:
        click.echo(f"mended: {plain(line)}")
    for checked in checked_paths:
        state = counted(len(checked.findings), "problem") if checked.findings else "whole"
        click.echo(f"{plain(checked.path)} · {checked.kind} · {counted(checked.files, 'file')} · {state}")
        for finding in checked.findings:
            click.echo(f"  {plain(finding.file)}: {plain(finding.problem)}; {plain(finding.remedy)}")
        for note in checked.notes:
            click.echo(f"  {plain(note)}")
