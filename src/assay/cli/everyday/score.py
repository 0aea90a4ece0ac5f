"""`assay score`: numbers for one system, or for each system of a file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.everyday.score_output import RarefiedGroups, print_hints, print_notes, print_numbers, rarefied_groups
from assay.cli.shared.display import counted, say
from assay.cli.shared.help import Command, advanced, new_command, section
from assay.cli.shared.options import (
    FOLDER,
    NEW_FILE,
    PATH,
    Resamples,
    apart,
    cluster_option,
    data_options,
    json_option,
    refuse_idle,
    task_option,
)
from assay.errors import AssayError, UsageError
from assay.execution.request import ScoreRequest
from assay.execution.scoring import Scored, score_each
from assay.metrics import SUITES
from assay.metrics.engine.base import count_references
from assay.records import Items, OutputFile, read_examples, to_json, write_jsonl
from assay.records.evaluation_events import ENDING, of_rows, write_events
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


GIVE = {
    "references": "references with -r FILE or -e FILE",
    "sources": "sources with -s FILE or -e FILE",
    "inputs": "examples with inputs with -e FILE",
    "contexts": "examples with contexts with -e FILE",
    "messages": "examples with messages with -e FILE",
    "expected": "examples with expected answers with -e FILE",
}
"""What to give where a metric lacks it."""
TABLES = (".csv", ".tsv", ".parquet", ".html", ".xlsx")
"""Endings of files that are no JSON lines."""
MARKED = {"with-markers": "markers as words", "without-markers": "without markers"}
"""Values of `--text`, and their names in a config of `assay run`."""


class OneFile(Command):
    """A command with one file argument; a second one is most likely examples without their option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "unexpected extra argument" not in error.message:
                raise
            hint = "OUTPUTS is one file; pass examples with -e and references with -r"
            raise click.UsageError(f"{error.message}; {hint}", ctx) from None


@new_command(cls=OneFile, epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@data_options
@section(
    "Statistics",
    click.option(
        "--ci", type=Resamples(0), metavar="N",
        help="Number of bootstrap resamples for 95 % confidence intervals (default: 0, no intervals).",
    ),
    cluster_option,
    click.option(
        "--subset", multiple=True, metavar="KEY=VALUE", help="Score only items with this language, split or tag."
    ),
    click.option("--by", multiple=True, metavar="KEY", help="Also score each value of this field. Repeatable."),
)  # fmt: skip
@section(
    "Output",
    click.option("--save", type=FOLDER, metavar="DIR", help="Keep the run in this folder; saved metrics are reused."),
    click.option(
        "--per-example", type=NEW_FILE, metavar="FILE", help="Write scores per item: .jsonl or .otlp.json (events)."
    ),
    click.option("--verbose", "-v", is_flag=True, help="Show every score and all signatures."),
    json_option,
)  # fmt: skip
@advanced(
    click.option("--force", is_flag=True, help="With --save: compute again, and replace a run of other outputs."),
    click.option(
        "--rarefy", "rarefied", is_flag=True, help="With --by: also expected scores at the size of the smallest group."
    ),
    click.option(
        "--text", type=click.Choice(list(MARKED)), metavar="MODE",
        help="Marked texts: with-markers (one word each) or without-markers (default: as they are).",
    ),
    click.option(
        "--schema", metavar="FILE",
        help="With --text: categories and their markers (default: the examples' tag `schema`, or FOMC).",
    ),
    task_option,
    click.option(
        "--benchmark", type=PATH, metavar="MANIFEST", help="Submission: score its tasks as in this frozen manifest."
    ),
)  # fmt: skip
def command(
    outputs: Path,
    ci: int | None,
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
    force: bool,
    text: str | None,
    schema: str | None,
    request: ScoreRequest,
) -> None:
    """Score OUTPUTS: a file of system outputs, or the folder of a saved run.

    In a file with several systems, each system is scored. Formats are recognised by content: JSONL, JSON, GEM
    submissions, plain text, CSV, TSV, Parquet, and .gz of each.
    """
    start = time.monotonic()
    if not save:
        refuse_idle(force="--save")
    if not text:
        refuse_idle(schema="--text")
    if not request.scores:
        refuse_idle(better="--scores")
    if rarefied and not by:
        raise UsageError("--rarefy brings groups to the same size; name the groups with --by KEY")
    if per_example and per_example.suffix.lower() in TABLES:
        raise UsageError(f"--per-example {per_example}: scores per item are JSON lines; name a .jsonl file")
    apart([save, per_example], [outputs, *request.files])
    request = request.but(only=subset, force=force)
    if tasks or benchmark:
        from assay.cli.everyday.score_tasks import examples_and_metrics, refuse_for_tasks, score_tasks

        single = {
            "per_example": per_example, "subset": subset, "cluster": cluster, "by": by, "rarefy": rarefied, "text": text
        }  # fmt: skip
        refuse_for_tasks(request, single)
        examples, metrics = examples_and_metrics(tasks, benchmark, request)
        score_tasks(outputs, examples, metrics, request.but(ci=ci or 0, only=()), save, verbose, as_json)
        return
    of_files: set[str] = set()  # notes on files: printed once, not for each system
    if is_run(outputs):
        from assay.execution.added_metrics import load_with

        _refuse_text_options(outputs, save, text, request)
        result, added = load_with(outputs, request.metric_names, executor=request.executor)
        result = result.with_intervals(
            result.ci if ci is None else ci, result.seed if request.seed is None else request.seed
        )
        origin = "texts, kept there" if added else "statistics"
        results = [(result, f"{counted(result.n, 'output')} · from stored {origin}")]
    else:
        scored = _score_files(outputs, save, text, schema, request.but(ci=ci or 0, cluster=cluster))
        results = [(result, _headline(items) + _suite(request.suite)) for items, result in scored]
        of_files = {note for items, _ in scored for note in items.notes}
    if not results[0][0].ci and not save:
        refuse_idle(cluster="--ci")
    shown: dict[str, dict[str, object]] = {}
    printed: set[str] = set()
    rows: list[dict[str, object]] = []
    for result, headline in results:
        result = result.clustered(cluster)
        if subset:
            result = result.subset(*subset)
            headline += f" · {result.n} of them with {' and '.join(subset)}"
        if not result.measurements and not result.skipped and not result.failed:
            raise AssayError(f"{outputs}: nothing to compute")
        groups = _groups(result, by)
        rarefied_scores = rarefied_groups(result, groups) if rarefied else {}
        warnings = [*result.warnings, *([] if rarefied else lint_groups(result, groups))]
        rows += _rows(result) if per_example else []
        if as_json:
            shown[result.system] = _as_dict(result, groups if by else {}, rarefied_scores, warnings)
            continue
        _ = result.scores  # computed on first access, so that the time shown includes it
        if result.ci and result.clusters_by:
            headline += f" · {result.units:,} clusters by {result.clusters_by}"
        say(f"{result.system} · {headline} · {time.monotonic() - start:.1f} s")
        print_numbers(result, groups, rarefied_scores, verbose)
        print_notes(result, [one for one in warnings if one not in printed], verbose)
        printed |= of_files.intersection(warnings)
    if per_example:
        _write_rows(per_example, rows)
    if as_json:
        click.echo(to_json(next(iter(shown.values())) if len(results) == 1 else {"systems": shown}))
    else:
        print_hints(results[0][0], outputs, save is not None, verbose, len(results) > 1)
    for result, _ in results:
        if not result.measurements:
            first, *more = (*result.failed, *result.skipped)
            others = f"; {counted(len(more), 'other')} above" if more else ""
            remedy = next(
                (f" Give {text}." for need, text in GIVE.items() if first.why.startswith(f"needs {need}, and none")), ""
            )
            raise AssayError(
                f"{outputs}: no metric could be computed ({first.metric}: {first.why.rstrip('.')}{others}).{remedy}"
            )


def _score_files(
    outputs: Path, save: Path | None, text: str | None, schema: str | None, request: ScoreRequest
) -> list[Scored]:
    if how := MARKED.get(text or ""):
        from assay.inputs.marked import MarkedTexts  # reads a TOML file, which scores without markers do not need
        from assay.inputs.schema import schema_for

        file = Path(request.examples) if isinstance(request.examples, str | Path) else None
        examples = read_examples(file).examples if file and not schema else ()
        known = schema_for(examples, schema or "", file.parent if file else Path())
        named = bool(schema) or any("schema" in example.tags for example in examples)
        request = request.but(marked=MarkedTexts(how, known, named))
    systems: list[Path | OutputFile] = [outputs]
    if request.system is None and not (outputs.is_file() and is_large(outputs)):
        systems = list(read_systems(outputs, dataset=request.dataset, skip_bad=request.skip_bad))
    folders = None if save is None else [save] if len(systems) == 1 else [_folder(save, each) for each in systems]
    return score_each(systems, request, folders)


def _folder(save: Path, system: Path | OutputFile) -> Path:
    """Return the folder for the run of one of several systems."""
    name = str(getattr(system, "system", ""))
    if not name or name.startswith(".") or Path(name).name != name:
        raise AssayError(f"{save}: the system name '{name}' cannot be a folder name; score it alone with --system")
    return save / name


def _as_dict(
    result: Result, groups: dict[str, Result], rarefied: RarefiedGroups, warnings: list[str]
) -> dict[str, object]:
    by: dict[str, dict[str, object]] = {value: {**group.to_dict()} for value, group in groups.items()}
    shown: dict[str, object] = {**result.to_dict(), "warnings": warnings} | ({"by": by} if by else {})
    for value, scores in rarefied.items():
        of = shown if value is None else by[value]
        of["rarefied"] = {name: score.to_dict() for name, score in scores.items()}
    return shown


def _refuse_text_options(outputs: Path, save: Path | None, text: str | None, request: ScoreRequest) -> None:
    options = {
        "references": request.references, "sources": request.sources, "examples": request.examples,
        "suite": request.suite, "text": text, "scores": request.scores or None, "save": save,
    }  # fmt: skip
    for name, value in options.items():
        if value is not None:
            raise UsageError(
                f"--{name}: {outputs} is a saved run and already scored; pass its outputs file to score it again"
            )


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
    """Return the name of the suite, with the metrics that it computes with other than default options."""
    if name is None:
        return ""
    changed = [spec for spec in SUITES[name] if ":" in spec]
    return f" · suite {name}" + (f" ({', '.join(changed)})" if changed else "")


def _groups(result: Result, keys: Sequence[str]) -> dict[str, Result]:
    """Return the result of each value of a field; for several fields, named `field=value`."""
    if len(keys) == 1:
        return result.by(keys[0])
    return {f"{key}={value}": group for key in dict.fromkeys(keys) for value, group in result.by(key).items()}


def _write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    if path.name.endswith(ENDING):
        write_events(path, of_rows(rows), time.time_ns())
    else:
        write_jsonl(path, rows)


def _rows(result: Result) -> list[dict[str, object]]:
    rows = result.per_example.to_dicts()
    named = {"id": None, "system": result.system}
    return [named | {key: None if value != value else value for key, value in row.items()} for row in rows]
