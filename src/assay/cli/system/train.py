"""`assay system train`: train a model on examples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.cli.shared.display import counted, say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH, apart, json_option, trust_option
from assay.cli.shared.work_options import work_options
from assay.cli.system.generate import sweep_settings
from assay.errors import AssayError, UsageError
from assay.execution.executors import Executor
from assay.execution.train_ahead import Training, train_all
from assay.execution.training.best_runs import best_runs
from assay.execution.training.kinds import read_recipe, train_model, with_schema
from assay.execution.training.perception import PerceptionRecipe, train_perception
from assay.records import read_examples, to_json
from assay.records.documents import JSONObject
from assay.specs import build, parse
from assay.systems.neural.training_folder import CURVE

EXAMPLE = """\b
Examples:
  assay system train seq2seq:tiny:epochs=8 --train train.jsonl --valid dev.jsonl -o runs/tiny
  assay system train seq2seq:eks-bart:seed=1338 --train train.jsonl --valid dev.jsonl -o runs/bart-1338
  assay system train seq2seq:tiny --sweep seed=1,2,3 --train train.jsonl --valid dev.jsonl -o runs/tiny --workers 2
  assay system train causal:tiny:epochs=8 --train train.jsonl --valid dev.jsonl -o runs/causal
  assay system train classifier:tiny:select=map --train train.jsonl --valid dev.jsonl -o runs/pairs
  assay system train filter:tiny --train train.jsonl --valid dev.jsonl -o runs/filter
  assay system train extractor --train muc4-train.jsonl --valid muc4-dev.jsonl -o runs/extractor
  assay system train classifier:nli --train train.jsonl --valid dev.jsonl --test test.jsonl -o runs/nli
  assay system train classifier:acceptability --train train.jsonl --valid dev.jsonl -o runs/acceptability
  assay system train perception:criterion=fluency --train rated.jsonl -o runs/perception
  assay system train self-training:lstm:rows=500 --train train.jsonl --valid dev.jsonl -o runs/self
  assay system train insertion:tiny:epochs=30 --train words.jsonl --valid dev.jsonl -o runs/insertion
  assay system train masked:lstm:masking=entity --train train.jsonl --valid dev.jsonl -o runs/masked
  assay system train simplification:lstm:entities=rules --train asset.jsonl --valid dev.jsonl -o runs/simple
  assay system train personal:lstm:person=tucker --train users.jsonl --valid dev.jsonl -o runs/personal
  assay system train similarity:bi --train train.jsonl --valid dev.jsonl --test test.jsonl -o runs/sts
  assay system train similarity:bi --sweep seed=1,2,3,4 --best 2 --train a.jsonl --valid b.jsonl --test c.jsonl -o s
"""


@new_command(epilog=EXAMPLE)
@click.argument("name")
@click.option("--train", "train_file", type=PATH, required=True, help="Training examples with references.")
@click.option(
    "--valid", "valid_file", type=PATH, help="Validation examples, which select the best epoch (not for perception)."
)
@click.option(
    "--test", "test_file", type=PATH, help="For similarity and classifier:nli: held-out pairs to evaluate on."
)
@click.option("--as", "form", metavar="FORM", help="Form that writes inputs as text; see `assay data forms`.")
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="Folder to write the model to.")
@click.option("--sweep", metavar="OPTION=A,B,..", help="Train one model per value of an option, e.g. seed=1,2,3.")
@click.option(
    "--best", type=click.IntRange(1), metavar="N",
    help="With --sweep and --test: mean test scores of the N models that are best on validation data (default: none).",
)  # fmt: skip
@trust_option
@work_options
@json_option
def command(
    name: str,
    train_file: Path,
    valid_file: Path | None,
    test_file: Path | None,
    form: str | None,
    output: Path,
    sweep: str | None,
    best: int | None,
    executor: Executor,
    as_json: bool,
) -> None:
    """Train NAME with options: seq2seq, causal, classifier, filter, extractor, similarity, self-training,
    insertion, personal, masked, simplification, perception.

    Presets are the recipes of the papers, and the sizes tiny and small, which are randomly initialised and train on a
    CPU. An interrupted training resumes with the same losses. Options: `assay system list train`.
    """
    apart([output], [file for file in (train_file, valid_file, test_file) if file])
    if best and not (sweep and test_file):
        raise UsageError("--best requires --sweep, e.g. seed=1,2,3,4, and --test: the mean is that of test scores")
    if parse(name).name == "perception":
        if sweep:
            raise UsageError("--sweep does not apply to perception; leave it out")
        idle = {"--valid": valid_file, "--test": test_file, "--as": form}
        if unread := next((option for option, value in idle.items() if value is not None), None):
            raise UsageError(f"{unread} does not apply to perception, which cross-validates --train; leave it out")
        _perception(name, train_file, output, as_json)
        return
    kind, recipe = read_recipe(name)
    if valid_file is None:
        raise UsageError(f"train {name}: --valid FILE is required: it selects the best epoch")
    train, valid = read_examples(train_file).examples, read_examples(valid_file).examples
    test = read_examples(test_file).examples if test_file else None
    recipe = with_schema(kind, recipe, train, train_file.parent)
    if sweep:
        _sweep(name, sweep, Training(kind, recipe, train, valid, output, form, test), best, executor, as_json)
        return
    trained = train_model(kind, recipe, train, valid, output, form, lambda line: say(line, err=as_json), test)
    if as_json:
        click.echo(to_json(trained))
        return
    resumed = f", resumed at step {trained['resumed']}" if trained["resumed"] else ""
    click.echo(
        f"{name} · {counted(trained['epochs'], 'epoch')}, {counted(trained['steps'], 'step')}{resumed} · "
        f"best epoch {trained['best_epoch']} ({recipe.select} {trained['selected']:.4f}) · {trained['seconds']:.0f} s"
    )
    if (output / CURVE).exists():
        click.echo(f"  curve        {output / CURVE}")
    for row in trained.get("test", ()):
        click.echo(_tested(row))
    reader = "cross_encoder" if recipe.reads == "together" else "embedding"
    following = {
        "classifier": f"assay system rank EXAMPLES --system classifier:{output} -o FILE",
        "extractor": f"assay score OUTPUTS --examples EXAMPLES --metrics ceaf_ree:extractor={output}",
        "similarity": f"assay score OUTPUTS -r REFERENCES -m {reader}:model={output}",
        "self-training": f"assay system generate EXAMPLES --system self-trained:{output} -o FILE",
        "personal": f"assay system generate EXAMPLES --system personal:{output} -o FILE",
        "insertion": f"assay system generate EXAMPLES --system insertion:{output} -o FILE",
        "masked": f"assay system train seq2seq:model={output} --train FILE --valid FILE -o FOLDER",
        "simplification": f"assay system generate EXAMPLES --system simplifier:{output} -o FILE",
        "filter": f"assay data filter EXAMPLES --strategy {output} --budget 512 -o FILE",
    }
    if recipe.damaged:
        following["classifier"] = f"assay score OUTPUTS -m acceptability:model={output}"
    if recipe.labels == "entailment":
        following["classifier"] = f"assay score OUTPUTS -r REFERENCES -m nli:model={output}"
    click.echo(f"Next: {following.get(kind, f'assay system generate EXAMPLES --system hf:{output} -o FILE')}")


def _sweep(name: str, sweep: str, job: Training, best: int | None, executor: Executor, as_json: bool) -> None:
    """Train one model per value of an option, in parallel if there are workers; a failure stops no other."""
    jobs = [
        replace(
            job,
            folder=job.folder.with_name(job.folder.name + suffix),
            recipe=with_schema(job.kind, read_recipe(name + addition)[1], (), Path(), job.recipe.schema),
        )
        for suffix, addition in sweep_settings(sweep)
    ]
    if best and best > len(jobs):
        raise UsageError(f"--best {best}: the sweep trains {len(jobs)} models; give at most that number")
    done = list(train_all(jobs, executor))
    described = [one.described for one in done if one.described]
    kept = best_runs(described, best, job.recipe.select == "loss") if best and len(described) == len(jobs) else None
    if as_json:
        runs = [one.described or {"folder": str(one.folder), "why": one.why} for one in done]
        click.echo(to_json({"runs": runs} | ({"best": kept} if kept else {})))
    for each, one in zip(jobs, done, strict=True):
        if one.described and not as_json:
            epoch = f"best epoch {one.described['best_epoch']} ({each.recipe.select} {one.described['selected']:.4f})"
            click.echo(f"{one.folder} · {epoch} · {one.described['seconds']:.0f} s")
    if kept and not as_json:
        click.echo(f"mean of the {best} of {kept['of']} models that are best on validation data ({job.recipe.select}):")
        for row in kept["test"]:
            click.echo(_averaged(row))
    if failed := [one for one in done if one.described is None]:
        raise AssayError(f"{failed[0].folder}: {failed[0].why} ({len(failed)} of {len(done)} trainings failed)")


def _averaged(row: JSONObject) -> str:
    """`  all   pearson .712 (sd .004)  ...`"""
    cells = [
        f"{name} {value:.3f}" + (f" (sd {row[f'{name}_sd']:.3f})" if row[f"{name}_sd"] is not None else "")
        for name, value in row.items()
        if isinstance(value, float) and not name.endswith("_sd")
    ]
    return f"  {row['set']:<12} " + "   ".join(cells)


def _perception(name: str, train_file: Path, output: Path, as_json: bool) -> None:
    """Train a model of ratings, evaluated by cross-validation without held-out file."""
    recipe = build(PerceptionRecipe, parse(name))
    trained = train_perception(recipe, read_examples(train_file).examples, output, lambda line: say(line, err=as_json))
    if as_json:
        click.echo(to_json(trained))
        return
    click.echo(f"{name} · {trained['criterion']} · {trained['n']} texts of {trained['items']} items")
    click.echo(f"Next: assay score OUTPUTS -m perception:model={output}")


def _tested(row: JSONObject) -> str:
    """`  mnli  n 1954  accuracy .701 (.680 to .721)  ...`"""
    cells = []
    for name, value in row.items():
        if value is None:
            cells.append(f"{name} undefined (all values are equal)")
        elif isinstance(value, float) and not name.endswith(("_low", "_high")):
            low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
            cells.append(f"{name} {value:.3f}" + (f" ({low:.3f} to {high:.3f})" if low is not None else ""))
    return f"  {row['set']:<12} n {row['n']}   " + "   ".join(cells)
