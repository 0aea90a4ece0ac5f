"""Output of `assay compare`: tables, sentences, JSON, figures, and contributing items."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import counted, print_missing, print_tables, say, warn, width
from assay.errors import UsageError
from assay.execution.deciding_texts import DecidingText
from assay.records import write_jsonl
from assay.results.comparison import Comparison
from assay.results.contributing_items import ContributingItems
from assay.results.figures import critical_figures, forest_figures, forest_lines
from assay.results.paper_table import FEWEST, WHOLE, PaperTable, table_of
from assay.results.rankings import Rankings, rankings_of
from assay.results.result import Result
from assay.results.sentences import conclusion, margin_sentences
from assay.results.tables import comparison_table, comparisons_table, rankings_table
from assay.show.escape import plain
from assay.show.numbers import number, share
from assay.show.tables import Form
from assay.text.word_differences import Piece


@dataclass(frozen=True)
class ComparedSet:
    """Comparisons on one set of items: all, or a subset."""

    subset: str
    results: list[Result]
    comparisons: list[Comparison]
    rankings: Rankings | None
    """Standings of all pairs, if there are several."""

    @property
    def n(self) -> int:
        return self.results[0].n

    @property
    def all_standings(self) -> Rankings:
        """Standings, also of two systems."""
        two = [self.comparisons[0].a, self.comparisons[0].b]
        return self.rankings or rankings_of(two, self.comparisons)

    @property
    def warnings(self) -> list[str]:
        notes = [note for result in self.results for note in result.notes]
        return list(dict.fromkeys([*(warning for each in self.comparisons for warning in each.warnings), *notes]))

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON data."""
        if self.rankings is None:
            shown = self.comparisons[0].to_dict()
        else:
            pairs = self.rankings.to_dict()
            tested = max(self.comparisons, key=lambda each: each.how.tests)
            shown = {
                "a": self.comparisons[0].a.system,
                "test": tested.test,
                "family": tested.how.words(),
                "comparisons": [comparison.to_dict() for comparison in self.comparisons],
                **{what: pairs.pop(what) for what in ("groups", "places", "records")},
                "all_pairs": pairs,
            }
        shown["warnings"] = self.warnings
        shown["skipped"] = [{"metric": missing.metric, "why": missing.why} for missing in self.results[0].skipped]
        shown["failed"] = [
            {"metric": missing.metric, "why": missing.why, "system": result.system}
            for result in self.results
            for missing in result.failed
        ]
        return shown


def print_set(compared: ComparedSet, forest: bool, printed: Collection[str] = ()) -> None:
    """Print table, verdict and standings, without warnings that were already printed."""
    comparisons, results = compared.comparisons, compared.results
    print_tables(comparison_table(comparisons[0]) if len(comparisons) == 1 else comparisons_table(comparisons))
    if forest:
        click.echo()
        for line in forest_lines(comparisons, width()):
            click.echo(line)
        click.echo()
    print_missing("skipped", results[0].skipped)
    rows = [(row.label, row.why) for each in comparisons for name, row in each.items() if name not in each.apart]
    for line in dict.fromkeys(f"  {label}: {why}" for label, why in rows if why):
        say(line)
    for result in results:
        print_missing(f"failed ({result.system})", result.failed)
    warn(warning for warning in compared.warnings if warning not in printed)
    for line in conclusion(comparisons).split("\n"):
        say(line)
    if compared.rankings is not None:
        click.echo()
        print_tables(rankings_table(compared.rankings, results[0]))


def print_subset(compared: ComparedSet, forest: bool, printed: Collection[str]) -> None:
    """Print the comparison on a subset, if it has enough items."""
    click.echo()
    say(f"{compared.subset} · {counted(compared.n, 'item')}")
    if compared.n < FEWEST:
        say(f"  {counted(compared.n, 'item')}, minimum {FEWEST} for a significance test")
    else:
        print_set(compared, forest, printed)


def paper_table(sets: Sequence[ComparedSet], form: Form) -> str:
    """Return a paper-ready table with the verdicts of these comparisons."""
    whole = WHOLE if len(sets) > 1 else ""
    tabled = [table_of(each.results, each.all_standings, each.subset or whole) for each in sets]
    return PaperTable(tabled, extra=margin_sentences(sets[0].comparisons)).write(form)


def draw(compared: ComparedSet, folder: Path, form: str) -> None:
    """Draw forest plots and critical-difference diagrams."""
    from assay.show.canvas import save_as

    parts = {name: part for name, (_, part) in compared.results[0].parts.items()}
    rankings = compared.all_standings
    for name, figure in (*forest_figures(compared.comparisons), *critical_figures(rankings, parts)):
        path = save_as(figure, folder, f"{name} {compared.subset}".strip(), form)
        click.echo(f"drawn: {path}", err=True)


def print_items(deciding: ContributingItems, texts: Sequence[DecidingText], result: Result) -> None:
    """Print the contributing items with both outputs; words in only one of them are in brackets."""
    part = result.parts[deciding.name][1]
    click.echo()
    contribution = sum(text.item.contribution for text in texts)
    of_all = f", {share(contribution / deciding.difference)} of {number(deciding.difference, part, signed=True)}"
    total = f"{number(contribution, part, signed=True)} {deciding.name}{of_all if deciding.difference else ''}"
    say(
        f"The {len(texts)} items that contribute most to the difference ({total}); "
        f"{deciding.b} is better on {deciding.better}, "
        f"worse on {deciding.worse}, equal on {deciding.equal}. [-only {deciding.a}-] {{+only {deciding.b}+}}"
    )
    for text in texts:
        digits = part.digits + 2  # single items move a number by little
        moved = f"{text.item.contribution * part.scale:+.{digits}f}"
        say(f"  {text.item.id}   {moved}")
        for reference in text.example.references[:1]:
            say(f"    {'reference':<12} {reference}")
        for system, pieces, signs in ((deciding.a, text.pieces_a, "[-{}-]"), (deciding.b, text.pieces_b, "{{+{}+}}")):
            say(f"    {plain(system)[:12]:<12} {_marked(pieces, signs) or '(empty)'}")


def _marked(pieces: Sequence[Piece], signs: str) -> str:
    """Mark words with brackets, since colour alone is not accessible."""
    shown = []
    for piece in pieces:
        bare = piece.text.rstrip()
        blanks = piece.text[len(bare) :]
        shown.append((signs.format(bare) if piece.kind == "own" and bare else bare) + blanks)
    return "".join(shown)


def write_items(path: Path, deciding: ContributingItems, texts: Sequence[DecidingText], result: Result) -> None:
    """Write JSONL or HTML, by the ending of the file."""
    if path.suffix == ".jsonl":
        write_jsonl(path, [text.to_dict(deciding) for text in texts])
        return
    from assay.explorer.items_page import write_items_page

    write_items_page(path, deciding, texts, result.parts[deciding.name][1])


def check_items_file(path: Path | None) -> None:
    if path is not None and path.suffix not in (".jsonl", ".html"):
        raise UsageError(f"--items-output {path}: unknown ending; use .jsonl or .html")
