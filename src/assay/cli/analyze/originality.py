"""`assay analyze originality`: fragments that outputs share with a single source of a corpus."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import counted, print_tables, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, ci_option, json_option
from assay.errors import AssayError, UsageError
from assay.execution.loading import load_items
from assay.meta.originality_report import OriginalityReport, report_originality
from assay.metrics.diversity.fragment_index import Contents, add_to_index, read_corpus
from assay.metrics.diversity.originality import Originality
from assay.records import to_json, write_jsonl
from assay.show.numbers import scored
from assay.show.tables import Column, Table

EXAMPLE = """\b
Examples:
  assay analyze originality quotes.jsonl --index quotes-index
  assay analyze originality quotes-index --outputs generated.jsonl --limit 20
  assay analyze originality training.txt --outputs generated.txt -o flagged.jsonl
"""


@new_command(epilog=EXAMPLE)
@click.argument("corpus", type=PATH)
@click.option("--index", type=click.Path(path_type=Path), help="Add CORPUS to this index; it is created if missing.")
@click.option("--outputs", type=PATH, help="Outputs to compare with CORPUS.")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Maximum number of sources of a fragment that requires a citation.",
)
@click.option("--limit", type=click.IntRange(0), default=10, show_default=True, help="Number of fragments to show.")
@click.option("--output", "-o", type=NEW_FILE, help="Write every flagged fragment with its source (JSONL).")
@ci_option()
@json_option
def command(
    corpus: Path, index: Path | None, outputs: Path | None, most: int, limit: int, output: Path | None, ci: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Find fragments of outputs that occur in a single source of CORPUS, and name the source.

    CORPUS is a text file, JSONL with text, document and author, or an index folder written by this command.
    """
    if index is None and outputs is None:
        raise UsageError("pass --outputs FILE to compare with the corpus, or --index FOLDER to index it")
    apart([output], [corpus, outputs])
    contents = None
    if index is not None:
        if corpus.is_dir():
            raise AssayError(f"{corpus}: already an index; pass a file to add to --index {index}")
        contents = add_to_index(index, read_corpus(corpus))
        if not outputs:
            _tell(contents, index, as_json)
            return
    assert outputs is not None
    items = load_items(outputs)
    metric = Originality(corpus=str(index or corpus), most=most)
    if why := metric.why_not():
        raise AssayError(f"originality: {why}")
    report = report_originality(items, metric, ci)
    if output:
        write_jsonl(output, [one._asdict() for one in report.flagged])
    if as_json:
        click.echo(to_json({**report.to_dict(), "index": contents and contents._asdict(), "warnings": items.notes}))
        return
    _print(report, limit)
    warn(items.notes)
    click.echo(f"Next: assay compare {outputs} OTHER --metrics originality:corpus={index or corpus}")


def _tell(contents: Contents, index: Path, as_json: bool) -> None:
    if as_json:
        click.echo(to_json(contents._asdict()))
        return
    click.echo(f"{index} · {contents.sentences:,} sentences, {contents.words:,} words and marks")
    if contents.twice:
        click.echo(f"  duplicates   {contents.twice:,} sentences skipped")
    if not contents.documents:
        warn(["some sentences have no document: each distinct sentence counts as a source"])
    elif not contents.authors:
        warn(["some sentences have no author: one author in several documents counts several times"])
    click.echo(f"Next: assay analyze originality {index} --outputs FILE")


def _print(report: OriginalityReport, limit: int) -> None:
    rows = [
        [one.fragment, one.id, str(one.sources), one.source, one.document or "", one.author or ""]
        for one in report.flagged[:limit]
    ]
    columns = [
        Column("fragment", "left", fold=True), Column("output", "left"), Column("sources"),
        Column("written in", "left", fold=True), Column("document", "left"), Column("author", "left"),
    ]  # fmt: skip
    print_tables(Table(columns, rows, f"{report.result.system} · {counted(report.result.n, 'output')}"))
    shown = [name for name in ("originality", "originality.pass") if name in report.result.scores]
    say("   ".join(f"{name} {scored(report.result.scores[name], report.result.parts[name][1])}" for name in shown))
    say("fragments by number of sources: " + ", ".join(f"{count}: {n:,}" for count, n in report.histogram.items()))
    for fragment, outputs in report.often:
        say(f"in {counted(outputs, 'output')}: {fragment}")
