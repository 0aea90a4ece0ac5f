"""`assay benchmark`: tasks, cards and metrics frozen into versions; what was submitted to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from assay.benchmark.freezing import changes, freeze
from assay.benchmark.manifest import AT_LEAST, Manifest, Task, read_manifest, write_manifest
from assay.benchmark.store import Version
from assay.benchmark.versions import Difference, add_task, difference, next_version, retire_task
from assay.cli.benchmark_store import bundle, rescore
from assay.cli.display import counted, print_tables, say, warn
from assay.cli.findings import print_findings
from assay.cli.options import NEW_FILE, PATH, ListOption, comma_separated, json_option
from assay.errors import AssayError, UsageError
from assay.records import to_json
from assay.records.recognise import gem_name

EXAMPLE = """\b
Examples:
  assay benchmark new tides -o tides-1.toml
  assay benchmark add tides-1.toml news_test --examples news.jsonl --card news.md --metrics bleu,chrf --held-back rouge
  assay benchmark add tides-1.toml news_scrambled --challenge scramble --parent news_test --seed 1 --metrics bleu
  assay benchmark freeze tides-1.toml
  assay benchmark check tides-1.toml
  assay benchmark retire tides-1.toml news_scrambled --why "too easy" --version 2 -o tides-2.toml
  assay benchmark diff tides-1.toml tides-2.toml
  assay benchmark diff store/1 store/2
  assay benchmark rescore store -m bertscore
  assay benchmark bundle store -o tides.zip

\b
A manifest:
  name = "tides"
  version = "1"
  cards_at_least = 50.0
  [[tasks]]
  name = "news_test"
  examples = "news.jsonl"
  card = "news.md"
  metrics = ["bleu", "chrf"]
  held_back = ["rouge"]
"""
version_option = click.option("--version", "version", help="The version it becomes, where the manifest is frozen.")
written_option = click.option(
    "--output", "-o", type=NEW_FILE, help="Where to write it; else a draft is changed itself."
)


@click.group(epilog=EXAMPLE)
def command() -> None:
    """Put a benchmark together and keep its versions apart: what was measured, on what, and under which card."""


@command.command("new", epilog=EXAMPLE)
@click.argument("name")
@click.option("--version", "version", default="1", show_default=True, help="What its first version is called.")
@click.option("--about", default="", help="A sentence about it.")
@click.option(
    "--cards-at-least", type=click.FloatRange(0, 100), default=AT_LEAST, show_default=True,
    help="How complete the card of a task must be, in percent.",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FILE, required=True, help="The manifest, a TOML file.")
def new(name: str, version: str, about: str, cards_at_least: float, output: Path) -> None:
    """Begin the manifest of a benchmark called NAME."""
    if output.exists():
        raise AssayError(f"{output}: is there already; write to another file, or delete it first")
    write_manifest(output, Manifest(name=name, version=version, about=about, cards_at_least=cards_at_least))
    click.echo(f"written: {output}\nNext: assay benchmark add {output} TASK --examples FILE --card FILE --metrics A,B")


@command.command("add", epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@click.argument("name", metavar="TASK")
@click.option("--examples", "-e", default="", help="A file or DATASET:PATH, from the manifest's folder.")
@click.option("--card", default="", help="The data card, from the manifest's folder.")
@click.option("--metrics", "-m", cls=ListOption, help="What everybody sees.")
@click.option("--suite", help="Instead of metrics: a set of them.")
@click.option("--held-back", cls=ListOption, help="Metrics computed of submissions alone, and not shown to submitters.")
@click.option("--challenge", default="", help="Instead of examples: how those of --parent are altered.")
@click.option("--parent", default="", help="The task that a challenge set is made from.")
@click.option("--size", type=click.IntRange(1), default=500, show_default=True, help="Items of a challenge set.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For a challenge set.")
@click.option("--about", default="", help="A sentence about it.")
@click.option("--replace", is_flag=True, help="Put it in the place of the task of this name.")
@version_option
@written_option
def add(
    manifest: Path, name: str, examples: str, card: str, metrics: str | None, suite: str | None, held_back: str | None,
    challenge: str, parent: str, size: int, seed: int, about: str, replace: bool, version: str | None,
    output: Path | None,
) -> None:  # fmt: skip
    """Add TASK to MANIFEST, or replace the one of its name; of a frozen one a new version is begun."""
    task = Task(
        name=gem_name(name), about=about, examples=examples, card=card, suite=suite,
        metrics=list(comma_separated(metrics)), held_back=list(comma_separated(held_back)), challenge=challenge,
        parent=parent, size=size, seed=seed,
    )  # fmt: skip
    _edit(manifest, version, output, lambda draft: add_task(draft, task, replace=replace))


@command.command("retire", epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@click.argument("name", metavar="TASK")
@click.option("--why", required=True, help="Kept in the manifest.")
@version_option
@written_option
def retire(manifest: Path, name: str, why: str, version: str | None, output: Path | None) -> None:
    """Take TASK out of MANIFEST; results on it stay with the versions that had it."""
    _edit(manifest, version, output, lambda draft: retire_task(draft, gem_name(name), why))


@command.command("freeze", epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@json_option
def freeze_command(manifest: Path, as_json: bool) -> None:
    """Write into MANIFEST the hashes of its items and cards and the signatures of its metrics, and seal it."""
    draft = read_manifest(manifest)
    if draft.is_frozen:
        raise AssayError(f"{manifest}: is frozen; `assay benchmark check` says whether it still holds")
    found = freeze(draft, manifest.parent)
    if found.valid:
        write_manifest(manifest, found.manifest)
    if as_json:
        findings = [finding.plain() for finding in found.findings]
        tasks = {task.name: {"items": task.items, "sha256": task.sha256} for task in found.manifest.tasks}
        click.echo(
            to_json({"frozen": found.valid, "digest": found.manifest.digest, "tasks": tasks, "findings": findings})
        )
    else:
        state = "frozen" if found.valid else "cannot be frozen"
        say(f"{manifest} · {found.manifest.title} · {counted(len(draft.tasks), 'task')}: {state}")
        print_findings(found.findings)
        for task in found.manifest.tasks if found.valid else ():
            held = f", {len(task.held_back_signatures)} held back" if task.held_back_signatures else ""
            say(f"  {task.name}: {counted(task.items, 'item')}, {counted(len(task.signatures), 'metric')}{held}")
    if not found.valid:
        raise click.exceptions.Exit(1)


@command.command("check", epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@json_option
def check(manifest: Path, as_json: bool) -> None:
    """Say whether the items, cards and metrics of MANIFEST are what they were when it was frozen."""
    frozen = read_manifest(manifest, frozen=True)
    found, _ = changes(frozen, manifest.parent)
    holds = not any(finding.grave for finding in found)
    if as_json:
        click.echo(to_json({"holds": holds, "findings": [finding.plain() for finding in found]}))
    else:
        say(f"{manifest} · {frozen.title}: {'as it was frozen' if holds else 'not as it was frozen'}")
        print_findings(found)
    if not holds:
        raise click.exceptions.Exit(1)


@command.command("diff", epilog=EXAMPLE)
@click.argument("old", type=PATH)
@click.argument("new_one", metavar="NEW", type=PATH)
@json_option
def diff(old: Path, new_one: Path, as_json: bool) -> None:
    """Say what changed from version OLD to NEW, and what of their results may be compared.

    Both are manifests, or versions in a store (STORE/1 STORE/2), whose numbers are then shown side by side as far as
    they may be.
    """
    from assay.benchmark.across import across

    stored = [Version.of(path) if path.is_dir() else None for path in (old, new_one)]
    pair = [
        held.manifest if held else read_manifest(path, frozen=True)
        for held, path in zip(stored, (old, new_one), strict=True)
    ]
    found = difference(*pair)
    versions = [held for held in stored if held]
    shared = across(versions[0], versions[1], found) if len(versions) == len(pair) else None
    if as_json:
        click.echo(
            to_json(found.plain() | ({"numbers": shared.rows, "not_comparable": shared.apart} if shared else {}))
        )
        return
    _print_difference(found)
    if shared:
        print_tables(*shared.tables())
        warn(shared.apart)


def _edit(path: Path, version: str | None, output: Path | None, change: Callable[[Manifest], Manifest]) -> None:
    before = read_manifest(path)
    if before.is_frozen and (output is None or output.exists()):
        raise UsageError(f"{path} is frozen and stays as it is: write the new version to a file of its own with -o")
    changed = change(next_version(before, version))
    write_manifest(output or path, changed)
    say(f"{output or path} · {changed.title} · {counted(len(changed.tasks), 'task')}, not frozen yet")


def _print_difference(found: Difference) -> None:
    say(f"{found.old} and {found.new}")
    for kind, names in (("added", found.added), ("retired", found.retired), ("replaced", found.replaced)):
        if names:
            say(f"  {kind}: {', '.join(names)}")
    for task, kinds in found.metrics.items():
        say(f"  {task}: " + "; ".join(f"{kind}: {', '.join(specs)}" for kind, specs in kinds.items()))
    if not any(found.equal.values()):
        click.echo("Nothing may be compared: no task has the same items and a metric of the same signature.")
        return
    click.echo("What may be compared (same items, same signature):")
    for task, specs in found.equal.items():
        say(f"  {task}: {', '.join(specs) or 'no metric'}")


command.add_command(rescore)
command.add_command(bundle)
