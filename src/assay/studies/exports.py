"""Exports of a study: FRANK's columns, GEM's table, and a release bundle."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.datasets.frank_votes import Votes, columns, verdicts, vote_judgements
from assay.errors import AssayError
from assay.inputs.typology import FRANK, Typology
from assay.records import Judgement, digest_of, to_json, write_jsonl, write_text
from assay.records.files import sync_folder
from assay.show import escape
from assay.stats.votes import errors_of
from assay.studies.datasheet import datasheet, datasheet_markdown
from assay.studies.judgements import hashed, study_judgements
from assay.studies.lint import lint
from assay.studies.study import Study
from assay.text.integers import is_integer

GEM_COLUMNS = (
    "submission",
    "gem_id",
    "criterion",
    "annotator",
    "value",
    "unit",
    "position",
    "seconds",
    "method",
    "question",
)


def sentence_votes(
    judgements: Sequence[Judgement], typology: Typology = FRANK, criterion: str | None = None
) -> dict[tuple[str, str], Votes]:
    """Return the errors that each annotator named for each sentence, by input and system.

    Raises:
        AssayError: A vote is not a code of the typology, or there are no votes on sentences.
    """
    votes: dict[tuple[str, str], dict[int, dict[str, list[str]]]] = {}
    for judgement in judgements:
        if criterion not in (None, judgement.criterion) or not judgement.unit.startswith("sentence:"):
            continue
        number = judgement.unit.removeprefix("sentence:")
        if not is_integer(number) or not isinstance(judgement.value, str):
            raise AssayError(
                f"{judgement.id} of {judgement.system}: {judgement.value!r} for '{judgement.unit}' is not a vote on a "
                "sentence"
            )
        sentence = votes.setdefault((judgement.id, judgement.system), {}).setdefault(int(number), {})
        if judgement.annotator in sentence:
            raise AssayError(
                f"{judgement.id} of {judgement.system}: two votes of {judgement.annotator} on one sentence"
            )
        named = list(errors_of(judgement.value))
        if unknown := [code for code in named if code not in typology.labels]:
            raise AssayError(
                f"{judgement.id} of {judgement.system}: '{unknown[0]}' is no code of the typology {typology.name} "
                f"({', '.join(typology.labels)}); give the typology of the study with --typology"
            )
        sentence[judgement.annotator] = named
    if not votes:
        raise AssayError("no votes on sentences; FRANK's columns need units sentence:0, sentence:1, ...")
    return {
        (id.removesuffix(f"/{system}"), system): [sentences[number] for number in sorted(sentences)]
        for (id, system), sentences in votes.items()
    }


def frank_records(
    judgements: Sequence[Judgement], criterion: str | None = None, typology: Typology = FRANK
) -> list[dict[str, Any]]:
    """Return one record per summary with the columns of the FRANK release, from votes on its sentences."""
    return [
        {"hash": id, "model_name": system, "sentences": len(votes), **columns(verdicts(votes), typology)}
        for (id, system), votes in sentence_votes(judgements, typology, criterion).items()
    ]


def vote_records(judgements: Sequence[Judgement], typology: Typology = FRANK) -> list[Judgement]:
    """Return judgements `factual`, `error` and `kind` of each sentence, of which agreement is computed."""
    votes = sentence_votes(judgements, typology)
    return [each for (id, system), own in votes.items() for each in vote_judgements(id, system, own)]


def span_records(study: Study) -> list[dict[str, Any]]:
    """Return the annotations of a study with spans: one record per text and annotator, as `assay data markup` reads
    them. `target` is the annotator, so that targets of several annotators are several references."""
    records: list[dict[str, Any]] = []
    criteria = [question.criterion for question in study.design.questions if question.kind == "spans"]
    if not criteria:
        raise AssayError(f"study {study.design.name}: no question of kind spans, so there are no annotations")
    language = {"language": study.design.language} if study.design.language else {}
    for assignment in study.assignments.values():
        who = study.annotators[assignment.annotator]
        if not assignment.done or assignment.pilot or (who.blocked and not study.design.quality.keep_blocked_work):
            continue
        task = study.tasks[assignment.task]
        for number, text in enumerate(task.texts):
            spans: list[dict[str, Any]] = []
            for answer in assignment.answers:
                if answer.text == number and answer.criterion in criteria:
                    start, _, end = answer.unit.removeprefix("span:").partition("-")
                    span: dict[str, Any] = {"category": answer.value, "start": int(start), "end": int(end)}
                    spans.append(span | ({"comment": answer.comment} if answer.comment else {}))
            name = hashed(study, assignment.annotator)
            records.append(
                {"id": f"{text.id}/{name}", "document": text.id, "target": name, "text": text.text,
                 "spans": sorted(spans, key=lambda each: (each["start"], each["end"]))} | language
            )  # fmt: skip
    return records


def gem_csv(judgements: Iterable[Judgement]) -> str:
    """Return ratings by submission, item, criterion and annotator as CSV; cells cannot start a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(GEM_COLUMNS)
    for judgement in judgements:
        fields = msgspec.structs.asdict(judgement) | {"submission": judgement.system, "gem_id": judgement.id}
        cells = [fields[name] for name in GEM_COLUMNS]
        writer.writerow(["" if cell is None else escape.csv(cell) if isinstance(cell, str) else cell for cell in cells])
    return stream.getvalue()


def write_bundle(study: Study, target: Path) -> dict[str, int]:
    """Write a release bundle to a new folder, which appears in one step.

    It has the judgements, those of blocked annotators and of the pilot, the texts with their systems, the annotators,
    the design, the instructions, the datasheet, the findings of the linter, and a manifest with digests.

    Returns:
        The number of records in each file.
    """
    if target.exists() and any(target.iterdir()):
        raise AssayError(f"{target}: not empty; choose a new folder")
    folder = target.with_name(f".{target.name}.part")
    shutil.rmtree(folder, ignore_errors=True)  # of an export that was interrupted
    try:
        counts = _write_files(study, folder)
        folder.replace(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    sync_folder(target.parent)
    return counts


def _write_files(study: Study, folder: Path) -> dict[str, int]:
    folder.mkdir(parents=True)
    parts = {
        "judgements.jsonl": list(study_judgements(study)),
        "blocked.jsonl": list(study_judgements(study, apart=True)),
        "pilot.jsonl": list(study_judgements(study, pilot=True)),
    }
    counts = {name: write_jsonl(folder / name, rows) for name, rows in parts.items()}
    texts = [
        {"task": task.id, "id": text.id, "system": text.system, "text": text.text, "source": task.source}
        for task in study.tasks.values()
        for text in task.texts
    ]
    counts["texts.jsonl"] = write_jsonl(folder / "texts.jsonl", texts)
    counts["people.jsonl"] = write_jsonl(folder / "people.jsonl", annotator_records(study))
    write_text(folder / "design.json", to_json(msgspec.to_builtins(study.design)) + "\n")
    sheet = datasheet(study.design, study)
    write_text(folder / "datasheet.json", to_json(sheet) + "\n")
    write_text(folder / "datasheet.md", datasheet_markdown(sheet))
    write_text(folder / "lint.json", to_json(lint(study.design).record()) + "\n")
    write_text(folder / "instructions.txt", study.design.instructions.strip() + "\n")
    files = sorted(path.name for path in folder.iterdir())
    digests = {name: digest_of((folder / name).read_bytes().decode()) for name in files}
    write_text(
        folder / "manifest.json", to_json({"study": study.design.name, "files": digests, "records": counts}) + "\n"
    )
    return counts


def annotator_records(study: Study) -> list[dict[str, Any]]:
    """Return each annotator under a hashed name: finished tasks, time, checks, bonus, and the reason for a block."""
    rows = []
    for name, who in study.annotators.items():
        own = [study.assignments[each] for each in who.assignments]
        checks: dict[str, list[float]] = {}
        for check in who.checks:
            right, of = checks.setdefault(check.check, [0.0, 0.0])
            checks[check.check] = [right + check.right, of + check.of]
        rows.append(
            {
                "annotator": hashed(study, name),
                "finished": sum(each.done for each in own),
                "unfinished": sum(not each.done for each in own),
                "seconds": sum(each.seconds or 0.0 for each in own),
                "checks": checks,
                "bonus": sum(each.amount for each in who.bonuses),
                "blocked": who.blocked,
            }
        )
    return rows
