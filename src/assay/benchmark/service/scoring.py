"""Jobs of a worker: score a submission, write its copy for the authors again, publish the results of a version.

All can be repeated; their result is written once, in the transaction that marks the job as done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, select

from assay.benchmark.bundle import packed, write_bundle
from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.publishing import publication, request_publication, scored_rows, today, wanted
from assay.benchmark.submission import parse_submission
from assay.benchmark.submission_record import SubmissionRecord, system_name
from assay.benchmark.submission_store import StoredVersion
from assay.benchmark.validation import validate
from assay.benchmark.visibility import Audience, has_more
from assay.errors import AssayError
from assay.records.documents import parse_json
from assay.serving.audit import record as log
from assay.serving.database import now
from assay.serving.tables import publications, submissions
from assay.serving.worker import Apply
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run

Row = dict[str, Any]


def handlers(versions: HostedVersions) -> dict[str, Callable[[Row], Apply]]:
    """Return the functions that run jobs, by kind."""
    return {
        "score": lambda payload: score(versions, payload["submission"]),
        "copy": lambda payload: write_copy(versions, payload["submission"]),
        "publish": lambda payload: publish(versions, payload["benchmark"], payload["version"]),
    }


def failures() -> dict[str, Callable[[Connection, Row, str], None]]:
    """Return the functions that record failed jobs, by kind."""

    def not_scored(connection: Connection, payload: Row, why: str) -> None:
        own = submissions.update().where(submissions.c.id == payload["submission"], submissions.c.state == "queued")
        connection.execute(own.values(state="failed", error=why[:500], done=now()))

    return {"score": not_scored}


def score(versions: HostedVersions, id: str) -> Apply:
    """Score a queued submission on all of its tasks."""
    server = versions.server
    with server.database.read() as connection:
        row = connection.execute(select(submissions).where(submissions.c.id == id)).mappings().first()
    if row is None or row["state"] != "queued":
        return lambda connection: None
    version, examples = versions.open_to_score(row["benchmark"], row["version"])
    sent = server.blobs.get(row["sha256"])
    submission = parse_submission(parse_json(sent, "submission", unique=True), "submission")
    if row["system"] != system_name(submission.name):  # the name was taken
        submission = replace(submission, name=row["system"])
    validation = validate(submission, examples)
    stored = version.put(submission, sent, validation.items, submission.card, row["sha256"])
    if failed := version.score(stored, cards=False):
        raise AssayError(f"{failed[0].dataset}: {failed[0].why}")
    values: Row = {
        "state": "scored", "error": "", "pseudonym": stored.pseudonym, "done": now(),
        "scores": _scores(version.results, stored), "held_back": _scores(version.held_back, stored),
        "result": server.blobs.put(packed(version.folder, _files(version, stored))),
        "copy": server.blobs.put(_copy(version, stored)),
    }  # fmt: skip

    def apply(connection: Connection) -> None:
        for name in ("result", "copy"):
            server.blobs.name(connection, values[name])
        own = submissions.update().where(submissions.c.id == id, submissions.c.state == "queued")
        if connection.execute(own.values(**values)).rowcount == 1:
            what = f"{scope_of(row['benchmark'])}/{row['version']}/{id}"
            log(connection, "", "submission.score", what, result=values["result"])
            request_publication(connection, row["benchmark"], row["version"])

    return apply


def _scores(results: Path, stored: SubmissionRecord) -> Row:
    scores = {}
    for task in stored.tasks:
        run = results / task / stored.system
        if is_run(run):
            result = load_run(run)
            scores[task] = {"n": result.n, "shown": list(result.shown), "scores": result.to_dict()["scores"]}
    return scores


def _files(version: StoredVersion, stored: SubmissionRecord) -> list[Path]:
    """Return all files of a submission in the store."""
    folders = [version.submissions / stored.system]
    folders += [out / task / stored.system for out in (version.results, version.held_back) for task in stored.tasks]
    return [file for folder in folders for file in folder.rglob("*")]


def _copy(version: StoredVersion, stored: SubmissionRecord) -> bytes:
    with TemporaryDirectory(prefix="assay-copy-") as folder:
        write_bundle(version, Path(folder) / "copy.zip", only=stored.system, audience="signed-in")
        return (Path(folder) / "copy.zip").read_bytes()


def write_copy(versions: HostedVersions, id: str) -> Apply:
    """Write the copy of a scored submission for its authors, unless it has one."""
    server = versions.server
    with server.database.read() as connection:
        row = connection.execute(select(submissions).where(submissions.c.id == id)).mappings().first()
    if row is None or not row["result"] or row["copy"]:
        return lambda connection: None
    version, _ = versions.open_to_score(row["benchmark"], row["version"])
    stored = next(each for each in version.records() if each.system == row["system"])
    copy = server.blobs.put(_copy(version, stored))

    def apply(connection: Connection) -> None:
        server.blobs.name(connection, copy)
        without = (submissions.c.id == id, submissions.c.copy.is_(None))
        connection.execute(submissions.update().where(*without).values(copy=copy))

    return apply


def publish(versions: HostedVersions, name: str, version: str) -> Apply:
    """Write the public bundle of a version, unless it is current."""
    server = versions.server
    with server.database.read() as connection:
        content, current = wanted(connection, name, version), publication(connection, name, version)
        scored = {row["system"] for row in scored_rows(connection, name, version)}
    if content == (current["content"] if current else ""):
        return lambda connection: None
    bundles: dict[Audience, str] = {}
    if scored:
        stored, _ = versions.open_to_score(name, version)
        others = {record.system for record in stored.records()} - scored
        audiences: list[Audience] = ["public", "signed-in"] if has_more(stored.manifest) else ["public"]
        with TemporaryDirectory(prefix="assay-bundle-") as folder:
            for audience in audiences:
                out = Path(folder) / f"{audience}.zip"
                write_bundle(stored, out, day=today(), withdrawn=others, audience=audience)
                bundles[audience] = server.blobs.put_file(out)

    def apply(connection: Connection) -> None:
        here = (publications.c.benchmark == name, publications.c.version == version)
        connection.execute(publications.delete().where(*here))
        if bundles:
            for bundle in bundles.values():
                server.blobs.name(connection, bundle)
            row = {"benchmark": name, "version": version, "content": content, "bundle": bundles["public"]}
            connection.execute(
                publications.insert().values(**row, signed_in_bundle=bundles.get("signed-in"), made=now())
            )

    return apply
