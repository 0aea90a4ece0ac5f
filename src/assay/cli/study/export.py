"""`assay study export`: export a study."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import click

from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH, apart
from assay.errors import AssayError, UsageError
from assay.records import to_json, write_jsonl, write_text
from assay.studies.datasheet import datasheet, datasheet_markdown
from assay.studies.design import read_design
from assay.studies.exports import frank_records, gem_csv, write_bundle
from assay.studies.load import is_journal, load_judgements, open_study

Export = Literal["judgements", "frank", "gem", "bundle", "datasheet"]
EXAMPLE = """\b
Examples:
  assay study export study.jsonl --design design.toml --as bundle -o release
  assay study export judgements.jsonl --as gem -o ratings.csv
  assay study export design.toml --as datasheet -o datasheet.md
"""


@new_command(epilog=EXAMPLE)
@click.argument("study", type=PATH)
@click.option("--design", type=PATH, help="Design, if STUDY is the journal of a study.")
@click.option(
    "--as", "form", type=click.Choice(get_args(Export)), default="judgements", show_default=True,
    help="Format: JSONL, sentence votes of FRANK, CSV of GEM, release bundle, or datasheet (.json or .md).",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="File to write; for a bundle, a new folder.")
def command(study: Path, design: Path | None, form: Export, output: Path) -> None:
    """Export STUDY: a journal with --design, a file of judgements, or, for a datasheet, a design.

    Annotators have hashed names; pilot answers and answers of blocked annotators are in a bundle only, separately.
    """
    apart([output], [study, design])
    if form == "datasheet":
        journal = is_journal(study)
        known = read_design(design if journal and design else study)
        sheet = datasheet(known, open_study(study, design) if journal else None)
        write_text(output, to_json(sheet) + "\n" if output.suffix == ".json" else datasheet_markdown(sheet))
        say(f"{output} · datasheet of {known.name}")
        return
    if not study.is_file():
        raise AssayError(f"{study}: no such file. Pass a journal or judgements.")
    if form == "bundle":
        if not is_journal(study):
            raise UsageError("--as bundle requires the journal of a study and --design")
        counts = write_bundle(open_study(study, design), output)
        say(f"{output} · " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
        return
    exported = [judgement for judgement in load_judgements(study, design) if not judgement.pilot]
    if not exported:
        raise AssayError(f"{study}: no judgements yet")
    if form == "judgements":
        write_jsonl(output, exported)
    elif form == "gem":
        write_text(output, gem_csv(exported))
    else:
        write_text(output, to_json(frank_records(exported)) + "\n")
    say(f"{output} · {len(exported):,} judgements")
