"""Exports of a study: FRANK's columns, GEM's table, and a release bundle."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.datasets.frank_votes import columns, verdicts
from assay.errors import AssayError
from assay.records import Judgement, digest_of, to_json, write_jsonl, write_text
from assay.show import escape
from assay.stats.votes import errors_of
from assay.studies.datasheet import datasheet, datasheet_markdown
from assay.studies.judgements import hashed, study_judgements
from assay.studies.lint import lint
from assay.studies.study import Study

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


def frank_records(judgements: Sequence[Judgement], criterion: str | None = None) -> list[dict[str, Any]]:
    """Return one record per summary with the columns of the FRANK release, from votes on its sentences."""
    votes: dict[tuple[str, str], dict[int, dict[str, list[str]]]] = {}
    for judgement in judgements:
        if criterion not in (None, judgement.criterion) or not judgement.unit.startswith("sentence:"):
            continue
        number = judgement.unit.removeprefix("sentence:")
        if not number.isdecimal() or not isinstance(judgement.value, str):
            raise AssayError(
                f"{judgement.id} of {judgement.system}: {judgement.value!r} for '{judgement.unit}' is not a vote on a "
                "sentence"
            )
        sentence = votes.setdefault((judgement.id, judgement.system), {}).setdefault(int(number), {})
        if judgement.annotator in sentence:
            raise AssayError(
                f"{judgement.id} of {judgement.system}: two votes of {judgement.annotator} on one sentence"
            )
        sentence[judgement.annotator] = list(errors_of(judgement.value))
    if not votes:
        raise AssayError("no votes on sentences; FRANK's columns need units sentence:0, sentence:1, ...")
    records = []
    for (id, system), sentences in votes.items():
        ordered = [sentences[number] for number in sorted(sentences)]
        released = columns(verdicts(ordered))
        name = id.removesuffix(f"/{system}")
        records.append({"hash": name, "model_name": system, "sentences": len(ordered), **released})
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


def write_bundle(study: Study, folder: Path) -> dict[str, int]:
    """Write a release bundle to a new folder.

    It has the judgements, those of blocked annotators and of the pilot, the texts with their systems, the annotators,
    the design, the instructions, the datasheet, the findings of the linter, and a manifest with digests.

    Returns:
        The number of records in each file.
    """
    if folder.exists() and any(folder.iterdir()):
        raise AssayError(f"{folder}: not empty; choose a new folder")
    folder.mkdir(parents=True, exist_ok=True)
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
