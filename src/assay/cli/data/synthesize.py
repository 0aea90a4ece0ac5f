"""`assay data synthesize`: synthetic examples, for protocols whose corpus is not public."""

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
@click.option("--size", type=click.IntRange(1), help="Number of documents or instances (default: by kind).")
@click.option("--classes", type=PATH, help="Equivalence classes whose members the texts use (JSON).")
@click.option("--from", "targets", type=PATH, help="For augmented: marked targets in which spans are exchanged.")
@click.option(
    "--copies", type=click.IntRange(1), default=1, show_default=True, help="For augmented: number of copies per target."
)
@click.option("--split", type=click.Choice(["train", "validation", "test"]), help="Split to write (default: all).")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Examples to write (JSONL).")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@json_option
def command(
    kind: str, size: int | None, classes: Path | None, targets: Path | None, copies: int, split: str | None, seed: int,
    output: Path, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write synthetic examples of a KIND: announcements with marked targets, entities to aggregate, or events.

    Texts are synthetic; proportions are those of the published corpora. augmented adds copies of your marked targets in
    which spans are exchanged for other members of their class (training data only).
    """
    if (targets is not None) != (kind == "augmented"):
        raise UsageError("--from is required by augmented, and only by it")
    if kind in ("announcements", "augmented") and classes is None:
        raise UsageError(f"{kind} requires --classes, a file of equivalence classes")
    apart([output], [classes, targets])
    if output.exists() and not force:
        raise AssayError(f"{output}: already exists. Pass another file, or --force.")
    known = read_classes(classes) if classes else []
    number = size or SIZES.get(kind, 0)
    copied = 0
    if targets is not None:
        made, copied = _augmented(targets, known, split, copies, seed)
    elif kind == "announcements":
        made = made_up_announcements(known, number, seed)
    else:
        made = made_up_entities(number, seed=seed) if kind == "entities" else made_up_events(number, seed)
    made = [example for example in made if split in (None, example.split)]
    if not made:
        raise AssayError(f"no example of the split {split} among {number}; raise --size")
    write_jsonl(output, made)
    splits = Counter(example.split or "none" for example in made)
    if as_json:
        added = {"copies": copied} if copied else {}
        click.echo(to_json({"examples": len(made), **added, "splits": splits, "output": str(output)}))
        return
    listed = ", ".join(f"{name} {count:,}" for name, count in splits.items())
    what = f"{len(made):,} examples, {copied:,} of them copies," if copied else counted(len(made), "synthetic example")
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
    """Return the marked targets of a file followed by their copies, and the number of copies."""
    targets = [example for example in read_examples(path).examples if split in (None, example.split)]
    if not targets:
        raise AssayError(f"{path}: no example of the split {split}")
    test = next((example for example in targets if example.split == "test"), None)
    if test:
        raise AssayError(
            f"{path} id {test.id}: belongs to the test split, and copies are for training. Use --split train."
        )
    made = augment(targets, classes, copies=copies, seed=seed)
    if len(made) == len(targets):
        raise AssayError(f"{path}: no marked span can be exchanged for another member of its class")
    return made, len(made) - len(targets)
