"""`assay compare --sequential`: look after every item, with confidence sequences and e-values."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from assay.cli.shared.display import print_tables
from assay.cli.shared.load_systems import load_systems
from assay.errors import UsageError
from assay.execution.request import ScoreRequest
from assay.records import to_json
from assay.results.sequential import Order, compare_sequential

REFUSED = (
    "test", "samples", "family", "margin", "bayes", "correction", "by", "against_parents", "parent_examples",
    "plot", "forest", "plots", "figure_format", "items", "items_by", "items_output", "form",
)  # fmt: skip
"""Options of tests with a fixed number of items."""


def compare_sequentially(
    paths: list[Path], request: ScoreRequest, subset: tuple[str, ...], order: Order, cluster: str | None, as_json: bool
) -> None:
    """Compare two systems and print limits, e-values and decisions."""
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in REFUSED and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            more = "; use `assay check --sequential`" if option.name == "margin" else ""
            raise UsageError(f"{max(option.opts, key=len)} cannot be combined with --sequential{more}")
    results = load_systems(paths, request)
    if len(results) != 2:
        raise UsageError(f"--sequential compares two systems, not {len(results)}")
    if subset:
        results = [result.subset(*subset) for result in results]
    compared = compare_sequential(*results, order=order, seed=request.resampling_seed, cluster=cluster)
    if as_json:
        click.echo(to_json(compared.to_dict()))
    else:
        print_tables(compared.table())
