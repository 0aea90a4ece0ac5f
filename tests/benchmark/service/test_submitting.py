"""Submitting: taken once and whole, refused with place and remedy, scored by whoever is left alive."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError, OperationalError

from assay.errors import AssayError
from assay.serving.backup import back_up
from assay.serving.jobs import counts
from assay.serving.restore import restore
from assay.serving.server import open_server
from assay.serving.settings import Settings
from assay.serving.tables import jobs, submissions
from benchmarks.postgres import fresh_database
from tests.support.made_benchmarks import MANIFEST
from tests.support.made_service import HIDDEN, MadeService, csrf, frozen, made_service, sent
from tests.support.made_submissions import BROKEN, good
from tests.support.real_browser import run_async

W = "/api/benchmarks/tides/versions/1"
HOSTILE = "<script>alert(1)</script>'); DROP TABLE submissions; --"


def rows(service: MadeService) -> int:
    with service.server.database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(submissions)).scalar() or 0)


def test_nothing_is_stored_of_a_broken_one(service: MadeService) -> None:
    for kind, (changes, task, id, problem) in BROKEN.items():
        answer = service.submit("other", **changes)
        assert answer.status_code == 422, (kind, answer.text)
        found = [each for each in answer.json()["findings"] if each["grave"] and problem in each["problem"]]
        assert [(each["task"], each["id"]) for each in found][:1] == [(task, id)], kind
        assert all(each["remedy"] for each in found), kind
        assert rows(service) == 1, kind


def test_the_form_shows_what_was_found(service: MadeService) -> None:
    client = service.client("other")
    data = {"csrf": csrf(client), "text": json.dumps(good(param_count="3B", description=HOSTILE))}
    page = client.post("/b/tides/1/submit", data=data)
    assert page.status_code == 422
    assert "param_count is &#39;3B&#39;" in page.text
    assert "write an integer without unit" in page.text


TWICE = b'{"submission_name": "a", "tasks": {"tides_test": {"values": []}, "tides_test": {"values": []}}}'
NO_SUBMISSIONS = [TWICE, b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"tasks": 3}', b"[" * 100_000, b'"\\ud800"']


def test_what_is_no_submission(service: MadeService) -> None:
    for content in NO_SUBMISSIONS:
        answer = service.program("other").post(f"{W}/submissions", content=content)
        assert answer.status_code == 422, content[:20]
        assert answer.json()["findings"][0]["problem"]
        assert rows(service) == 1


NAMES = [HOSTILE, "a\0b", "../../etc", "x" * 500, "anonymous-1", " ", "\u202e", "\U0001f600"]


def test_hostile_names(service: MadeService) -> None:
    answers = [service.submit("other", submission_name=name, description=HOSTILE) for name in NAMES]
    assert [answer.status_code for answer in answers] == [201, 422, 201, 422, 201, 422, 201, 201]
    service.work()
    client = service.client("organiser")
    for id in [answer.json()["id"] for answer in answers if answer.status_code == 201]:
        told = service.program("other").get(f"/api/submissions/{id}").json()
        assert told["state"] == "scored", told["error"]
        assert "<script>alert" not in client.get(f"/submissions/{id}").text
    for path in ("/queue", "/b/tides/1", "/audit"):
        page = client.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    assert client.get("/b/tides/1/explore/api/overview").status_code == 200


def test_the_same_again_is_the_same(service: MadeService) -> None:
    first, second = service.submit("other"), service.submit("other")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    service.work()
    assert service.submit("other").json()["state"] == "scored"
    assert service.submit("other", description="changed").status_code == 409
    assert rows(service) == 2


def test_one_name_of_two_people(service: MadeService) -> None:
    """The name of a hidden submission is not given away, and neither takes the other's place."""
    answer = service.submit("other", submission_name=HIDDEN)
    assert answer.status_code == 201
    assert answer.json()["name"] == HIDDEN
    service.work()
    told = service.program("other").get(f"/api/submissions/{answer.json()['id']}").json()
    assert (told["state"], told["system"]) == ("scored", HIDDEN)  # letters added would say that somebody has it
    results = service.program("other").get(f"{W}/results").json()["results"]
    assert sorted(row["system"] for row in results) == ["anonymous-1", told["system"]]


def test_withdrawing(service: MadeService) -> None:
    id = service.submit("other").json()["id"]
    service.work()
    answer = service.program("other").post(f"/api/submissions/{id}/withdraw")
    assert answer.json()["state"] == "withdrawn"
    service.work()
    assert [row["system"] for row in service.program("reader").get(f"{W}/results").json()["results"]] == ["anonymous-1"]
    overview = service.client("reader").get("/b/tides/1/explore/api/overview").text
    assert "anonymous-1" in overview
    assert '"tides"' not in overview
    assert service.submit("other", description="another").status_code == 201


@pytest.mark.parametrize("when", ["scored", "queued", "queued and worked on"])
def test_what_was_withdrawn_comes_back_when_it_is_sent_again(service: MadeService, when: str) -> None:
    def public() -> list[str]:
        return [row["system"] for row in service.program("reader").get(f"{W}/results").json()["results"]]

    id = service.submit("other").json()["id"]
    if when == "scored":
        service.work()
    service.program("other").post(f"/api/submissions/{id}/withdraw")
    if when != "queued":
        service.work()
    assert public() == ["anonymous-1"]
    answer = service.submit("other")
    assert (answer.status_code, answer.json()["id"]) == (201, id)
    service.work()
    assert service.program("other").get(f"/api/submissions/{id}").json()["state"] == "scored"
    assert public() == ["anonymous-1", "tides"]
    assert service.submit("other").status_code == 200


def test_a_name_that_was_given_away_meanwhile_stays_given_away(service: MadeService) -> None:
    id = service.submit("other").json()["id"]
    service.program("other").post(f"/api/submissions/{id}/withdraw")
    assert service.submit("other", description="another").status_code == 201
    assert service.submit("other").status_code == 409


def test_withdrawing_the_last_leaves_nothing_public(service: MadeService) -> None:
    (id,) = [row["id"] for row in service.program("author").get("/api/queue").json()["submissions"]]
    service.program("author").post(f"/api/submissions/{id}/withdraw")
    service.work()
    assert service.client("reader").get("/b/tides/1/bundle.zip").status_code == 404


def test_anonymous_until_the_day(service: MadeService, monkeypatch: pytest.MonkeyPatch) -> None:
    def systems() -> list[str]:
        return [row["system"] for row in service.program("reader").get(f"{W}/results").json()["results"]]

    bundle = "/b/tides/1/explore/api/overview"
    assert systems() == ["anonymous-1"]
    assert HIDDEN not in service.client("reader").get(bundle).text
    for module in ("publishing", "scoring", "views"):
        monkeypatch.setattr(f"assay.benchmark.service.{module}.today", lambda: "2999-01-01")
    assert [name[:-8] for name in systems()] == [HIDDEN]
    assert HIDDEN not in service.client("reader").get(bundle).text  # asks for the new bundle
    assert service.work() == 1
    assert HIDDEN in service.client("reader").get(bundle).text


def test_quota(service: MadeService) -> None:
    service.server.settings = Settings(submissions_per_day=2)
    answers = [service.submit("other", submission_name=f"s{i}") for i in range(4)]
    assert [answer.status_code for answer in answers] == [201, 201, 429, 429]
    assert service.submit("other", submission_name="s0").status_code == 200  # what is there does not count again
    assert service.submit("organiser", submission_name="s0").status_code == 201


def test_too_long(service: MadeService) -> None:
    answer = service.submit("other", description="x" * 2_000_001)
    assert answer.status_code == 413
    client = service.client("other")
    data = {"csrf": csrf(client)}
    page = client.post("/b/tides/1/submit", data=data, files={"file": ("s.json", b"x" * 2_000_001)})
    assert page.status_code == 413
    assert rows(service) == 1


def test_a_closed_version_takes_nothing_new(service: MadeService) -> None:
    assert service.program("organiser").patch(W, json={"open": False}).status_code == 200
    assert service.submit("other").status_code == 403
    assert rows(service) == 1


def test_a_failure_is_shown_and_tried_again(service: MadeService, monkeypatch: pytest.MonkeyPatch) -> None:
    id = service.submit("other").json()["id"]

    def broken(*_: Any) -> Any:
        raise AssayError("tides_test: no room left on the disk")

    monkeypatch.setattr("assay.benchmark.submission_store.StoredVersion.put", broken)
    service.work()
    told = service.program("other").get(f"/api/submissions/{id}").json()
    assert told["state"] == "failed"
    assert "The organisers see the reason and can retry it." in told["error"]
    assert "no room left" not in service.client("other").get("/queue").text
    assert "no room left" in service.client("organiser").get("/queue").text
    monkeypatch.undo()
    assert service.program("other").post(f"/api/submissions/{id}/retry").status_code == 403
    assert service.program("organiser").post(f"/api/submissions/{id}/retry").status_code == 200
    service.work()
    assert service.program("other").get(f"/api/submissions/{id}").json()["state"] == "scored"


def test_many_at_once_on_postgresql(postgres: str, tmp_path: Path) -> None:
    """Each sent twice at the same time by the same person: stored once."""
    service = made_service(tmp_path, fresh_database(postgres, "service"))
    codes: list[int] = []

    def send(i: int) -> None:
        codes.append(service.submit("other", submission_name=f"s{i // 2}").status_code)

    threads = [threading.Thread(target=send, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [200] * 6 + [201] * 6
    service.work()
    with service.server.database.read() as connection:
        states = connection.execute(select(submissions.c.state, func.count()).group_by(submissions.c.state)).all()
        assert [tuple(row) for row in states] == [("scored", 7)]
        assert set(counts(connection)) == {"done"}
    assert service.program("reader").get(f"{W}/bundle.zip").status_code == 200
    nul = service.program("other").get("/api/submissions/a%00b")
    assert nul.status_code in (400, 404)
    service.server.database.close()


def test_a_restored_server_goes_on(service: MadeService, tmp_path: Path) -> None:
    """The stores on disk are not in a backup: they are made again from the blobs, with nothing computed anew."""
    service.submit("other")
    service.work()
    folder = service.server.folder
    back_up(service.server.database, folder, tmp_path / "a.tar")
    other = tmp_path / "other"
    restore(None, other, tmp_path / "a.tar")
    again = MadeService(open_server(other, None, "http://127.0.0.1"), service.people, service.tokens)
    before = service.program("reader").get(f"{W}/results").json()
    assert again.program("reader").get(f"{W}/results").json() == before
    bundle = f"{W}/bundle.zip"
    assert again.program("reader").get(bundle).content == service.program("reader").get(bundle).content
    assert again.submit("organiser", submission_name="third").status_code == 201
    again.work()
    assert {row["state"]: row["error"] for row in again.program("owner").get("/api/queue").json()["submissions"]} == {
        "scored": ""
    }
    systems = [row["system"] for row in again.program("reader").get(f"{W}/results").json()["results"]]
    assert sorted(systems) == ["anonymous-1", "third", "tides"]
    overview = again.client("reader").get("/b/tides/1/explore/api/overview").text
    assert all(system in overview for system in systems)
    again.server.database.close()


def test_a_version_is_taken_in_once(service: MadeService, template: MadeService, tmp_path: Path) -> None:
    assert service.versions.add(template.server.folder.parent / "tides" / "1.toml").title == "tides 1"
    with pytest.raises(AssayError, match="contains a different tides 1"):
        service.versions.add(frozen(tmp_path / "changed", MANIFEST.replace('["bleu", "chrf"]', '["chrf"]')))
    second = MANIFEST.replace('version = "1"', 'version = "2"')
    service.versions.add(frozen(tmp_path / "second", second))
    assert service.program("reader").get("/api/benchmarks/tides").json()["versions"] == ["1", "2"]
    assert service.submit("other", version="2").status_code == 201
    service.work()
    assert len(service.program("reader").get("/api/benchmarks/tides/versions/2/results").json()["results"]) == 1


def test_what_was_sent_is_what_is_kept(service: MadeService) -> None:
    content = sent(submission_name="exact \u00e9")
    answer = service.program("other").post(f"{W}/submissions", content=content)
    id = answer.json()["id"]
    assert service.program("other").get(f"/api/submissions/{id}/sent").content == content
    with service.server.database.read() as connection:
        assert connection.execute(select(func.count()).where(jobs.c.key == f"score:{id}")).scalar() == 1


def test_one_name_of_many_bytes(service: MadeService) -> None:
    """What is added to a name leaves it one that may be a folder."""
    for who in ("other", "organiser"):
        assert service.submit(who, submission_name="\U00020000" * 60).status_code == 201
    service.work()
    results = service.program("reader").get(f"{W}/results").json()["results"]
    public = service.client("reader").get("/b/tides/1/explore/api/overview").text
    assert len(results) == 3
    assert all(row["system"] in public for row in results)


def test_publishing_that_failed_is_tried_again(service: MadeService, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assay.benchmark.service.scoring.write_bundle", broken)
    assert service.program("author").post(f"/api/submissions/{first_id(service)}/withdraw").status_code == 200
    service.submit("other")
    monkeypatch.setattr("assay.benchmark.service.scoring._copy", lambda *_: b"")
    service.work()
    monkeypatch.undo()
    overview = "/b/tides/1/explore/api/overview"
    assert "mine" not in service.client("reader").get(overview).text
    assert service.work() == 0  # not at once: what is broken would be tried on every request
    monkeypatch.setattr("assay.benchmark.service.publishing.AGAIN", -1.0)
    service.client("reader").get(overview)
    assert service.work() == 1
    assert good()["submission_name"] in service.client("reader").get(overview).text


def first_id(service: MadeService) -> str:
    with service.server.database.read() as connection:
        return str(connection.execute(select(submissions.c.id).order_by(submissions.c.id)).scalar())


def test_names_of_downloads(service: MadeService, tmp_path: Path) -> None:
    service.versions.add(frozen(tmp_path / "waves", MANIFEST.replace('name = "tides"', 'name = "\u6f6e"', 1)))
    at = "/api/benchmarks/\u6f6e/versions/1"
    assert service.program("owner").post(f"{at}/submissions", content=sent()).status_code == 201
    service.work()
    answer = service.program("owner").get(f"{at}/bundle.zip")
    assert answer.status_code == 200
    assert "UTF-8''%E6%BD%AE-1.zip" in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("INSERT", {}, Exception("database or disk is full")), 503),
        (OSError(28, "No space left on device", "/srv/server/blobs"), 503),
        (IntegrityError("INSERT", {}, Exception("unique")), 409),
    ],
)
def test_a_full_disk_is_no_null_byte(
    service: MadeService, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def broken(*_: Any) -> Any:
        raise error

    monkeypatch.setattr("assay.benchmark.service.api_routes.accept", broken)
    answer = service.submit("other")
    assert answer.status_code == status
    assert ("retry-after" in answer.headers) == (status == 503)
    assert not any(word in answer.text for word in ("null byte", "/srv", "INSERT"))


def test_nothing_is_read_of_who_may_not_send(service: MadeService) -> None:
    """Fifty megabytes of nobody fill no memory."""
    read = []

    async def receive() -> Any:
        read.append(1)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(_: Any) -> None:
        return None

    headers = [(b"host", b"127.0.0.1")]
    scope = {
        "type": "http", "method": "POST", "path": f"{W}/submissions", "raw_path": b"", "query_string": b"",
        "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "scheme": "http",
        "http_version": "1.1", "root_path": "",
    }  # fmt: skip
    run_async(service.app(scope, receive, send))
    assert not read
