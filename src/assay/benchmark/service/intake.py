"""Intake of submissions: validation, then storage with a scoring job in one transaction, once per content."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.publishing import request_publication
from assay.benchmark.submission import Finding, parse_submission
from assay.benchmark.submission_record import distinct_system_name, system_name
from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.serving.accounts import User
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.bounded import SHARED
from assay.serving.database import later, new_id, now
from assay.serving.jobs import DONE, FAILED, add_job, retry
from assay.serving.tables import people, submissions

if TYPE_CHECKING:
    from assay.records.read import ExampleFile

LONGEST = 200
"""Maximum number of characters of a submission's name."""


@dataclass
class Intake:
    """The result of an intake: the stored row, or the findings that prevent acceptance."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    row: dict[str, Any] | None = None
    new: bool = False
    """Whether the submission was not stored before."""

    @property
    def valid(self) -> bool:
        return not any(finding["grave"] for finding in self.findings)


class SubmissionFacts(NamedTuple):
    """What the server stores of a valid submission next to its file."""

    name: str
    anonymous: bool
    anonymous_until: str
    tasks: list[str]


def validate_file(
    versions: HostedVersions, name: str, version: str, file: Path
) -> tuple[Intake, SubmissionFacts | None]:
    """Validate a submission without storing it; the facts are None if it cannot be parsed."""
    from assay.benchmark.submission_store import MANIFEST

    stored, _ = versions.open(name, version)
    findings, facts = SHARED.call(f"{__name__}:validated", str(stored.folder / MANIFEST), str(file))
    return Intake(findings), facts


def validated(manifest: str, file: str) -> tuple[list[dict[str, Any]], SubmissionFacts | None]:
    """Return the findings and the facts of a submission; called in a process with limits."""
    from assay.benchmark.validation import validate

    try:
        content = Path(file).read_bytes()
        submission = parse_submission(parse_json(content, "submission", unique=True), "submission")
        if len(submission.name) > LONGEST or "\0" in submission.name:
            raise AssayError(f"submission_name is longer than {LONGEST} characters or has a null byte. Shorten it.")
        validation = validate(submission, _examples(manifest))
    except AssayError as error:
        problem, remedy = _split(str(error))
        return [Finding("", None, problem, remedy or "correct the file").plain()], None
    facts = SubmissionFacts(submission.name, submission.anonymous, submission.anonymous_until, sorted(submission.tasks))
    return [finding.plain() for finding in validation.findings], facts


@lru_cache(maxsize=4)
def _examples(manifest: str) -> dict[str, ExampleFile]:
    """Return the items of a frozen version, which never change."""
    from assay.benchmark.freezing import frozen_examples

    return frozen_examples(Path(manifest))[1]


def _split(message: str) -> tuple[str, str]:
    """Split an error message into problem and remedy."""
    problem, separator, remedy = message.partition(". ")
    if not separator:
        problem, _, remedy = message.partition("; ")
    return problem.removesuffix("."), remedy


def accept(versions: HostedVersions, who: User, name: str, version: str, file: Path) -> Intake:
    """Store a valid submission with a scoring job.

    The same content sent again returns the stored submission, and restores it if it was withdrawn.
    """
    intake, submission = validate_file(versions, name, version, file)
    if submission is None or not intake.valid:
        return intake
    server = versions.server
    digest = server.blobs.put_file(file)
    for _ in range(3):  # two PostgreSQL transactions may insert at the same time; one of them retries
        try:
            with server.database.write() as connection:
                intake.row, intake.new = _store(
                    connection, versions, who, (name, version), submission, digest, intake.findings
                )
            return intake
        except IntegrityError:
            continue
    raise RefusedError("The same submission was changed at the same time. Send it again.", 409)


def _store(
    connection: Connection, versions: HostedVersions, who: User, place: tuple[str, str], submission: SubmissionFacts,
    digest: str, findings: list[dict[str, Any]],
) -> tuple[dict[str, Any], bool]:  # fmt: skip
    name, version = place
    connection.execute(select(people.c.id).where(people.c.id == who.id).with_for_update()).first()
    here = (submissions.c.benchmark == name, submissions.c.version == version)
    own = select(submissions).where(*here, submissions.c.person == who.id)
    known = connection.execute(own.where(submissions.c.sha256 == digest)).mappings().first()
    if known is not None and known["state"] != "withdrawn":
        return dict(known), False
    if not versions.is_open(connection, name, version):
        raise RefusedError(f"{name} {version} no longer accepts submissions. Look for a newer version.", 403)
    same = own.where(submissions.c.name == submission.name, submissions.c.state != "withdrawn")
    if connection.execute(same).first() is not None:
        raise RefusedError(f"You have a submission named {submission.name}. Choose another submission_name.", 409)
    most = versions.server.settings.submissions_per_day
    lately = own.with_only_columns(func.count()).where(submissions.c.received > later(days=-1))
    if int(connection.execute(lately).scalar() or 0) >= most:
        raise RefusedError(f"Limit of {most} submissions per day reached. Try again tomorrow.", 429)
    if known is not None:
        return _restore(connection, who, dict(known)), True
    id = new_id()
    system = system_name(submission.name)
    taken = select(submissions.c.id).where(*here, submissions.c.system == system)
    # The name must not reveal submissions of other users, in particular anonymous ones.
    if submission.anonymous or connection.execute(taken).first() is not None:
        system = distinct_system_name(system, id)
    row = {
        "id": id, "benchmark": name, "version": version, "person": who.id, "name": submission.name, "system": system,
        "sha256": digest, "received": now(), "pseudonym": "", "anonymous": submission.anonymous,
        "anonymous_until": submission.anonymous_until, "tasks": submission.tasks, "findings": findings,
        "state": "queued", "error": "", "scores": {}, "held_back": {}, "result": None, "copy": None, "done": None,
    }  # fmt: skip
    versions.server.blobs.name(connection, digest)
    connection.execute(submissions.insert().values(row))
    add_job(connection, "score", f"score:{id}", {"submission": id})
    record(connection, who.id, "submission.take", f"{scope_of(name)}/{version}/{id}", sha256=digest)
    return row, True


def _restore(connection: Connection, who: User, row: dict[str, Any]) -> dict[str, Any]:
    """Restore a withdrawn submission: with its scores, or queued again."""
    row |= {"state": "scored" if row["result"] else "queued", "error": ""}
    own = submissions.update().where(submissions.c.id == row["id"])
    connection.execute(own.values(state=row["state"], error=""))
    record(connection, who.id, "submission.return", f"{scope_of(row['benchmark'])}/{row['version']}/{row['id']}")
    if row["result"]:
        request_publication(connection, row["benchmark"], row["version"])
    else:
        retry(connection, f"score:{row['id']}", ended=(DONE, FAILED))
    return row
