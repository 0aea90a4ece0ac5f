"""Nouns for the values of options in help: `--criterion NAME`, `--budget X`, `--output FILE`."""

from __future__ import annotations

import click

NUMBERS: dict[type, str] = {
    click.types.IntParamType: "N", click.IntRange: "N", click.types.FloatParamType: "X", click.FloatRange: "X",
}  # fmt: skip
TEXTS = {
    "--ablate": "NAME,…", "--as-of": "DATE", "--by": "COLUMN", "--card": "FILE", "--category": "NAME",
    "--challenge": "KIND", "--cluster": "COLUMN", "--code": "CODE", "--column": "COLUMN", "--config": "NAME",
    "--control": "COLUMN,…", "--cost": "NAME=X,…", "--criterion": "NAME", "--dataset": "NAME",
    "--direction": "NAME=…", "--down-to": "SIZE", "--effect": "X", "--evaluation": "NAME", "--examples": "FILE",
    "--fields": "NAME,…", "--held-back": "METRIC,…", "--host": "ADDRESS", "--kinds": "NAME,…", "--language": "CODE",
    "--method": "NAME,…", "--metrics": "METRIC,…", "--model": "NAME", "--name": "NAME", "--namespace": "NAME",
    "--parent": "TASK", "--person": "NAME", "--preset": "NAME", "--prompt": "NAME", "--proxy": "NAME,…",
    "--rule": "RULE", "--shares": "N:N:N", "--split": "NAME", "--study": "NAME", "--suite": "NAME",
    "--system": "NAME[:OPTION…]", "--systems": "NAME,…", "--task": "NAME", "--tokenizer": "NAME",
    "--version": "NAME",
}  # fmt: skip
"""By the name of the option; others take free text."""


def metavar(option: click.Option) -> str | None:
    """Return the noun of an option that has none of its own, or None for click's (PATH, TEXT, choices)."""
    kind = option.type
    if isinstance(kind, click.Path):
        return "PATH" if kind.dir_okay and kind.file_okay else "FILE" if kind.file_okay else "DIR"
    if isinstance(kind, click.types.StringParamType):
        return next((TEXTS[name] for name in option.opts if name in TEXTS), None)
    return next((noun for kinds, noun in NUMBERS.items() if isinstance(kind, kinds)), None)
