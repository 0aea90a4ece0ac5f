"""`assay metric calibrate`: scores on the human scale, with intervals for single texts."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from assay.cli.judge.run import scale_of
from assay.cli.shared.display import print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, format_option, json_option, refuse_idle, seed_option
from assay.errors import UsageError
from assay.meta.calibrated_scores import CalibrationRequest, apply_map, fit_map, read_map
from assay.records import to_json, write_text
from assay.records.files import write_jsonl
from assay.show.numbers import fixed, span
from assay.show.tables import Column, Form, Table
from assay.stats.calibration import Form as MapForm

EXAMPLE = """\b
Examples:
  assay metric calibrate --human few.jsonl --scores all.jsonl --score judge -o calibrated.jsonl --save judge.json
  assay metric calibrate --map judge.json --scores new.jsonl -o calibrated.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.option("--scores", type=PATH, required=True, multiple=True, help="Scores of all texts, by id. Repeatable.")
@click.option("--human", type=PATH, help="Judgements of some of the texts.")
@click.option("--map", "map_file", type=PATH, help="Stored map, in place of --human.")
@click.option("--score", metavar="NAME", help="Score to calibrate, if there are several.")
@click.option("--criterion", help="Criterion, if the judgements have several.")
@click.option(
    "--form", "shape", type=click.Choice(get_args(MapForm)), default="isotonic", show_default=True,
    help="Form of the map: any increasing one, a straight line, or a proportional-odds model of levels.",
)  # fmt: skip
@click.option(
    "--level", type=click.FloatRange(0.5, 0.99), default=0.9, show_default=True, help="Coverage of the intervals."
)
@click.option("--scale", metavar="LOW-HIGH", help="Ends of the human scale (default: lowest and highest judgement).")
@click.option("-o", "--output", type=NEW_FILE, help="Write all texts with value, low and high.")
@click.option("--save", type=NEW_FILE, metavar="FILE", help="Write the map, to be used with --map.")
@seed_option
@format_option
@json_option
def command(
    scores: tuple[Path, ...], human: Path | None, map_file: Path | None, score: str | None, criterion: str | None,
    shape: MapForm, level: float, scale: str | None, output: Path | None, save: Path | None, seed: int, form: Form,
    as_json: bool,
) -> None:  # fmt: skip
    """Map a metric or judge to the human scale, with conformal intervals for single texts.

    The judged texts must be a random sample. Texts of another population are detected where their scores are
    distributed differently, and intervals of new systems rest on the errors for the judged ones.
    """
    notes: list[str] = []
    if map_file is not None:
        refuse_idle(**dict.fromkeys(("score", "criterion", "shape", "scale", "save", "human"), "no --map"))
        fitted = read_map(map_file)
    elif human is None:
        raise UsageError("give --human, judgements of some of the texts, or --map, a stored map")
    else:
        ends = None if scale is None else scale_of(scale)
        fitted, notes = fit_map(human, list(scores), CalibrationRequest(score, criterion, shape, level, ends, seed))
        if save:
            write_text(save, to_json(fitted.record()) + "\n")
    done = apply_map(fitted, list(scores), level, human)
    if output:
        write_jsonl(output, done.frame.to_dicts())
    notes += done.warnings
    if as_json:
        described = {"score": fitted.score, "criterion": fitted.criterion, "form": fitted.form, "level": level}
        more = {"systems": done.systems, "population": fitted.population, "warnings": notes, "texts": len(done.frame)}
        click.echo(to_json(described | more))
        return
    columns = [Column("system", "left"), Column("mean"), Column("95 % CI"), Column("texts"), Column("from", "left")]
    rows = [
        [each["system"], fixed(each["mean"]), span(each["low"], each["high"]), each["texts"], each["by"]]
        for each in done.systems
    ]
    size = fitted.population
    caption = f"{fitted.score} as {fitted.criterion}, by {size['texts']} judged texts of {size['inputs']} inputs"
    print_tables(Table(columns, rows, caption=caption), form=form)
    width = float((done.frame["high"] - done.frame["low"]).to_numpy().mean())
    say(f"A single text is known to ± {width / 2:.2f} on average ({level:.0%} of texts are in their interval).")
    warn(notes)
