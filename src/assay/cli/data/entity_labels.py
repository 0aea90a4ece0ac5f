"""`assay data entities label`: labels of the entities of triples by a tagger."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from assay.cli.shared.display import warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, PATH, apart, json_option
from assay.errors import AssayError
from assay.inputs.taggers import label_entities, tagger
from assay.inputs.triples import clean
from assay.records import kind_of, read_examples, read_input, to_json
from assay.records.files import write_text
from assay.records.kinds import Triples

EXAMPLE = "Example: assay data entities label webnlg.jsonl --tagger rules -o labels.json"


@new_command(epilog=EXAMPLE)
@click.argument("examples", type=PATH)
@click.option(
    "--tagger", "name", required=True, metavar="rules|FILE|FOLDER|spacy:MODEL",
    help="Rules, a JSON file from entity to type, an extractor, or a spaCy model.",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FILE, required=True, help="JSON file from entity to label.")
@json_option
def command(examples: Path, name: str, output: Path, as_json: bool) -> None:
    """Label the entities of the triples of EXAMPLES, for `--as triples:style=ner:labels=FILE`."""
    apart([output], [examples])
    items = [example for example in read_examples(examples).examples if kind_of(example) == "triples"]
    entities = dict.fromkeys(clean(e) for one in items for s, _, o in read_input(one, Triples).triples for e in (s, o))
    if not entities:
        raise AssayError(f"{examples}: no example has triples")
    labels = label_entities(entities, tagger(name))
    write_text(output, to_json(labels) + "\n")
    counts = Counter(labels.values())
    if as_json:
        click.echo(to_json({"entities": len(entities), "labelled": len(labels), "labels": counts}))
        return
    listed = ", ".join(f"{label} {count:,}" for label, count in counts.most_common())
    click.echo(f"{len(labels):,} of {len(entities):,} entities have a label in {output} ({listed})")
    if without := len(entities) - len(labels):
        warn([f"{without:,} of {len(entities):,} entities ({without / len(entities):.0%}) are written as <UNKNOWN>"])
    click.echo(f"Next: assay data render {examples} --as triples:style=ner:labels={output}")
