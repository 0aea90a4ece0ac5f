"""`assay data entities`: build entity-aggregation data from a corpus and crowd answers."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import click

from assay.cli.shared.display import counted, print_tables
from assay.cli.shared.help import new_group
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.datasets.crowd_phrases import gather, read_crowd, unseen
from assay.datasets.entity_groups import groups, read_annotated
from assay.datasets.tesa_phrases import SIZE, split_examples, with_candidates
from assay.errors import AssayError
from assay.records import Example, kind_of, read_examples, to_json, write_jsonl
from assay.records.error_locations import with_location
from assay.show.tables import Table

EXAMPLE = """\b
Examples:
  assay data entities extract muc4.jsonl -o instances.jsonl
  assay data entities crowd answers.csv --instances instances.jsonl -o gold.jsonl
  assay data entities rank gold.jsonl -o rankings.jsonl
"""


@new_group(epilog=EXAMPLE)
def command() -> None:
    """Build entity-aggregation data: extract groups, collect crowd phrases, build rankings."""


@command.command("extract", epilog=EXAMPLE)
@click.argument("corpus", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Instances to annotate (JSONL).")
@click.option("--limit", type=click.IntRange(1), help="Number of instances to sample at random (default: all).")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@json_option
def extract_command(corpus: Path, output: Path, limit: int | None, seed: int, as_json: bool) -> None:
    """Extract groups of two to six entities of one type from CORPUS, with the passages that mention them.

    CORPUS has one document per line (id, text, entities with name, type and mentions), or is the output of
    `assay data read muc4`.
    """
    apart([output], [corpus])
    groups = _extracted(corpus)
    if limit and len(groups) > limit:
        from assay.seeds import rng_for

        groups = rng_for(seed, "entities", len(groups)).sample(groups, limit)
    if not groups:
        raise AssayError(f"{corpus}: no two entities of one type are mentioned near each other")
    write_jsonl(output, groups)
    kinds = Counter(example.tags["type"] for example in groups)
    sizes = Counter(example.tags["size"] for example in groups)
    if as_json:
        click.echo(to_json({"instances": len(groups), "types": kinds, "sizes": sizes}))
        return
    listed = ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())
    click.echo(f"{counted(len(groups), 'instance')} in {output} ({listed})")


def _extracted(corpus: Path) -> list[Example]:
    with corpus.open("rb") as stream:
        plain = b'"entities"' in stream.readline()
    if plain:
        return list(read_annotated(corpus))
    examples = read_examples(corpus).examples
    if not any(kind_of(example) == "events" for example in examples):
        raise AssayError(f"{corpus}: neither documents with entities nor documents with events; see --help")
    return list(groups(examples))


@command.command("crowd", epilog=EXAMPLE)
@click.argument("answers", type=PATH)
@click.option("--instances", type=PATH, required=True, help="Annotated instances, matched by id.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Instances with gold phrases (JSONL).")
@click.option(
    "--assignments",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Minimum number of assignments per worker.",
)
@click.option(
    "--annotators",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Minimum number of annotators per phrase.",
)
@click.option("--extended", is_flag=True, help="Remove all determiners and numbers, as in the paper, not only 'the'.")
@click.option("--discarded", type=NEW_FILE, help="Write the answers that the rules discard, one per line.")
@json_option
def crowd_command(
    answers: Path, instances: Path, output: Path, assignments: int, annotators: int, extended: bool,
    discarded: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Convert the results of a crowd platform (ANSWERS, CSV) to gold phrases; report what each step discards."""
    apart([output, discarded], [answers, instances])
    shown_instances = read_examples(instances).examples
    made = gather(
        read_crowd(answers), shown_instances, assignments=assignments, annotators=annotators, extended=extended
    )
    if not made.examples:
        raise AssayError(
            f"{answers}: no instance has phrases of {annotators} annotators; lower --annotators or --assignments"
        )
    write_jsonl(output, made.examples)
    if discarded:
        with discarded.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([text] for text in made.discarded)
    if as_json:
        click.echo(to_json({"funnel": made.funnel, "workers": made.workers, "discarded": len(made.discarded)}))
        return
    rows = [[name, f"{count:,}"] for name, count in made.funnel.items()]
    print_tables(Table.of("", ("", "n"), [*rows, ["answers discarded by rule", f"{len(made.discarded):,}"]]))
    click.echo(f"Next: assay data entities rank {output} -o rankings.jsonl")


@command.command("rank", epilog=EXAMPLE)
@click.argument("gold", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Rankings in three splits (JSONL).")
@click.option(
    "--size", type=click.IntRange(2), default=SIZE, show_default=True, help="Number of candidates per ranking."
)
@click.option(
    "--seed", type=click.IntRange(0), default=2345, show_default=True, help="Random seed of candidates and splits."
)
@json_option
def rank_command(gold: Path, output: Path, size: int, seed: int, as_json: bool) -> None:
    """Add candidates of the same type to GOLD instances, and split them 2:1:1 by instance."""
    apart([output], [gold])
    instances = read_examples(gold).examples
    with with_location(gold, instances):
        made = split_examples(with_candidates(instances, size=size, seed=seed), seed)
    write_jsonl(output, made)
    splits, new = Counter(example.split for example in made), unseen(made)
    if as_json:
        shares = {split: {"unseen": count, "n": n} for split, (count, n) in new.items()}
        click.echo(to_json({"rankings": len(made), "splits": splits, "unseen": shares}))
        return
    listed = ", ".join(f"{split} {count:,}" for split, count in splits.items())
    click.echo(f"{counted(len(made), 'ranking')} of {size} in {output} ({listed})")
    for split, (count, n) in new.items():
        click.echo(f"  {split:<11} {count:,} of {n:,} have no entity that occurs in training")
    click.echo(f"Next: assay system rank {output} --system frequency --train {output} -o frequency.jsonl")
