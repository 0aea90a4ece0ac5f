"""`assay data synthesize`: made-up examples, so that a whole protocol runs where the real corpus is not to be had."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from assay.challenges.equivalence import augment
from assay.cli.shared.display import counted
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.datasets.equivalence_classes import Classes, read_classes
from assay.datasets.made_up_announcements import made_up_announcements
from assay.datasets.made_up_entities import made_up_entities
from assay.datasets.made_up_events import made_up_events
from assay.errors import AssayError, UsageError
from assay.records import Example, read_examples, to_json, write_jsonl

EXAMPLE = """\b
Examples:
  assay data synthesize announcements --classes equivalence_classes.json --size 100 --split test -o targets.jsonl
  assay data synthesize entities --size 430 -o rankings.jsonl
  assay data synthesize events --size 120 --split train -o train.jsonl
  assay data synthesize augmented --from train.jsonl --classes equivalence_classes.json --copies 2 -o more.jsonl
"""
SIZES = {"announcements": 60, "entities": 430, "events": 120}


@new_command(epilog=EXAMPLE)
@click.argument("kind", type=click.Choice([*SIZES, "augmented"]))
@click.option("--size", type=click.IntRange(1), help="Documents or instances; a size that shows something if not said.")
@click.option("--classes", type=PATH, help="Equivalence classes whose members the texts use.")
@click.option("--from", "given", type=PATH, help="For augmented: marked targets to exchange members in.")
@click.option("--copies", type=click.IntRange(1), default=1, show_default=True, help="For augmented: of each target.")
@click.option("--split", type=click.Choice(["train", "validation", "test"]), help="Only this split.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For all chance.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="The examples, one JSON object a line.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
def command(
    kind: str, size: int | None, classes: Path | None, given: Path | None, copies: int, split: str | None, seed: int,
    output: Path, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make up examples of a KIND: central-bank announcements with marked targets, entities to aggregate, or events.

    The texts are invented, the proportions are those of the published corpora. augmented takes marked targets of yours
    and adds copies in which spans are exchanged for other members of their class; it is for training data only.
    """
    if (given is not None) != (kind == "augmented"):
        raise UsageError("--from goes with augmented, and augmented needs it")
    if kind in ("announcements", "augmented") and classes is None:
        raise UsageError(f"{kind} needs --classes, a file of equivalence classes")
    apart([output], [classes, given])
    if output.exists() and not force:
        raise AssayError(f"{output}: is there already; give another file, or use --force")
    known = read_classes(classes) if classes else []
    number = size or SIZES.get(kind, 0)
    copied = 0
    if given is not None:
        made, copied = _augmented(given, known, split, copies, seed)
    elif kind == "announcements":
        made = made_up_announcements(known, number, seed)
    else:
        made = made_up_entities(number, seed=seed) if kind == "entities" else made_up_events(number, seed)
    made = [example for example in made if split in (None, example.split)]
    if not made:
        raise AssayError(f"no example of the split {split} among {number}; make more with --size")
    write_jsonl(output, made)
    splits = Counter(example.split or "none" for example in made)
    if as_json:
        added = {"copies": copied} if copied else {}
        click.echo(to_json({"examples": len(made), **added, "splits": splits, "output": str(output)}))
        return
    listed = ", ".join(f"{name} {count:,}" for name, count in splits.items())
    what = f"{len(made):,} examples, {copied:,} of them copies," if copied else counted(len(made), "made-up example")
    click.echo(f"{what} in {output} ({listed})")
    following = {
        "announcements": f"assay system choose {output} --classes {classes} --system hf:smollm2 -o choices.jsonl",
        "entities": f"assay system rank {output} --system random -o random.jsonl",
        "events": f"assay system generate {output} --system template -o template.jsonl",
        "augmented": f"assay system train seq2seq:tiny:markers=true --train {output} --valid DEV.jsonl -o runs/tiny",
    }
    click.echo(f"Next: {following[kind]}")


def _augmented(
    path: Path, classes: list[Classes], split: str | None, copies: int, seed: int
) -> tuple[list[Example], int]:
    """Marked targets of a file with copies behind them, and how many copies there are."""
    given = [example for example in read_examples(path).examples if split in (None, example.split)]
    if not given:
        raise AssayError(f"{path}: no example of the split {split} in it")
    test = next((example for example in given if example.split == "test"), None)
    if test:
        raise AssayError(f"{path} id {test.id}: of the split test, and copies are for training; use --split train")
    made = augment(given, classes, copies=copies, seed=seed)
    if len(made) == len(given):
        raise AssayError(f"{path}: no marked span of its references can be exchanged for another member of its class")
    return made, len(made) - len(given)
