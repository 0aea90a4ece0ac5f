"""`assay benchmark freeze`: freeze a version."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.freezing import freeze
from assay.benchmark.manifest import read_manifest, write_manifest
from assay.cli.shared.display import counted, say
from assay.cli.shared.findings import print_findings
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.errors import AssayError
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay benchmark freeze tides-1.toml
"""


@new_command(epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@json_option
def command(manifest: Path, as_json: bool) -> None:
    """Freeze MANIFEST: add hashes of items and cards and signatures of metrics."""
    draft = read_manifest(manifest)
    if draft.is_frozen:
        raise AssayError(f"{manifest}: already frozen. Check it with `assay benchmark check`.")
    frozen = freeze(draft, manifest.parent)
    if frozen.valid:
        write_manifest(manifest, frozen.manifest)
    if as_json:
        findings = [finding.plain() for finding in frozen.findings]
        tasks = {task.name: {"items": task.items, "sha256": task.sha256} for task in frozen.manifest.tasks}
        click.echo(
            to_json({"frozen": frozen.valid, "digest": frozen.manifest.digest, "tasks": tasks, "findings": findings})
        )
    else:
        state = "frozen" if frozen.valid else "cannot be frozen"
        say(f"{manifest} · {frozen.manifest.title} · {counted(len(draft.tasks), 'task')}: {state}")
        print_findings(frozen.findings)
        for task in frozen.manifest.tasks if frozen.valid else ():
            hidden = f", {len(task.held_back_signatures)} held back" if task.held_back_signatures else ""
            say(f"  {task.name}: {counted(task.items, 'item')}, {counted(len(task.signatures), 'metric')}{hidden}")
    if not frozen.valid:
        raise click.exceptions.Exit(1)
