"""The JSON API of the benchmark service, authenticated by token; /openapi.json describes it."""

from pathlib import Path
from typing import Any

import msgspec
from fastapi import Depends, FastAPI, Query, Request, Response

from assay.benchmark.manifest import published
from assay.benchmark.service import actions, schemas, views
from assay.benchmark.service.downloads import bundle_answer, copy_answer, sent_answer
from assay.benchmark.service.hosted_versions import HostedVersions
from assay.benchmark.service.intake import Intake, accept, validate_file
from assay.serving.accounts import User
from assay.serving.app import RefusedError, json_answer
from assay.serving.audit import entries
from assay.serving.forms import json_request, read_json
from assay.serving.jobs import LEASED, WAITING, counts
from assay.serving.server import Server

ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": schemas.Problem} for code in (400, 401, 403, 404, 409, 413, 422, 429, 503)
}
ZIP: dict[int | str, dict[str, Any]] = {**ERRORS, 200: {"content": {"application/zip": {}}}}


def add_api_routes(app: FastAPI, server: Server, versions: HostedVersions) -> None:
    """Add the routes below /api/."""
    _add_reading(app, server, versions)
    _add_submitting(app, server, versions)
    _add_organising(app, server)


def _add_reading(app: FastAPI, server: Server, versions: HostedVersions) -> None:
    who, signed_in, database = Depends(server.who), Depends(server.signed_in), server.database

    @app.get("/api/me", responses=ERRORS)
    def me(person: User = signed_in) -> schemas.PersonShape:
        return schemas.PersonShape(email=person.email, name=person.name, roles=person.roles)

    @app.get("/api/benchmarks", responses=ERRORS)
    def benchmarks(person: User = who) -> schemas.BenchmarkList:
        with database.read() as connection:
            rows = views.shown_benchmarks(connection, person)
            shown = [_benchmark(row, views.versions_of(connection, row["name"])) for row in rows]
        return schemas.BenchmarkList(benchmarks=shown)

    @app.get("/api/benchmarks/{name}", responses=ERRORS)
    def benchmark(name: str, person: User = who) -> schemas.BenchmarkShape:
        with database.read() as connection:
            row = views.benchmark(connection, person, name)
            return _benchmark(row, views.versions_of(connection, name))

    @app.get("/api/benchmarks/{name}/versions/{version}", responses=ERRORS)
    def version(name: str, version: str, person: User = who) -> schemas.VersionShape:
        with database.read() as connection:
            row = views.version(connection, person, name, version)
        manifest = msgspec.to_builtins(published(versions.open(name, version)[0].manifest))
        return schemas.VersionShape(
            benchmark=name, version=version, open=row["open"], made=row["made"], manifest=manifest
        )

    @app.get("/api/benchmarks/{name}/versions/{version}/cards/{task}", responses=ERRORS)
    def card(name: str, version: str, task: str, person: User = who) -> schemas.CardShape:
        with database.read() as connection:
            views.version(connection, person, name, version)
        return schemas.CardShape(task=task, markdown=views.card(versions, name, version, task))

    @app.get("/api/benchmarks/{name}/versions/{version}/results", responses=ERRORS)
    def results(name: str, version: str, person: User = who) -> schemas.ResultList:
        with database.read() as connection:
            views.version(connection, person, name, version)
            rows = views.published(connection, name, version)
        return schemas.ResultList(results=[schemas.ResultShape(**row) for row in rows])

    @app.get("/api/benchmarks/{name}/versions/{version}/bundle.zip", responses=ZIP, response_class=Response)
    def bundle(name: str, version: str, person: User = who) -> Response:
        return bundle_answer(server, person, name, version)

    @app.get("/api/queue", responses=ERRORS)
    def queue(person: User = signed_in) -> schemas.QueueShape:
        with database.read() as connection:
            rows, by_state = views.queue(connection, person), counts(connection)
        return schemas.QueueShape(
            waiting=by_state.get(WAITING, 0), running=by_state.get(LEASED, 0),
            submissions=[schemas.SubmissionShape(**row) for row in rows],
        )  # fmt: skip


def _add_submitting(app: FastAPI, server: Server, versions: HostedVersions) -> None:
    signed_in, body, database = Depends(server.signed_in), Depends(server.body_file), server.database

    def may_send(person: User, name: str, version: str) -> None:
        with database.read() as connection:
            views.version(connection, person, name, version)
        views.require(person, "submitter", name)

    @app.post("/api/benchmarks/{name}/versions/{version}/validate", responses=ERRORS, openapi_extra=schemas.BODY)
    async def validate(name: str, version: str, person: User = signed_in, file: Path = body) -> schemas.ValidationShape:
        def run() -> Intake:
            may_send(person, name, version)
            return validate_file(versions, name, version, file)[0]

        intake = await server.slowly(run)
        return schemas.ValidationShape(
            valid=intake.valid, findings=[schemas.FindingShape(**each) for each in intake.findings]
        )

    @app.post(
        "/api/benchmarks/{name}/versions/{version}/submissions",
        responses={**ERRORS, 201: {"model": schemas.SubmissionShape}, 422: {"model": schemas.ValidationShape}},
        openapi_extra=schemas.BODY,
    )
    async def submit(
        name: str, version: str, response: Response, person: User = signed_in, file: Path = body
    ) -> schemas.SubmissionShape:
        def run() -> tuple[Intake, dict[str, Any]]:
            may_send(person, name, version)
            intake = accept(versions, person, name, version, file)
            with database.read() as connection:
                return intake, views.described(connection, person, intake.row) if intake.row else {}

        intake, described = await server.slowly(run)
        if not described:
            return json_answer({"valid": False, "findings": intake.findings}, 422)  # type: ignore[return-value]
        response.status_code = 201 if intake.new else 200
        return schemas.SubmissionShape(**described)

    @app.get("/api/submissions/{id}", responses=ERRORS)
    def submission(id: str, person: User = signed_in) -> schemas.SubmissionShape:
        with database.read() as connection:
            row = views.submission(connection, person, id)
            return schemas.SubmissionShape(**views.described(connection, person, row))

    @app.get("/api/submissions/{id}/sent", responses=ERRORS, response_class=Response)
    def sent(id: str, person: User = signed_in) -> Response:
        return sent_answer(server, person, id)

    @app.get("/api/submissions/{id}/results.zip", responses=ZIP, response_class=Response)
    def copy(id: str, person: User = signed_in) -> Response:
        return copy_answer(server, person, id)

    @app.post("/api/submissions/{id}/withdraw", responses=ERRORS)
    def withdraw(id: str, person: User = signed_in) -> schemas.SubmissionShape:
        with database.write() as connection:
            row = actions.withdraw(connection, person, id)
            return schemas.SubmissionShape(**views.described(connection, person, row))

    @app.post("/api/submissions/{id}/retry", responses=ERRORS)
    def retry(id: str, person: User = signed_in) -> schemas.SubmissionShape:
        with database.write() as connection:
            row = actions.score_again(connection, person, id)
            return schemas.SubmissionShape(**views.described(connection, person, row))


def _add_organising(app: FastAPI, server: Server) -> None:
    signed_in, database = Depends(server.signed_in), server.database

    async def wanted_benchmark(request: Request, person: User = signed_in) -> schemas.BenchmarkChange:
        return await read_json(request, schemas.BenchmarkChange)

    async def wanted_version(request: Request, person: User = signed_in) -> schemas.VersionChange:
        return await read_json(request, schemas.VersionChange)

    benchmark_change, version_change = Depends(wanted_benchmark), Depends(wanted_version)

    @app.patch("/api/benchmarks/{name}", responses=ERRORS, openapi_extra=json_request(schemas.BenchmarkChange))
    def change(
        name: str, person: User = signed_in, wanted: schemas.BenchmarkChange = benchmark_change
    ) -> schemas.BenchmarkShape:
        with database.write() as connection:
            actions.set_public(connection, person, name, wanted.public)
            return _benchmark(views.benchmark(connection, person, name), views.versions_of(connection, name))

    @app.patch(
        "/api/benchmarks/{name}/versions/{version}", responses=ERRORS,
        openapi_extra=json_request(schemas.VersionChange),
    )  # fmt: skip
    def change_version(
        name: str, version: str, person: User = signed_in, wanted: schemas.VersionChange = version_change
    ) -> schemas.VersionChange:
        with database.write() as connection:
            actions.set_open(connection, person, name, version, wanted.open)
        return wanted

    @app.get("/api/audit", responses=ERRORS)
    def audit(
        before: str = Query("", max_length=64), limit: int = Query(100, ge=1, le=1000), person: User = signed_in
    ) -> schemas.AuditList:
        own = person.scopes("organiser")
        if not own:
            raise RefusedError("Requires the organiser role.", 403)
        with database.read() as connection:
            rows = entries(connection, objects=None if "" in own else own, before=before, limit=limit)
        return schemas.AuditList(
            entries=[schemas.AuditEntry(**{k: v for k, v in row.items() if k != "person"}) for row in rows]
        )


def _benchmark(row: dict[str, Any], versions: list[dict[str, Any]]) -> schemas.BenchmarkShape:
    return schemas.BenchmarkShape(
        name=row["name"], about=row["about"], public=row["public"], versions=[each["version"] for each in versions]
    )
