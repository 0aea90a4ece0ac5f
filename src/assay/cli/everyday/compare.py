"""`assay compare`: is the difference real?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from assay.cli.everyday.against_parents import compare_parents
from assay.cli.everyday.compare_output import (
    ComparedSet,
    check_items_file,
    draw,
    paper_table,
    print_items,
    print_set,
    print_subset,
    write_items,
)
from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.load_systems import data_of, load_systems, plain_margins
from assay.cli.shared.options import (
    NEW_FILE,
    PATH,
    ListOption,
    apart,
    data_files,
    data_options,
    family_option,
    format_option,
    json_option,
    refuse_idle,
)
from assay.errors import UsageError
from assay.execution.deciding_texts import deciding_texts
from assay.records import to_json
from assay.results.compare import Asked
from assay.results.paper_table import subsets_of
from assay.results.result import Result
from assay.results.together import Together
from assay.results.verdict import Correction, Family
from assay.show.canvas import FORMATS, need_matplotlib
from assay.show.tables import Form
from assay.stats.paired_tests import TESTS, describe

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
@click.option(
    "--test",
    type=click.Choice(tuple(TESTS)),
    default="permutation",
    show_default=True,
    help=f"Paired significance test. {describe(TESTS)}.",
)
@click.option(
    "--cluster",
    cls=ListOption,
    metavar="KEY",
    help="Draw items that share this property together, e.g. parent; two with a comma.",
)
@click.option(
    "--correction",
    type=click.Choice(get_args(Correction)),
    help="Holm's, or Benjamini and Hochberg's; if not said, Holm's for two systems and a step-down one for more.",
)
@family_option
@click.option(
    "--samples", type=click.IntRange(20), help="Random swaps or resamples; if not said, as many as the tests take."
)
@click.option(
    "--margin",
    cls=ListOption,
    metavar="NAME=X,…",
    help="Differences that do not matter, as the table shows them (rouge1=1,chrf=0.5): is B equal, or not worse?",
)
@click.option("--bayes", is_flag=True, help="Also how likely each side is better, or both equal within the margin.")
@click.option("--subset", multiple=True, metavar="KEY=VALUE", help="Only items with this language, split or tag.")
@click.option(
    "--by", multiple=True, metavar="KEY", help="Also for each value of this property, on its own; several add up."
)
@click.option(
    "--against-parents", is_flag=True, help="Each challenge set against the items it was made from, system by system."
)
@click.option(
    "--parent-examples",
    type=PATH,
    multiple=True,
    help="With outputs files: the original examples, in one file or several; --examples are changed.",
)
@click.option("--forest", is_flag=True, help="Also draw the differences around zero, here in the terminal.")
@click.option(
    "--plots",
    type=click.Path(path_type=Path, file_okay=False),
    help="Figures of differences and of groups into this folder (needs assay-eval[plots]).",
)
@click.option("--figure-format", type=click.Choice(FORMATS), default="png", show_default=True, help="Of --plots.")
@click.option("--items", type=click.IntRange(1), help="With two systems: so many items that make the difference.")
@click.option(
    "--items-by", metavar="NAME", help="The number whose difference --items takes apart; the first if not said."
)
@click.option("--items-output", type=NEW_FILE, help="Write --items to this file: .jsonl or .html.")
@format_option
@json_option
def command(
    a: Path,
    b: tuple[Path, ...],
    test: str,
    samples: int | None,
    family: Family,
    margin: str | None,
    bayes: bool,
    seed: int | None,
    subset: tuple[str, ...],
    cluster: str | None,
    correction: Correction | None,
    by: tuple[str, ...],
    against_parents: bool,
    parent_examples: tuple[Path, ...],
    forest: bool,
    plots: Path | None,
    figure_format: str,
    items: int | None,
    items_by: str | None,
    items_output: Path | None,
    form: Form,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare A and B: outputs files, or folders of saved runs. With more than one B, each is compared with A; A alone
    is a file that holds several systems.

    The difference is B - A. The same items are swapped or drawn for all systems, so the test is paired. p adj is
    corrected over all metrics of all pairs of the systems, or a family of them, and the line below the table says how.
    In other forms than text the table of a paper is written, with systems as rows (see assay table).

    With --against-parents the files and folders are of a challenge set and of the items it was made from, in any order:
    the difference is that of a system on the changed items from itself on their parents.
    """
    if against_parents:
        _refuse_beside_parents(by, forest, plots, items)
        asked: dict[str, Any] = {
            "test": test, "samples": samples, "seed": seed or 0, "cluster": cluster, "correction": correction,
            "family": family, "margin": margin, "bayes": bayes,
        }  # fmt: skip
        compare_parents([a, *b], options, parent_examples, subset, asked, form, as_json)
        return
    refuse_idle(parent_examples="--against-parents")
    if "," in (cluster or "") and len(b) > 1 and (form != "text" or plots):
        raise UsageError(f"--cluster {cluster}: all pairs take one kind of clusters; name one, or two systems")
    _check_items(items, items_by, items_output, len(b))
    apart([items_output], [a, *b, *data_files(options)])
    if plots is None:
        refuse_idle(figure_format="--plots")
    if plots:
        need_matplotlib()
    results = load_systems([a, *b], options | {"only": subset})
    if len(results) < 2:
        raise UsageError(f"{a}: holds one system; name another file to compare it with")
    if items and (not b or len(results) > 2):
        raise UsageError("--items takes two files of one system each")
    if subset:
        results = [result.subset(*subset) for result in results]
    asked = {
        "test": test, "samples": samples, "seed": seed or 0, "cluster": cluster, "correction": correction,
        "family": family, "margin": plain_margins(margin, results[0]), "bayes": bayes,
    }  # fmt: skip
    whole = _compared("", results, asked)
    parts = [_compared(subset, members, asked) for subset, members in subsets_of(results, by)]
    deciding = whole.comparisons[0].deciding(items_by, items) if items else None
    texts = deciding_texts(deciding, a, b[0], data_of(options)) if deciding else []
    if deciding and items_output:
        write_items(items_output, deciding, texts, results[0])
    if plots:
        for each in (whole, *parts):
            draw(each, plots, figure_format)
    if as_json:
        shown = whole.to_dict()
        if by:
            one = len(set(by)) == 1
            names = [each.subset.partition("=")[2] if one else each.subset for each in parts]
            shown["by"] = {name: each.to_dict() | {"n": each.n} for name, each in zip(names, parts, strict=True)}
        if deciding:
            shown["items"] = [text.to_dict(deciding) for text in texts]
        click.echo(to_json(shown))
        return
    if form != "text":
        click.echo(paper_table([whole, *parts], form))
        warn(whole.warnings)
        return
    print_set(whole, forest)
    for each in parts:
        print_subset(each, forest, whole.warnings)
    if deciding and items_output is None:
        print_items(deciding, texts, results[0])
    elif items_output:
        click.echo(f"{items_output}: {counted(len(texts), 'item')}")


def _refuse_beside_parents(by: tuple[str, ...], forest: bool, plots: Path | None, items: int | None) -> None:
    given = {"--by": by, "--forest": forest, "--plots": plots, "--items": items}
    for option, value in given.items():
        if value:
            raise UsageError(
                f"--against-parents holds sets of items against each other, without {option}; leave it out"
            )


def _check_items(items: int | None, by: str | None, output: Path | None, others: int) -> None:
    if items is None and (by or output):
        raise UsageError(f"{'--items-by' if by else '--items-output'}: say how many with --items N")
    if items is not None and others > 1:
        raise UsageError("--items shows what makes the difference between two systems; name one B")
    check_items_file(output)


def _compared(subset: str, results: list[Result], asked: dict[str, Any]) -> ComparedSet:
    """All with the first, and all pairs where there are several."""
    tested = Together(results, Asked(**asked), gaps=False)
    one_kind = "," not in (asked["cluster"] or "")
    standings = tested.standings if len(results) > 2 and one_kind else None
    return ComparedSet(subset, results, tested.with_first(), standings)
