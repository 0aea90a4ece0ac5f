"""The API: everything that the pages show and do, as JSON, for programs with a token. /openapi.json describes it."""

from typing import Any

import msgspec
from fastapi import Depends, FastAPI, Query, Request, Response

from assay.benchmark.manifest import published
from assay.benchmark.service import actions, shapes, views
from assay.benchmark.service.downloads import bundle_answer, copy_answer, sent_answer
from assay.benchmark.service.intake import Taken, look, take
from assay.benchmark.service.versions import Versions
from assay.serving.app import json_answer
from assay.serving.audit import entries
from assay.serving.jobs import LEASED, WAITING, counts
from assay.serving.people import Who
from assay.serving.served import RefusedError, Served

SAID: dict[int | str, dict[str, Any]] = {
    code: {"model": shapes.Problem} for code in (400, 401, 403, 404, 409, 413, 422, 429)
}
ZIP: dict[int | str, dict[str, Any]] = {**SAID, 200: {"content": {"application/zip": {}}}}


def add_api_routes(app: FastAPI, served: Served, versions: Versions) -> None:
    _add_reading(app, served, versions)
    _add_submitting(app, served, versions)
    _add_organising(app, served)


def _add_reading(app: FastAPI, served: Served, versions: Versions) -> None:
    who, signed_in, database = Depends(served.who), Depends(served.signed_in), served.database

    @app.get("/api/me", responses=SAID)
    def me(person: Who = signed_in) -> shapes.PersonShape:
        return shapes.PersonShape(email=person.email, name=person.name, roles=person.roles)

    @app.get("/api/benchmarks", responses=SAID)
    def benchmarks(person: Who = who) -> shapes.BenchmarkList:
        with database.read() as connection:
            rows = views.shown_benchmarks(connection, person)
            found = [_benchmark(row, views.versions_of(connection, row["name"])) for row in rows]
        return shapes.BenchmarkList(benchmarks=found)

    @app.get("/api/benchmarks/{name}", responses=SAID)
    def benchmark(name: str, person: Who = who) -> shapes.BenchmarkShape:
        with database.read() as connection:
            row = views.benchmark(connection, person, name)
            return _benchmark(row, views.versions_of(connection, name))

    @app.get("/api/benchmarks/{name}/versions/{version}", responses=SAID)
    def version(name: str, version: str, person: Who = who) -> shapes.VersionShape:
        with database.read() as connection:
            row = views.version(connection, person, name, version)
        manifest = msgspec.to_builtins(published(versions.open(name, version)[0].manifest))
        return shapes.VersionShape(
            benchmark=name, version=version, open=row["open"], made=row["made"], manifest=manifest
        )

    @app.get("/api/benchmarks/{name}/versions/{version}/cards/{task}", responses=SAID)
    def card(name: str, version: str, task: str, person: Who = who) -> shapes.CardShape:
        with database.read() as connection:
            views.version(connection, person, name, version)
        return shapes.CardShape(task=task, markdown=views.card(versions, name, version, task))

    @app.get("/api/benchmarks/{name}/versions/{version}/results", responses=SAID)
    def results(name: str, version: str, person: Who = who) -> shapes.ResultList:
        with database.read() as connection:
            views.version(connection, person, name, version)
            rows = views.published(connection, name, version)
        return shapes.ResultList(results=[shapes.ResultShape(**row) for row in rows])

    @app.get("/api/benchmarks/{name}/versions/{version}/bundle.zip", responses=ZIP, response_class=Response)
    def bundle(name: str, version: str, person: Who = who) -> Response:
        return bundle_answer(served, person, name, version)

    @app.get("/api/queue", responses=SAID)
    def queue(person: Who = signed_in) -> shapes.QueueShape:
        with database.read() as connection:
            rows, by_state = views.queue(connection, person), counts(connection)
        return shapes.QueueShape(
            waiting=by_state.get(WAITING, 0), running=by_state.get(LEASED, 0),
            submissions=[shapes.SubmissionShape(**row) for row in rows],
        )  # fmt: skip


def _add_submitting(app: FastAPI, served: Served, versions: Versions) -> None:
    signed_in, database = Depends(served.signed_in), served.database

    async def body(request: Request) -> bytes:
        return await request.body()

    def may_send(person: Who, name: str, version: str) -> None:
        with database.read() as connection:
            views.version(connection, person, name, version)
        views.require(person, "submitter", name)

    @app.post("/api/benchmarks/{name}/versions/{version}/validate", responses=SAID, openapi_extra=shapes.BODY)
    async def validate(
        name: str, version: str, person: Who = signed_in, content: bytes = Depends(body)
    ) -> shapes.ValidationShape:
        def made() -> Taken:
            may_send(person, name, version)
            return look(versions, name, version, content)[0]

        taken = await served.slowly(made)
        return shapes.ValidationShape(
            valid=taken.valid, findings=[shapes.FindingShape(**each) for each in taken.findings]
        )

    @app.post(
        "/api/benchmarks/{name}/versions/{version}/submissions",
        responses={**SAID, 201: {"model": shapes.SubmissionShape}, 422: {"model": shapes.ValidationShape}},
        openapi_extra=shapes.BODY,
    )
    async def submit(
        name: str, version: str, response: Response, person: Who = signed_in, content: bytes = Depends(body)
    ) -> shapes.SubmissionShape:
        def made() -> tuple[Taken, dict[str, Any]]:
            may_send(person, name, version)
            taken = take(versions, person, name, version, content)
            with database.read() as connection:
                return taken, views.told(connection, person, taken.row) if taken.row else {}

        taken, told = await served.slowly(made)
        if not told:
            return json_answer({"valid": False, "findings": taken.findings}, 422)  # type: ignore[return-value]
        response.status_code = 201 if taken.new else 200
        return shapes.SubmissionShape(**told)

    @app.get("/api/submissions/{id}", responses=SAID)
    def submission(id: str, person: Who = signed_in) -> shapes.SubmissionShape:
        with database.read() as connection:
            row = views.submission(connection, person, id)
            return shapes.SubmissionShape(**views.told(connection, person, row))

    @app.get("/api/submissions/{id}/sent", responses=SAID, response_class=Response)
    def sent(id: str, person: Who = signed_in) -> Response:
        return sent_answer(served, person, id)

    @app.get("/api/submissions/{id}/results.zip", responses=ZIP, response_class=Response)
    def copy(id: str, person: Who = signed_in) -> Response:
        return copy_answer(served, person, id)

    @app.post("/api/submissions/{id}/withdraw", responses=SAID)
    def withdraw(id: str, person: Who = signed_in) -> shapes.SubmissionShape:
        with database.write() as connection:
            row = actions.withdraw(connection, person, id)
            return shapes.SubmissionShape(**views.told(connection, person, row))

    @app.post("/api/submissions/{id}/retry", responses=SAID)
    def retry(id: str, person: Who = signed_in) -> shapes.SubmissionShape:
        with database.write() as connection:
            row = actions.score_again(connection, person, id)
            return shapes.SubmissionShape(**views.told(connection, person, row))


def _add_organising(app: FastAPI, served: Served) -> None:
    signed_in, database = Depends(served.signed_in), served.database

    @app.patch("/api/benchmarks/{name}", responses=SAID)
    def change(name: str, wanted: shapes.BenchmarkChange, person: Who = signed_in) -> shapes.BenchmarkShape:
        with database.write() as connection:
            actions.show_to_all(connection, person, name, wanted.public)
            return _benchmark(views.benchmark(connection, person, name), views.versions_of(connection, name))

    @app.patch("/api/benchmarks/{name}/versions/{version}", responses=SAID)
    def change_version(
        name: str, version: str, wanted: shapes.VersionChange, person: Who = signed_in
    ) -> shapes.VersionChange:
        with database.write() as connection:
            actions.open_version(connection, person, name, version, wanted.open)
        return wanted

    @app.get("/api/audit", responses=SAID)
    def audit(
        before: str = Query("", max_length=64), limit: int = Query(100, ge=1, le=1000), person: Who = signed_in
    ) -> shapes.AuditList:
        own = person.scopes("organiser")
        if not own:
            raise RefusedError("this takes an organiser", 403)
        with database.read() as connection:
            rows = entries(connection, objects=None if "" in own else own, before=before, limit=limit)
        return shapes.AuditList(
            entries=[shapes.AuditEntry(**{k: v for k, v in row.items() if k != "person"}) for row in rows]
        )


def _benchmark(row: dict[str, Any], found: list[dict[str, Any]]) -> shapes.BenchmarkShape:
    return shapes.BenchmarkShape(
        name=row["name"], about=row["about"], public=row["public"], versions=[each["version"] for each in found]
    )
