"""`assay render`: the text a model is given for each example."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from assay.cli.display import counted, warn
from assay.cli.options import NEW_FILE, PATH, apart
from assay.errors import AssayError
from assay.inputs import Form, form
from assay.records import Example, read_examples, write_jsonl
from assay.records.read import place_of

EXAMPLE = """\b
Examples:
  assay render mucsum-test.jsonl --as event-template:fields=template_only:separator=SEP
  assay render mucsum-test.jsonl --as event-template:compat=eks-release -o inputs.jsonl
  assay render sgd.jsonl --as acts:order=given:context=5
  assay render webnlg.jsonl --as triples:style=types:labels=types.json
"""


@click.command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option("--as", "text", required=True, metavar="FORM", help="A form with options; `assay forms` lists them.")
@click.option("--fields", help="The same as :fields= of the form.")
@click.option("--output", "-o", type=NEW_FILE, help="JSONL with id and text; standard output without it.")
@click.option("--skip-bad", is_flag=True, help="Leave out lines that cannot be read; say how many.")
def command(examples: Path, text: str, fields: str | None, output: Path | None, skip_bad: bool) -> None:
    """Write the input of each of EXAMPLES as text, one JSON object a line with id and text."""
    apart([output], [examples])
    chosen = form(f"{text}:fields={fields}" if fields else text)
    read = read_examples(examples, skip_bad=skip_bad)
    items = read.examples
    warn(read.notes)
    twice = [id for id, count in Counter(example.id for example in items).items() if count > 1]
    if twice:
        listed = ", ".join(twice[:3]) + (" …" if len(twice) > 3 else "")
        raise AssayError(f"{examples}: {counted(len(twice), 'id')} more than once: {listed}; keep one of each")
    rows = rendered(chosen, items, examples)
    if output:
        count = write_jsonl(output, rows)
        click.echo(f"{chosen.name} · {count:,} inputs written to {output}")
    else:
        for row in rows:
            sys.stdout.buffer.write(msgspec.json.encode(row) + b"\n")
        sys.stdout.buffer.flush()
    counts = Counter(text for example in items for text in set(chosen.warnings(example)))
    warn(f"{count:,} of {len(items):,}: {text}" for text, count in counts.items())


def rendered(chosen: Form, items: list[Example], path: Path) -> Iterator[dict[str, str]]:
    """Id and text; what is wrong with an example names file, line and id."""
    for example in items:
        try:
            yield {"id": example.id, "text": chosen.render(example)}
        except AssayError as error:
            named = str(error) if f"id {example.id}" in str(error) else f"id {example.id}: {error}"
            place = place_of(path, example.id)
            raise AssayError(f"{path} {place} {named}" if place else f"{path} {named}") from None
