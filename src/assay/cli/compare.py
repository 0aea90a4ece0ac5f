"""`assay compare`: is the difference real?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from assay.cli.display import print_missing, print_tables, say, warn
from assay.cli.options import PATH, ListOption, data_options, family_option, format_option, json_option, named_numbers
from assay.errors import AssayError, UsageError
from assay.records import to_json
from assay.results.compare import compare_all
from assay.results.comparison import Comparison
from assay.results.differences import Test
from assay.results.pairs import Standings, compare_pairs, standings_of_two
from assay.results.paper_table import PaperTable, table_of
from assay.results.result import Result
from assay.results.tables import (
    about_margins,
    comparison_table,
    comparisons_table,
    conclusion,
    procedure,
    standings_table,
)
from assay.results.verdict import Correction, Family
from assay.runs.executors import choose_executor
from assay.runs.manifest import is_run
from assay.runs.saved_run import load_run
from assay.runs.scoring import choose, score_systems
from assay.show.tables import Form

EXAMPLE = """\b
Examples:
  assay compare bart.jsonl t5.jsonl --references refs.jsonl
  assay compare runs/bart runs/t5 --test permutation --samples 10000
  assay compare baseline.jsonl bart.jsonl t5.jsonl pegasus.jsonl --references refs.jsonl
  assay compare bart.jsonl t5.jsonl --references refs.jsonl --format latex
"""


@click.command(epilog=EXAMPLE)
@click.argument("a", type=PATH)
@click.argument("b", type=PATH, nargs=-1, required=True)
@data_options
@click.option("--test", type=click.Choice(get_args(Test)), default="permutation", show_default=True)
@click.option(
    "--cluster",
    cls=ListOption,
    metavar="KEY",
    help="Draw items that share this property together, e.g. parent; two with a comma.",
)
@click.option("--correction", type=click.Choice(get_args(Correction)), default="holm", show_default=True)
@family_option("all")
@click.option(
    "--samples", type=click.IntRange(20), help="Random swaps or resamples; if not said, as many as the tests take."
)
@click.option(
    "--margin",
    cls=ListOption,
    metavar="NAME=X,…",
    help="Differences that do not matter, as the table shows them (rouge1=1,chrf=0.5): is B equal, or not worse?",
)
@click.option("--bayes", is_flag=True, help="Also how likely each side is better, or both equal within the margin.")
@click.option("--subset", multiple=True, metavar="KEY=VALUE", help="Only items with this language, split or tag.")
@format_option
@json_option
def command(
    a: Path,
    b: tuple[Path, ...],
    test: Test,
    samples: int | None,
    family: Family,
    margin: str | None,
    bayes: bool,
    seed: int | None,
    subset: tuple[str, ...],
    cluster: str | None,
    correction: Correction,
    form: Form,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare A and B: outputs files, or folders of saved runs. With more than one B, each is compared with A.

    The difference is B - A. The same items are swapped or drawn for all systems, so the test is paired. p adj is
    corrected over all metrics and systems shown, or a family of them: Holm's method, or Benjamini and Hochberg's (bh).
    In other forms than text the table of a paper is written, with systems as rows (see assay table).
    """
    if form != "text" and len(b) > 1 and (test != "permutation" or correction != "holm"):
        raise UsageError(f"--format {form}: all pairs are told apart by permutation; leave out --test and --correction")
    results = load_systems([a, *b], options)
    if subset:
        results = [result.subset(*subset) for result in results]
    comparisons = compare_all(
        results[0],
        results[1:],
        test=test,
        samples=samples,
        seed=seed or 0,
        cluster=cluster,
        correction=correction,
        family=family,
        margin=_margins(margin, results[0]),
        bayes=bayes,
    )
    warnings = list(dict.fromkeys([warning for each in comparisons for warning in each.warnings] + _notes(*results)))
    standings = None
    if len(b) > 1 and "," not in (cluster or ""):
        standings = compare_pairs(results, samples=samples, seed=seed or 0, cluster=cluster, family=family)
    if as_json:
        shown = comparisons[0].to_dict() if standings is None else _as_dict(comparisons, standings)
        shown["warnings"] = warnings
        shown["skipped"] = [{"metric": missing.metric, "why": missing.why} for missing in results[0].skipped]
        shown["failed"] = [
            {"metric": missing.metric, "why": missing.why, "system": result.system}
            for result in results
            for missing in result.failed
        ]
        click.echo(to_json(shown))
        return
    if form != "text":
        tabled = table_of(results, standings or standings_of_two(comparisons[0]))
        click.echo(PaperTable([tabled], extra=about_margins(comparisons)).write(form))
        warn(warnings)
        return
    print_tables(comparison_table(comparisons[0]) if len(b) == 1 else comparisons_table(comparisons))
    print_missing("skipped", results[0].skipped)
    rows = [(row.label, row.why) for each in comparisons for name, row in each.items() if name not in each.apart]
    for line in dict.fromkeys(f"  {label}: {why}" for label, why in rows if why):
        say(line)
    for result in results:
        print_missing(f"failed ({result.system})", result.failed)
    warn(warnings)
    for line in (*conclusion(comparisons).split("\n"), *procedure(comparisons).split("\n")):
        say(line)
    if standings is not None:
        click.echo()
        print_tables(standings_table(standings, results[0]))


def _margins(text: str | None, result: Result) -> dict[str, float]:
    """Margins as plain values: they are given on the scale on which tables show the numbers."""
    margins = {}
    for given, shown in named_numbers(text, "--margin").items():
        name = result.named(given)
        if name not in result.parts:
            raise UsageError(f"--margin {given}: it is not scored here; there are {', '.join(result.shown)}")
        if shown <= 0:
            raise UsageError(f"--margin {name}={shown:g}: give a number above 0")
        margins[name] = shown / result.parts[name][1].scale
    return margins


def _as_dict(comparisons: list[Comparison], standings: Standings) -> dict[str, Any]:
    """More than two systems."""
    pairs = standings.to_dict()
    tested = max(comparisons, key=lambda each: each.how.tests)
    return {
        "a": comparisons[0].a.system,
        "test": tested.test,
        "family": tested.how.words(),
        "comparisons": [comparison.to_dict() for comparison in comparisons],
        "groups": pairs.pop("groups"),
        "places": pairs.pop("places"),
        "all_pairs": pairs,
    }


def load_systems(paths: list[Path], options: dict[str, Any]) -> list[Result]:
    """Runs as they were saved and files scored, each under a name of its own."""
    return _tell_apart(_load(paths, options), paths)


def _load(paths: list[Path], options: dict[str, Any]) -> list[Result]:
    """Runs as they were saved; files are scored, together where they can be."""
    for path in paths:
        if path.is_dir() and not is_run(path):
            raise AssayError(f"{path}: a folder without run.json; give an outputs file, or a folder made with --save")
    files = [path for path in paths if not path.is_dir()]
    data = {key: value for key, value in options.items() if key not in ("metrics", "suite", "workers")}
    scored: dict[Path, Result] = {}
    if files:
        requests = choose(options["metrics"], options["suite"])
        results = score_systems(files, requests, executor=choose_executor(options["workers"]), **data)
        scored = dict(zip(files, results, strict=True))
    return [scored[path] if path in scored else load_run(path, options["metrics"]) for path in paths]


def _tell_apart(results: list[Result], paths: list[Path]) -> list[Result]:
    """Files of one name are called by the folder in which their paths part."""
    names = [result.system for result in results]
    if len(set(names)) == len(names):
        return results
    for level in zip(*(path.resolve().parts for path in paths), strict=False):
        if len({Path(part).stem for part in level}) == len(paths):
            return [replace(result, system=Path(part).stem) for result, part in zip(results, level, strict=True)]
    return [replace(result, system=f"{result.system} ({number})") for number, result in enumerate(results, 1)]


def _notes(*results: Result) -> list[str]:
    return [*dict.fromkeys(note for result in results for note in result.notes)]
