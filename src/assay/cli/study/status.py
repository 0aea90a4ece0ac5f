"""`assay study status`: progress of a study."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, format_option, json_option
from assay.errors import AssayError
from assay.records import to_json
from assay.show.numbers import fixed, span
from assay.show.tables import Cell, Content, Form, Table
from assay.studies.anchoring import anchoring, disagreements
from assay.studies.load import open_study
from assay.studies.status import flags, live_agreement, pilot_report, progress
from assay.studies.stopping import sentence, verdicts_so_far

EXAMPLE = """\b
Examples:
  assay study status study.jsonl --design design.toml
"""


@new_command(epilog=EXAMPLE)
@click.argument("journal", type=PATH)
@click.option("--design", type=PATH, required=True, help="Design of the study.")
@format_option
@json_option
def command(journal: Path, design: Path, form: Form, as_json: bool) -> None:
    """Show progress, cost, agreement, flagged annotators, and the sample size suggested by the pilot."""
    if not journal.is_file():
        raise AssayError(f"{journal}: no such file. Make a journal with `assay study assign`.")
    study = open_study(journal, design)
    state, agreement, seen, pilot = progress(study), live_agreement(study), flags(study), pilot_report(study)
    influence = anchoring(study)
    apart = disagreements(study)
    verdicts = verdicts_so_far(study)
    if as_json:
        click.echo(
            to_json(
                {
                    "progress": state,
                    "agreement": agreement,
                    "flags": seen,
                    "pilot": pilot,
                    "anchoring": influence,
                    "disagreements": apart,
                    "verdicts": verdicts,
                }
            )
        )
        return
    rows: list[list[Content]] = [[name.replace("_", " "), _shown(value)] for name, value in state.items()]
    tables = [Table.of(study.design.name, ["", "so far"], rows)]
    if agreement:
        known: list[list[Content]] = [
            [name, Cell(fixed(each.get("value")), each.get("value")), span(each.get("low"), each.get("high"))]
            for name, each in agreement.items()
        ]
        tables.append(Table.of("Agreement so far", ["criterion", "alpha", "95 %"], known))
    if influence:
        shown: list[list[Content]] = [
            [name, each["shown"]["agreement"], each["held_out"]["agreement"],
             Cell(fixed(each["anchoring"]), each["anchoring"]), span(each["low"], each["high"])]
            for name, each in influence.items()
        ]  # fmt: skip
        tables.append(
            Table.of("Agreement with suggestions", ["criterion", "shown", "held out", "anchoring", "95 %"], shown)
        )
        first: list[list[Content]] = [
            [row["id"], row["system"], row["criterion"], row["suggested"], row["answered"], row["agreement"]]
            for row in apart
        ]
        columns = ["item", "system", "criterion", "model", "annotators", "agreement"]
        tables += [Table.of("Largest disagreements between model and annotators", columns, first)] if first else []
    if pilot:
        sizes: list[list[Content]] = [
            [row["criterion"], row["texts"], row["sd"], row["median_seconds"], row["people_needed"]] for row in pilot
        ]
        tables.append(Table.of("Pilot", ["criterion", "texts", "sd", "seconds", "annotators per item"], sizes))
    print_tables(*tables, form=form)
    for verdict in verdicts:
        say(sentence(verdict))
    warn(f"{name}: {', '.join(why)}" for name, why in seen.items())


def _shown(value: object) -> Content:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, int | float) or value is None else str(value)
