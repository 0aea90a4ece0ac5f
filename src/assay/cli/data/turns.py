"""`assay data turns`: chats as one item per turn of the assistant."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError
from assay.records import to_json, write_jsonl
from assay.records.read import read_systems
from assay.records.turns import turns_of

EXAMPLE = """\b
Examples:
  assay data turns chats.jsonl -o turns.jsonl
  assay score turns.jsonl -m conversation --ci 1000
"""


@new_command(epilog=EXAMPLE)
@click.argument("chats", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, metavar="FILE", help="Items to write (JSONL).")
@click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read; report their number.")
@json_option
def command(chats: Path, output: Path, skip_bad: bool, as_json: bool) -> None:
    """Write one item for each turn of the assistant in CHATS: logs of messages, or outputs with messages.

    An item has the turns before it and the tags `dialogue` and `turn`. Turns of a dialogue are not independent:
    intervals and tests take `dialogue` as the cluster. References and expected answers belong to the last turn.
    """
    apart([output], [chats])
    systems = read_systems(chats, skip_bad=skip_bad)
    bare = [each.system for each in systems if not each.examples or not any(one.messages for one in each.examples)]
    if bare:
        raise AssayError(f"{chats}: system {bare[0]} has no messages; give a log of chats, or outputs with messages")
    rows = list(turns_of(systems))
    write_jsonl(output, rows)
    dialogues = len({(row["system"], row["tags"]["dialogue"]) for row in rows})
    if as_json:
        click.echo(to_json({"output": str(output), "turns": len(rows), "dialogues": dialogues}))
        return
    click.echo(f"{output}: {counted(len(rows), 'turn')} of {counted(dialogues, 'dialogue')}")
    warn(dict.fromkeys(note for each in systems for note in each.notes))
