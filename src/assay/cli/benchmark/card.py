"""`assay benchmark card`: write, fill, check, convert and show cards."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.cards.card import new_card, read_card
from assay.benchmark.cards.catalogue import catalogue, tables
from assay.benchmark.cards.check import CardCheck, check_card
from assay.benchmark.cards.convert import CONVERTIBLE, convert
from assay.benchmark.cards.fill import data_digest, fill
from assay.benchmark.cards.page import page
from assay.benchmark.cards.template import NAMES, template
from assay.cli.shared.display import counted, print_tables, say, warn
from assay.cli.shared.findings import sentence
from assay.cli.shared.help import new_group
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError
from assay.records import to_json
from assay.records.files import write_text

EXAMPLE = """\b
Examples:
  assay benchmark card new --template gem --title Harbours -o harbours.md
  assay benchmark card fill harbours.md --examples harbours.jsonl
  assay benchmark card check harbours.md --examples harbours.jsonl
  assay benchmark card convert harbours.md --to hf -o README.md
  assay benchmark card render harbours.md -o harbours.html
  assay benchmark card catalogue cards/
  assay benchmark card guide gem
"""
template_option = click.option(
    "--template", "named", type=click.Choice(NAMES), help="Template of the card (default: inferred from its headings)."
)
output_option = click.option("--output", "-o", type=NEW_FILE, help="File to write (default: stdout).")


@new_group(epilog=EXAMPLE)
def command() -> None:
    """Cards of datasets, systems and metrics."""


@command.command("new")
@click.option(
    "--template", "named", type=click.Choice(NAMES), default="gem", show_default=True, help="Template of the card."
)
@click.option("--title", default="", help="Name of the dataset, system or metric.")
@click.option("--guide", is_flag=True, help="Include guidance for each section as a comment.")
@output_option
def new(named: str, title: str, guide: bool, output: Path | None) -> None:
    """Write a new card with a placeholder in every section."""
    if output and output.exists():
        raise AssayError(f"{output}: already exists. Write to another file, or delete it.")
    _put(new_card(template(named), title, guide).markdown(), output)
    if output:
        click.echo(
            f"Next: assay benchmark card fill {output} --examples FILE; edit it; assay benchmark card check {output}"
        )


@command.command("guide")
@click.argument("named", metavar="TEMPLATE", type=click.Choice(NAMES))
@json_option
def guide_command(named: str, as_json: bool) -> None:
    """Print guidance for each section of TEMPLATE."""
    form = template(named)
    if as_json:
        entries = [
            {"key": each.key, "title": each.title, "level": each.level, "optional": each.optional, "guide": each.guide}
            for each in form.entries
        ]
        click.echo(to_json({"template": named, "title": form.title, "sections": entries}))
        return
    click.echo(f"{form.title}: {form.about}")
    for entry in form.entries:
        click.echo(f"{'  ' * entry.level}{entry.title}{' (optional)' if entry.optional else ''}: {entry.guide}")


@command.command("fill")
@click.argument("card", type=PATH)
@click.option("--examples", "-e", type=PATH, multiple=True, required=True, help="Examples to measure. Repeatable.")
@click.option("--dataset", default="", help="Published dataset, for licence, citation and goal.")
@click.option("--challenges", type=PATH, multiple=True, help="Challenge sets made from the data. Repeatable.")
@click.option("--output", "-o", type=NEW_FILE, help="File to write (default: CARD itself).")
@json_option
def fill_command(
    card: Path,
    examples: tuple[Path, ...],
    dataset: str,
    challenges: tuple[Path, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Fill CARD from the data: sizes, lengths, fields, an example, languages. Written sections are kept."""
    apart([output or card], [*examples, *challenges])
    filled, written = fill(read_card(card), examples, dataset, challenges)
    write_text(output or card, filled.markdown())
    if as_json:
        click.echo(to_json({"card": str(output or card), "written": written}))
        return
    say(f"{counted(len(written), 'section')} written in {output or card}: {', '.join(written) or 'no open section'}")


@command.command("check")
@click.argument("card", type=PATH)
@template_option
@click.option("--examples", "-e", type=PATH, multiple=True, help="Examples: report whether the card is out of date.")
@click.option(
    "--at-least", type=click.FloatRange(0, 100), help="Exit with code 1 if the card is less complete, in percent."
)
@json_option
def check(card: Path, named: str | None, examples: tuple[Path, ...], at_least: float | None, as_json: bool) -> None:
    """Report how complete CARD is, and what is missing."""
    report = check_card(read_card(card), template(named) if named else None, data_digest(examples) if examples else "")
    if as_json:
        click.echo(to_json(report.plain()))
    else:
        _print_checked(card, report)
    if at_least is not None and 100 * report.complete < at_least:
        raise AssayError(f"{card}: {100 * report.complete:.0f} % complete; required: {at_least:g} %")


def _print_checked(card: Path, report: CardCheck) -> None:
    counts = ", ".join(f"{filled} of {of} {level}" for level, (filled, of) in report.levels.items() if of)
    say(f"{card} · {template(report.template).title} · {100 * report.complete:.0f} % complete ({counts})")
    for finding in report.findings:
        say(f"  {'!' if finding.is_error else '·'} {finding.section}: {finding.problem}. {sentence(finding.remedy)}")
    if not report.findings:
        click.echo("  complete")


@command.command("convert")
@click.argument("card", type=PATH)
@click.option("--to", type=click.Choice(CONVERTIBLE), required=True, help="Template to convert to.")
@output_option
def convert_command(card: Path, to: str, output: Path | None) -> None:
    """Convert CARD to another template; sections without a counterpart are kept at the end."""
    apart([output], [card])
    _put(convert(read_card(card), to).markdown(), output)


@command.command("render")
@click.argument("card", type=PATH)
@output_option
def render(card: Path, output: Path | None) -> None:
    """Render CARD as an HTML page with contents; an .md file gives normalised Markdown."""
    apart([output], [card])
    paths = read_card(card)
    _put(paths.markdown() if output and output.suffix == ".md" else page(paths), output)


@command.command("catalogue")
@click.argument("cards", type=PATH, nargs=-1, required=True)
@click.option("--task", help="Cards of this task.")
@click.option("--language", help="Cards with this language code.")
@click.option("--licence", type=click.Choice(["open", "non-commercial", "unknown"]), help="Cards with this licence.")
@json_option
def catalogue_command(
    cards: tuple[Path, ...], task: str | None, language: str | None, licence: str | None, as_json: bool
) -> None:
    """List CARDS (files and folders): tasks, languages, licences, completeness, missing sections."""
    listed, passed_over = catalogue(cards)
    warn(f"skipped: {why}" for why in passed_over)
    report = [
        each
        for each in listed
        if task in (None, each.task) and licence in (None, each.licence) and language in (None, *each.languages)
    ]
    if as_json:
        click.echo(to_json({"cards": [each.plain() for each in report]}))
    else:
        print_tables(*tables(report))


def _put(text: str, output: Path | None) -> None:
    if output:
        write_text(output, text)
        say(f"written: {output}")
    else:
        click.echo(text, nl=False)
