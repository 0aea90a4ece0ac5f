"""`assay data markup spans`, `freeze` and `people`: equivalence classes by experts, and people on the instances."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.challenges.human_choices import choices_of, study_files
from assay.cli.shared.display import counted, say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, NEW_FOLDER, PATH, apart, json_option, refuse_idle
from assay.datasets.class_building import (
    EXCLUDED,
    Agreement,
    agreement,
    frozen,
    list_spans,
    propose_by_vectors,
    read_sheet,
    sheet_csv,
)
from assay.datasets.class_page import class_page
from assay.errors import AssayError, UsageError
from assay.inputs.schema import schema_for
from assay.records import read_examples, to_json, write_jsonl
from assay.records.documents import read_json
from assay.records.files import write_text
from assay.studies.load import load_judgements

part_option = click.option(
    "--part", type=click.Choice(["text", "comment", "whole"]), default="whole", show_default=True,
    help="Part of a span that counts: the text before its comment, the comment, or all of it.",
)  # fmt: skip


@new_command(name="spans")
@click.argument("corpus", type=PATH)
@click.option("--category", required=True, help="Category whose spans are listed.")
@part_option
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Sheet for an expert (CSV): span, count, class.")
@click.option("--page", type=NEW_FILE, help="Also write a page to merge, split, name and exclude (HTML).")
@click.option("--model", help="Encoder that also proposes classes by similarity, e.g. minilm (default: none).")
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.8, show_default=True, help="Similarity for one class."
)
@click.option("--schema", "named", default="", metavar="FILE", help="Marker schema (default: that of CORPUS).")
@json_option
def spans_command(
    corpus: Path, category: str, part: str, output: Path, page: Path | None, model: str | None, threshold: float,
    named: str, as_json: bool,
) -> None:  # fmt: skip
    """List the spans of a category of CORPUS by frequency, with a proposed class for each.

    Spans with the same stems are proposed as one class. In the sheet, the same class means interchangeable, and -
    excludes a span. Give a copy to a second expert.
    """
    apart([output, page], [corpus])
    if not model:
        refuse_idle(threshold="--model")
    examples = read_examples(corpus).examples
    listed = list_spans(examples, category, schema_for(examples, named, corpus.parent), part)
    if model:
        from assay.models.context import Context
        from assay.models.encoder import Encoder

        encoder = Encoder(model)
        if why := encoder.why_not():
            raise AssayError(f"--model {model}: {why}")
        listed = propose_by_vectors(listed, lambda texts: list(encoder.vectors(texts, Context())), threshold)
    write_text(output, sheet_csv(listed))
    if page:
        write_text(page, class_page(listed, f"{category} ({part}) of {corpus.name}"))
    classes = len({one.proposed for one in listed})
    if as_json:
        click.echo(to_json({"spans": len(listed), "occurrences": sum(one.count for one in listed), "classes": classes}))
        return
    click.echo(f"{counted(len(listed), 'different span')} of {category} in {output}, {classes:,} proposed classes")
    click.echo(f"Next: assay data markup freeze {output} --category {category} --evaluation {category} -o classes.json")


@new_command(name="freeze")
@click.argument("sheets", type=PATH, nargs=-1, required=True)
@click.option("--category", required=True, help="Category of the spans.")
@click.option("--evaluation", required=True, help="Name of the evaluation.")
@part_option
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Class file (JSON); other evaluations in it stay.")
@click.option(
    "--disputed", type=click.Choice(["exclude", "first"]),
    help="Spans that experts exclude or classify differently: exclude them, or follow the first sheet.",
)  # fmt: skip
@json_option
def freeze_command(
    sheets: tuple[Path, ...], category: str, evaluation: str, part: str, output: Path, disputed: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Write the classes of one or two experts (SHEETS) to a class file with a version; print their agreement.

    With two sheets, the first expert's classes are used; a span that the second excludes is disputed.
    """
    apart([output], sheets)
    if len(sheets) > 2:
        raise UsageError("give one sheet, or two for a second expert")
    if len(sheets) < 2:
        refuse_idle(disputed="two sheets")
    classes = read_sheet(sheets[0])
    agreed = None
    if len(sheets) == 2:
        second = read_sheet(sheets[1])
        agreed = agreement(classes, second)
        differ = [s for s in classes if (classes[s] == EXCLUDED) != (second.get(s, EXCLUDED) == EXCLUDED)]
        differ += agreed.disputed
        if not as_json:
            say(_worded(agreed))
        if extra := [span for span in second if span not in classes]:
            raise AssayError(
                f"{sheets[1]}: {len(extra):,} spans are not in {sheets[0].name} (first: {extra[0][:40]!r}). Give "
                "sheets of the same spans."
            )
        if differ and disputed is None:
            raise AssayError(
                f"{sheets[1]}: {len(set(differ)):,} spans are disputed (first: {differ[0][:40]!r}). Settle them in the "
                "sheets, or give --disputed exclude or first."
            )
        if disputed == "exclude":
            classes = {span: EXCLUDED if span in differ else name for span, name in classes.items()}
    made = frozen(classes, evaluation, category, part)
    known: list[dict[str, Any]] = read_json(output) if output.is_file() else []
    kept = [one for one in known if one.get("evaluation") != evaluation]
    write_text(output, to_json([*kept, made]) + "\n")
    if as_json:
        shown = None if agreed is None else _as_dict(agreed)
        counts = {"classes": len(made["class_names"]), "members": sum(map(len, made["equivalence_classes"]))}
        click.echo(to_json(counts | {"version": made["version"], "agreement": shown}))
        return
    members = sum(map(len, made["equivalence_classes"]))
    say(f"{output} · {evaluation}: {len(made['class_names'])} classes of {members:,} spans, version {made['version']}")
    say(f"Next: assay data markup lint {output}")


def _as_dict(agreed: Agreement) -> dict[str, Any]:
    shown = asdict(agreed)
    return shown | {"disputed": shown.pop("pairs"), "disputed_spans": len(agreed.disputed)}


def _worded(agreed: Agreement) -> str:
    rand = "undefined" if agreed.rand is None else f"{agreed.rand:.3f}"
    f1 = "undefined" if agreed.f1 is None else f"{agreed.f1:.3f}"
    return (
        f"Agreement on {agreed.spans:,} spans: adjusted Rand index {rand}, F1 of pairs {f1}, "
        f"{100 * agreed.excluded:.0f} % the same on exclusion"
    )


@new_command(name="people")
@click.argument("instances", type=PATH)
@click.option("--output", "-o", type=NEW_FOLDER, required=True, help="Folder for a.jsonl, b.jsonl, examples, design.")
@click.option("--judgements", type=PATH, help="Answers of the study: write choices.jsonl, to score like a system.")
@json_option
def people_command(instances: Path, output: Path, judgements: Path | None, as_json: bool) -> None:
    """Let annotators answer the INSTANCES of a choice test: a study with both continuations, in random order.

    With --judgements, convert their answers to choices, the human baseline next to the models.
    """
    examples = read_examples(instances).examples
    output.mkdir(parents=True, exist_ok=True)
    if judgements:
        rows, ties = choices_of(examples, load_judgements(judgements, None))
        write_jsonl(output / "choices.jsonl", rows)
        right = sum(row["correct"] for row in rows)
        if as_json:
            click.echo(to_json({"n": len(rows), "correct": right, "ties": ties}))
            return
        say(f"{output / 'choices.jsonl'} · {right:,} of {counted(len(rows), 'instance')} correct by the majority")
        warn([f"{counted(ties, 'instance')} without a majority count as wrong"] if ties else [])
        say(f"Next: assay score {output / 'choices.jsonl'} -e {instances} -m eq_accuracy --ci 1000")
        return
    count = 0
    for name, content in study_files(examples).items():
        if isinstance(content, str):
            write_text(output / name, content)
        else:
            count = write_jsonl(output / name, content)
    if as_json:
        click.echo(to_json({"instances": count}))
        return
    say(f"{output} · {counted(count, 'instance')} for people")
    say(f"Next: assay study assign {output}/design.toml {output}/a.jsonl {output}/b.jsonl -e {output}/examples.jsonl "
        "-o study.jsonl")  # fmt: skip


commands = (spans_command, freeze_command, people_command)
