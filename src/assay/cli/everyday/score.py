"""`assay score`: numbers for one system, or for each system of a file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.everyday.score_output import Brought, print_hints, print_notes, print_numbers, rarefied_groups
from assay.cli.everyday.score_tasks import examples_and_metrics, score_tasks
from assay.cli.shared.display import counted, say
from assay.cli.shared.help import Command, new_command
from assay.cli.shared.options import (
    FOLDER,
    NEW_FILE,
    PATH,
    apart,
    data_files,
    data_options,
    directions,
    json_option,
    refuse_idle,
    task_option,
)
from assay.errors import AssayError, UsageError
from assay.execution.added_metrics import load_with
from assay.execution.scoring import Scored, choose, score_each
from assay.inputs.spans import shown as shown_spans
from assay.metrics import SUITES
from assay.metrics.engine.base import count_references
from assay.records import Items, OutputFile, to_json, write_jsonl
from assay.records.lazy_files import is_large
from assay.records.read import read_systems
from assay.results.rarefied import lint_groups
from assay.results.result import Result
from assay.store.run_manifest import is_run

EXAMPLE = """\b
Examples:
  assay score bart.jsonl --references refs.jsonl --ci 1000
  assay score bart.jsonl -e examples.jsonl --suite summarization --save runs/bart
  assay score runs/bart --subset language=de --ci 1000
  assay score frank-outputs.jsonl -e frank.jsonl -m rouge,sentence_bleu --per-example frank-scores.jsonl
  assay score submission.json --task news_test=news.jsonl --task places_test=places.jsonl
"""


MARKED = {"with-markers": "markers as words", "without-markers": "without markers"}
"""How marked texts may be scored, and what a config of `assay run` calls it."""


class OneFile(Command):
    """Who gives two files has most likely named the examples without their option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "unexpected extra argument" not in error.message:
                raise
            said = f"{error.message}; OUTPUTS stand alone and come first, examples go with -e, references with -r"
            raise click.UsageError(said, ctx) from None


@new_command(cls=OneFile, epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@data_options
@click.option("--ci", type=click.IntRange(0), default=None, help="Resamples for 95 % intervals, e.g. 1000; 0 for none.")
@click.option("--save", type=FOLDER, help="Keep the run in this folder; what is there already is not computed again.")
@click.option("--force", is_flag=True, help="Compute what is saved again; replace a run of other outputs.")
@click.option("--per-example", type=NEW_FILE, help="Write the score of every item to this JSONL file.")
@click.option("--subset", multiple=True, metavar="KEY=VALUE", help="Only items with this language, split or tag.")
@click.option("--cluster", metavar="KEY", help="Resample items that share this property together, e.g. parent.")
@click.option("--by", multiple=True, metavar="KEY", help="Also a line for each value of this property; several add up.")
@click.option(
    "--rarefy",
    "rarefied",
    is_flag=True,
    help="With --by: also what each group would have with as many as the smallest.",
)
@click.option(
    "--text",
    type=click.Choice(list(MARKED)),
    default=None,
    help="Of marked texts: statements are lines, markers are left out or count as one word each.",
)
@task_option
@click.option("--benchmark", type=PATH, help="Of a submission: score its tasks as this frozen manifest says.")
@click.option("--verbose", "-v", is_flag=True, help="Every number, and all signatures.")
@json_option
def command(
    outputs: Path,
    ci: int | None,
    seed: int | None,
    save: Path | None,
    per_example: Path | None,
    subset: tuple[str, ...],
    cluster: str | None,
    by: tuple[str, ...],
    rarefied: bool,
    tasks: tuple[str, ...],
    benchmark: Path | None,
    verbose: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Score OUTPUTS: a file of outputs, or the folder of a saved run.

    Of a file that holds several systems each is scored; where every item is of one system, on its own items.

    Files are recognised by content: JSONL, JSON, GEM submissions, plain text, CSV, TSV, Parquet, and .gz of each.
    """
    start = time.monotonic()
    if not save:
        refuse_idle(force="--save")
    if not options["scores"]:
        refuse_idle(better="--scores")
    if rarefied and not by:
        raise UsageError("--rarefy brings groups to one size: name them with --by KEY")
    apart([save, per_example], [outputs, *data_files(options)])
    if tasks or benchmark:
        about_one = {"per_example": per_example, "subset": subset, "cluster": cluster, "by": by, "rarefied": rarefied}
        given, metrics = examples_and_metrics(tasks, benchmark, options)
        score_tasks(
            outputs, given, metrics, ci=ci or 0, seed=seed or 0, save=save, verbose=verbose, as_json=as_json,
            options=options | about_one,
        )  # fmt: skip
        return
    if is_run(outputs):
        _refuse_text_options(outputs, save, options)
        result, added = load_with(outputs, options["metrics"], executor=options["executor"])
        result = result.with_intervals(result.ci if ci is None else ci, result.seed if seed is None else seed)
        kept = "texts, kept there" if added else "statistics"
        found = [(result, f"{counted(result.n, 'output')} · from stored {kept}")]
    else:
        chosen = options["suite"]
        scored = _from_files(outputs, ci or 0, seed or 0, save, options | {"only": subset})
        found = [(result, _headline(items) + _suite(chosen)) for items, result in scored]
    if not found[0][0].ci:
        refuse_idle(cluster="--ci")
    shown: dict[str, dict[str, Any]] = {}
    rows: list[dict[str, Any]] = []
    for result, headline in found:
        result = result.clustered(cluster)
        if subset:
            result = result.subset(*subset)
            headline += f" · {result.n} of them with {' and '.join(subset)}"
        if not result.measurements and not result.skipped and not result.failed:
            raise AssayError(f"{outputs}: nothing to compute")
        groups = _groups(result, by)
        brought = rarefied_groups(result, groups) if rarefied else {}
        warnings = [*result.warnings, *([] if rarefied else lint_groups(result, groups))]
        rows += _rows(result) if per_example else []
        if as_json:
            shown[result.system] = _as_dict(result, groups if by else {}, brought, warnings)
            continue
        _ = result.scores  # folded when first asked for; the time shown includes it
        say(f"{result.system} · {headline} · {time.monotonic() - start:.1f} s")
        print_numbers(result, groups, brought, verbose)
        print_notes(result, warnings, verbose)
    if per_example:
        write_jsonl(per_example, rows)
    if as_json:
        click.echo(to_json(next(iter(shown.values())) if len(found) == 1 else {"systems": shown}))
    else:
        print_hints(found[0][0], outputs, save is not None, verbose, len(found) > 1)
    for result, _ in found:
        if not result.measurements:
            first, *more = (*result.failed, *result.skipped)
            others = f"; {counted(len(more), 'other')} above" if more else ""
            raise AssayError(f"{outputs}: no metric could be computed ({first.metric}: {first.why}{others})")


def _from_files(outputs: Path, ci: int, seed: int, save: Path | None, options: dict[str, Any]) -> list[Scored]:
    requests = choose(options.pop("metrics"), options.pop("suite"))
    how = MARKED.get(options.pop("text") or "")
    if how:
        options |= {"rewrite": partial(shown_spans, how=how), "rewrite_references": True}
    executor = options.pop("executor")
    options["better"] = directions(options["better"])
    held: list[Path | OutputFile] = [outputs]
    if options["system"] is None and not (outputs.is_file() and is_large(outputs)):
        held = list(read_systems(outputs, dataset=options["dataset"], skip_bad=options["skip_bad"]))
    folders = None if save is None else [save] if len(held) == 1 else [_folder(save, each) for each in held]
    return score_each(held, requests, ci=ci, seed=seed, executor=executor, folders=folders, **options)


def _folder(save: Path, held: Path | OutputFile) -> Path:
    """Where the run of one system of several is kept."""
    name = str(getattr(held, "system", ""))
    if not name or name.startswith(".") or Path(name).name != name:
        raise AssayError(f"{save}: the system '{name}' cannot be the name of a folder; take it alone with --system")
    return save / name


def _as_dict(result: Result, groups: dict[str, Result], brought: Brought, warnings: list[str]) -> dict[str, Any]:
    shown = result.to_dict() | {"warnings": warnings}
    if groups:
        shown["by"] = {value: group.to_dict() for value, group in groups.items()}
    for value, numbers in brought.items():
        of = shown if value is None else shown["by"][value]
        of["rarefied"] = {name: number.to_dict() for name, number in numbers.items()}
    return shown


def _refuse_text_options(outputs: Path, save: Path | None, options: dict[str, Any]) -> None:
    given = [name for name in ("references", "sources", "examples", "suite", "text") if options[name] is not None]
    given += ["scores"] if options["scores"] else []
    if save:
        given.append("save")
    if given:
        raise UsageError(f"--{given[0]}: {outputs} is a saved run, scored already; give its outputs file to score anew")


def _headline(items: Items) -> str:
    parts = [counted(len(items), "output")]
    if items.has("references"):
        nrefs = count_references(items)
        each = (
            "1 reference each" if nrefs == "1" else "references vary" if nrefs == "var" else f"{nrefs} references each"
        )
        parts.append(each)
    languages = sorted({language for language in items.languages if language})
    return " · ".join([*parts, *([", ".join(languages)] if languages else [])])


def _suite(name: str | None) -> str:
    """The suite, and the metrics that it computes with other than their usual options."""
    if name is None:
        return ""
    changed = [spec for spec in SUITES[name] if ":" in spec]
    return f" · suite {name}" + (f" ({', '.join(changed)})" if changed else "")


def _groups(result: Result, keys: Sequence[str]) -> dict[str, Result]:
    """The values of a property; of several, each value says whose it is."""
    if len(keys) == 1:
        return result.by(keys[0])
    return {f"{key}={value}": group for key in dict.fromkeys(keys) for value, group in result.by(key).items()}


def _rows(result: Result) -> list[dict[str, Any]]:
    rows = result.per_example.to_dicts()
    named = {"id": None, "system": result.system}
    return [named | {key: None if value != value else value for key, value in row.items()} for row in rows]
