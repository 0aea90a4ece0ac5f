"""A study for others: FRANK's columns, GEM's table, and a bundle with everything that is needed to use it again."""

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
    """One record a summary with FRANK's released columns, from votes on its sentences."""
    votes: dict[tuple[str, str], dict[int, dict[str, list[str]]]] = {}
    for judgement in judgements:
        if criterion not in (None, judgement.criterion) or not judgement.unit.startswith("sentence:"):
            continue
        number = judgement.unit.removeprefix("sentence:")
        if not number.isdecimal() or not isinstance(judgement.value, str):
            raise AssayError(
                f"{judgement.id} of {judgement.system}: '{judgement.unit}' with {judgement.value!r} is no vote on a "
                "sentence"
            )
        sentence = votes.setdefault((judgement.id, judgement.system), {}).setdefault(int(number), {})
        if judgement.annotator in sentence:
            raise AssayError(f"{judgement.id} of {judgement.system}: two votes of {judgement.annotator} on a sentence")
        sentence[judgement.annotator] = list(errors_of(judgement.value))
    if not votes:
        raise AssayError("no votes on sentences (unit sentence:0, sentence:1, ...); FRANK's columns are made of these")
    records = []
    for (id, system), sentences in votes.items():
        ordered = [sentences[number] for number in sorted(sentences)]
        made = columns(verdicts(ordered))
        name = id.removesuffix(f"/{system}")
        records.append({"hash": name, "model_name": system, "sentences": len(ordered), **made})
    return records


def gem_csv(judgements: Iterable[Judgement]) -> str:
    """Ratings by submission, item, criterion and annotator; cells cannot begin a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(GEM_COLUMNS)
    for judgement in judgements:
        fields = msgspec.structs.asdict(judgement) | {"submission": judgement.system, "gem_id": judgement.id}
        cells = [fields[name] for name in GEM_COLUMNS]
        writer.writerow(["" if cell is None else escape.csv(cell) if isinstance(cell, str) else cell for cell in cells])
    return stream.getvalue()


def write_bundle(study: Study, folder: Path) -> dict[str, int]:
    """Answers, those kept apart, pilot, texts with their systems, people, design, instructions, datasheet, digests."""
    if folder.exists() and any(folder.iterdir()):
        raise AssayError(f"{folder}: is not empty; name a new folder")
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
    counts["people.jsonl"] = write_jsonl(folder / "people.jsonl", people(study))
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


def people(study: Study) -> list[dict[str, Any]]:
    """Who took part, under hashed names: work, checks, and why somebody was blocked."""
    rows = []
    for name, person in study.people.items():
        held = [study.assignments[each] for each in person.assignments]
        checks: dict[str, list[float]] = {}
        for check in person.checks:
            right, of = checks.setdefault(check.check, [0.0, 0.0])
            checks[check.check] = [right + check.right, of + check.of]
        rows.append(
            {
                "annotator": hashed(study, name),
                "finished": sum(each.done for each in held),
                "unfinished": sum(not each.done for each in held),
                "seconds": sum(each.seconds or 0.0 for each in held),
                "checks": checks,
                "bonus": sum(each.amount for each in person.bonuses),
                "blocked": person.blocked,
            }
        )
    return rows
