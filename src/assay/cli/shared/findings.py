"""Findings about a submission or a benchmark."""

from __future__ import annotations

from collections.abc import Iterable

from assay.benchmark.submission import Finding
from assay.cli.shared.display import say


def sentence(remedy: str) -> str:
    """Return a remedy as a sentence of its own, after that of the problem."""
    return f"{remedy[:1].upper()}{remedy[1:].removesuffix('.')}."


def print_findings(findings: Iterable[Finding]) -> None:
    """Print errors first, then warnings."""
    for finding in sorted(findings, key=lambda finding: not finding.is_error):
        place = " ".join(part for part in (finding.task, finding.id) if part)
        about = f"{place}: " if place else ""
        say(f"  {'!' if finding.is_error else '·'} {about}{finding.problem}. {sentence(finding.remedy)}")
