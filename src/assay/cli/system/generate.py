"""`assay system generate`: generate outputs for examples."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.asking import begin, finish
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option, system_options
from assay.cli.shared.work_options import work_options
from assay.errors import AssayError, UsageError
from assay.execution.system_request import SystemRequest
from assay.records import to_json
from assay.show.canvas import need_drawable, save
from assay.systems.sampling import set_curves, set_sizes
from assay.systems.tasks import Generate, ListTexts

EXAMPLE = """\b
Examples:
  assay system generate mucsum-test.jsonl --system lead:k=3 -o lead3.jsonl
  assay system generate mucsum-test.jsonl --system hf:runs/bart:beams=5 --as event-template -o bart.jsonl
  assay system generate stories.jsonl --system hf:runs/gpt2:sample=true --sweep top_p=0.3,0.9 -o s.jsonl --plot s.svg
  assay system generate tesa-test.jsonl --system hf:runs/tesa:tesa --list -o phrases.jsonl
  assay system generate news.jsonl --system cmd:./my.sh -o mine.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@work_options
@system_options()
@click.option("--list", "as_list", is_flag=True, help="Write the whole n-best list (nbest=N) with scores.")
@click.option(
    "--sweep", metavar="OPTION=A,B,..", help="Write one file per value of a system option, e.g. top_p=0.3,0.7."
)
@click.option("--plot", type=NEW_FILE, help="Draw sizes of the sampling sets to this .svg, .png or .pdf file.")
@json_option
def command(
    examples: Path, request: SystemRequest, as_list: bool, sweep: str | None, plot: Path | None, output: Path,
    as_json: bool,
) -> None:  # fmt: skip
    """Generate an output for each example. After an interruption, the same command resumes."""
    task = ListTexts() if as_list else Generate()
    runs = []
    sizes: dict[str, list[int]] = {}
    settings = sweep_settings(sweep)
    outs = [output.with_name(f"{output.stem}{suffix}{output.suffix}") if suffix else output for suffix, _ in settings]
    apart([*outs, plot], [examples, *request.files])
    if plot:
        need_drawable(plot)
    for out, (suffix, addition) in zip(outs, settings, strict=True):
        each = request.but(system=f"{request.system}{addition}", name=f"{request.name}{suffix}" if request.name else "")
        system, items = begin(task, examples, each)
        if as_list and system.options().get("nbest", 1) < 2:
            advice = (
                f"request several with {system.spec}:nbest=N" if "nbest" in system.options() else "leave --list out"
            )
            raise UsageError(f"--list: system {system.spec} generates one text per example, not a list; {advice}")
        done = each.answer(task, system, items, out, examples)
        runs.append(finish(system, done, out, as_json))
        sizes[addition.removeprefix(":") or system.spec] = set_sizes(done.rows)
    if plot:
        drawn = {name: sizes for name, sizes in sizes.items() if sizes}
        if not drawn:
            raise AssayError(f"--plot {plot}: nothing was sampled; use hf:MODEL:sample=true with top_p above 0")
        save(set_curves(drawn), plot)
    if as_json:
        click.echo(to_json({"runs": runs} if sweep else runs[0]))
    else:
        last = runs[-1]["output"]
        metrics = " --metrics nbest" if as_list else ""
        some = " --allow-missing" if request.limit else ""
        click.echo(f"Next: assay score {last} --examples {examples}{metrics}{some} --ci 1000")


def sweep_settings(sweep: str | None) -> list[tuple[str, str]]:
    """Return file suffix and addition to the specification for each setting."""
    if not sweep:
        return [("", "")]
    option, sign, values = sweep.partition("=")
    if not sign or not option or not all(values.split(",")):
        raise UsageError(f"--sweep {sweep}: write OPTION=A,B,C, e.g. top_p=0.3,0.7,0.9")
    return [(f"-{option}-{value}", f":{option}={value}") for value in values.split(",")]
