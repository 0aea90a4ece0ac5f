"""`assay study export`: export a study."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import click

from assay.cli.shared.display import say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH, apart, refuse_idle
from assay.errors import AssayError, UsageError
from assay.inputs.typology import FRANK
from assay.inputs.typology import typology as read_typology
from assay.records import to_json, write_jsonl, write_text
from assay.studies.datasheet import datasheet, datasheet_markdown
from assay.studies.design import read_design, typology_of
from assay.studies.exports import frank_records, gem_csv, span_records, vote_records, write_bundle
from assay.studies.lessons import lesson_records
from assay.studies.load import is_journal, load_judgements, open_study, why_none

Export = Literal["judgements", "frank", "votes", "gem", "spans", "bundle", "datasheet", "lessons"]
EXAMPLE = """\b
Examples:
  assay study export study.jsonl --design design.toml --as bundle -o release
  assay study export study.jsonl --design design.toml --as votes -o votes.jsonl
  assay study export judgements.jsonl --as gem -o ratings.csv
  assay study export design.toml --as datasheet -o datasheet.md
"""


@new_command(epilog=EXAMPLE)
@click.argument("study", type=PATH)
@click.option("--design", type=PATH, help="Design, if STUDY is the journal of a study.")
@click.option(
    "--as", "form", type=click.Choice(get_args(Export)), default="judgements", show_default=True,
    help="judgements (JSONL), frank (columns per summary), votes (per sentence), gem (CSV), spans (annotations),"
    " bundle, datasheet (.json or .md), or lessons (of the design's typology).",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="File to write; for a bundle, a new folder.")
@click.option("--typology", metavar="FILE", help="Of frank and votes: codes of the errors (default: the design's).")
def command(study: Path, design: Path | None, form: Export, output: Path, typology: str | None) -> None:
    """Export STUDY: a journal with --design, a file of judgements, or, for a datasheet, a design.

    Annotators have hashed names; pilot answers and answers of blocked annotators are in a bundle only, separately.
    """
    apart([output], [study, design])
    if form not in ("frank", "votes"):
        refuse_idle(typology="--as frank or votes")
    if form == "lessons":
        _lessons(study, output)
        return
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
        raise AssayError(f"{study}: {why_none(study, design)}")
    if form == "judgements":
        write_jsonl(output, exported)
    elif form == "gem":
        write_text(output, gem_csv(exported))
    elif form == "spans":
        if not is_journal(study):
            raise UsageError("--as spans requires the journal of a study and --design")
        write_jsonl(output, span_records(open_study(study, design)))
    else:
        own = typology_of(read_design(design), design) if design else None
        codes = read_typology(typology) if typology else own or FRANK
        if form == "votes":
            write_jsonl(output, vote_records(exported, codes))
        else:
            write_text(output, to_json(frank_records(exported, typology=codes)) + "\n")
    say(f"{output} · {len(exported):,} judgements")


def _lessons(study: Path, output: Path) -> None:
    design = read_design(study)
    known = typology_of(design, study)
    if known is None:
        raise AssayError(f'{study}: no question names a typology; add typology = "frank", or a file of your own')
    criterion = next(question.criterion for question in design.questions if question.typology)
    count = write_jsonl(output, lesson_records(known, criterion))
    say(f"{output} · {count:,} lessons of the typology {known.name}")
    without = [code for code, error in known.errors.items() if not error.wrong]
    notes = [f"the tutorial has no example of {', '.join(without)}: add wrong to each in the typology"] * bool(without)
    if design.quality.qualification is not None and not known.lessons:
        notes.append("the design has a qualification test, and the typology no [[lessons]] for it: add some")
    warn(notes)
    say(f"Next: assay study serve {study} --lessons {output}")
