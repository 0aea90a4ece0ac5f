"""`assay benchmark diff`: compare two versions."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.manifest import read_manifest
from assay.benchmark.manifest_changes import Difference, difference
from assay.benchmark.submission_store import StoredVersion
from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay benchmark diff tides-1.toml tides-2.toml
  assay benchmark diff store/1 store/2
"""


@new_command(epilog=EXAMPLE)
@click.argument("old", type=PATH)
@click.argument("new_one", metavar="NEW", type=PATH)
@json_option
def command(old: Path, new_one: Path, as_json: bool) -> None:
    """Show what changed from version OLD to NEW, and which results are comparable.

    Both are manifests, or versions in a store (STORE/1 STORE/2), whose comparable scores are shown side by side.
    """
    from assay.benchmark.version_comparison import compare_versions

    stored = [StoredVersion.of(path) if path.is_dir() else None for path in (old, new_one)]
    pair = [
        version.manifest if version else read_manifest(path, frozen=True)
        for version, path in zip(stored, (old, new_one), strict=True)
    ]
    changed = difference(*pair)
    versions = [version for version in stored if version]
    shared = compare_versions(versions[0], versions[1], changed) if len(versions) == len(pair) else None
    if as_json:
        click.echo(
            to_json(changed.plain() | ({"numbers": shared.rows, "not_comparable": shared.apart} if shared else {}))
        )
        return
    _print_difference(changed)
    if shared:
        print_tables(*shared.tables())
        warn(shared.apart)


def _print_difference(changed: Difference) -> None:
    say(f"{changed.old} and {changed.new}")
    for kind, names in (("added", changed.added), ("retired", changed.retired), ("replaced", changed.replaced)):
        if names:
            say(f"  {kind}: {', '.join(names)}")
    for task, kinds in changed.metrics.items():
        say(f"  {task}: " + "; ".join(f"{kind}: {', '.join(specs)}" for kind, specs in kinds.items()))
    if not any(changed.equal.values()):
        click.echo("Nothing is comparable: no task has the same items and a metric with the same signature.")
        return
    click.echo("Comparable (same items, same signature):")
    for task, specs in changed.equal.items():
        say(f"  {task}: {', '.join(specs) or 'no metric'}")
