"""What is wrong with a submission or a benchmark, for people to read."""

from __future__ import annotations

from collections.abc import Iterable

from assay.benchmark.submission import Finding
from assay.cli.shared.display import say


def print_findings(findings: Iterable[Finding]) -> None:
    """What is wrong first, then what is only said."""
    for finding in sorted(findings, key=lambda finding: not finding.grave):
        place = " ".join(part for part in (finding.task, finding.id) if part)
        say(f"  {'!' if finding.grave else '·'} {f'{place}: ' if place else ''}{finding.problem}. {finding.remedy}")
