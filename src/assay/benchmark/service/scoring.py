"""What a worker does: score a submission, publish what everybody may see.

Both may be begun any number of times; what came of it is written once, with the mark of the job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, select

from assay.benchmark.bundle import packed, write_bundle
from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.publishing import ask_to_publish, publication, scored_rows, today, wanted
from assay.benchmark.submission import parse_submission
from assay.benchmark.submission_record import SubmissionRecord, system_name
from assay.benchmark.submission_store import StoredVersion
from assay.benchmark.validation import validate
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
    return {
        "score": lambda payload: score(versions, payload["submission"]),
        "publish": lambda payload: publish(versions, payload["benchmark"], payload["version"]),
    }


def failures() -> dict[str, Callable[[Connection, Row, str], None]]:
    def not_scored(connection: Connection, payload: Row, why: str) -> None:
        own = submissions.update().where(submissions.c.id == payload["submission"], submissions.c.state == "queued")
        connection.execute(own.values(state="failed", error=why[:500], done=now()))

    return {"score": not_scored}


def score(versions: HostedVersions, id: str) -> Apply:
    server = versions.server
    with server.database.read() as connection:
        row = connection.execute(select(submissions).where(submissions.c.id == id)).mappings().first()
    if row is None or row["state"] != "queued":
        return lambda connection: None
    version, examples = versions.open_to_score(row["benchmark"], row["version"])
    sent = server.blobs.get(row["sha256"])
    given = parse_submission(parse_json(sent, "submission", unique=True), "submission")
    if row["system"] != system_name(given.name):  # another's was there first
        given = replace(given, name=row["system"])
    found = validate(given, examples)
    kept = version.put(given, sent, found.items, given.card, row["sha256"])
    if failed := version.score(kept, cards=False):
        raise AssayError(f"{failed[0].dataset}: {failed[0].why}")
    values: Row = {
        "state": "scored", "error": "", "pseudonym": kept.pseudonym, "done": now(),
        "scores": _numbers(version, version.results, kept), "held_back": _numbers(version, version.held_back, kept),
        "result": server.blobs.put(packed(version.folder, _files(version, kept))),
        "copy": server.blobs.put(_copy(version, kept)),
    }  # fmt: skip

    def apply(connection: Connection) -> None:
        for name in ("result", "copy"):
            server.blobs.name(connection, values[name])
        own = submissions.update().where(submissions.c.id == id, submissions.c.state == "queued")
        if connection.execute(own.values(**values)).rowcount == 1:
            what = f"{scope_of(row['benchmark'])}/{row['version']}/{id}"
            log(connection, "", "submission.score", what, result=values["result"])
            ask_to_publish(connection, row["benchmark"], row["version"])

    return apply


def _numbers(version: StoredVersion, results: Path, kept: SubmissionRecord) -> Row:
    found = {}
    for task in kept.tasks:
        run = results / task / kept.system
        if is_run(run):
            result = load_run(run)
            found[task] = {"n": result.n, "shown": list(result.shown), "scores": result.to_dict()["scores"]}
    return found


def _files(version: StoredVersion, kept: SubmissionRecord) -> list[Path]:
    """Everything a store has of one submission."""
    folders = [version.submissions / kept.system]
    folders += [out / task / kept.system for out in (version.results, version.held_back) for task in kept.tasks]
    return [file for folder in folders for file in folder.rglob("*")]


def _copy(version: StoredVersion, kept: SubmissionRecord) -> bytes:
    with TemporaryDirectory(prefix="assay-copy-") as made:
        write_bundle(version, Path(made) / "copy.zip", only=kept.system)
        return (Path(made) / "copy.zip").read_bytes()


def publish(versions: HostedVersions, name: str, version: str) -> Apply:
    server = versions.server
    with server.database.read() as connection:
        content, held = wanted(connection, name, version), publication(connection, name, version)
        scored = {row["system"] for row in scored_rows(connection, name, version)}
    if content == (held["content"] if held else ""):
        return lambda connection: None
    bundle = ""
    if scored:
        found, _ = versions.open_to_score(name, version)
        others = {record.system for record in found.records()} - scored
        with TemporaryDirectory(prefix="assay-bundle-") as made:
            write_bundle(found, Path(made) / "bundle.zip", day=today(), withdrawn=others)
            bundle = server.blobs.put((Path(made) / "bundle.zip").read_bytes())

    def apply(connection: Connection) -> None:
        here = (publications.c.benchmark == name, publications.c.version == version)
        connection.execute(publications.delete().where(*here))
        if bundle:
            server.blobs.name(connection, bundle)
            row = {"benchmark": name, "version": version, "content": content, "bundle": bundle, "made": now()}
            connection.execute(publications.insert().values(row))

    return apply
