"""`assay datasets`: what can be read, each dataset's card and measured statistics; fetching; choosing."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from assay.cli.display import cannot_be_loaded, print_group, print_options, print_tables
from assay.cli.options import NEW_FOLDER, PATH, json_option
from assay.datasets import DATASETS, Dataset, dataset
from assay.records import to_json
from assay.show.numbers import count, file_size, fixed
from assay.show.tables import Column, Content, Table
from assay.specs_help import options_of

EXAMPLE = """\b
Examples:
  assay datasets
  assay datasets mucsum --path data/mucsum
  assay datasets fetch common_gen
  assay datasets select candidates.json --size 10 --rule at-least:3:language=non-en
"""


ANSWERS = ("median", "mean", "n")
SPLITS = ("train", "validation", "test")


class Datasets(click.Group):
    """A word that is no subcommand is the name of a dataset."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            return "show", self.commands["show"], args
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return ["fetch", "select"]


@click.group(cls=Datasets, invoke_without_command=True, subcommand_metavar="[NAME | fetch | select]", epilog=EXAMPLE)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List all datasets, or show the card of NAME with measured statistics; fetch data; choose a set of datasets."""
    if ctx.invoked_subcommand is not None:
        return
    broken: dict[str, str] = {}
    described = dict(DATASETS.each(lambda cls: describe(cls()), broken))
    if as_json:
        click.echo(to_json({"datasets": described} | cannot_be_loaded(broken)))
    else:
        _print_all(described, broken)


@command.command(hidden=True, epilog=EXAMPLE)
@click.argument("name")
@click.option("--path", type=PATH, help="Its files or folder: statistics are measured there.")
@click.option("--split", help="Measure only this split.")
@json_option
def show(name: str, path: Path | None, split: str | None, as_json: bool) -> None:
    """The card of one dataset, and what is measured on its files."""
    found = dataset(name)
    folder = path or (home(found) if home(found).is_dir() else None)
    measured = _measure(found, folder, split) if folder else {}
    if as_json:
        click.echo(to_json({"datasets": {found.name: describe(found, folder) | {"measured": measured}}}))
        return
    _print_card(found, folder)
    _print_measured(measured, found)


@command.command(epilog="Example: assay datasets fetch common_gen --to data/common_gen")
@click.argument("name")
@click.option("--to", type=NEW_FOLDER, help="Folder to fill; the cache without it.")
@click.option("--config", help="Configuration on the hub, where there are several.")
@json_option
def fetch(name: str, to: Path | None, config: str | None, as_json: bool) -> None:
    """Bring NAME from the Hugging Face hub: Parquet or JSON files, never programs; checksums are recorded."""
    from assay.datasets import fetch as hub

    found = dataset(name)
    folder = to or home(found)
    files = hub.fetch(found, folder, configuration=config)
    if as_json:
        click.echo(to_json({"dataset": found.name, "folder": str(folder), "files": [vars(file) for file in files]}))
        return
    total = sum(file.bytes for file in files)
    click.echo(f"{found.name} · {len(files)} files · {file_size(total)} in {folder} · checksums in {hub.MANIFEST}")
    click.echo(f"Next: assay read {found.name} {folder} -o {found.name}.jsonl")


@command.command(epilog="Example: assay datasets select candidates.json --size 2 --rule equal:size")
@click.argument("candidates", type=PATH)
@click.option("--size", type=click.IntRange(1), required=True, help="How many to choose.")
@click.option(
    "--rule", "rules", multiple=True, help="equal:KEY, at-least:N:KEY=VALUE, at-most:N:KEY=VALUE, none:KEY=VALUE."
)
@json_option
def select(candidates: Path, size: int, rules: tuple[str, ...], as_json: bool) -> None:
    """Choose datasets from a survey: the highest utility that breaks no rule.

    CANDIDATES is a JSON object: name to {"votes": [..] or "utility": x, and any property}; votes are positive,
    neutral, negative, or numbers from -1 to 1. Answers to numeric questions may stand under "survey".
    """
    from assay.datasets import select as choosing

    found, survey = choosing.read_candidates(candidates)
    choice = choosing.choose(found, size, [choosing.rule(text) for text in rules])
    if as_json:
        shown = {
            "chosen": [candidate.name for candidate in choice.chosen],
            "utility": choice.utility,
            "considered": choice.considered,
            "steps": choice.steps,
            "survey": survey,
        }
        click.echo(to_json(shown))
        return
    kept = f"the best of {choice.considered:,} sets that keeps the rules, known after {choice.steps:,} steps"
    click.echo(f"{len(choice.chosen)} chosen · utility {choice.utility:.3f} · {kept}")
    chosen = [[each.name, fixed(each.utility, signed=True, zero=True)] for each in choice.chosen]
    print_tables(Table.of("", ["dataset", "utility"], chosen))
    if survey:
        asked: list[list[Content]] = [
            [question, *(answers[name] for name in ANSWERS)] for question, answers in survey.items()
        ]
        print_tables(Table.of("", ["question", *ANSWERS], asked))


def home(found: Dataset) -> Path:
    """Where fetched files are kept."""
    root = os.environ.get("ASSAY_DATASETS") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay"
    return Path(root) / found.name


def describe(found: Dataset, folder: Path | None = None) -> dict[str, Any]:
    """A card as data; `folder` holds the files, where it is not the cache."""
    card = {field.name: getattr(found.card, field.name) for field in dataclasses.fields(found.card)}
    card = {name: dict(value) if isinstance(value, Mapping) else value for name, value in card.items()}
    options = {field.name: field.default for field in dataclasses.fields(found)}
    here = folder is not None or home(found).is_dir()
    return card | {"options": options, "available": here, "why_not": None if here else f"not in {home(found)}"}


def _measure(found: Dataset, folder: Path, split: str | None) -> dict[str, Any]:
    from assay.datasets.statistics import Measure

    by_split: dict[str, Measure] = {}
    for example in found.read(folder, split):
        by_split.setdefault(example.split or "unknown", Measure()).add(example)
    return {
        name: {
            "statistics": [dataclasses.asdict(statistic) for statistic in measure.statistics],
            "counts": {tag: dict(sorted(counts.items(), key=_by_number)) for tag, counts in measure.tags.items()},
        }
        for name, measure in by_split.items()
    }


def _by_number(item: tuple[str, int]) -> tuple[bool, int, str]:
    """Numbers in their order, then words by how often they occur."""
    return (not item[0].isdigit(), int(item[0]) if item[0].isdigit() else -item[1], item[0])


def _print_all(cards: dict[str, dict[str, Any]], broken: dict[str, str]) -> None:
    columns = [
        *(Column(heading, "left", fold=heading != "dataset") for heading in ("dataset", "task", "language")),
        *(Column(split) for split in SPLITS),
        Column("input", "left", fold=True),
    ]
    rows = []
    for name, card in sorted(cards.items(), key=lambda each: (each[1]["task"], each[0])):
        sizes = [count(card["sizes"].get(split)) for split in SPLITS]
        rows.append([name, card["task"], " ".join(card["languages"]), *sizes, card["input_type"]])
    rows += [[name, "", "", "", "", "", why] for name, why in broken.items()]
    print_tables(Table(columns, rows))
    click.echo("Next: assay datasets NAME, assay read NAME PATH -o examples.jsonl")


def _print_card(found: Dataset, folder: Path | None) -> None:
    card = found.card
    click.echo(f"{found.name}: {card.title}")
    sizes = ", ".join(f"{split} {count:,}" for split, count in card.sizes.items())
    rows = [
        ("task", card.task), ("goal", card.goal), ("languages", ", ".join(card.languages)), ("sizes", sizes),
        ("references", card.references), ("input", card.input_type),
        ("suite", card.suite or "none: no text is generated"), ("licence", card.licence),
        ("access", card.access), ("source", card.source), ("files", card.files),
        *(("GEM", text) for text in card.modifications), *(("note", text) for text in card.notes),
        ("cite", card.citation), ("here", str(folder) if folder else f"no: not in {home(found)}"),
    ]  # fmt: skip
    for heading, text in rows:
        click.echo(click.wrap_text(text, 100, f"  {heading:<11} ", " " * 14))
    print_options(options_of(type(found)))


def _print_measured(measured: dict[str, Any], found: Dataset) -> None:
    if not measured:
        click.echo(f"  measured    nothing: give --path, or assay datasets fetch {found.name}")
    for split, values in measured.items():
        rows = [
            [each["name"], f"{each['value']:,.2f}", f"over {count(each['n'])} {each['over']}"]
            for each in values["statistics"]
        ]
        print_tables(Table([Column("measured", "left"), Column(split), Column("", "left", fold=True)], rows))
        for tag, counts in values["counts"].items():
            shown = [f"{value} {count(n)}" for value, n in list(counts.items())[:20]]
            print_group(tag, [*shown, *(["…"] if len(counts) > 20 else [])])
