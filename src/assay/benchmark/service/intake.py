"""Taking a submission: validated, then stored as a whole with its job, once, however often it is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.publishing import ask_to_publish
from assay.benchmark.submission import Submission, parse_submission
from assay.benchmark.submission_record import another_name, system_name
from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.serving.accounts import Who
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.database import later, new_id, now
from assay.serving.jobs import DONE, FAILED, add_job, retry
from assay.serving.tables import people, submissions

LONGEST = 200
"""Letters of a submission's name."""


@dataclass
class Taken:
    """What became of a submission: its row, or what keeps it from being taken."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    row: dict[str, Any] | None = None
    new: bool = False

    @property
    def valid(self) -> bool:
        return not any(finding["grave"] for finding in self.findings)


def look(versions: HostedVersions, name: str, version: str, content: bytes) -> tuple[Taken, Submission | None]:
    """What is wrong with a submission, and nothing stored."""
    from assay.benchmark.validation import validate

    _, examples = versions.open(name, version)
    try:
        given = parse_submission(parse_json(content, "submission", unique=True), "submission")
        if len(given.name) > LONGEST or "\0" in given.name:
            raise AssayError(f"submission_name: has more than {LONGEST} letters or a null byte; choose a shorter one")
        found = validate(given, examples)
    except AssayError as error:
        problem, _, remedy = str(error).partition("; ")
        finding = {"task": "", "id": None, "problem": problem, "remedy": remedy or "mend the file", "grave": True}
        return Taken([finding]), None
    return Taken([finding.plain() for finding in found.findings]), given


def take(versions: HostedVersions, who: Who, name: str, version: str, content: bytes) -> Taken:
    """Store a submission that is valid, with a job that scores it. The same content again gives what was stored, and
    brings it back if it was withdrawn."""
    taken, given = look(versions, name, version, content)
    if given is None or not taken.valid:
        return taken
    server = versions.server
    digest = server.blobs.put(content)
    for _ in range(3):  # PostgreSQL lets two come to the same point; one of them looks again
        try:
            with server.database.write() as connection:
                taken.row, taken.new = _store(connection, versions, who, (name, version), given, digest, taken.findings)
            return taken
        except IntegrityError:
            continue
    raise RefusedError("somebody else changed the same just now; send it again", 409)


def _store(
    connection: Connection, versions: HostedVersions, who: Who, place: tuple[str, str], given: Submission, digest: str,
    findings: list[dict[str, Any]],
) -> tuple[dict[str, Any], bool]:  # fmt: skip
    name, version = place
    connection.execute(select(people.c.id).where(people.c.id == who.id).with_for_update()).first()
    here = (submissions.c.benchmark == name, submissions.c.version == version)
    own = select(submissions).where(*here, submissions.c.person == who.id)
    known = connection.execute(own.where(submissions.c.sha256 == digest)).mappings().first()
    if known is not None and known["state"] != "withdrawn":
        return dict(known), False
    if not versions.is_open(connection, name, version):
        raise RefusedError(f"{name} {version} takes no more submissions; look for a newer version", 403)
    same = own.where(submissions.c.name == given.name, submissions.c.state != "withdrawn")
    if connection.execute(same).first() is not None:
        raise RefusedError(f"you have sent another one called {given.name}; give this one another submission_name", 409)
    most = versions.server.settings.submissions_per_day
    lately = own.with_only_columns(func.count()).where(submissions.c.received > later(days=-1))
    if int(connection.execute(lately).scalar() or 0) >= most:
        raise RefusedError(f"{most} submissions a day, and you have sent them; come back tomorrow", 429)
    if known is not None:
        return _put_back(connection, who, dict(known)), True
    made = new_id()
    system = system_name(given.name)
    taken = select(submissions.c.id).where(*here, submissions.c.system == system)
    # Whose the other is stays their own affair; what nobody may know of yet is never in anybody's way.
    if given.anonymous or connection.execute(taken).first() is not None:
        system = another_name(system, made)
    row = {
        "id": made, "benchmark": name, "version": version, "person": who.id, "name": given.name, "system": system,
        "sha256": digest, "received": now(), "pseudonym": "", "anonymous": given.anonymous,
        "anonymous_until": given.anonymous_until, "tasks": sorted(given.answers), "findings": findings,
        "state": "queued", "error": "", "scores": {}, "held_back": {}, "result": None, "copy": None, "done": None,
    }  # fmt: skip
    versions.server.blobs.name(connection, digest)
    connection.execute(submissions.insert().values(row))
    add_job(connection, "score", f"score:{made}", {"submission": made})
    record(connection, who.id, "submission.take", f"{scope_of(name)}/{version}/{made}", sha256=digest)
    return row, True


def _put_back(connection: Connection, who: Who, row: dict[str, Any]) -> dict[str, Any]:
    """What was withdrawn and is sent again: as it was scored, or in the queue once more."""
    row |= {"state": "scored" if row["result"] else "queued", "error": ""}
    own = submissions.update().where(submissions.c.id == row["id"])
    connection.execute(own.values(state=row["state"], error=""))
    record(connection, who.id, "submission.return", f"{scope_of(row['benchmark'])}/{row['version']}/{row['id']}")
    if row["result"]:
        ask_to_publish(connection, row["benchmark"], row["version"])
    else:
        retry(connection, f"score:{row['id']}", ended=(DONE, FAILED))
    return row
