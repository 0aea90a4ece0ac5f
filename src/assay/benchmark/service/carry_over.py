"""Carrying submissions over to a new version of a benchmark: outputs for tasks whose items are unchanged."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select

from assay.benchmark.manifest import BenchmarkManifest
from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.submission_record import distinct_system_name
from assay.records.documents import parse_json
from assay.records.recognize import gem_name
from assay.serving.audit import record
from assay.serving.database import new_id
from assay.serving.jobs import add_job
from assay.serving.tables import submissions

Row = dict[str, Any]


def carry_over(versions: HostedVersions, manifest: BenchmarkManifest) -> int:
    """Queue the submissions to other versions that have outputs for a task of this one; return their number.

    Of several submissions of a user with the same name, the newest is used. Calling it again adds nothing.
    """
    query = select(submissions).where(
        submissions.c.benchmark == manifest.name, submissions.c.version != manifest.version,
        submissions.c.state.in_(("queued", "scored")),
    )  # fmt: skip
    with versions.server.database.read() as connection:
        rows = [dict(row) for row in connection.execute(query.order_by(submissions.c.id.desc())).mappings()]
    newest = {(row["person"], row["name"]): row for row in reversed(rows)}
    carried = 0
    for row in newest.values():
        then, _ = versions.open(manifest.name, row["version"])
        items = {task.name: task.sha256 for task in then.manifest.tasks}
        same = {task.name for task in manifest.tasks if items.get(task.name) == task.sha256} & set(row["tasks"])
        if same:
            carried += _queue(versions, manifest, row, sorted(same))
    return carried


def _queue(versions: HostedVersions, manifest: BenchmarkManifest, row: Row, tasks: list[str]) -> bool:
    server = versions.server
    digest = row["sha256"]
    if tasks != row["tasks"]:
        content = parse_json(server.blobs.get(digest), "submission", unique=True)
        content["tasks"] = {key: value for key, value in content["tasks"].items() if gem_name(key) in tasks}
        digest = server.blobs.put(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    with server.database.write() as connection:
        if _known(connection, manifest, row, digest):
            return False
        id = new_id()
        here = (submissions.c.benchmark == manifest.name, submissions.c.version == manifest.version)
        taken = connection.execute(select(submissions.c.id).where(*here, submissions.c.system == row["system"])).first()
        note = {
            "task": "", "id": None, "problem": f"carried over from version {row['version']}",
            "remedy": "withdraw it if it should not be scored in this version", "grave": False,
        }  # fmt: skip
        new = row | {
            "id": id, "version": manifest.version, "sha256": digest, "tasks": tasks, "findings": [note],
            "system": distinct_system_name(row["system"], id) if taken else row["system"], "pseudonym": "",
            "state": "queued", "error": "", "scores": {}, "held_back": {}, "result": None, "copy": None, "done": None,
        }  # fmt: skip
        server.blobs.name(connection, digest)
        connection.execute(submissions.insert().values(new))
        add_job(connection, "score", f"score:{id}", {"submission": id})
        what = f"{scope_of(manifest.name)}/{manifest.version}/{id}"
        record(connection, "", "submission.carry", what, source=row["id"])
    return True


def _known(connection: Connection, manifest: BenchmarkManifest, row: Row, digest: str) -> bool:
    """Return whether the submission was carried over before, or its user submitted one of the same name here."""
    own = select(submissions.c.id).where(
        submissions.c.benchmark == manifest.name, submissions.c.version == manifest.version,
        submissions.c.person == row["person"],
        (submissions.c.sha256 == digest) | (submissions.c.name == row["name"]),
    )  # fmt: skip
    return connection.execute(own).first() is not None
