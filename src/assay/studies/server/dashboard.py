"""The dashboard of a study: progress, agreement, annotators and exports."""

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
from assay.serving.tables import annotators, drafts, studies, study_events
from assay.show import escape
from assay.studies.anchoring import anchoring, disagreements
from assay.studies.interim import disputed, results_so_far
from assay.studies.judgements import hashed, study_judgements
from assay.studies.quality import bonuses_owed, trap_score
from assay.studies.server.drafts import Draft, task_prefix
from assay.studies.server.screens import screens_of
from assay.studies.server.sign_in import completion_code
from assay.studies.server.store import load_study
from assay.studies.status import flags, live_agreement, progress
from assay.studies.stopping import verdicts_so_far
from assay.studies.study import Study

EXPORTS = {
    "judgements": "application/x-ndjson", "gem": "text/csv", "frank": "application/json", "bundle": "application/zip",
    "datasheet": "text/markdown", "journal": "application/x-ndjson", "payments": "text/csv",
}  # fmt: skip
"""Media type of each export."""
FILE_NAMES = {
    "judgements": "judgements.jsonl", "gem": "gem.csv", "frank": "frank.json", "bundle": "bundle.zip",
    "datasheet": "datasheet.md", "journal": "journal.jsonl", "payments": "payments.csv",
}  # fmt: skip


OpenTasks = dict[tuple[str, str], tuple[str, int]]
NOTHING_OPEN = {"entered": 0, "screens": 0}


class Reports:
    """Reports on studies, computed again after each change. They are computed from the database, outside the
    annotation queue, so that annotators do not wait for them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._reports: dict[str, tuple[tuple[int, int], dict[str, Any], OpenTasks]] = {}

    def of(self, id: str) -> dict[str, Any]:
        """Return the report on a study."""
        with self.database.read() as connection:
            version = _version(connection, id)
            known = self._reports.get(id)
            if known is None or known[0] != version:
                study = load_study(connection, id).study
                known = self._reports[id] = version, report(study), open_tasks(study)
            # Drafts change with every key, so they are counted each time and do not belong to the version.
            entered = entered_screens(connection, id, known[2])
        people = [row | entered.get(row["person"], NOTHING_OPEN) for row in known[1]["people"]]
        return known[1] | {"people": people}


def open_tasks(study: Study) -> OpenTasks:
    """Return the hashed name of the annotator and the number of screens of each open task, by annotator and key."""
    return {
        (each.annotator, task_prefix(each.task)): (hashed(study, each.annotator), len(screens_of(study, each)))
        for each in study.open_assignments()
    }


def entered_screens(connection: Connection, id: str, tasks: OpenTasks) -> dict[str, dict[str, int]]:
    """Return by hashed name on how many screens of the open task an annotator has entered something."""
    counted = {person: {"entered": 0, "screens": screens} for person, screens in tasks.values()}
    query = select(drafts.c.person, drafts.c.place, drafts.c.content).where(drafts.c.study == id)
    for person, place, content in connection.execute(query):
        owner = tasks.get((person, place[: place.rfind("|") + 1]))
        if owner and msgspec.json.decode(content, type=Draft).form:
            counted[owner[0]]["entered"] += 1
    return counted


def _version(connection: Connection, id: str) -> tuple[int, int]:
    """Return a value that differs after every change of a study."""
    generation = connection.execute(select(studies.c.generation).where(studies.c.id == id)).scalar()
    if generation is None:
        raise AssayError(f"no study called {id[:80]}")
    last = select(func.coalesce(func.max(study_events.c.seq), 0)).where(study_events.c.study == id)
    return generation, int(connection.execute(last).scalar_one())


def report(study: Study) -> dict[str, Any]:
    """Return the values of a dashboard, with annotators under hashed names."""
    flagged, owed = flags(study), bonuses_owed(study)
    rows = []
    for name, who in study.annotators.items():
        own = [study.assignments[each] for each in who.assignments]
        done = [each for each in own if each.done]
        rows.append(
            {
                "person": hashed(study, name),
                "answered": len(done),
                "minutes": round(sum(each.seconds or 0.0 for each in done) / 60, 1),
                "traps": trap_score(who),
                "bonus": owed[name],
                "blocked": who.blocked,
                "open": sum(each.state == "open" for each in own),
                "flags": flagged.get(hashed(study, name), []),
            }
        )
    return {
        "progress": progress(study),
        "agreement": live_agreement(study),
        "people": rows,
        "disputed": disputed(study),
        "results": results_so_far(study),
        "verdicts": verdicts_so_far(study),
        "anchoring": anchoring(study),
        "disagreements": disagreements(study),
    }


def study_ids(connection: Connection) -> list[str]:
    """Return the ids of all studies on the server."""
    return list(connection.execute(select(studies.c.id).order_by(studies.c.id)).scalars())


def export(database: Database, secret: Secret, id: str, form: str) -> bytes:
    """Return the content of an export; `form` is a key of `EXPORTS`."""
    from assay.studies.datasheet import datasheet, datasheet_markdown
    from assay.studies.exports import frank_records, gem_csv

    with database.read() as connection:
        loaded = load_study(connection, id)
        study = loaded.study
        if form == "journal":
            events = select(study_events.c.event).where(study_events.c.study == id).order_by(study_events.c.seq)
            return "".join(f"[{event}]\n" for event in connection.execute(events).scalars()).encode()
        if form == "payments":
            rows = connection.execute(select(annotators).where(annotators.c.study == id)).mappings().all()
            parameters = {row["person"]: row["parameters"] for row in rows}
            codes = {name: completion_code(secret, id, name, loaded.materials.code) for name in study.annotators}
            return _payments(study, codes, parameters).encode()
    if form == "bundle":
        return _bundle(study)
    if form == "datasheet":
        return datasheet_markdown(datasheet(study.design, study)).encode()
    judgements = list(study_judgements(study))
    if not judgements:
        raise AssayError(f"study {id}: no judgements yet")
    if form == "judgements":
        return b"".join(msgspec.json.encode(each) + b"\n" for each in judgements)
    return (gem_csv(judgements) if form == "gem" else to_json(frank_records(judgements)) + "\n").encode()


def _bundle(study: Study) -> bytes:
    from assay.studies.exports import write_bundle

    content = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        release = Path(folder) / "release"
        write_bundle(study, release)
        for path in sorted(release.rglob("*")):
            archive.write(path, path.relative_to(release.parent))
    return content.getvalue()


def _payments(study: Study, codes: dict[str, str], parameters: dict[str, dict[str, str]]) -> str:
    """Return pay and bonus of each annotator as CSV, with plain names, which platforms need for payments."""
    people, owed = study.design.people, bonuses_owed(study)
    content = io.StringIO()
    table = csv.writer(content, lineterminator="\n")
    table.writerow(["person", "name_in_exports", "platform", "tasks", "pay", "bonus", "currency", "code", "blocked"])
    for name, who in study.annotators.items():
        done = [study.assignments[each] for each in who.assignments if study.assignments[each].done]
        hours = sum(each.seconds or 0.0 for each in done) / 3600
        pay = len(done) * people.pay if people.pay is not None else hours * (people.pay_per_hour or 0.0)
        code = codes[name] if done else ""
        platform = " ".join(f"{key}={value}" for key, value in (parameters.get(name) or {}).items())
        money = [f"{pay:.2f}", f"{owed[name]:.2f}", people.currency]
        row = [name, hashed(study, name), platform, len(done), *money, code, who.blocked]
        table.writerow([escape.csv(str(cell)) for cell in row])
    return content.getvalue()
