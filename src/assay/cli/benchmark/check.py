"""`assay benchmark check`: check a frozen version."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.freezing import changes_since_freeze
from assay.benchmark.manifest import read_manifest
from assay.cli.shared.display import say
from assay.cli.shared.findings import print_findings
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay benchmark check tides-1.toml
"""


@new_command(epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@json_option
def command(manifest: Path, as_json: bool) -> None:
    """Check items, cards and metrics of a frozen MANIFEST against its hashes and signatures."""
    frozen = read_manifest(manifest, frozen=True)
    findings, _ = changes_since_freeze(frozen, manifest.parent)
    holds = not any(finding.is_error for finding in findings)
    if as_json:
        click.echo(to_json({"holds": holds, "findings": [finding.plain() for finding in findings]}))
    else:
        say(f"{manifest} · {frozen.title}: {'unchanged' if holds else 'changed since it was frozen'}")
        print_findings(findings)
    if not holds:
        raise click.exceptions.Exit(1)
