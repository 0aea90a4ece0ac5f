"""The part of a page between two marks, which a benchmark writes; and what benchmarks of simulations share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def replace_section(text: str, begin: str, end: str, body: str) -> str:
    """Return a page with the lines between two marks replaced. Raises ValueError if a mark is missing: the page was
    changed."""
    start = text.index(begin.strip()) + len(begin.strip())
    stop = text.index(end.strip(), start)
    return text[:start] + "\n" + body.strip("\n") + "\n" + text[stop:]


def write_section(page: Path, begin: str, end: str, body: str) -> None:
    """Replace the lines between two marks of a page, as `replace_section` does."""
    page.write_text(replace_section(page.read_text(encoding="utf-8"), begin, end, body), encoding="utf-8")


def print_simulated(about: str | None, simulations: int, report: Callable[[int], str]) -> None:
    """Print the report of as many simulations as the command line requests."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--simulations", type=int, default=simulations)
    print(report(parser.parse_args().simulations))
