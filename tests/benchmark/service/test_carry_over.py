"""A new version of a benchmark on a server scores what was submitted to the earlier one, where tasks are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from assay.benchmark.freezing import freeze
from assay.benchmark.manifest import read_manifest, write_manifest
from assay.benchmark.service.actions import withdraw
from assay.benchmark.service.carry_over import carry_over
from assay.serving.accounts import User
from assay.serving.tables import audit, submissions
from tests.support.made_benchmarks import MANIFEST
from tests.support.made_service import HIDDEN, MadeService, frozen
from tests.support.made_submissions import good

NEXT = MANIFEST.replace('version = "1"', 'version = "2"').replace('"bleu", "chrf"', '"bleu", "chrf", "ter"')
RETIRED = NEXT[: NEXT.rindex("[[tasks]]")]


def rows(service: MadeService, version: str) -> list[dict[str, Any]]:
    with service.server.database.read() as connection:
        found = connection.execute(select(submissions).where(submissions.c.version == version)).mappings()
        return [dict(row) for row in found]


@pytest.mark.parametrize(("manifest", "tasks"), [(NEXT, 2), (RETIRED, 1)])
def test_a_new_metric_scores_what_was_sent_before(
    service: MadeService, tmp_path: Path, manifest: str, tasks: int
) -> None:
    own = good()["tasks"]["tides_test"]
    both = {"tides_test": own, "winds_test": {key: values[:4] for key, values in own.items()}}
    assert service.submit("other", submission_name="both", tasks=both).status_code == 201
    service.work()
    before = rows(service, "1")
    added = service.versions.add(frozen(tmp_path / "next", manifest))
    assert carry_over(service.versions, added) == len(before) == 2
    assert service.work() > 0
    assert rows(service, "1") == before, "results stay with the version that made them"
    now = {row["name"]: row for row in rows(service, "2")}
    assert {row["state"] for row in now.values()} == {"scored"}
    assert {name: len(row["scores"]) for name, row in now.items()} == {HIDDEN: 1, "both": tasks}
    assert all("ter" in row["scores"]["tides_test"]["scores"] for row in now.values())
    assert now[HIDDEN]["anonymous"]
    assert "carried over from version 1" in str(now[HIDDEN]["findings"])
    assert HIDDEN not in service.program("other").get("/api/benchmarks/tides/versions/2/submissions").text
    with service.server.database.read() as connection:
        assert connection.execute(select(audit).where(audit.c.action == "submission.carry")).first()


def test_asked_again_it_adds_nothing_nor_what_was_withdrawn(service: MadeService, tmp_path: Path) -> None:
    added = service.versions.add(frozen(tmp_path / "next", NEXT))
    assert carry_over(service.versions, added) == 1
    author = User(service.people["author"], roles={"benchmark:tides": "submitter"})
    with service.server.database.write() as connection:
        withdraw(connection, author, str(rows(service, "2")[0]["id"]))
    assert carry_over(service.versions, added) == 0
    assert len(rows(service, "2")) == 1


def test_other_items_are_another_task(service: MadeService, tmp_path: Path) -> None:
    path = frozen(tmp_path / "next", NEXT)
    items = (tmp_path / "next" / "tides.jsonl", tmp_path / "next" / "winds.jsonl")
    for file in items:
        file.write_text(file.read_text().replace("The sea", "A sea"))
    path.write_text(NEXT)
    write_manifest(path, freeze(read_manifest(path), path.parent).manifest)
    assert carry_over(service.versions, service.versions.add(path)) == 0
    assert rows(service, "2") == []
