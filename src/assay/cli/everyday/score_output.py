"""Output of `assay score`: scores by category, groups, notes, next steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.shared.display import by_category, counted, print_group, print_missing, print_result, say, warn
from assay.results.rarefied import Rarefied, rarefy
from assay.results.result import Result
from assay.show.numbers import number

RarefiedGroups = dict[str | None, dict[str, Rarefied]]
"""Rarefied scores by group; those of all items under None."""


def rarefied_groups(result: Result, groups: dict[str, Result]) -> RarefiedGroups:
    """Return the expected scores of each group, and of all items, at the size of the smallest group."""
    items = min(group.n for group in groups.values())
    scores: RarefiedGroups = {None: rarefy({"": result}, items=items, seed=result.seed)[""]}
    scores.update(rarefy(groups, items=items, seed=result.seed))
    return scores


def print_numbers(result: Result, groups: dict[str, Result], rarefied: RarefiedGroups, verbose: bool) -> None:
    print_result(result, everything=verbose)
    _print_rarefied(result, rarefied.get(None, {}), verbose)
    for value, group in groups.items():
        say(f" {value} · {counted(group.n, 'output')}")
        print_result(group, everything=verbose)
        _print_rarefied(group, rarefied.get(value, {}), verbose)
    if not any(rarefied.values()):
        return
    smallest = min(groups, key=lambda value: groups[value].n)
    items = groups[smallest].n
    say(f"rarefied: expected scores in random samples of {counted(items, 'output')}, the size of {smallest}")


def _print_rarefied(result: Result, numbers: dict[str, Rarefied], verbose: bool) -> None:
    shown = {name: each for name, each in numbers.items() if verbose or name in result.shown}
    if shown:
        print_group(
            "rarefied",
            [f"{result.labels[name]} {number(each.value, result.parts[name][1])}" for name, each in shown.items()],
        )


def print_notes(result: Result, warnings: Sequence[str], verbose: bool) -> None:
    print_missing("skipped", result.skipped)
    print_missing("failed", result.failed)
    shown = {name for cells in by_category(result, verbose).values() for name, _ in cells}
    reasons: dict[str, list[str]] = {}
    for score in result.scores.values():
        if score.why and score.label in shown:
            why = f"no value: {score.why}" if score.value is None else score.why
            reasons.setdefault(why, []).append(score.label)
    for why, names in reasons.items():
        everything = set(names) == shown and len(names) > 1
        say(f"  {why}" if everything else f"  {', '.join(names)}: {why}")
    if verbose:
        click.echo("Signatures:")
        for signature in dict.fromkeys(score.signature for score in result.scores.values()):
            say(f"  {signature}")
    warn(warnings)


def print_hints(result: Result, outputs: Path, saved: bool, verbose: bool, several: bool) -> None:
    """Print next steps."""
    if not result.measurements:
        return
    hints = [f"assay compare {outputs}" if several else f"assay compare {outputs} OTHER …"]
    if not result.ci:
        hints.append("confidence intervals: --ci 1000")
    if not saved and not outputs.is_dir():
        hints.append("keep the run: --save DIR")
    if not verbose:
        hints.append("signatures: --verbose")
    click.echo("Next: " + "   ".join(hints))
