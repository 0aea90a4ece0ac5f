"""What was submitted to earlier versions, in a new one: answers to tasks whose items are the same, by its metrics."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select

from assay.benchmark.manifest import Manifest
from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.submission_record import another_name
from assay.records.documents import parse_json
from assay.records.recognize import gem_name
from assay.serving.audit import record
from assay.serving.database import new_id
from assay.serving.jobs import add_job
from assay.serving.tables import submissions

Row = dict[str, Any]


def carry_over(versions: HostedVersions, manifest: Manifest) -> int:
    """Queue every submission of other versions that answers a task of this one; how many. Of several of one name by one
    person the newest is taken. Asked again, it adds nothing, nor what was withdrawn since."""
    asked = select(submissions).where(
        submissions.c.benchmark == manifest.name, submissions.c.version != manifest.version,
        submissions.c.state.in_(("queued", "scored")),
    )  # fmt: skip
    with versions.server.database.read() as connection:
        rows = [dict(row) for row in connection.execute(asked.order_by(submissions.c.id.desc())).mappings()]
    newest = {(row["person"], row["name"]): row for row in reversed(rows)}
    carried = 0
    for row in newest.values():
        then, _ = versions.open(manifest.name, row["version"])
        items = {task.name: task.sha256 for task in then.manifest.tasks}
        same = {task.name for task in manifest.tasks if items.get(task.name) == task.sha256} & set(row["tasks"])
        if same:
            carried += _queue(versions, manifest, row, sorted(same))
    return carried


def _queue(versions: HostedVersions, manifest: Manifest, row: Row, tasks: list[str]) -> bool:
    server = versions.server
    digest = row["sha256"]
    if tasks != row["tasks"]:
        content = parse_json(server.blobs.get(digest), "submission", unique=True)
        content["tasks"] = {key: value for key, value in content["tasks"].items() if gem_name(key) in tasks}
        digest = server.blobs.put(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    with server.database.write() as connection:
        if _known(connection, manifest, row, digest):
            return False
        made = new_id()
        here = (submissions.c.benchmark == manifest.name, submissions.c.version == manifest.version)
        taken = connection.execute(select(submissions.c.id).where(*here, submissions.c.system == row["system"])).first()
        note = {
            "task": "", "id": None, "problem": f"carried over from version {row['version']}",
            "remedy": "withdraw it if you do not want that", "grave": False,
        }  # fmt: skip
        new = row | {
            "id": made, "version": manifest.version, "sha256": digest, "tasks": tasks, "findings": [note],
            "system": another_name(row["system"], made) if taken else row["system"], "pseudonym": "",
            "state": "queued", "error": "", "scores": {}, "held_back": {}, "result": None, "copy": None, "done": None,
        }  # fmt: skip
        server.blobs.name(connection, digest)
        connection.execute(submissions.insert().values(new))
        add_job(connection, "score", f"score:{made}", {"submission": made})
        what = f"{scope_of(manifest.name)}/{manifest.version}/{made}"
        record(connection, "", "submission.carry", what, source=row["id"])
    return True


def _known(connection: Connection, manifest: Manifest, row: Row, digest: str) -> bool:
    """Whether this person's is here already, carried over or sent anew under its name."""
    own = select(submissions.c.id).where(
        submissions.c.benchmark == manifest.name, submissions.c.version == manifest.version,
        submissions.c.person == row["person"],
        (submissions.c.sha256 == digest) | (submissions.c.name == row["name"]),
    )  # fmt: skip
    return connection.execute(own).first() is not None
