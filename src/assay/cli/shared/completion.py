"""Shell completion: the script for bash, zsh or fish, and the names that options complete to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ASSAY_COMPLETE"

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def script(group: click.Command, shell: str) -> str:
    """Return the completion script of a shell."""
    completion = get_completion_class(shell)
    assert completion is not None, shell
    return completion(group, {}, "assay", VARIABLE).source()


def last_of(names: Callable[[], Iterable[str]]) -> Complete:
    """Complete the last of several comma-separated names."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in sorted(names()) if name.startswith(last)]

    return complete


def metric_names() -> Iterable[str]:
    """Yield the names that `--metrics` accepts."""
    from assay.metrics import METRICS

    return list(METRICS)


def suite_names() -> Iterable[str]:
    """Yield the names that `--suite` accepts."""
    from assay.metrics import SUITES

    return list(SUITES)


def system_names() -> Iterable[str]:
    """Yield the names that `--system` accepts."""
    from assay.systems import SYSTEMS

    return list(SYSTEMS)


def form_names() -> Iterable[str]:
    """Yield the names that `--as` accepts."""
    from assay.inputs import FORMS

    return list(FORMS)
