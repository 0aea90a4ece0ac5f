"""`assay compare`: test whether systems differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from assay.cli.everyday.compare_output import (
    ComparedSet,
    check_items_file,
    described,
    draw,
    paper_table,
    print_items,
    print_meanings,
    print_set,
    print_subset,
    write_items,
)
from assay.cli.shared.display import counted, print_tables, warn
from assay.cli.shared.help import advanced, new_command, section
from assay.cli.shared.load_systems import load_systems, parse_margins
from assay.cli.shared.options import (
    NEW_FILE,
    PATH,
    ListOption,
    apart,
    cluster_option,
    data_options,
    family_option,
    format_option,
    json_option,
    order_option,
    refuse_idle,
    sequential_option,
)
from assay.errors import UsageError
from assay.execution.deciding_texts import deciding_texts
from assay.execution.request import ScoreRequest
from assay.records import to_json
from assay.results.compare import CompareRequest
from assay.results.many_systems import ManySystems, SubsetFamily
from assay.results.paper_table import FEWEST, subsets_of
from assay.results.pooled_subsets import pooled_differences
from assay.results.result import Result
from assay.results.sequential import Order
from assay.results.shared_clusters import with_same_clusters
from assay.results.tables import pooled_table
from assay.results.text_properties import PROPERTIES
from assay.results.verdict import Correction, Family
from assay.show.canvas import FORMATS, VEGA, need_matplotlib
from assay.show.tables import Form
from assay.stats.paired_tests import TESTS

EXAMPLE = """\b
Examples:
  assay compare bart.jsonl t5.jsonl --references refs.jsonl
  assay compare runs/bart runs/t5 --test permutation --samples 10000
  assay compare baseline.jsonl bart.jsonl t5.jsonl pegasus.jsonl --references refs.jsonl
  assay compare bart.jsonl t5.jsonl --references refs.jsonl --format latex
  assay compare bart.jsonl t5.jsonl --references refs.jsonl --items 20 --items-by bleu
  assay compare runs/bart runs/bart-typos --against-parents --format latex
"""


@new_command(epilog=EXAMPLE)
@click.argument("a", type=PATH)
@click.argument("b", type=PATH, nargs=-1)
@data_options
@section(
    "Statistics",
    click.option(
        "--test", type=click.Choice(tuple(TESTS)), default="permutation", show_default=True, metavar="TEST",
        help=f"Paired significance test: {', '.join(TESTS)}.",
    ),
    cluster_option,
    click.option(
        "--margin", cls=ListOption, metavar="NAME=X,…",
        help="Test equivalence and non-inferiority within a margin, e.g. rouge1=1,chrf=0.5.",
    ),
    sequential_option,
    click.option(
        "--subset", multiple=True, metavar="KEY=VALUE", help="Use only items with this language, split or tag."
    ),
    click.option("--by", multiple=True, metavar="KEY", help="Also compare on each value of this field. Repeatable."),
    click.option("--against-parents", is_flag=True, help="Compare challenge sets with the original items, per system."),
    click.option(
        "--items", type=click.IntRange(1), metavar="N",
        help="Show the N items that contribute most to the difference (two systems).",
    ),
)  # fmt: skip
@section("Output", format_option, json_option)
@advanced(
    click.option(
        "--correction", type=click.Choice(get_args(Correction)), metavar="METHOD",
        help="Multiple-comparison correction: max-t, holm or bh (default: max-t; holm for other tests).",
    ),
    family_option,
    order_option,
    click.option(
        "--samples", type=click.IntRange(20), metavar="N",
        help="Number of random permutations or resamples (default: chosen by the number of tests).",
    ),
    click.option(
        "--explain", cls=ListOption, metavar="NAME,…",
        help=f"Parts of the difference associated with {', '.join(PROPERTIES)} or a field's subsets.",
    ),
    click.option("--bayes", is_flag=True, help="Also posterior probabilities: A better, equivalent, B better."),
    click.option(
        "--parent-examples", type=PATH, multiple=True, metavar="FILE",
        help="With --against-parents and outputs files: the original examples. Repeatable.",
    ),
    click.option("--plot", is_flag=True, help="Draw the scores of all systems in the terminal."),
    click.option("--forest", is_flag=True, help="Draw a forest plot of the differences in the terminal."),
    click.option(
        "--plots", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
        help="Draw figures into this folder (needs assay-eval[plots]).",
    ),
    click.option(
        "--figure-format", type=click.Choice((*FORMATS, VEGA)), default="png", show_default=True,
        metavar="FORMAT", help="Format of --plots: png, svg, pdf, or vega (Vega-Lite JSON, needs no extra).",
    ),
    click.option(
        "--like", metavar="TASK",
        help="Also how often annotators agree with such differences: data-to-text or summarization.",
    ),
    click.option("--items-by", metavar="METRIC", help="Metric of --items (default: the first)."),
    click.option("--items-output", type=NEW_FILE, metavar="FILE", help="Write --items to this .jsonl or .html file."),
)  # fmt: skip
def command(
    a: Path,
    b: tuple[Path, ...],
    test: str,
    samples: int | None,
    family: Family,
    margin: str | None,
    sequential: bool,
    order: Order,
    explain: str | None,
    bayes: bool,
    subset: tuple[str, ...],
    cluster: str | None,
    correction: Correction | None,
    by: tuple[str, ...],
    against_parents: bool,
    parent_examples: tuple[Path, ...],
    plot: bool,
    forest: bool,
    plots: Path | None,
    figure_format: str,
    like: str | None,
    items: int | None,
    items_by: str | None,
    items_output: Path | None,
    form: Form,
    as_json: bool,
    request: ScoreRequest,
) -> None:
    """Test whether systems differ on the same items. A and B are outputs files or folders of saved runs.

    Differences are B - A; with several B, each is compared with A. One file with several systems can be passed
    alone. p is adjusted for all tests of all pairs of systems; the line below the table names test and correction.
    Formats other than text give the table of a paper, with systems as rows (see `assay table`).
    """
    _check_like(like, form != "text" or sequential or against_parents)
    properties = _explained(explain, form != "text" or sequential or against_parents)
    if sequential:
        from assay.cli.everyday.compare_sequential import compare_sequentially

        compare_sequentially([a, *b], request.but(only=subset), subset, order, cluster, as_json)
        return
    refuse_idle(order="--sequential")
    comparison = CompareRequest(
        test=test, samples=samples, seed=request.resampling_seed, cluster=cluster, correction=correction,
        family=family, bayes=bayes, explain=properties,
    )  # fmt: skip
    if against_parents:
        from assay.cli.everyday.against_parents import compare_parents

        _refuse_beside_parents(by, plot, forest, plots, items)
        compare_parents([a, *b], request, parent_examples, subset, margin, comparison, form, as_json)
        return
    refuse_idle(parent_examples="--against-parents")
    if "," in (cluster or "") and len(b) > 1 and (form != "text" or plots):
        raise UsageError(f"--cluster {cluster}: with several systems, name one field")
    _check_items(items, items_by, items_output, len(b))
    apart([items_output], [a, *b, *request.files])
    if plots is None:
        refuse_idle(figure_format="--plots")
    if plots and figure_format != VEGA:
        need_matplotlib()
    results = load_systems([a, *b], request.but(only=subset))
    if len(results) < 2:
        raise UsageError(f"{a}: one system only; name a second file to compare it with")
    if items and (not b or len(results) > 2):
        raise UsageError("--items requires two files with one system each")
    if subset:
        results = [result.subset(*subset) for result in results]
    comparison = replace(comparison, margin=parse_margins(margin, results[0]))
    whole = _compared("", results, ManySystems(results, comparison, intervals=False))
    together = SubsetFamily()
    tested = [(subset, members, _subset(members, comparison, together)) for subset, members in subsets_of(results, by)]
    parts = [_compared(subset, members, each) for subset, members, each in tested]
    deciding = whole.comparisons[0].contributing_items(items_by, items) if items else None
    texts = deciding_texts(deciding, a, b[0], request) if deciding else []
    if deciding and items_output:
        write_items(items_output, deciding, texts, results[0])
    if plots:
        for each in (whole, *parts):
            draw(each, plots, figure_format)
    if as_json:
        shown = whole.to_dict() | described(whole.comparisons, like)
        if by:
            one = len(set(by)) == 1
            names = [each.subset.partition("=")[2] if one else each.subset for each in parts]
            shown["by"] = {name: each.to_dict() | {"n": each.n} for name, each in zip(names, parts, strict=True)}
            subsets = {name: each.comparisons[0] for name, each in zip(names, parts, strict=True)}
            pooled = pooled_differences(subsets) if len(results) == 2 else {}
            shown["pooled"] = {
                metric: {name: each.to_dict() for name, each in known.items()} for metric, known in pooled.items()
            }
        if deciding:
            shown["items"] = [text.to_dict(deciding) for text in texts]
        click.echo(to_json(shown))
        return
    if form != "text":
        click.echo(paper_table([whole, *parts], form))
        warn(dict.fromkeys(warning for each in (whole, *parts) for warning in each.warnings))
        return
    print_set(whole, plot, forest)
    print_meanings(whole.comparisons, like)
    printed = {*whole.warnings}
    for each in parts:
        print_subset(each, plot, forest, printed)
        printed |= {*each.warnings}  # subsets of one size have the same
    if len(results) == 2 and (shrunken := pooled_table({each.subset: each.comparisons[0] for each in parts})):
        click.echo()
        print_tables(shrunken)
    if deciding and items_output is None:
        print_items(deciding, texts, results[0])
    elif items_output:
        click.echo(f"{items_output}: {counted(len(texts), 'item')}")


def _refuse_beside_parents(
    by: tuple[str, ...], plot: bool, forest: bool, plots: Path | None, items: int | None
) -> None:
    idle = {"--by": by, "--plot": plot, "--forest": forest, "--plots": plots, "--items": items}
    for option, value in idle.items():
        if value:
            raise UsageError(f"{option} cannot be combined with --against-parents; leave it out")


def _check_items(items: int | None, by: str | None, output: Path | None, others: int) -> None:
    if items is None and (by or output):
        raise UsageError(f"{'--items-by' if by else '--items-output'} requires --items N")
    if items is not None and others > 1:
        raise UsageError(f"--items shows the items of two systems, not {others + 1}. Give A and one B.")
    check_items_file(output)


def _check_like(like: str | None, elsewhere: bool) -> None:
    if like is not None and elsewhere:
        raise UsageError("--like cannot be combined with --format, --sequential or --against-parents")


def _explained(names: str | None, elsewhere: bool) -> tuple[str, ...]:
    if names is not None and elsewhere:
        raise UsageError("--explain cannot be combined with --format, --sequential or --against-parents")
    return () if names is None else tuple(name.strip() for name in names.split(","))


def _subset(results: list[Result], request: CompareRequest, family: SubsetFamily) -> ManySystems:
    """Return the systems on a subset, in the family of all subsets that are large enough to be tested."""
    large = with_same_clusters(results, request.cluster)[0].units >= FEWEST
    plain = replace(request, explain=())
    return ManySystems(results, plain, intervals=False, family=family if large else None)


def _compared(subset: str, results: list[Result], tested: ManySystems) -> ComparedSet:
    """Compare all systems with the first, and all pairs where there are several."""
    one_kind = len(tested.results[0].kinds) < 2
    rankings = tested.rankings if len(results) > 2 and one_kind else None
    return ComparedSet(subset, results, tested.with_first(), rankings)
