"""What a linter says: one finding, and the tables of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.show.tables import Column, Content, Table

if TYPE_CHECKING:
    from assay.studies.lint import Lint


@dataclass(frozen=True)
class Finding:
    """One warning: the rule, the criterion it is about (or none), what is wrong and what would mend it."""

    rule: str
    criterion: str
    problem: str
    remedy: str


def lint_tables(found: Lint, name: str) -> list[Table]:
    """The eight items, then everything else."""
    words = {True: "yes", False: "NO", None: "–"}
    rows: list[Sequence[Content]] = [
        [
            f"{item.number} {item.name}",
            words[item.passes],
            "" if item.passes else item.problem,
            "" if item.passes else item.remedy,
        ]
        for item in found.items
    ]
    columns = [Column("item", "left"), Column("said", "left"), *_columns("problem", "remedy")]
    passed = sum(item.passes is True for item in found.items)
    tables = [Table(columns, rows, f"{name} · {passed} of {len(found.items)} recommended items")]
    if found.findings:
        warnings = [[each.rule, each.criterion, each.problem, each.remedy] for each in found.findings]
        columns = [Column("warning", "left"), Column("criterion", "left"), *_columns("problem", "remedy")]
        tables.append(Table(columns, warnings, f"{len(warnings)} warnings"))
    return tables


def _columns(*names: str) -> list[Column]:
    return [Column(name, "left", fold=True) for name in names]
