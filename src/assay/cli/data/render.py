"""`assay data render`: write the input of each example as the text a model reads."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart
from assay.errors import AssayError, UsageError, blaming
from assay.inputs import Form, form, forms_of
from assay.records import Example, kind_of, read_examples, write_jsonl
from assay.records.error_locations import with_location

EXAMPLE = """\b
Examples:
  assay data render mucsum-test.jsonl --as event-template:fields=template_only:separator=SEP
  assay data render mucsum-test.jsonl --as event-template:compat=eks-release -o inputs.jsonl
  assay data render sgd.jsonl --as acts:order=given:context=5
  assay data render webnlg.jsonl --as triples:style=types:labels=types.json
"""


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option("--as", "text", metavar="FORM", help="Form with options; without it, suitable forms are listed.")
@click.option("--fields", help="Fields to write; same as FORM:fields=….")
@click.option("--output", "-o", type=NEW_FILE, help="JSONL with id and text (default: stdout).")
@click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read; report their number.")
def command(examples: Path, text: str | None, fields: str | None, output: Path | None, skip_bad: bool) -> None:
    """Write the input of each example as text: one JSON object per line with id and text."""
    apart([output], [examples])
    if text is None:
        raise UsageError(f"--as FORM is missing; {fitting(examples, skip_bad)}")
    chosen = form(f"{text}:fields={fields}" if fields else text)
    read = read_examples(examples, skip_bad=skip_bad)
    items = read.examples
    warn(read.notes)
    twice = [id for id, count in Counter(example.id for example in items).items() if count > 1]
    if twice:
        listed = ", ".join(twice[:3]) + (" …" if len(twice) > 3 else "")
        raise AssayError(f"{examples}: {counted(len(twice), 'id')} occur more than once: {listed}. Keep one of each.")
    rows = rendered(chosen, items, examples)
    if output:
        count = write_jsonl(output, rows)
        click.echo(f"{chosen.name} · {count:,} inputs written to {output}")
    else:
        for row in rows:
            sys.stdout.buffer.write(msgspec.json.encode(row) + b"\n")
        sys.stdout.buffer.flush()
    counts: Counter[str] = Counter()
    for example in items:
        with blaming(f"id {example.id}: form {chosen.name}", chosen):
            counts.update(set(chosen.notes(example)))
    warn(f"{count:,} of {len(items):,}: {text}" for text, count in counts.items())


def fitting(path: Path, skip_bad: bool) -> str:
    """Return which kinds of input a file has, and the forms that write them."""
    if not path.exists():
        return "see `assay data forms`"
    kinds = Counter(kind_of(example) or "text" for example in read_examples(path, skip_bad=skip_bad).examples)
    kinds_of_input = []
    for kind, count in kinds.most_common():
        forms = ", ".join(forms_of(kind)) or "no form"
        kinds_of_input.append(f"{counted(count, f'{kind} input')} ({forms})")
    return f"{path} has {', '.join(kinds_of_input)}"


def rendered(chosen: Form, items: list[Example], path: Path) -> Iterator[dict[str, str]]:
    """Yield id and text; errors name file, line and id."""
    for example in items:
        with with_location(path, [example]):
            text = chosen.render(example)
        yield {"id": example.id, "text": text}
