"""What somebody who runs a study sees of it: progress, agreement, people; and what they take away."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from assay.errors import AssayError
from assay.records import to_json
from assay.serving.database import Database
from assay.serving.secret import Secret
from assay.serving.tables import annotators, studies, study_events
from assay.show import escape
from assay.studies.judgements import hashed, study_judgements
from assay.studies.quality import bonuses_owed, trap_score
from assay.studies.server.entrance import completion_code
from assay.studies.server.store import read_known
from assay.studies.status import flags, live_agreement, progress
from assay.studies.study import Study

EXPORTS = {
    "judgements": "application/x-ndjson", "gem": "text/csv", "frank": "application/json", "bundle": "application/zip",
    "datasheet": "text/markdown", "journal": "application/x-ndjson", "payments": "text/csv",
}  # fmt: skip
ENDINGS = {
    "judgements": "judgements.jsonl", "gem": "gem.csv", "frank": "frank.json", "bundle": "bundle.zip",
    "datasheet": "datasheet.md", "journal": "journal.jsonl", "payments": "payments.csv",
}  # fmt: skip


class Reports:
    """Reports on studies, made anew when something has happened. Folded from the database beside the desk, so that
    nobody who answers waits for them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._made: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}

    def of(self, id: str) -> dict[str, Any]:
        with self.database.read() as connection:
            state = _state(connection, id)
            kept = self._made.get(id)
            if kept is not None and kept[0] == state:
                return kept[1]
            study = read_known(connection, id).study
        made = report(study)
        self._made[id] = state, made
        return made


def _state(connection: Connection, id: str) -> tuple[int, int]:
    """What changes with whatever happens in a study."""
    generation = connection.execute(select(studies.c.generation).where(studies.c.id == id)).scalar()
    if generation is None:
        raise AssayError(f"there is no study called {id[:80]}")
    last = select(func.coalesce(func.max(study_events.c.seq), 0)).where(study_events.c.study == id)
    return generation, int(connection.execute(last).scalar_one())


def report(study: Study) -> dict[str, Any]:
    """Everything on a study's page, with people under the names that exports have."""
    noted, owed = flags(study), bonuses_owed(study)
    people = []
    for name, person in study.annotators.items():
        own = [study.assignments[each] for each in person.assignments]
        done = [each for each in own if each.done]
        people.append(
            {
                "person": hashed(study, name),
                "answered": len(done),
                "minutes": round(sum(each.seconds or 0.0 for each in done) / 60, 1),
                "traps": trap_score(person),
                "bonus": owed[name],
                "blocked": person.blocked,
                "open": sum(each.state == "open" for each in own),
                "flags": noted.get(hashed(study, name), []),
            }
        )
    return {"progress": progress(study), "agreement": live_agreement(study), "people": people}


def study_ids(connection: Connection) -> list[str]:
    return list(connection.execute(select(studies.c.id).order_by(studies.c.id)).scalars())


def export(database: Database, secret: Secret, id: str, form: str) -> bytes:
    """A study in a form that others read."""
    from assay.studies.datasheet import datasheet, datasheet_markdown
    from assay.studies.exports import frank_records, gem_csv

    with database.read() as connection:
        known = read_known(connection, id)
        study = known.study
        if form == "journal":
            events = select(study_events.c.event).where(study_events.c.study == id).order_by(study_events.c.seq)
            return "".join(f"[{event}]\n" for event in connection.execute(events).scalars()).encode()
        if form == "payments":
            rows = connection.execute(select(annotators).where(annotators.c.study == id)).mappings().all()
            sent = {row["person"]: row["parameters"] for row in rows}
            codes = {name: completion_code(secret, id, name, known.material.code) for name in study.annotators}
            return _payments(study, codes, sent).encode()
    if form == "bundle":
        return _bundle(study)
    if form == "datasheet":
        return datasheet_markdown(datasheet(study.design, study)).encode()
    given = list(study_judgements(study))
    if not given:
        raise AssayError(f"study {id}: nothing has been judged yet")
    if form == "judgements":
        return b"".join(msgspec.json.encode(each) + b"\n" for each in given)
    return (gem_csv(given) if form == "gem" else to_json(frank_records(given)) + "\n").encode()


def _bundle(study: Study) -> bytes:
    from assay.studies.exports import write_bundle

    held = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        where = Path(folder) / "release"
        write_bundle(study, where)
        for path in sorted(where.rglob("*")):
            archive.write(path, path.relative_to(where.parent))
    return held.getvalue()


def _payments(study: Study, codes: dict[str, str], sent: dict[str, dict[str, str]]) -> str:
    """Whom to pay what. The one export with names as people came by them: a platform pays nobody else."""
    people, owed = study.design.people, bonuses_owed(study)
    held = io.StringIO()
    table = csv.writer(held, lineterminator="\n")
    table.writerow(["person", "name_in_exports", "platform", "tasks", "pay", "bonus", "currency", "code", "blocked"])
    for name, person in study.annotators.items():
        done = [study.assignments[each] for each in person.assignments if study.assignments[each].done]
        hours = sum(each.seconds or 0.0 for each in done) / 3600
        pay = len(done) * people.pay if people.pay is not None else hours * (people.pay_per_hour or 0.0)
        code = codes[name] if done else ""
        platform = " ".join(f"{key}={value}" for key, value in (sent.get(name) or {}).items())
        money = [f"{pay:.2f}", f"{owed[name]:.2f}", people.currency]
        row = [name, hashed(study, name), platform, len(done), *money, code, person.blocked]
        table.writerow([escape.csv(str(cell)) for cell in row])
    return held.getvalue()
