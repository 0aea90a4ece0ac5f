"""`assay analyze slots`: input values that outputs express, omit or add."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

import click

from assay.cli.shared.display import counted, print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, ci_option, json_option, refuse_idle
from assay.errors import AssayError
from assay.execution.loading import load_items
from assay.execution.scoring import score_items
from assay.meta.slot_report import SlotErrors, SlotReport, report_slots
from assay.metrics import MetricRequest
from assay.metrics.structure.fillers import FillerRecall, mentioned, named_by, ontology_of, scored_roles, uncounted
from assay.metrics.structure.slot_values import has_values
from assay.records import to_json, write_jsonl
from assay.results.result import Result
from assay.show.numbers import scored
from assay.show.tables import Column, Content, Table, score_cell
from assay.specs import Spec

EXAMPLE = """\b
Examples:
  assay analyze slots bart.jsonl -e mucsum-test.jsonl
  assay analyze slots bart.jsonl -e mucsum-test.jsonl --limit 10 -o fillers.jsonl
  assay analyze slots tgen.tsv -e e2e-test.jsonl --items 5
  assay analyze slots tgen.jsonl -e cs-test.jsonl --forms surface_forms.json
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@click.option("--examples", "-e", type=PATH, required=True, help="Examples with slots, triples, acts or events.")
@click.option("--output", "-o", type=NEW_FILE, help="Write each value with whether it is expressed (JSONL).")
@click.option(
    "--limit", type=click.IntRange(0), default=3, show_default=True, help="Number of omitted values to show per slot."
)
@click.option("--items", "shown", type=click.IntRange(0), default=0, help="Show the N outputs with most errors.")
@click.option("--forms", type=PATH, help="Surface forms of values (JSON): {slot: {value: [form, ...]}}.")
@click.option(
    "--ontology", metavar="FILE", help="Roles of the event templates: name or file (default: MUC-4, or all roles)."
)
@click.option("--join-on", metavar="COLUMN", help="Join on this column of the outputs, e.g. MR (default: id).")
@ci_option()
@click.option("--allow-missing", is_flag=True, help="Use the items that have outputs; report the number missing.")
@json_option
def command(
    outputs: Path, examples: Path, output: Path | None, limit: int, shown: int, forms: Path | None,
    ontology: str | None, join_on: str | None,    ci: int, allow_missing: bool, as_json: bool,
) -> None:  # fmt: skip
    """Report for each slot how many values OUTPUTS express, and which are omitted or added most often.

    Values are those of slots, the entities of triples, the values of dialog acts, or the fillers of event templates.
    """
    apart([output], [outputs, examples, forms])
    items = load_items(outputs, examples=examples, allow_missing=allow_missing, join_on=join_on)
    if any(map(has_values, items.examples)):
        refuse_idle(ontology="event templates")
        report = report_slots(items, str(forms or ""), ci)
        if output:
            write_jsonl(output, report.rows())
        if as_json:
            click.echo(to_json({**report.to_dict(), "items": report.worst(items, shown), "warnings": items.notes}))
            return
        _print_report(report, limit, report.worst(items, shown))
        warn(items.notes)
        click.echo(f"Next: assay compare {outputs} OTHER --examples {examples} --metrics slot_error")
        return
    known = ontology_of(items.examples, ontology or "")
    if unknown := uncounted(items.examples, known):
        known.require(unknown, f"{examples}: ")
    rows = [
        {"id": example.id, "role": role, "filler": filler, "mentioned": hit}
        for example, text in zip(items.examples, items.outputs, strict=True)
        for role, rows_by_role in mentioned(example, text, known).items()
        for filler, hit in rows_by_role
    ]
    if not rows:
        raise AssayError(f"{examples}: no example has a filled event template, slots, triples or dialog acts")
    if output:
        write_jsonl(output, rows)
    own, roles_option = named_by(items.examples, known, ontology or "")
    metric = FillerRecall(own, roles_option)
    result = score_items(items, [MetricRequest(Spec(metric.name), metric, None)], ci=ci)
    roles = {
        role: {
            "fillers": sum(row["role"] == role for row in rows),
            "mentioned": sum(row["role"] == role and bool(row["mentioned"]) for row in rows),
            "recall": result.scores[f"filler_recall.{role}"],
            "missed": Counter(str(row["filler"]) for row in rows if row["role"] == role and not row["mentioned"]),
        }
        for role in scored_roles(known)
    }
    if as_json:
        click.echo(to_json({"system": items.system, "n": len(items), "roles": roles, "warnings": items.notes}))
        return
    _print(result, roles, limit)
    warn(items.notes)
    options = "".join(f":{name}={value}" for name, value in (("ontology", own), ("roles", roles_option)) if value)
    spec = shlex.quote(f"filler_recall{options}")  # names of roles may have spaces
    click.echo(f"Next: assay score {outputs} --examples {examples} --metrics {spec} --per-example FILE")


def _print(result: Result, roles: dict[str, dict[str, object]], limit: int) -> None:
    rows: list[list[Content]] = []
    for role, rows_by_role in roles.items():
        name = f"filler_recall.{role}"
        missed = rows_by_role["missed"]
        assert isinstance(missed, Counter)
        listed = ", ".join(f"{filler} ({count})" for filler, count in missed.most_common(limit))
        cells = [str(rows_by_role["fillers"]), str(rows_by_role["mentioned"])]
        rows.append([role, *cells, score_cell(result.scores[name], result.parts[name][1]), listed])
    columns = [
        Column("role", "left"), Column("fillers"), Column("mentioned"), Column("recall (95 %)"),
        Column("omitted most often", "left", fold=True),
    ]  # fmt: skip
    print_tables(Table(columns, rows, f"{result.system} · {counted(result.n, 'output')}"))
    whole = scored(result.scores["filler_recall"], result.parts["filler_recall"][1])
    click.echo(f"All entity roles: {whole}")


def _print_report(report: SlotReport, limit: int, worst: list[SlotErrors]) -> None:
    part = report.result.parts["slot_recall"][1]
    rows: list[list[Content]] = []
    for slot, count in report.slots.items():
        missing, added = (
            ", ".join(f"{value} ({times})" for value, times in values.most_common(limit))
            for values in (count.missing_values, count.added_values)
        )
        numbers: list[Content] = [count.required, count.expressed, score_cell(count.recall, part), count.added]
        rows.append([slot, *numbers, missing, added])
    columns = [
        Column("slot", "left"), Column("in inputs"), Column("expressed"), Column("recall [95 % CI]"), Column("added"),
        Column("most often missing", "left", fold=True), Column("most often added", "left", fold=True),
    ]  # fmt: skip
    print_tables(Table(columns, rows, f"{report.result.system} · {counted(report.result.n, 'output')}"))
    shown = [
        f"{name} {scored(report.result.scores[name], report.result.parts[name][1])}" for name in report.result.parts
    ]
    say("All slots: " + "   ".join(shown))
    for each in worst:
        errors = {"without": each["missing"], "adds": each["added"]}
        values = {what: ", ".join("=".join(one.values()) for one in some) for what, some in errors.items()}
        lists = [f"{what} {listed}" for what, listed in values.items() if listed]
        say(f"{each['id']} {'; '.join(lists)}: {each['output']}")
