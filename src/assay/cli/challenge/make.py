"""`assay challenge make`: make a challenge set of perturbed inputs."""

from __future__ import annotations

from pathlib import Path

import click

from assay.challenges import perturbation
from assay.challenges.perturbation import SIZE, challenge_set
from assay.cli.shared.display import counted
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError
from assay.records import read_examples, to_json, write_jsonl
from assay.records.error_locations import with_location
from assay.show.numbers import share

EXAMPLE = """\b
Examples:
  assay challenge make scramble webnlg-test.jsonl -o webnlg-scramble.jsonl
  assay challenge make no-punctuation xsum-test.jsonl --size 200 --seed 1 -o xsum-nopunct.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("kind")
@click.argument("examples", type=PATH)
@click.option("--size", type=click.IntRange(1), default=SIZE, show_default=True, help="Maximum number of items.")
@click.option(
    "--by",
    metavar="TAG",
    help="Sample in proportion to the values of this tag (default: category of triples).",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed; stored in the items.")
@click.option("--option", "options", multiple=True, metavar="K=V", help="Option of the perturbation; same as KIND:K=V.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Perturbed examples to write (JSONL).")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@json_option
def command(
    kind: str, examples: Path, size: int, by: str | None, seed: int, options: tuple[str, ...], output: Path,
    force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Perturb the inputs of EXAMPLES by KIND (see `assay challenge list`).

    Each item is linked to the original item. Generate outputs for both, then `assay compare --against-parents` compares
    each system with itself. Items that cannot be changed, or are rejected, are left out and counted.
    """
    apart([output], [examples])
    chosen = perturbation(":".join((kind, *options)))
    if output.exists() and not force:
        raise AssayError(f"{output}: already exists. Pass another file, or --force.")
    items = read_examples(examples).examples
    with with_location(examples, items):
        made = challenge_set(chosen, items, size=size, seed=seed, by=by)
    if not made.examples:
        if made.rejected:
            id, why = next(iter(made.rejected.items()))
            raise AssayError(f"{examples}: {chosen.name}: all {len(made.rejected)} were rejected (id {id}: {why})")
        raise AssayError(
            f"{examples}: {chosen.name} changes {chosen.changes}, and no item has anything to change; "
            "see `assay challenge list`"
        )
    write_jsonl(output, made.examples)
    if as_json:
        counts = {
            "examples": len(made.examples),
            "unchanged": made.unchanged,
            "rejected": dict(made.rejected),
            "accepted": made.accepted,
        }
        click.echo(to_json({"challenge": chosen.name, **counts, "seed": seed, "output": str(output)}))
        return
    left = f"; {counted(len(made.unchanged), 'item')} could not be changed" if made.unchanged else ""
    if made.rejected and made.accepted is not None:
        left += f"; {counted(len(made.rejected), 'item')} rejected ({share(made.accepted, 1)} accepted)"
    click.echo(f"{counted(len(made.examples), 'perturbed example')} in {output}{left}")
    click.echo(f"Next: assay system generate {output} --system NAME -o outputs.jsonl")
