"""Output of `assay compare`: tables, sentences, JSON, figures, and contributing items."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.display import counted, print_missing, print_tables, say, warn, width
from assay.errors import UsageError
from assay.records import write_jsonl
from assay.results.comparison import Comparison
from assay.results.figures import critical_figures, difference_panels, forest_figures, forest_lines, score_panels
from assay.results.paper_table import FEWEST, WHOLE, PaperTable, table_of
from assay.results.rankings import Rankings, rankings_of
from assay.results.result import Result
from assay.results.sentences import conclusion, margin_sentences
from assay.results.tables import comparison_table, comparisons_table, explanation_table, rankings_table
from assay.show.canvas import VEGA, save_as
from assay.show.escape import plain
from assay.show.numbers import number, share
from assay.show.tables import Form

if TYPE_CHECKING:
    from assay.execution.deciding_texts import DecidingText
    from assay.results.contributing_items import ContributingItems
    from assay.results.explanation import Explanation
    from assay.text.word_differences import Piece

EXPLAINED = (
    "Associated with, not caused by: differences of the items regressed on differences of their outputs' properties. "
    "* = the interval excludes 0, without correction for multiple comparisons."
)


NOT_SEPARATED = (
    "a constant difference between the systems fits the items better than properties alone; what changes in all items "
    "alike cannot be separated from it."
)


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

    def to_dict(self) -> dict[str, object]:
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


def described(comparisons: Sequence[Comparison], task: str | None) -> dict[str, object]:
    """Return what differences mean to annotators, as JSON; nothing without a task."""
    if task is None:
        return {}
    from assay.meta.meaning import meanings_of

    every = [meanings_of(comparison, task) for comparison in comparisons]
    return {"meaning": [
        {name: {"why": each} if isinstance(each, str) else asdict(each) for name, each in known.items()}
        for known in every
    ]}  # fmt: skip


def print_meanings(comparisons: Sequence[Comparison], task: str | None) -> None:
    """Print how often annotators agree with differences of this size; nothing without a task."""
    if task is None:
        return
    from assay.meta.meaning import meanings_of

    for comparison in comparisons:
        for each in meanings_of(comparison, task).values():
            say(each if isinstance(each, str) else each.sentence())
            warn([] if isinstance(each, str) else each.warnings)


def print_set(compared: ComparedSet, plot: bool, forest: bool, printed: Collection[str] = ()) -> None:
    """Print table, verdict and standings, without warnings that were already printed."""
    comparisons, results = compared.comparisons, compared.results
    print_tables(comparison_table(comparisons[0]) if len(comparisons) == 1 else comparisons_table(comparisons))
    if plot:
        from assay.show.text_multiples import text_multiples

        click.echo()
        systems, panels = score_panels(table_of(results, compared.all_standings))
        for line in text_multiples(systems, panels, width()):
            click.echo(line)
        click.echo()
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
    for comparison in comparisons:
        if comparison.explanation:
            click.echo()
            print_tables(explanation_table(comparison))
            say(EXPLAINED)
            shared = [comparison[name].label for name, each in comparison.explanation.items() if _is_shared(each)]
            warn([f"{', '.join(shared)}: {NOT_SEPARATED}"] if shared else [])
    if compared.rankings is not None:
        click.echo()
        print_tables(rankings_table(compared.rankings, results[0]))


def _is_shared(explanation: Explanation) -> bool:
    return explanation.constant.excludes_zero and not explanation.unexplained.excludes_zero


def print_subset(compared: ComparedSet, plot: bool, forest: bool, printed: Collection[str]) -> None:
    """Print the comparison on a subset, if it has enough items."""
    click.echo()
    say(f"{compared.subset} · {counted(compared.n, 'item')}")
    if compared.n < FEWEST:
        say(f"  {counted(compared.n, 'item')}, minimum {FEWEST} for a significance test")
    else:
        print_set(compared, plot, forest, printed)


def paper_table(sets: Sequence[ComparedSet], form: Form) -> str:
    """Return a paper-ready table with the verdicts of these comparisons."""
    whole = WHOLE if len(sets) > 1 else ""
    tabled = [table_of(each.results, each.all_standings, each.subset or whole) for each in sets]
    return PaperTable(tabled, extra=margin_sentences(sets[0].comparisons)).write(form)


def draw(compared: ComparedSet, folder: Path, form: str) -> None:
    """Draw forest plots and critical-difference diagrams; as Vega-Lite the scores and the differences."""
    if form == VEGA:
        _draw_vega(compared, folder)
        return
    parts = {name: part for name, (_, part) in compared.results[0].parts.items()}
    rankings = compared.all_standings
    for name, figure in (*forest_figures(compared.comparisons), *critical_figures(rankings, parts)):
        path = save_as(figure, folder, f"{name} {compared.subset}".strip(), form)
        click.echo(f"drawn: {path}", err=True)


def _draw_vega(compared: ComparedSet, folder: Path) -> None:
    from assay.show.vega import multiples_spec, save_spec

    named = [("scores", score_panels(table_of(compared.results, compared.all_standings)))]
    for one in compared.comparisons:
        named.append((f"differences {one.a.system} {one.b.system}", difference_panels(one)))
    for name, (systems, panels) in named:
        path = save_spec(multiples_spec(systems, panels), folder, f"{name} {compared.subset}".strip())
        click.echo(f"drawn: {path}", err=True)


def print_items(deciding: ContributingItems, texts: Sequence[DecidingText], result: Result) -> None:
    """Print the contributing items with both outputs; words in only one of them are in brackets."""
    part = result.parts[deciding.name][1]
    click.echo()
    contribution = sum(text.item.contribution for text in texts)
    of_all = f", {share(contribution / deciding.difference)} of {number(deciding.difference, part, signed=True)}"
    total = f"{number(contribution, part, signed=True)} {deciding.name}{of_all if deciding.difference else ''}"
    items = "item that contributes" if len(texts) == 1 else f"{len(texts)} items that contribute"
    say(
        f"The {items} most to the difference ({total}); "
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
