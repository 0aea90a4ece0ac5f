"""`assay analyze entrainment`: how far outputs follow the turns before them, in length and wording."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.execution.loading import load_items
from assay.meta.entrainment import Entrained, entrainment
from assay.records import to_json
from assay.show.numbers import probability
from assay.show.tables import Table
from assay.stats.correlation import Correlation

EXAMPLE = "Example: assay analyze entrainment outputs.jsonl -e sgd-test.jsonl --turns 5"


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@click.option("--examples", "-e", type=PATH, required=True, help="Examples with dialog acts and their context.")
@click.option("--turns", type=click.IntRange(1), default=5, show_default=True, help="Number of preceding turns.")
@click.option("--allow-missing", is_flag=True, help="Use the items that have outputs; report the number missing.")
@json_option
def command(outputs: Path, examples: Path, turns: int, allow_missing: bool, as_json: bool) -> None:
    """Compare OUTPUTS with the turns of user and system before them, next to the references.

    Contextual BLEU-2 is the mean over items; lengths are words, of several turns their mean; r is Pearson's.
    """
    items = load_items(outputs, examples=examples, allow_missing=allow_missing)
    rows = entrainment(items, turns)
    if as_json:
        click.echo(to_json({"turns": turns, "entrainment": [_plain(row) for row in rows], "warnings": items.notes}))
        return
    heads = ["system", "side", "n", "context BLEU-2", "length r", "p", "r with BLEU", "p"]
    cells = [
        [row.system, row.side, str(row.n), f"{row.context_bleu:.2f}", *_shown(row.length), *_shown(row.reference_bleu)]
        for row in rows
    ]
    print_tables(Table.of("", heads, cells))
    warn(items.notes)
    click.echo(f"Next: assay score {outputs} --examples {examples} -m context_bleu --ci 1000")


def _shown(correlation: Correlation | None) -> list[str]:
    return ["", ""] if correlation is None else [f"{correlation.r:.3f}", probability(correlation.p)]


def _plain(row: Entrained) -> dict[str, object]:
    made: dict[str, object] = row._asdict()
    for name in ("length", "reference_bleu"):
        correlation = getattr(row, name)
        made[name] = None if correlation is None else {"r": correlation.r, "p": correlation.p}
    return made
