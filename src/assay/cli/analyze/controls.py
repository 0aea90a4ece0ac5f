"""`assay analyze controls`: requested control values of simplifications, and those that the outputs have."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.errors import AssayError, UsageError
from assay.execution.loading import load_items
from assay.inputs.simplification import COMPUTED, ORACLE, frequency_ranks
from assay.meta.control_report import Achieved, achieved
from assay.records import to_json
from assay.records.documents import JSONObject
from assay.records.files import read_text
from assay.records.stored_rows import rows_by_id
from assay.show.tables import Table

EXAMPLE = """\b
Examples:
  assay analyze controls outputs.jsonl -e asset-test.jsonl
  assay analyze controls long.jsonl short.jsonl -e asset-test.jsonl --ranks frequencies.txt
  assay analyze controls access.jsonl -e asset-test.jsonl --request nbchars=0.95,levsim=0.75
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", nargs=-1, required=True, type=PATH)
@click.option("--examples", "-e", type=PATH, required=True, help="Examples with the sources.")
@click.option("--request", metavar="NAME=VALUE,..", help="Requested values, for outputs of another system.")
@click.option("--ranks", type=PATH, help="Words by frequency, for wordrank (default: frequencies in the sources).")
@json_option
def command(outputs: tuple[Path, ...], examples: Path, request: str | None, ranks: Path | None, as_json: bool) -> None:
    """Compare the requested control values of OUTPUTS with those of the texts: character ratio, similarity to the
    source, and ratio of word ranks.

    Outputs of a simplifier contain what was requested. Values are means over items with 95 % intervals from
    resampled items.
    """
    wanted = _constants(request) if request else None
    rows: list[tuple[Path, Achieved]] = []
    notes: list[str] = []
    for file in outputs:
        items = load_items(file, examples=examples)
        stated = _stated(file)
        requested_values = [wanted or stated.get(id, {}) for id in items.ids]
        if not any(requested_values):
            raise AssayError(f"{file}: no requested values; give them with --request nbchars=0.95")
        words = _ranks(ranks) if ranks else frequency_ranks(items.sources)
        rows += [(file, row) for row in achieved(items.sources, items.outputs, requested_values, words)]
        if ORACLE in {one.get("from") for one in stated.values()}:
            notes.append(f"{file}: requested values are computed from the references (oracle)")
    if as_json:
        click.echo(to_json({"controls": [{"outputs": str(file)} | row._asdict() for file, row in rows]}))
        return
    heads = ["outputs", "control", "n", "requested", "achieved", "95 % CI", "mean error", "r"]
    cells = [
        [file.stem, row.control, str(row.n), f"{row.requested:.2f}", f"{row.achieved:.3f}",
         f"[{row.low:.3f}, {row.high:.3f}]", f"{row.error:.3f}", "" if row.r is None else f"{row.r:.2f}"]
        for file, row in rows
    ]  # fmt: skip
    print_tables(Table.of("", heads, cells))
    warn(notes)
    click.echo(f"Next: assay score {outputs[0]} --examples {examples} -m sari,bleu,entity_errors --ci 1000")


def _constants(request: str) -> dict[str, float]:
    """`nbchars=0.95,levsim=0.75`"""
    made: dict[str, float] = {}
    for part in request.split(","):
        name, _, value = part.strip().partition("=")
        try:
            made[name] = float(value)
        except ValueError:
            raise UsageError(f"--request {part}: give NAME=NUMBER, separated by commas") from None
        if name not in COMPUTED:
            raise UsageError(f"--request {part}: no control {name}; there is {', '.join(COMPUTED)}")
    return made


def _stated(file: Path) -> dict[str, JSONObject]:
    """Return the requested values in a file of outputs by id; `from` says how they were chosen."""
    return {
        id: {**row["controls"], "from": row.get("controls_from", "")}
        for id, row in rows_by_id(file).items()
        if row.get("controls")
    }


def _ranks(path: Path) -> dict[str, int]:
    words = (line.split(" ", 1)[0] for line in read_text(path).splitlines())
    return {word: rank for rank, word in reversed(list(enumerate(words)))}
