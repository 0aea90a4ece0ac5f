"""`assay metric traps`: sentences with a planted error, for annotators and metrics."""

from __future__ import annotations

from pathlib import Path

import click

from assay.challenges.traps import KINDS, make_traps
from assay.cli.shared.display import counted, print_missing, print_tables, warn
from assay.cli.shared.help import new_group
from assay.cli.shared.options import NEW_FILE, PATH, ListOption, apart, comma_separated, format_option, json_option
from assay.cli.shared.work_options import work_options
from assay.errors import AssayError
from assay.execution.executors import Executor
from assay.meta.tables.traps import trap_tables
from assay.meta.trap_files import read_documents, read_traps
from assay.meta.traps import probe as probe_traps
from assay.metrics import resolve
from assay.records import read_examples, to_json, write_jsonl
from assay.show.tables import Form

EXAMPLE = """\b
Examples:
  assay metric traps make news.jsonl --each 2 -o traps.jsonl
  assay metric traps probe traps.jsonl --documents news.jsonl -m rouge,chrf,novelty
"""


@new_group(epilog=EXAMPLE)
def command() -> None:
    """Sentences of documents with one planted error, and unchanged ones as a control."""


@command.command()
@click.argument("examples", type=PATH)
@click.option("--kinds", cls=ListOption, metavar="NAME,…", help=f"Kinds of error (default: all): {', '.join(KINDS)}.")
@click.option(
    "--each", type=click.IntRange(1), default=1, show_default=True, help="Number of traps per kind and document."
)
@click.option("--references", is_flag=True, help="Alter sentences of references, for outputs that copy little.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Traps to write (JSONL).")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@json_option
def make(
    examples: Path,
    kinds: str | None,
    each: int,
    references: bool,
    seed: int,
    output: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Make traps from the sources of EXAMPLES, for `assay analyze agreement --traps` and
    `assay metric traps probe`."""
    apart([output], [examples])
    if output.exists() and not force:
        raise AssayError(f"{output}: already exists. Pass another file, or --force.")
    wanted = comma_separated(kinds) or tuple(KINDS)
    made = list(make_traps(read_examples(examples).examples, wanted, references=references, each=each, seed=seed))
    if not made:
        text = "reference" if references else "source"
        raise AssayError(
            f"{examples}: no {text} has a sentence that these kinds can change. Check that there are sources"
            f"{' and references' if references else ''}."
        )
    write_jsonl(output, made)
    counts = {kind: sum(trap.kind == kind for trap in made) for kind in KINDS}
    if as_json:
        click.echo(to_json({"traps": len(made), "kinds": counts, "seed": seed, "output": str(output)}))
        return
    listed = ", ".join(f"{kind} {count}" for kind, count in counts.items() if count)
    click.echo(f"{counted(len(made), 'trap')} in {output}: {listed}")
    if none := [kind for kind in wanted if not counts[kind]]:
        warn([f"no trap of {', '.join(none)}: no sentence has words that they change (their words are English)"])
    click.echo(f"Next: assay metric traps probe {output} --documents {examples}")


@command.command()
@click.argument("traps", type=PATH)
@click.option("--documents", type=PATH, required=True, help="Documents of the traps: examples, or the texts of FRANK.")
@click.option("--metrics", "-m", cls=ListOption, help="Metrics with options (default: all lexical metrics).")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@work_options
@format_option
@json_option
def probe(
    traps: Path, documents: Path, metrics: str | None, seed: int, executor: Executor, form: Form, as_json: bool
) -> None:
    """Score each trap and its original against the document, and report which scores higher."""
    probed = probe_traps(
        read_traps(traps), read_documents(documents), resolve(metrics) if metrics else None, seed=seed,
        executor=executor,
    )  # fmt: skip
    if as_json:
        click.echo(to_json(probed.to_dict()))
        return
    print_tables(*trap_tables(probed), form=form)
    if form == "text":
        print_missing("skipped", probed.skipped)
        print_missing("failed", probed.failed)
    warn(probed.warnings)
