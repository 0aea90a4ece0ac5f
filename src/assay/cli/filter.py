"""`assay filter`: which sentences of a long source a model gets to see."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import click
import msgspec

from assay.cli.options import NEW_FILE, PATH, apart, json_option, trust_option
from assay.errors import AssayError, UsageError
from assay.inputs import filters
from assay.progress import track
from assay.records import Example, read_examples, read_table, to_json, write_jsonl
from assay.records.inputs import texts_of, with_input
from assay.records.kinds import Sentences
from assay.records.places import placed
from assay.text.sentences import Splitter, split_sentences

EXAMPLE = """\b
Examples:
  assay filter documents.jsonl --strategy lead --budget 512 -o lead.jsonl
  assay filter documents.jsonl --strategy oracle --budget 512 --tokenizer facebook/bart-large -o oracle.jsonl
  assay filter documents.jsonl --strategy runs/filter --budget 512 -o learned.jsonl
  assay filter documents.jsonl --strategy scores.jsonl --budget 512 -o mine.jsonl
"""

Select = Callable[[Example, list[str]], list[int]]


@click.command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option(
    "--strategy",
    required=True,
    metavar="lead|oracle|PATH",
    help="PATH: a filter from assay train, or JSONL with id and scores, one a sentence.",
)
@click.option("--budget", type=click.IntRange(1), required=True, help="Tokens that may be kept.")
@click.option("--tokenizer", default="whitespace", show_default=True, help="whitespace, whitespace+2, or a model's.")
@click.option(
    "--splitter", type=click.Choice(get_args(Splitter)), default="multilingual", show_default=True,
    help="How sources are cut that do not come as lists of sentences.",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FILE, required=True, help="The examples with shortened sources.")
@trust_option
@json_option
def command(
    examples: Path, strategy: str, budget: int, tokenizer: str, splitter: Splitter, output: Path, as_json: bool
) -> None:
    """Shorten the source of each of EXAMPLES to whole sentences within a budget; they stay in document order.

    The oracle looks at the references and is for training and upper bounds only.
    """
    apart([output], [examples, Path(strategy)])
    length = _length(tokenizer)
    select = _strategy(strategy, budget, length)
    items = read_examples(examples).examples
    counts = {"sentences": 0, "kept": 0, "over_budget": 0}
    shortened = _filtered(items, select, length, budget, counts, splitter)
    with placed(examples, items):
        written = write_jsonl(output, track(shortened, "filtering", len(items)))
    if as_json:
        click.echo(
            to_json({"examples": written, "strategy": strategy, "budget": budget, "tokenizer": tokenizer} | counts)
        )
        return
    click.echo(f"{written:,} sources · {counts['kept']:,} of {counts['sentences']:,} sentences kept by {strategy}")
    if counts["over_budget"]:
        click.echo(f"  over budget {counts['over_budget']:,}: the first sentence alone is longer and was kept")


def _filtered(
    items: list[Example], select: Select, length: filters.Length, budget: int, counts: dict[str, int],
    splitter: Splitter,
) -> Iterator[Example]:  # fmt: skip
    for example in items:
        split = texts_of(example, "document")
        sentences = split or split_sentences(example.source or "", splitter, example.language)
        if not sentences:
            raise AssayError(f"id {example.id}: no source to filter")
        kept = select(example, sentences)
        counts["sentences"] += len(sentences)
        counts["kept"] += len(kept)
        counts["over_budget"] += sum(length(sentences[i]) for i in kept) > budget
        chosen = [sentences[i] for i in kept]
        shorter = msgspec.structs.replace(example, source=" ".join(chosen))
        yield with_input(shorter, document=chosen) if split else shorter


def _length(tokenizer: str) -> filters.Length:
    name, plus, special = tokenizer.partition("+")
    if name != "whitespace":
        return filters.tokenizer_length(tokenizer)
    if plus and not special.isdigit():
        raise UsageError(f"--tokenizer {tokenizer}: write whitespace+2 for two special tokens a sentence")
    return filters.whitespace_length(int(special or 0))


def _strategy(strategy: str, budget: int, length: filters.Length) -> Select:
    if strategy == "lead":
        return lambda example, sentences: filters.lead(sentences, budget, length)
    if strategy == "oracle":
        return lambda example, sentences: _oracle(example, sentences, budget, length)
    if Path(strategy).is_dir():
        return _trained(strategy, budget, length)
    scores = _scores(Path(strategy))

    def learned(example: Example, sentences: list[str]) -> list[int]:
        if example.id not in scores:
            raise AssayError(f"{strategy}: no scores for id {example.id}")
        try:
            return filters.learned(sentences, scores[example.id], budget, length)
        except AssayError as error:
            raise AssayError(f"{strategy} id {example.id}: {error}") from None

    return learned


def _trained(folder: str, budget: int, length: filters.Length) -> Select:
    from assay.systems import system

    model = system(f"classifier:{folder}")
    if reason := model.why_not():
        raise AssayError(f"--strategy {folder}: {reason}")
    asked = [Example(id="filter", source="keep", input=Sentences().plain())]

    def learned(example: Example, sentences: list[str]) -> list[int]:
        (scores,) = model.classify(asked, [sentences])
        return filters.learned(sentences, scores, budget, length)

    return learned


def _oracle(example: Example, sentences: list[str], budget: int, length: filters.Length) -> list[int]:
    if not example.references:
        raise AssayError(f"id {example.id}: the oracle needs references")
    from assay.text.english import stemmed_words

    return filters.oracle(sentences, example.references, budget, length, stemmed_words)


def _scores(path: Path) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in read_table(path).rows:
        values = row.fields.get("scores")
        if (
            "id" not in row.fields
            or not isinstance(values, list)
            or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        ):
            raise AssayError(f"{path} {row.where}: needs an id and a list of numbers under 'scores'")
        id = str(row.fields["id"])
        if id in found:
            raise AssayError(f"{path} {row.where}: id {id} stands twice; keep one of the two")
        if not all(map(math.isfinite, values)):
            raise AssayError(f"{path} {row.where}: id {id} has a score that is not finite; give a number for each")
        found[id] = [float(value) for value in values]
    return found
