"""`assay support`: which sentences of outputs their contexts or sources support."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from assay.cli.everyday.support_page import support_page
from assay.cli.shared.display import warn, width
from assay.cli.shared.help import new_command, section
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import UsageError
from assay.execution.support import check_outputs
from assay.metrics.support.checker import CHECKERS, Checked
from assay.metrics.support.splitting import SENTENCES, WAYS
from assay.records import Items, to_json, write_jsonl
from assay.records.evaluation_events import ENDING, of_sentences, write_events
from assay.records.files import replacing
from assay.show.tables import Column, Content, Table, write

EXAMPLE = """\b
Examples:
  assay support answers.jsonl -e examples.jsonl
  assay support answers.jsonl -e examples.jsonl -o support.html
  assay support summaries.jsonl -s articles.jsonl --checker nli -o support.jsonl
"""
ENDINGS = (".jsonl", ".html", ENDING)
MOST_SHOWN = 10
HEADINGS = ("items", "sentences", "supported %", "95 % CI", "unsupported", "contradicted", "not checkable")


@new_command(epilog=EXAMPLE)
@click.argument("outputs", type=PATH)
@section(
    "Data",
    click.option("--sources", "-s", type=PATH, metavar="FILE", help="Source texts, one per output."),
    click.option(
        "--examples", "-e", type=PATH, metavar="FILE", help="Examples with contexts or sources, or DATASET:PATH."
    ),
    click.option("--system", metavar="NAME", help="Check this system only (default: all of the file)."),
    click.option("--allow-missing", is_flag=True, help="Check items that have outputs; report the number missing."),
    click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read; report their number."),
)  # fmt: skip
@section(
    "Method",
    click.option(
        "--checker", default="assay", metavar="NAME",
        help=f"What decides: {', '.join(CHECKERS)}, with options after a colon (default: assay).",
    ),
    click.option(
        "--claims", default=SENTENCES, metavar="WAY",
        help=f"What is checked: {', '.join(WAYS)} (default: {SENTENCES}).",
    ),
)  # fmt: skip
@section(
    "Output",
    click.option(
        "--output", "-o", type=NEW_FILE, metavar="FILE", help="Write sentences: .jsonl, .html or .otlp.json (events)."
    ),
    json_option,
)  # fmt: skip
def command(
    outputs: Path,
    sources: Path | None,
    examples: Path | None,
    system: str | None,
    allow_missing: bool,
    skip_bad: bool,
    checker: str,
    claims: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Check which sentences of OUTPUTS are supported by the contexts or sources of their items.

    Each sentence gets its best evidence, a verdict (supported, unsupported, contradicted, not checkable), the
    probability of being supported, and a reason that can be checked: a number, name or date differs, roles are
    exchanged, a negation, an uncertain statement stated as fact, nothing found. English only.
    """
    apart([output], [outputs, *(path for path in (sources, examples) if path)])
    if output and not output.name.endswith(ENDINGS):
        raise UsageError(f"{output}: unknown ending; use {' or '.join(ENDINGS)}")
    reports = check_outputs(
        outputs, sources, examples=examples, system=system, checker=checker, claims=claims,
        allow_missing=allow_missing, skip_bad=skip_bad,
    )  # fmt: skip
    systems = {name: (report.items, report.checked) for name, report in reports.items()}
    if output:
        _write(output, systems, checker)
    rates = {name: report.rate() for name, report in reports.items()}
    if as_json:
        click.echo(to_json(_summary(systems, rates)))
        return
    _print(systems, rates, output)


def _summary(systems: dict[str, tuple[Items, list[list[Checked]]]], rates: dict[str, dict[str, Any]]) -> dict[str, Any]:
    first = next(iter(systems.values()))[0]
    return {
        "n": len(first),
        "sentences": sum(len(own) for _, checked in systems.values() for own in checked),
        "systems": rates,
    }


def _write(path: Path, systems: dict[str, tuple[Items, list[list[Checked]]]], checker: str) -> None:
    if path.suffix != ".html":
        records = [one.to_dict(name) for name, (_, all_) in systems.items() for own in all_ for one in own]
        if path.name.endswith(ENDING):
            write_events(path, of_sentences(records), time.time_ns())
        else:
            write_jsonl(path, records)
        return
    with replacing(path, "w") as stream:
        stream.write(support_page(systems, checker))


def _print(
    systems: dict[str, tuple[Items, list[list[Checked]]]], rates: dict[str, dict[str, Any]], output: Path | None
) -> None:
    rows: list[list[Content]] = []
    for name, (_, checked) in systems.items():
        verdicts = [one.verdict for own in checked for one in own]
        rate = rates[name]
        share = "–" if rate["supported"] is None else f"{100 * rate['supported']:.1f}"
        interval = "–" if rate["low"] is None else f"{100 * rate['low']:.1f} to {100 * rate['high']:.1f}"
        counts = [str(verdicts.count(one)) for one in ("unsupported", "contradicted", "not_checkable")]
        rows.append([name, str(len(checked)), str(len(verdicts)), share, interval, *counts])
    columns = [Column("system", "left"), *map(Column, HEADINGS)]
    click.echo(write(Table(columns, rows), "text", width(), styled=True))
    for name, (_, checked) in systems.items():
        wrong = [one for own in checked for one in own if one.verdict in ("unsupported", "contradicted")]
        wrong.sort(key=lambda one: one.probability or 0.0)
        for one in wrong[:MOST_SHOWN]:
            click.echo(f"{name} {one.id}: {one.verdict} ({one.probability:.2f}), {one.reason}")
            click.echo(f"  claim     {_short(one.claim.sentence.text)}")
            if one.evidence:
                click.echo(f"  evidence  {_short(one.evidence[0].sentence.text)} [{one.evidence[0].context}]")
        if len(wrong) > MOST_SHOWN and not output:
            click.echo(f"… and {len(wrong) - MOST_SHOWN} more; write all with -o support.jsonl or -o support.html")
    warn(dict.fromkeys(note for items, _ in systems.values() for note in items.notes))
    if output:
        click.echo(f"{output}: {sum(len(own) for _, checked in systems.values() for own in checked)} sentences")


def _short(text: str) -> str:
    line = " ".join(text.split())
    room = max(40, width() - 14)
    return line if len(line) <= room else line[: room - 1] + "…"
