"""`assay server mcp`: tools for assistants."""

from __future__ import annotations

import os
import sys
from importlib.resources import files
from pathlib import Path

import click

from assay.cli.shared.help import new_command
from assay.errors import AssayError, UsageError
from assay.records.files import replacing

EXAMPLE = """\b
Examples:
  assay server mcp results data
  assay server mcp data --write
  assay server mcp --skill skills/evaluate-generated-text/SKILL.md
"""


@new_command(epilog=EXAMPLE)
@click.argument("folders", type=click.Path(path_type=Path), nargs=-1)
@click.option("--write", is_flag=True, help="Let tools write new files into FOLDERS (default: they only read).")
@click.option(
    "--skill", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write the instructions for assistants (SKILL.md) to a new FILE, and end.",
)  # fmt: skip
def command(folders: tuple[Path, ...], write: bool, skill: Path | None) -> None:
    """Let assistants evaluate files in FOLDERS: tools score, compare, support and table.

    The assistant starts this command and talks to it over standard input and output (Model Context Protocol). Tools
    read files in FOLDERS only, download nothing and ask no other machine.
    """
    if skill:
        _write_skill(skill, folders)
        return
    if not folders:
        raise UsageError("name the folders that may be read")
    if lost := [folder for folder in folders if not folder.is_dir()]:
        raise UsageError(f"{lost[0]}: no such folder. Check the path.")
    os.environ["HF_HUB_OFFLINE"] = "1"
    from assay.server.assistants.folders import Folders
    from assay.server.assistants.protocol import Session
    from assay.server.assistants.tools import tools

    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints must not mix with the messages
    Session(tools(Folders.of(folders, write))).serve(sys.stdin.buffer, answers)


def _write_skill(path: Path, folders: tuple[Path, ...]) -> None:
    if folders:
        raise UsageError("--skill writes a file and serves nothing; leave out the folders")
    if path.exists():
        raise AssayError(f"{path}: exists; name a new file")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, "w") as stream:
        stream.write(files("assay.server.assistants").joinpath("SKILL.md").read_text("utf-8"))
    click.echo(f"{path}: instructions for assistants")
