"""`assay system choose`: forced choice between two continuations by likelihood."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from assay.challenges.equivalence import Made, instances
from assay.cli.shared.asking import begin, finish
from assay.cli.shared.display import print_tables, say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option, refuse_idle, system_options
from assay.datasets.equivalence_classes import read_classes
from assay.errors import AssayError, UsageError
from assay.execution.system_request import SystemRequest
from assay.inputs.schema import FOMC, schema_for, unmarked
from assay.metrics.ranking.equivalence import MAIN, EqAccuracy, confusion
from assay.records import Example, read_examples, to_json, write_jsonl
from assay.results.choice_accuracy import Accuracy, accuracies, confusion_figure
from assay.show.canvas import need_drawable, save
from assay.show.numbers import interval, number, probability
from assay.show.tables import Content, Table
from assay.systems.tasks import Choose

EXAMPLE = """\b
Examples:
  assay system choose targets.jsonl --classes equivalence_classes.json --system hf:runs/bart -o choices.jsonl
  assay system choose instances.jsonl --system ngram --train train.jsonl -o choices.jsonl
  assay system choose instances.jsonl --system hf:smollm2 -o choices.jsonl --confusion evidence --plot evidence.svg
"""


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@system_options()
@click.option(
    "--classes", type=PATH, help="Equivalence classes (JSON); EXAMPLES are then marked targets to make instances from."
)
@click.option(
    "--goal", type=click.IntRange(1), default=100, show_default=True, help="Number of instances per evaluation."
)
@click.option(
    "--words", type=int, default=2, show_default=True, help="Maximum difference in words between two spans; -1 for any."
)
@click.option("--replace", is_flag=True, help="Replace the true span by another member of its class.")
@click.option(
    "--scope", type=click.Choice(["sentence", "target"]), default="sentence", show_default=True,
    help="With --classes: text before a span that is its prefix: of its sentence, or of the whole target.",
)  # fmt: skip
@click.option(
    "--schema", metavar="FILE", help="With --classes: markers of the targets (default: their tag, or [NAME_START])."
)
@click.option("--plain", is_flag=True, help="Remove markers from prefixes, for models not trained with them.")
@click.option(
    "--normalize", type=click.Choice(["sum", "mean"]), default="sum", show_default=True,
    help="Likelihood of the whole span (sum) or per token (mean).",
)  # fmt: skip
@click.option("--confusion", "confused", metavar="EVALUATION", help="Show which classes this evaluation confuses.")
@click.option("--plot", type=NEW_FILE, help="Draw --confusion to a .svg, .png or .pdf file.")
@json_option
def command(
    examples: Path, request: SystemRequest, output: Path, classes: Path | None, goal: int, words: int, replace: bool,
    scope: Literal["sentence", "target"], schema: str | None, plain: bool, normalize: Literal["sum", "mean"],
    confused: str | None, plot: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Choose the likelier of two continuations after the prefix of each example; report accuracy per evaluation.

    An instance has an `input` of kind choice with prefix, positive and negative; its tag `evaluation` names the group
    that it counts in. With --classes, instances are made from marked targets and written to NAME.instances.jsonl.
    """
    if not classes:
        refuse_idle(**dict.fromkeys(("goal", "words", "replace", "scope", "schema", "plain"), "--classes"))
    if plot and not confused:
        raise UsageError(f"--plot {plot}: requires --confusion EVALUATION")
    if plot:
        need_drawable(plot)
    made = output.with_name(f"{output.stem}.instances.jsonl") if classes else None
    apart([output, made, plot], [examples, *request.files, classes])
    source: Path | list[Example] = examples
    if classes:
        targets = read_examples(examples).examples
        known = schema_for(targets, schema or "", examples.parent)
        sets = instances(  # seed 0 is the protocol's own, which is 1 as in `assay run`
            read_classes(classes), targets, seed=request.seed + 1, goal=goal, limit=words,
            replace=replace, scope=scope, plain=plain, schema=known if known is not FOMC or schema else None,
        )  # fmt: skip
        source = _instances(
            sets, examples, classes, unmarked((text for one in targets for text in one.references), known)
        )
    task = Choose(normalize)
    system, items = begin(task, source, request)
    done = request.answer(task, system, items, output, source)
    if made:  # only now: a call that is refused must leave those of the call before
        write_jsonl(made, items)
    described = finish(system, done, output, as_json)
    pairs = [(example, row["output"]) for example, row in zip(items, done.rows, strict=True)]
    tallies = accuracies(pairs, seed=request.seed)
    cells = _confusion(pairs, confused, plot)
    if as_json:
        shown = {name: tally._asdict() for name, tally in tallies.items()}
        click.echo(to_json(described | {"evaluations": shown} | ({"confusion": cells} if cells else {})))
        return
    _print(tallies)
    for cell in cells:
        say(f"  {cell['positive']:>3} confused with {cell['negative']:<3} {cell['mistakes']} of {cell['n']}")
    some = " --allow-missing" if request.limit else ""
    click.echo(f"Next: assay score {output} --examples {made or examples} --metrics eq_accuracy{some} --ci 1000")


def _instances(sets: list[Made], targets: Path, classes: Path, why: str) -> list[Example]:
    if not any(one.instances for one in sets):
        hint = f": {why}. Give --schema FILE." if why else ""
        raise AssayError(f"{targets}: no span of its targets is in a class of {classes}{hint}")
    for one in sets:
        if one.exhausted:
            click.echo(f"! {one.evaluation}: {one.exhausted} of {one.positives} spans had too few negatives", err=True)
    return [instance for one in sets for instance in one.instances]


def _confusion(
    pairs: list[tuple[Example, str]], evaluation: str | None, plot: Path | None
) -> list[dict[str, int | str]]:
    if not evaluation:
        return []
    cells = confusion(pairs, evaluation)
    if not cells:
        raise AssayError(f"--confusion {evaluation}: it has no instance")
    if plot:
        save(confusion_figure(cells, evaluation), plot)
    return [{"positive": p, "negative": n, "mistakes": m, "n": count} for (p, n), (m, count) in cells.items()]


def _print(tallies: dict[str, Accuracy]) -> None:
    part, _ = EqAccuracy().parts()
    clustered = any(tally.clusters for tally in tallies.values())
    rows: list[list[Content]] = []
    for name, tally in tallies.items():
        p = tally.reported_p
        accuracy, ends = number(tally.accuracy, part), interval(*tally.interval, part)
        documents = [tally.clusters or tally.n] if clustered else []
        note = "" if p < 0.05 else "not significant"
        rows.append([name, tally.n, *documents, tally.correct, accuracy, ends, probability(p), note])
    head = (
        "evaluation",
        "n",
        *(["documents"] if clustered else []),
        "correct",
        "accuracy",
        "95 % CI",
        "p (chance)",
        "",
    )
    print_tables(Table.of("", head, rows))
    main = [tally.accuracy for name, tally in tallies.items() if name in MAIN]
    if main:
        click.echo(f"Mean of {len(main)} main evaluations: {number(sum(main) / len(main), part)}")
