"""`assay compare`: is the difference real?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from assay.api import choose, load_items, score_items
from assay.cli.display import print_missing, warn, width
from assay.cli.options import PATH, data_options, json_option
from assay.errors import AssayError
from assay.records import to_json
from assay.results.compare import Comparison, Correction, Test, compare
from assay.results.format import number, probability
from assay.results.result import Result
from assay.results.store import is_run, load_run

EXAMPLE = """\b
Examples:
  assay compare bart.jsonl t5.jsonl --references refs.jsonl
  assay compare runs/bart runs/t5 --test permutation --samples 10000
"""


@click.command(epilog=EXAMPLE)
@click.argument("a", type=PATH)
@click.argument("b", type=PATH)
@data_options
@click.option("--test", type=click.Choice(get_args(Test)), default="bootstrap", show_default=True)
@click.option("--cluster", metavar="KEY", help="Draw items that share this property together, e.g. parent.")
@click.option("--correction", type=click.Choice(get_args(Correction)), default="holm", show_default=True)
@click.option("--samples", type=click.IntRange(20), default=1000, show_default=True, help="Resamples or random swaps.")
@click.option("--subset", multiple=True, metavar="KEY=VALUE", help="Only items with this language, split or tag.")
@json_option
def command(
    a: Path,
    b: Path,
    test: Test,
    samples: int,
    seed: int | None,
    subset: tuple[str, ...],
    cluster: str | None,
    correction: Correction,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare A and B: outputs files, or folders of saved runs.

    The difference is B - A. Both systems are resampled with the same items, so the test is paired. p adj is
    corrected over all metrics shown: Holm's method, or Benjamini and Hochberg's (bh).
    """
    first, second = _load(a, options), _load(b, options)
    if first.system == second.system:
        first, second = _tell_apart(first, second, a, b)
    if subset:
        first, second = first.subset(*subset), second.subset(*subset)
    comparison = compare(
        first, second, test=test, samples=samples, seed=seed or 0, cluster=cluster, correction=correction
    )
    if as_json:
        shown = comparison.to_dict()
        shown["warnings"] = [*comparison.warnings, *_notes(first, second)]
        shown["skipped"] = [{"metric": missing.metric, "why": missing.why} for missing in first.skipped]
        shown["failed"] = [
            {"metric": missing.metric, "why": missing.why, "system": result.system}
            for result in (first, second)
            for missing in result.failed
        ]
        click.echo(to_json(shown))
        return
    print_table(comparison)
    print_missing("skipped", first.skipped)
    for name, row in comparison.items():
        if row.why:
            click.echo(f"  {name}: {row.why}")
    for result in (first, second):
        print_missing(f"failed ({result.system})", result.failed)
    warn([*comparison.warnings, *_notes(first, second)])
    click.echo(conclusion(comparison))


def _load(path: Path, options: dict[str, Any]) -> Result:
    if path.is_dir():
        if not is_run(path):
            raise AssayError(f"{path}: a folder without run.json; give an outputs file, or a folder made with --save")
        return load_run(path, options["metrics"])
    data = {key: value for key, value in options.items() if key not in ("metrics", "suite", "workers")}
    items = load_items(path, **data)
    return score_items(items, choose(options["metrics"], options["suite"]), workers=options["workers"])


def _tell_apart(first: Result, second: Result, a: Path, b: Path) -> tuple[Result, Result]:
    """Two files of one name are called by the folder in which their paths part."""
    different = [(x, y) for x, y in zip(a.resolve().parts, b.resolve().parts, strict=False) if x != y]
    name_a, name_b = different[0] if different else ("a", "b")
    return replace(first, system=Path(name_a).stem), replace(second, system=Path(name_b).stem)


def _notes(*results: Result) -> list[str]:
    return [*dict.fromkeys(note for result in results for note in result.notes)]


def print_table(comparison: Comparison) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for heading in (comparison.a.system, comparison.b.system):
        table.add_column(Text(heading), justify="right", overflow="fold")
    for heading in ("difference (95 %)", "p", "p adj", "n"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, row in comparison.items():
        part = comparison.a.labels[name][1]
        gap = number(row.difference, part, signed=True)
        if row.low is not None:
            gap += f" [{number(row.low, part, signed=True)}, {number(row.high, part, signed=True)}]"
        sure = row.p_adjusted is not None and row.p_adjusted < 0.05
        table.add_row(
            Text(name),
            number(row.a, part),
            number(row.b, part),
            Text(gap, style="bold" if sure else ""),
            probability(row.p),
            Text(probability(row.p_adjusted) + (" *" if sure else "  "), style="bold" if sure else ""),
            str(row.n),
        )
    Console(width=width(), highlight=False).print(table)


def conclusion(comparison: Comparison) -> str:
    """The answer in one or two sentences."""
    tested = {name: row for name, row in comparison.items() if row.p_adjusted is not None}
    sure = [name for name, row in tested.items() if (row.p_adjusted or 0) < 0.05]
    over = f"{len(tested)} metric{'s' if len(tested) != 1 else ''}"
    if sure:
        return f"{len(sure)} of {over} differ beyond chance after correction (marked *): {', '.join(sure)}."
    text = f"No difference survives correction over {over}."
    for name, row in tested.items():
        if row.items_needed and row.difference and row.items_needed > row.n:
            part = comparison.a.labels[name][1]
            gap = number(row.difference, part, signed=True)
            return f"{text} To tell {gap} {name} from chance you would need about {row.items_needed:,} items."
    return text
