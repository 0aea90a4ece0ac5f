"""`assay store cache`: show or clear what is cached between runs."""

from __future__ import annotations

import click

from assay.cli.shared.display import counted, print_tables, say
from assay.cli.shared.help import new_group
from assay.cli.shared.options import json_option
from assay.models.cache import Cache, CacheUsage, clear, other_usage
from assay.records.cache_folder import cache_home, size_of
from assay.records.files import to_json
from assay.show.escape import plain
from assay.show.numbers import count, file_size
from assay.show.tables import Column, Table

EXAMPLE = """\b
Examples:
  assay store cache
  assay store cache clear
  assay store cache clear --namespace endpoints
  assay store cache clear --down-to 1GB
"""


@new_group(invoke_without_command=True, epilog=EXAMPLE)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show what is cached between runs: model outputs, answers of endpoints, unpacked weights.

    The folder is ASSAY_CACHE (or XDG_CACHE_HOME, or ~/.cache); values take at most ASSAY_CACHE_SIZE (default: 5GB).
    """
    if ctx.invoked_subcommand is not None:
        return
    cache = Cache()
    values, others = cache.usage(), other_usage()
    if as_json:
        shown = {
            "folder": str(cache_home()),
            "limit": cache.limit,
            "bytes": sum(row.bytes for row in values),
            "namespaces": [{**row._asdict(), "bounded": row in values} for row in [*values, *others]],
        }
        click.echo(to_json(shown))
        return
    click.echo(f"{cache_home()}")
    rows = [[row.namespace, count(row.entries), file_size(row.bytes)] for row in [*values, *others]]
    if rows:
        print_tables(Table([Column("namespace", "left"), Column("entries"), Column("size")], rows))
    used = sum(row.bytes for row in values)
    click.echo(f"Values take {file_size(used)} of {file_size(cache.limit)} (ASSAY_CACHE_SIZE).")
    click.echo("Next: assay store cache clear (keeps answers and weights)")


@command.command("clear")
@click.option(
    "--namespace",
    "-n",
    "namespaces",
    multiple=True,
    help="Namespace to clear. Repeatable (default: all values of models).",
)
@click.option("--down-to", help="Remove the least recently used values until this size is reached, e.g. 1GB.")
@json_option
def clear_command(namespaces: tuple[str, ...], down_to: str | None, as_json: bool) -> None:
    """Remove cached model values. Answers of endpoints and unpacked weights are removed only by --namespace."""
    if namespaces and down_to:
        raise click.UsageError("--namespace and --down-to exclude each other; leave one out")
    if down_to is not None:
        before = Cache().usage()
        Cache(limit=size_of(down_to)).shrink()
        after = {row.namespace: row for row in Cache().usage()}
        cleared = [_difference(row, after.get(row.namespace)) for row in before]
    else:
        cleared = [clear(name) for name in namespaces or [row.namespace for row in Cache().usage()]]
    kept = [*Cache().usage(), *other_usage()]
    if as_json:
        click.echo(to_json({"cleared": [one._asdict() for one in cleared], "kept": [one._asdict() for one in kept]}))
        return
    entries = sum(row.entries for row in cleared)
    click.echo(f"Cleared {counted(entries, 'value')}, {file_size(sum(row.bytes for row in cleared))}.")
    for row in kept:
        name = plain(row.namespace)
        say(f"  kept {name} ({file_size(row.bytes)}): --namespace {name} clears it")


def _difference(before: CacheUsage, after: CacheUsage | None) -> CacheUsage:
    left = after or CacheUsage(before.namespace, 0, 0)
    return CacheUsage(before.namespace, before.entries - left.entries, before.bytes - left.bytes)
