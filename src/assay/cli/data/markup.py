"""`assay data markup`: texts with marked spans, from annotations and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.challenges.class_lint import lint, unmatched
from assay.cli.data.markup_annotations import commands as annotation_commands
from assay.cli.data.markup_classes import commands as class_commands
from assay.cli.shared.display import counted, print_tables, warn
from assay.cli.shared.help import new_group
from assay.cli.shared.options import NEW_FILE, PATH, apart, format_option, json_option
from assay.datasets import dataset
from assay.datasets.equivalence_classes import read_classes
from assay.datasets.event_mentions import mark_mentions
from assay.datasets.fomc_files import filtered_json, instances_json
from assay.datasets.statements import corpus_statistics, doubts, standoff, targets, violations
from assay.errors import AssayError, UsageError
from assay.inputs.ontology import ontology as read_ontology
from assay.inputs.schema import FOMC, Schema, foreign_markers, schema, schema_for, tag_for, unmarked
from assay.records import Example, read_examples, read_outputs, to_json, write_jsonl
from assay.records.files import write_text
from assay.results.choice_accuracy import Accuracy
from assay.results.choice_results import PAIR, read_results, results_json
from assay.show.numbers import fixed, probability
from assay.show.tables import Content, Form, Table

EXAMPLE = """\b
Examples:
  assay data markup import export.json --from label-studio -o annotations.jsonl
  assay data markup adjudicate annotations.jsonl --majority -o gold.jsonl
  assay data markup targets annotations.jsonl -o corpus.jsonl
  assay data markup split corpus.jsonl -o splits
  assay data markup spans corpus.jsonl --category act -o sheet.csv --page sheet.html
  assay data markup freeze sheet.csv --category act --evaluation act -o classes.json
  assay data markup people instances.jsonl -o baseline
  assay data markup parse outputs.jsonl -o annotations.jsonl
  assay data markup stats corpus.jsonl
  assay data markup lint equivalence_classes.json --targets corpus.jsonl
  assay data markup mentions mucsum.jsonl muc4.jsonl -o marked.jsonl --classes classes.json
  assay data markup export choices.jsonl --instances choices.instances.jsonl --as results -o results.json
  assay data markup results results.json
"""
schema_option = click.option(
    "--schema",
    "named",
    default="",
    metavar="FILE",
    help="Categories and their markers, TOML or JSON (default: those of FOMC).",
)


@new_group(epilog=EXAMPLE)
def command() -> None:
    """Convert annotations to marked targets and back; statistics; equivalence classes; released file formats."""


for further in (*annotation_commands, *class_commands):
    command.add_command(further)


@command.command("targets")
@click.argument("annotations", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Documents with marked targets (JSONL).")
@schema_option
@click.option("--strict", is_flag=True, help="Reject statements that lack a mandatory category (default: warn).")
@json_option
def targets_command(annotations: Path, output: Path, named: str, strict: bool, as_json: bool) -> None:
    """Convert ANNOTATIONS (one statement per line: id, text, spans, document, target) to marked targets.

    Statements of one target are joined by <sent>; each target of a document is a reference.
    """
    apart([output], [annotations, Path(named) if named else None])
    if not annotations.exists():
        raise AssayError(f"{annotations}: no such file. Check the path.")
    reader = dataset(f"fomc:schema={named}" if named else "fomc")
    statements = list(reader.read(annotations, "annotations"))
    known = schema(named)
    lacking = list(violations(statements, known))
    if lacking and strict:
        more = f" ({len(lacking) - 1:,} more)" if len(lacking) > 1 else ""
        raise AssayError(f"{annotations}: {lacking[0]}{more}. Annotate it, or leave out --strict.")
    doubtful = list(doubts(statements, known))
    made = targets(statements, known, tag_for(named, output))
    write_jsonl(output, made)
    count = sum(len(example.references) for example in made)
    if as_json:
        counts = {"statements": len(statements), "targets": count, "documents": len(made)}
        listed = {"problems": lacking, "warnings": doubtful}
        click.echo(to_json(counts | {name: each for name, each in listed.items() if each}))
        return
    _warn_first(lacking)
    warn(doubtful)
    click.echo(f"{counted(len(statements), 'statement')} · {counted(count, 'target')} of {len(made):,} in {output}")
    click.echo(f"Next: assay data markup stats {output}")


@command.command("parse")
@click.argument("marked", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Statements with id, text and spans (JSONL).")
@schema_option
@json_option
def parse_command(marked: Path, output: Path, named: str, as_json: bool) -> None:
    """Extract annotations from MARKED texts: the references of examples, or system outputs.

    Markers that are opened twice, not closed, or closed without being open are counted as problems.
    """
    apart([output], [marked, Path(named) if named else None])
    texts, known = _marked_texts(marked, named)
    parsed = standoff(texts, known)
    kept = {one.id: _kept(one) for one in read_examples(marked).examples}
    write_jsonl(output, [{**row, **kept.get(row["document"], {})} for row in parsed.rows])
    spans = sum(len(row["spans"]) for row in parsed.rows)
    if as_json:
        click.echo(to_json({"statements": len(parsed.rows), "spans": spans, "problems": parsed.problems}))
        return
    click.echo(f"{counted(len(parsed.rows), 'statement')} · {counted(spans, 'span')} in {output}")
    _warn_first(parsed.problems)


def _warn_first(problems: Sequence[str]) -> None:
    more = [f"and {len(problems) - 20:,} more problems; --json lists them all"] if len(problems) > 20 else []
    warn([*problems[:20], *more])


def _kept(example: Example) -> dict[str, str]:
    """Return what `assay data markup targets` takes from an annotation besides its spans."""
    fields = {"source": example.source, "language": example.language}
    return {name: value for name, value in fields.items() if value}


def _marked_texts(path: Path, named: str) -> tuple[list[tuple[str, str, str]], Schema]:
    """Return document, target and text of outputs, or of the references of examples, and their schema."""
    examples = read_examples(path).examples
    texts = [(one.id, str(i), text) for one in examples for i, text in enumerate(one.references)]
    if not texts:
        texts = [(one.id, "0", one.output) for one in read_outputs(path).outputs]
    known = schema_for(examples, named, path.parent)
    if named or any("schema" in one.tags for one in examples):
        return texts, known  # markers that it lacks are then mistakes of a text, and listed with its problems
    for id, _, text in texts:
        if foreign := foreign_markers(text, known):
            lost = ", ".join(foreign)
            raise AssayError(f"{path}: id {id} marks {lost}, which the schema {known.name} lacks. Give --schema FILE.")
    return texts, known


@command.command("stats")
@click.argument("corpus", type=PATH)
@schema_option
@format_option
@json_option
def stats_command(corpus: Path, named: str, form: Form, as_json: bool) -> None:
    """Show statistics of a CORPUS of marked targets by split: documents, targets, lengths, markers, spans."""
    examples = read_examples(corpus).examples
    if not _targets(examples):
        raise AssayError(f"{corpus}: no item has a target. Pass a file written by `assay data markup targets`.")
    splits = list(dict.fromkeys(example.split or "all" for example in examples))
    groups = {name: [one for one in examples if (one.split or "all") == name] for name in splits}
    if len(groups) > 1:
        groups["all"] = examples
    known = schema_for(examples, named, corpus.parent)
    measured = {name: corpus_statistics(some, known) for name, some in groups.items()}
    if why := unmarked((text for one in examples for text in one.references), known):
        warn([f"{why}; give --schema FILE"])
    if as_json:
        shown = {name: {key: asdict(one) for key, one in rows.items()} for name, rows in measured.items()}
        sizes = {name: {"documents": len(some), "targets": _targets(some)} for name, some in groups.items()}
        click.echo(to_json({"sizes": sizes, "statistics": shown}))
        return
    rows: list[list[Content]] = [
        ["documents", *(f"{len(some):,}" for some in groups.values())],
        ["targets", *(f"{_targets(some):,}" for some in groups.values())],
    ]
    for key in next(iter(measured.values())):
        cells = [rows_of[key] for rows_of in measured.values()]
        rows.append([key, *(f"{fixed(one.mean, 2)} ({fixed(one.sd, 2)}), {one.most:,.0f}" for one in cells)])
    print_tables(Table.of("mean (standard deviation), maximum", ("", *groups), rows), form=form)


def _targets(examples: Sequence[Example]) -> int:
    return sum(len(example.references) for example in examples)


@command.command("lint")
@click.argument("classes", type=PATH)
@click.option("--targets", "marked", type=PATH, help="Marked targets: also report classes without a member in them.")
@click.option(
    "--words", type=int, default=2, show_default=True, help="Maximum difference in words between two spans; -1 for any."
)
@schema_option
@json_option
def lint_command(classes: Path, marked: Path | None, words: int, named: str, as_json: bool) -> None:
    """Check a file of equivalence CLASSES: duplicate members, members without a negative, classes of one.

    Exit code 1 if an instance could be wrong.
    """
    known = read_classes(classes)
    findings = lint(known, schema(named) if named else None, limit=words)
    if marked:
        examples = read_examples(marked).examples
        own = schema_for(examples, named, marked.parent)
        findings += unmatched(known, examples, own if own is not FOMC or named else None)
    errors = sum(one.severity == "error" for one in findings)
    sizes = {
        "evaluations": len({one.evaluation for one in known}),
        "classes": sum(len(one.classes) for one in known),
        "members": sum(len(members) for one in known for members in one.classes),
        "strings": len({member for one in known for members in one.classes for member in members}),
    }
    if as_json:
        click.echo(to_json(sizes | {"errors": errors, "findings": [one._asdict() for one in findings]}))
    else:
        click.echo(" · ".join(f"{count:,} {name}" for name, count in sizes.items()))
        shown = [[one.evaluation, one.severity, one.problem] for one in findings]
        if shown:
            print_tables(Table.of("", ("evaluation", "", "finding"), shown))
    if errors:
        raise AssayError(f"{classes}: {counted(errors, 'error')}; correct them before the test is run")


@command.command("mentions")
@click.argument("summaries", type=PATH)
@click.argument("documents", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Summaries with marked fillers (JSONL).")
@click.option("--classes", type=NEW_FILE, required=True, help="Equivalence classes to write (JSON).")
@click.option("--ontology", metavar="FILE", help="Roles of the events: name or file (default: MUC-4).")
@json_option
def mentions_command(
    summaries: Path, documents: Path, output: Path, classes: Path, ontology: str | None, as_json: bool
) -> None:
    """Mark the fillers of event templates in SUMMARIES (mucsum), with classes from the mentions in DOCUMENTS (muc4).

    The mentions of one entity are a class; negatives are other entities with the same role in the same document.
    """
    apart([output, classes], [summaries, documents])
    events = read_examples(summaries).examples, read_examples(documents).examples
    marked = mark_mentions(*events, read_ontology(ontology or ""))
    if not marked.classes:
        raise AssayError(f"{documents}: no role of a document has two entities, so no negatives exist")
    write_jsonl(output, marked.targets)
    write_text(classes, to_json(marked.classes) + "\n")
    counts = {
        "targets": len(marked.targets),
        "documents with classes": len({one["document"] for one in marked.classes}),
        "fillers": marked.fillers,
        "not among the mentions": marked.unknown,
        "not in the summary": marked.absent,
    }
    if as_json:
        click.echo(to_json(counts))
        return
    click.echo(" · ".join(f"{count:,} {name}" for name, count in counts.items()))
    click.echo(
        f"Next: assay system choose {output} --classes {classes} --plain --as source --system hf:smollm2 -o c.jsonl"
    )


@command.command("export")
@click.argument("file", type=PATH)
@click.option(
    "--as",
    "kind",
    type=click.Choice(["filtered", "instances", "results"]),
    required=True,
    help="Released format to write.",
)
@click.option("--instances", type=PATH, help="For results: NAME.instances.jsonl, written by `assay system choose`.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="JSON file in the released format.")
def export_command(file: Path, kind: str, instances: Path | None, output: Path) -> None:
    """Convert FILE to the released formats: documents to filtered sources, instances, or choices to results."""
    if (kind == "results") != (instances is not None):
        raise UsageError("--as results requires --instances, and only it")
    apart([output], [file, instances])
    made: Any
    if instances:
        examples = {one.id: one for one in read_examples(instances).examples}
        answers = read_outputs(file).outputs
        unknown = next((one.id for one in answers if one.id not in examples), None)
        if unknown:
            raise AssayError(f"{file}: id {unknown} is not in {instances}")
        made = results_json((examples[one.id], one.output) for one in answers)
    else:
        examples_read = read_examples(file).examples
        made = filtered_json(examples_read) if kind == "filtered" else instances_json(examples_read)
    write_text(output, to_json(made) + "\n")
    click.echo(f"{len(made):,} entries in {output}")


@command.command("results")
@click.argument("file", type=PATH)
@json_option
def results_command(file: Path, as_json: bool) -> None:
    """Show a FILE of released results with confidence intervals and a test against chance level."""
    rows = {name: Accuracy.of(*counts) for name, counts in read_results(file).items() if PAIR not in name}
    if as_json:
        released = {name: row._asdict() for name, row in rows.items()}
        for record in released.values():  # the file has counts only, not the targets of instances
            for key in ("clusters", "cluster_low", "cluster_high", "cluster_p"):
                del record[key]
        click.echo(to_json({"evaluations": released}))
        return
    shown: list[list[Content]] = [
        [name, row.n, row.correct, *(f"{100 * value:.1f}" for value in (row.accuracy, row.low, row.high)),
         probability(row.p), "" if row.p < 0.05 else "not significant"]
        for name, row in rows.items()
    ]  # fmt: skip
    print_tables(Table.of("", ("evaluation", "n", "correct", "accuracy", "from", "to", "p (chance)", ""), shown))
