"""Options that the commands about people and metrics share."""

from __future__ import annotations

import math
from pathlib import Path

import click

from assay.errors import UsageError
from assay.show.canvas import FORMATS
from assay.show.tables import FORMS

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    help="How tables are written; latex needs booktabs, csv keeps exact values.",
)
plots_option = click.option(
    "--plots",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also draw figures into this folder (needs assay[plots]).",
)
figure_option = click.option(
    "--figure-format", type=click.Choice(FORMATS), default="png", show_default=True, help="Of --plots."
)
seed_option = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For resampling.")


def named_numbers(value: str, option: str) -> dict[str, float]:
    """`rouge1=1,chrf=0.5` as numbers by name."""
    found: dict[str, float] = {}
    for part in names(value):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            found[name] = float(number)
        except ValueError:
            raise UsageError(f"{option}: '{part}' is not NAME=NUMBER") from None
        if not name or not math.isfinite(found[name]):
            raise UsageError(f"{option}: '{part}' is not NAME=NUMBER with a finite number")
    return found


def names(value: str | None) -> tuple[str, ...]:
    """A comma-separated option as a tuple."""
    return tuple(part.strip() for part in (value or "").split(",") if part.strip())
