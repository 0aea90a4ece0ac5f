"""Findings of the linter, and their tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.show.tables import Column, Content, Table

if TYPE_CHECKING:
    from assay.studies.lint import LintReport


@dataclass(frozen=True)
class Finding:
    """One warning: the rule, the criterion (empty for the whole study), the problem and its remedy."""

    rule: str
    criterion: str
    problem: str
    remedy: str


def lint_tables(report: LintReport, name: str) -> list[Table]:
    """Return the checklist and the warnings as tables."""
    words = {True: "yes", False: "NO", None: "–"}
    rows: list[Sequence[Content]] = [
        [
            f"{item.number} {item.name}",
            words[item.passes],
            "" if item.passes else item.problem,
            "" if item.passes else item.remedy,
        ]
        for item in report.items
    ]
    columns = [Column("item", "left"), Column("passes", "left"), *_columns("problem", "remedy")]
    passed = sum(item.passes is True for item in report.items)
    tables = [Table(columns, rows, f"{name} · {passed} of {len(report.items)} recommended items pass")]
    if report.findings:
        warnings = [[each.rule, each.criterion, each.problem, each.remedy] for each in report.findings]
        columns = [Column("warning", "left"), Column("criterion", "left"), *_columns("problem", "remedy")]
        tables.append(Table(columns, warnings, f"{len(warnings)} warnings"))
    return tables


def _columns(*names: str) -> list[Column]:
    return [Column(name, "left", fold=True) for name in names]
