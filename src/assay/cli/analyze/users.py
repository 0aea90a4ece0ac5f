"""`assay analyze users`: how well texts identify their users, and the focused set of those that do."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError
from assay.meta.user_ranks import user_ranks
from assay.records import read_examples, to_json, write_jsonl
from assay.show.tables import Table
from assay.stats.interval import wilson_interval

SHOWN = 5
EXAMPLE = "Example: assay analyze users test.jsonl --users train.jsonl --top 1 -o focused.jsonl"


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option("--users", type=PATH, required=True, help="Training responses with a tag `user`, for the user models.")
@click.option("--top", type=click.IntRange(1), default=1, show_default=True, help="Largest rank in the focused set.")
@click.option("--order", type=click.IntRange(1, 6), default=3, show_default=True, help="Order of the n-gram models.")
@click.option("--output", "-o", type=NEW_FILE, help="Write the focused set (JSONL).")
@json_option
def command(examples: Path, users: Path, top: int, order: int, output: Path | None, as_json: bool) -> None:
    """Rank the references of EXAMPLES under the language models of all users: Per-Hits@k of the ground truth.

    The focused set has the items whose reference is among the --top ranks of its own user: not every response shows who
    wrote it, and a system is judged better on those that do.
    """
    apart([output], [examples, users])
    ranked = user_ranks(read_examples(examples).examples, str(users), order)
    focused = ranked.focused(top)
    if output:
        if not focused:
            raise AssayError(f"{examples}: no reference ranks among the first {top} of its user; raise --top")
        write_jsonl(output, focused)
    n = len(ranked.ranks)
    sizes = {k: len(ranked.focused(k)) for k in range(1, min(SHOWN, ranked.users) + 1)}
    if as_json:
        rows = [{"id": one.example.id, "rank": one.rank, "nearest": one.nearest} for one in ranked.ranks]
        hits = {str(k): size / n for k, size in sizes.items()}
        click.echo(to_json({"n": n, "users": ranked.users, "per_hits": hits, "focused": len(focused), "ranks": rows}))
        return
    click.echo(
        f"{counted(n, 'reference')} of {counted(ranked.users, 'user')} · chance level of rank k: k/{ranked.users}"
    )
    cells = []
    for k, size in sizes.items():
        low, high = wilson_interval(size, n)
        shares = (f"{100 * size / n:.2f}", f"[{100 * low:.1f}, {100 * high:.1f}]", f"{100 * k / ranked.users:.2f}")
        cells.append([str(k), str(size), *shares])
    print_tables(Table.of("", ["k", "items", "Per-Hits@k", "95 % CI", "chance"], cells))
    where = f" in {output}" if output else ""
    click.echo(f"Focused set: {counted(len(focused), 'item')} with rank {top} or better{where}")
    click.echo(f"Next: assay score OUTPUTS --examples {output or examples} -m per_hits:users={users} --ci 1000")
