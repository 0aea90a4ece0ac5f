"""`assay data entities`: build entity-aggregation data from a corpus and crowd answers."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.data.entity_labels import command as label_command
from assay.cli.shared.display import counted, print_tables, warn
from assay.cli.shared.help import new_group
from assay.cli.shared.options import FOLDER, NEW_FILE, PATH, apart, json_option, refuse_idle
from assay.datasets.crowd_phrases import CrowdAnswer, gather, human_ceiling, of_judgements, read_crowd, unseen
from assay.datasets.entity_groups import PER_DOCUMENT, Extraction, groups, read_annotated, sample_by_document
from assay.datasets.ner_files import read_conll, read_spacy, read_texts
from assay.datasets.tesa_phrases import SIZE, split_examples, with_candidates
from assay.errors import AssayError, UsageError
from assay.inputs.entity_types import entity_types
from assay.inputs.ontology import ontology as read_ontology
from assay.records import Example, kind_of, read_examples, to_json, write_jsonl
from assay.records.error_locations import with_location
from assay.show.tables import Table
from assay.studies.judgements import hashed, study_judgements
from assay.studies.load import is_journal, load_judgements, open_study

EXAMPLE = """\b
Examples:
  assay data entities import news.conll --from conll -o corpus.jsonl
  assay data entities extract muc4.jsonl -o instances.jsonl
  assay data entities label webnlg.jsonl --tagger rules -o labels.json
  assay data entities crowd answers.csv --instances instances.jsonl -o gold.jsonl
  assay data entities crowd study.jsonl --design design.toml --instances instances.jsonl -o gold.jsonl
  assay data entities rank gold.jsonl -o rankings.jsonl
"""


@new_group(epilog=EXAMPLE)
def command() -> None:
    """Build entity-aggregation data: extract groups, collect crowd phrases, build rankings."""


command.add_command(label_command, "label")


@command.command("extract")
@click.argument("corpus", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Instances to annotate (JSONL).")
@click.option(
    "--limit", type=click.IntRange(1), help="Number of instances to sample, equally over documents (default: all)."
)
@click.option(
    "--per-document", type=click.IntRange(1), default=PER_DOCUMENT, show_default=True,
    help="Maximum number of instances of a document.",
)  # fmt: skip
@click.option(
    "--min-mentions", type=click.IntRange(1), default=1, show_default=True,
    help="Minimum number of mentions of an entity in its document.",
)  # fmt: skip
@click.option("--types", "named_types", metavar="FILE", help="Entity types: name or file (default: those of TESA).")
@click.option("--ontology", metavar="FILE", help="Ontology with the type of each role, for events (default: MUC-4).")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@json_option
def extract_command(
    corpus: Path, output: Path, limit: int | None, per_document: int, min_mentions: int, named_types: str | None,
    ontology: str | None, seed: int, as_json: bool,
) -> None:  # fmt: skip
    """Extract groups of two to six entities of one type from CORPUS, with the passages that mention them.

    CORPUS has one document per line (id, text, entities with name, type and mentions), or is the output of
    `assay data read muc4`.
    """
    apart([output], [corpus])
    how = Extraction(
        entity_types(named_types or ""), read_ontology(ontology or ""), min_mentions, per_document, seed
    )  # fmt: skip
    groups = _extracted(corpus, how)
    available = len(groups)
    groups = sample_by_document(groups, limit, seed) if limit else groups
    if not groups:
        raise AssayError(f"{corpus}: no two entities of one type are mentioned near each other")
    write_jsonl(output, groups)
    kinds = Counter(example.tags["type"] for example in groups)
    sizes = Counter(example.tags["size"] for example in groups)
    used = len({example.tags["document"] for example in groups})
    left_out = {why: count for why, count in how.left_out.items() if count}
    if as_json:
        counts = {"instances": len(groups), "types": kinds, "sizes": sizes}
        click.echo(to_json(counts | {"documents": how.documents, "documents_used": used, "left_out": left_out}))
        return
    listed = ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())
    sampled = f" of {available:,}" if available > len(groups) else ""
    click.echo(f"{counted(len(groups), 'instance')}{sampled} in {output} ({listed})")
    click.echo(f"  from {used:,} of {counted(how.documents, 'document')}")
    warn(f"left out: {count:,} {why}" for why, count in left_out.items())
    click.echo(f"Next: assay study assign design.toml -e {output} -o study.jsonl   (design: study new --preset tesa)")


def _extracted(corpus: Path, how: Extraction) -> list[Example]:
    with corpus.open("rb") as stream:
        plain = b'"entities"' in stream.readline()
    if plain:
        refuse_idle(ontology="documents with events")
        return list(read_annotated(corpus, how))
    examples = read_examples(corpus).examples
    if not any(kind_of(example) == "events" for example in examples):
        raise AssayError(f"{corpus}: neither documents with entities nor documents with events; see --help")
    return list(groups(examples, how))


@command.command("import")
@click.argument("file", type=PATH)
@click.option(
    "--from", "kind", type=click.Choice(["conll", "spacy"]), help="Format of the recognizer (default: by --extractor)."
)
@click.option(
    "--extractor", type=FOLDER, help="Folder of an extractor: find the entities of the sources of FILE with it."
)
@click.option("--types", "named_types", metavar="FILE", help="Entity types: name or file (default: those of TESA).")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Documents with entities (JSONL).")
@json_option
def import_command(
    file: Path, kind: str | None, extractor: Path | None, named_types: str | None, output: Path, as_json: bool
) -> None:
    """Convert the output of a named-entity recognizer to documents with entities, for `extract`.

    CoNLL: one token per line, word first and tag last. spaCy: JSON of `Doc.to_json`, one document per line.
    """
    apart([output], [file])
    if (kind is None) == (extractor is None):
        raise UsageError("give --from conll or spacy, or --extractor FOLDER, and not both")
    types = entity_types(named_types or "")
    if extractor is not None:
        texts = [(one.id, one.source or "") for one in read_examples(file).examples]
        made = read_texts(texts, str(extractor), types)
    else:
        made = (read_conll if kind == "conll" else read_spacy)(file, types)
    write_jsonl(output, made.documents)
    count = sum(len(row["entities"]) for row in made.documents)
    if as_json:
        click.echo(to_json({"documents": len(made.documents), "entities": count, "left_out": made.left_out}))
        return
    click.echo(f"{counted(len(made.documents), 'document')} with {count:,} entities in {output}")
    lost = "which is no entity type" if named_types else "which is no entity type of TESA; others are those of --types"
    warn(f"left out: {n:,} mentions labelled {label}, {lost}" for label, n in made.left_out.items())
    if count:
        own = f" --types {named_types}" if named_types else ""
        click.echo(f"Next: assay data entities extract {output}{own} -o instances.jsonl")


@command.command("crowd")
@click.argument("answers", type=PATH)
@click.option("--design", type=PATH, help="Design, if ANSWERS is the journal of a study.")
@click.option("--instances", type=PATH, required=True, help="Annotated instances, matched by id.")
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Instances with gold phrases (JSONL).")
@click.option(
    "--assignments",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Minimum number of assignments per worker.",
)
@click.option(
    "--annotators",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Minimum number of annotators per phrase.",
)
@click.option("--extended", is_flag=True, help="Remove all determiners and numbers, as in the paper, not only 'the'.")
@click.option("--discarded", type=NEW_FILE, help="Write the answers that the rules discard, one per line.")
@json_option
def crowd_command(
    answers: Path, instances: Path, output: Path, assignments: int, annotators: int, extended: bool,
    discarded: Path | None, design: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Convert ANSWERS to gold phrases; report what each step discards, and the human ceiling.

    ANSWERS is a table of a crowd platform (CSV), the journal of a study with --design, or its exported judgements.
    """
    apart([output, discarded], [answers, instances])
    crowd_answers = _answers(answers, design)
    shown_instances = read_examples(instances).examples
    made = gather(crowd_answers, shown_instances, assignments=assignments, annotators=annotators, extended=extended)
    if not made.examples:
        raise AssayError(
            f"{answers}: no instance has phrases of {annotators} annotators; lower --annotators or --assignments"
        )
    write_jsonl(output, made.examples)
    if discarded:
        with discarded.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([text] for text in made.discarded)
    if as_json:
        counts = {"funnel": made.funnel, "workers": made.workers, "discarded": len(made.discarded)}
        ceiling = {name: asdict(one) for name, one in human_ceiling(crowd_answers, extended).items()}
        click.echo(to_json(counts | {"ceiling": ceiling}))
        return
    rows = [[name, f"{count:,}"] for name, count in made.funnel.items()]
    print_tables(Table.of("", ("", "n"), [*rows, ["answers discarded by rule", f"{len(made.discarded):,}"]]))
    pooled = human_ceiling(crowd_answers, extended).get("all")
    if pooled:
        click.echo(
            f"Human ceiling, each annotator left out: {100 * pooled.hits / pooled.answers:.1f} % of first phrases "
            f"are also another's (95 % CI {100 * pooled.low:.1f} to {100 * pooled.high:.1f}, n = {pooled.answers:,})"
        )
    click.echo(f"Next: assay data entities rank {output} -o rankings.jsonl")


def _answers(answers: Path, design: Path | None) -> list[CrowdAnswer]:
    """Return crowd answers of a table, of the journal of a study, or of its judgements."""
    if not is_journal(answers):
        if design:
            raise UsageError(f"--design {design}: {answers} is no journal of a study; leave it out")
        return of_judgements(load_judgements(answers, None)) if answers.suffix == ".jsonl" else read_crowd(answers)
    study = open_study(answers, design)
    empty = [
        CrowdAnswer(text.id, hashed(study, each.annotator), each.seconds, (), True)
        for each in study.assignments.values()
        if each.done and not each.answers
        for text in study.tasks[each.task].texts
    ]
    return [*of_judgements(study_judgements(study)), *empty]


@command.command("rank")
@click.argument("gold", type=PATH)
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Rankings in three splits (JSONL).")
@click.option(
    "--size", type=click.IntRange(2), default=SIZE, show_default=True, help="Number of candidates per ranking."
)
@click.option(
    "--seed", type=click.IntRange(0), default=2345, show_default=True, help="Random seed of candidates and splits."
)
@json_option
def rank_command(gold: Path, output: Path, size: int, seed: int, as_json: bool) -> None:
    """Add candidates of the same type to GOLD instances, and split them 2:1:1 by instance."""
    apart([output], [gold])
    instances = read_examples(gold).examples
    with with_location(gold, instances):
        made = split_examples(with_candidates(instances, size=size, seed=seed), seed)
    write_jsonl(output, made)
    splits, new = Counter(example.split for example in made), unseen(made)
    if as_json:
        shares = {split: {"unseen": count, "n": n} for split, (count, n) in new.items()}
        click.echo(to_json({"rankings": len(made), "splits": splits, "unseen": shares}))
        return
    listed = ", ".join(f"{split} {count:,}" for split, count in splits.items())
    click.echo(f"{counted(len(made), 'ranking')} of {size} in {output} ({listed})")
    for split, (count, n) in new.items():
        click.echo(f"  {split:<11} {count:,} of {n:,} have no entity that occurs in training")
    click.echo("Next: write each split to a file of its own (field `split`), then")
    click.echo("      assay system rank test.jsonl --system frequency --train train.jsonl -o frequency.jsonl")
