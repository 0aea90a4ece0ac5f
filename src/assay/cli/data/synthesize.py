"""`assay data synthesize`: synthetic examples and judgements, for protocols whose corpus is not public."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from assay.challenges.equivalence import augment
from assay.cli.shared.display import counted
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option, refuse_idle
from assay.datasets.equivalence_classes import Classes, read_classes
from assay.datasets.synthetic_announcements import synthetic_announcements
from assay.datasets.synthetic_drs import synthetic_drs
from assay.datasets.synthetic_entities import synthetic_entities
from assay.datasets.synthetic_events import synthetic_events
from assay.datasets.synthetic_judgements import (
    FEW_ITEMS,
    synthetic_few_judgements,
    synthetic_judgements,
    synthetic_proxy_scores,
)
from assay.datasets.synthetic_rated import synthetic_rated, synthetic_sources
from assay.datasets.synthetic_sentences import synthetic_facts, synthetic_simplifications
from assay.datasets.synthetic_venues import synthetic_concepts, synthetic_users, synthetic_venues
from assay.errors import AssayError, UsageError
from assay.records import Example, read_examples, to_json, write_jsonl

EXAMPLE = """\b
Examples:
  assay data synthesize announcements --classes equivalence_classes.json --size 100 --split test -o targets.jsonl
  assay data synthesize entities --size 430 -o rankings.jsonl
  assay data synthesize events --size 120 --split train -o train.jsonl
  assay data synthesize judgements --size 40 -o labels.jsonl
  assay data synthesize augmented --from train.jsonl --classes equivalence_classes.json --copies 2 -o more.jsonl
"""
SIZES = {
    "announcements": 60,
    "entities": 430,
    "events": 120,
    "venues": 400,
    "concepts": 400,
    "users": 60,
    "drs": 600,
    "rated": 400,
    "sources": 400,
    "facts": 400,
    "simplifications": 300,
    "judgements": 40,
    "few-judgements": 150,
    "proxy-scores": 250,
}
MAKERS: dict[str, Callable[..., list[Example]]] = {
    "entities": synthetic_entities,
    "events": synthetic_events,
    "venues": synthetic_venues,
    "concepts": synthetic_concepts,
    "users": synthetic_users,
    "drs": synthetic_drs,
    "rated": synthetic_rated,
    "sources": synthetic_sources,
    "facts": synthetic_facts,
    "simplifications": synthetic_simplifications,
}
RATINGS = ("judgements", "few-judgements", "proxy-scores")
"""Kinds that are tables of ratings or scores, not examples."""


@new_command(epilog=EXAMPLE)
@click.argument("kind", metavar="KIND", type=click.Choice([*SIZES, "augmented"]))
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
    """Write synthetic examples of a KIND: announcements with marked targets, entities to aggregate, events, venues
    (slots and a sentence), concepts (words and a sentence), users (responses of eleven users, each with a style), facts
    (triples and a sentence), simplifications (long sentences with three shorter ones), drs (meaning representations and
    a sentence), rated (texts of people and a machine, with ratings from 1 to 5), or sources (the same texts, with who
    wrote them as the reference).

    judgements writes ratings instead: three annotators, a fair judge, and a judge that is partial to its own system;
    proxy-scores and few-judgements write scores of 2,000 outputs and ratings of a few of them.
    Texts are synthetic; proportions are those of the published corpora. augmented adds copies of your marked targets in
    which spans are exchanged for other members of their class (training data only).
    """
    if kind in RATINGS:
        refuse_idle(split="another kind", classes="another kind", copies="augmented")
    if (targets is not None) != (kind == "augmented"):
        raise UsageError("--from is required by augmented, and only by it")
    if kind in ("announcements", "augmented") and classes is None:
        raise UsageError(f"{kind} requires --classes, a file of equivalence classes")
    apart([output], [classes, targets])
    if output.exists() and not force:
        raise AssayError(f"{output}: already exists. Pass another file, or --force.")
    if kind in RATINGS:
        _write_ratings(kind, size or SIZES[kind], seed, output, as_json)
        return
    known = read_classes(classes) if classes else []
    number = size or SIZES.get(kind, 0)
    copied = 0
    if targets is not None:
        made, copied = _augmented(targets, known, split, copies, seed)
    elif kind == "announcements":
        made = synthetic_announcements(known, number, seed)
    else:
        made = MAKERS[kind](number, seed=seed)
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
        "venues": f"assay system generate {output} --system template -o template.jsonl",
        "concepts": f"assay system generate {output} --system template -o template.jsonl",
        "users": f"assay system generate {output} --system template -o template.jsonl",
        "drs": f"assay data render {output} --as drs",
        "rated": f"assay system train perception:target=perception --train {output} -o runs/perception",
        "sources": f"assay system train perception:target=source --train {output} -o runs/source",
        "facts": f"assay system generate {output} --system template -o template.jsonl",
        "simplifications": f"assay system generate {output} --system copy -o copy.jsonl",
        "augmented": f"assay system train seq2seq:tiny:markers=true --train {output} --valid DEV.jsonl -o runs/tiny",
    }
    click.echo(f"Next: {following[kind]}")


def _write_ratings(kind: str, size: int, seed: int, output: Path, as_json: bool) -> None:
    if kind == "few-judgements" and size > FEW_ITEMS:
        raise UsageError(f"--size {size}: few-judgements has at most {FEW_ITEMS}")
    if kind == "proxy-scores" and size != FEW_ITEMS:
        raise UsageError(f"--size {size}: proxy-scores has {FEW_ITEMS} inputs, those of few-judgements")
    makers = {
        "judgements": synthetic_judgements,
        "few-judgements": synthetic_few_judgements,
        "proxy-scores": synthetic_proxy_scores,
    }
    rows: Sequence[object] = makers[kind](size, seed)  # type: ignore[operator]
    write_jsonl(output, rows)
    what = "scored outputs" if kind == "proxy-scores" else "judgements"
    if as_json:
        click.echo(to_json({what.replace(" ", "_"): len(rows), "output": str(output)}))
        return
    click.echo(f"{len(rows):,} synthetic {what} in {output}")
    following = {
        "judgements": f"assay judge validate {output} --judge fair",
        "few-judgements": f"assay study estimate --judgements {output} --scores SCORES.jsonl",
        "proxy-scores": f"assay study estimate --judgements FEW.jsonl --scores {output}",
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
