"""`assay data users`: responses of users, to train and evaluate personalised systems."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH, apart, json_option
from assay.errors import UsageError
from assay.execution.loading import load_all
from assay.inputs.users import SPLITS, divided, of_systems, of_tag
from assay.records import read_examples, to_json, write_jsonl

EXAMPLE = """\b
Examples:
  assay data users tgen.tsv slug.tsv chen.tsv -e e2e-test.jsonl -o users --held-out 20
  assay data users -e sgd.jsonl --user service -o users
"""


@new_command(epilog=EXAMPLE)
@click.argument("outputs", nargs=-1, type=PATH)
@click.option("--examples", "-e", type=PATH, required=True, help="Examples: the inputs.")
@click.option("--user", "tag", metavar="TAG", help="Without OUTPUTS: tag that names the user of a reference.")
@click.option(
    "--held-out", metavar="N", type=click.IntRange(1), default=3, show_default=True, help="Responses a user to test on."
)
@click.option(
    "--most", metavar="N", type=click.IntRange(1), help="Maximum number of responses of a user (default: all)."
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Random seed.")
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="Folder to write the three sets to.")
@json_option
def command(
    outputs: tuple[Path, ...],
    examples: Path,
    tag: str | None,
    held_out: int,
    most: int | None,
    seed: int,
    output: Path,
    as_json: bool,
) -> None:
    """Write responses of users as training, validation and test sets, each with responses of every user.

    OUTPUTS of several systems on the same inputs are responses of several users. Without OUTPUTS, --user names a tag of
    the examples, and the users' responses are the references. --held-out responses of each user are in the validation
    and the test set; users with too few are left out.
    """
    apart([output], [*outputs, examples])
    if bool(outputs) == bool(tag):
        raise UsageError("give OUTPUTS of several systems, or --user TAG for the references of the examples")
    if tag:
        responses = of_tag(read_examples(examples).examples, tag)
    else:
        items = load_all(list(outputs), examples=examples)
        names = [file.stem for file in outputs]
        responses = of_systems(
            ((name, one.outputs) for name, one in zip(names, items, strict=True)), list(items[0].examples)
        )
    done = divided(responses, held_out, most or 0, seed)
    output.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        write_jsonl(output / f"{split}.jsonl", done.examples[split])
    sizes = {split: len(done.examples[split]) for split in SPLITS}
    if as_json:
        click.echo(to_json({"users": done.users, **sizes, "left_out": done.left_out}))
        return
    shown = ", ".join(f"{split} {size:,}" for split, size in sizes.items())
    click.echo(f"{counted(done.users, 'user')} in {output}: {shown}")
    if done.left_out:
        some = ", ".join(list(done.left_out)[:5])
        warn([f"{counted(len(done.left_out), 'user')} left out with at most {2 * held_out} responses: {some}"])
    click.echo(f"Next: assay analyze users {output}/test.jsonl --users {output}/train.jsonl")
