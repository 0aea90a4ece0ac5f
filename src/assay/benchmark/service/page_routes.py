"""The pages of benchmarks: what there is, cards, results, submitting, the queue. They work without a script; with one
the queue keeps itself up to date."""

from functools import lru_cache
from importlib.resources import files
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData, UploadFile

from assay.benchmark.cards.card import parse_card
from assay.benchmark.cards.page import contents
from assay.benchmark.service import actions, views
from assay.benchmark.service.downloads import (
    Explorers,
    bundle_answer,
    copy_answer,
    own_copy,
    published_bundle,
    sent_answer,
)
from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.intake import take
from assay.benchmark.service.publishing import publication
from assay.serving.accounts import Who
from assay.serving.app import RefusedError
from assay.serving.jobs import LEASED, WAITING, counts
from assay.serving.server import Server

Row = dict[str, Any]


def add_page_routes(app: FastAPI, server: Server, versions: HostedVersions) -> None:
    server.pages.add_room("assay.benchmark.service")
    server.pages.links.append(("/queue", "queue.title"))
    explorers = Explorers(server.blobs)
    _add_reading(app, server, versions, explorers)
    _add_submitting(app, server, versions, explorers)
    _add_organising(app, server)


def _add_reading(app: FastAPI, server: Server, versions: HostedVersions, explorers: Explorers) -> None:
    who, database, pages = Depends(server.who), server.database, server.pages
    script = files("assay.benchmark.service").joinpath("static", "queue.js").read_bytes()

    @app.get("/static/queue.js", include_in_schema=False)
    def queue_script() -> Response:
        return Response(script, media_type="text/javascript")

    @app.get("/", include_in_schema=False)
    def home(request: Request, person: Who = who) -> Response:
        with database.read() as connection:
            rows = views.shown_benchmarks(connection, person)
            held = {row["name"]: views.versions_of(connection, row["name"]) for row in rows}
        return pages.answer(request, "home.html", person, rows=rows, held=held)

    @app.get("/b/{name}", include_in_schema=False)
    def benchmark(request: Request, name: str, person: Who = who) -> Response:
        with database.read() as connection:
            row = views.benchmark(connection, person, name)
            held = views.versions_of(connection, name)
        organiser = person.may("organiser", scope_of(name))
        return pages.answer(request, "benchmark.html", person, row=row, held=held, organiser=organiser)

    @app.get("/b/{name}/{version}", include_in_schema=False)
    def one_version(request: Request, name: str, version: str, person: Who = who) -> Response:
        with database.read() as connection:
            row = views.version(connection, person, name, version)
            results = views.published(connection, name, version)
            public = publication(connection, name, version)
        manifest = versions.open(name, version)[0].manifest
        numbers = {task.name: numbers_of(results, task.name) for task in manifest.tasks}
        may = {"sends": person.may("submitter", scope_of(name)), "organiser": person.may("organiser", scope_of(name))}
        shown: Row = {"row": row, "manifest": manifest, "results": results, "numbers": numbers, "public": public, **may}
        return pages.answer(request, "version.html", person, 200, **shown)

    @app.get("/b/{name}/{version}/cards/{task}", include_in_schema=False)
    def card(request: Request, name: str, version: str, task: str, person: Who = who) -> Response:
        with database.read() as connection:
            views.version(connection, person, name, version)
        shown = shown_card(views.card(versions, name, version, task), task)
        return pages.answer(request, "task_card.html", person, card=shown, name=name, version=version, task=task)

    @app.get("/b/{name}/{version}/bundle.zip", include_in_schema=False)
    def bundle(name: str, version: str, person: Who = who) -> Response:
        return bundle_answer(server, person, name, version)

    @app.get("/b/{name}/{version}/explore/{path:path}", include_in_schema=False)
    def explore(name: str, version: str, path: str, person: Who = who) -> Response:
        return explorers.answer(published_bundle(server, person, name, version), path)


def _add_submitting(app: FastAPI, server: Server, versions: HostedVersions, explorers: Explorers) -> None:
    signed_in, form = Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages

    def may_send(person: Who, name: str, version: str) -> Row:
        with database.read() as connection:
            row = views.version(connection, person, name, version)
        views.require(person, "submitter", name)
        return row

    def submit_page(request: Request, person: Who, name: str, version: str, status: int = 200, **told: Any) -> Response:
        row = may_send(person, name, version)
        manifest = versions.open(name, version)[0].manifest
        values = {"findings": [], "why": "", **told}
        return pages.answer(request, "submit.html", person, status, row=row, manifest=manifest, **values)

    @app.get("/b/{name}/{version}/submit", include_in_schema=False)
    def submit_form(request: Request, name: str, version: str, person: Who = signed_in) -> Response:
        return submit_page(request, person, name, version)

    async def uploaded(given: FormData = form) -> bytes:
        file = given.get("file")
        content = await file.read() if isinstance(file, UploadFile) else b""
        return content or str(given.get("text", "")).encode("utf-8", "replace")

    @app.post("/b/{name}/{version}/submit", include_in_schema=False)
    async def submit(
        request: Request, name: str, version: str, person: Who = signed_in, given: FormData = form,
        content: bytes = Depends(uploaded),
    ) -> Response:  # fmt: skip
        def made() -> Response:
            may_send(person, name, version)
            try:
                taken = take(versions, person, name, version, content)
            except RefusedError as error:
                return submit_page(request, person, name, version, error.status, why=str(error))
            if taken.row is None:
                return submit_page(request, person, name, version, 422, findings=taken.findings)
            return RedirectResponse(f"/submissions/{taken.row['id']}", 303)

        return await server.slowly(made)

    def queue_page(request: Request, person: Who, template: str) -> Response:
        with database.read() as connection:
            rows, by_state = views.queue(connection, person), counts(connection)
        waiting, running = by_state.get(WAITING, 0), by_state.get(LEASED, 0)
        return pages.answer(request, template, person, rows=rows, waiting=waiting, running=running)

    @app.get("/queue", include_in_schema=False)
    def queue(request: Request, person: Who = signed_in) -> Response:
        return queue_page(request, person, "queue.html")

    @app.get("/queue/rows", include_in_schema=False)
    def queue_rows(request: Request, person: Who = signed_in) -> Response:
        return queue_page(request, person, "queue_rows.html")

    @app.get("/submissions/{id}", include_in_schema=False)
    def submission(request: Request, id: str, person: Who = signed_in) -> Response:
        with database.read() as connection:
            row = views.submission(connection, person, id)
            told = views.told(connection, person, row)
        organiser = views.organises(person, row)
        return pages.answer(request, "submission.html", person, row=told, scored=bool(row["copy"]), organiser=organiser)

    @app.get("/submissions/{id}/sent", include_in_schema=False)
    def sent(id: str, person: Who = signed_in) -> Response:
        return sent_answer(server, person, id)

    @app.get("/submissions/{id}/results.zip", include_in_schema=False)
    def copy(id: str, person: Who = signed_in) -> Response:
        return copy_answer(server, person, id)

    @app.get("/submissions/{id}/explore/{path:path}", include_in_schema=False)
    def explore(id: str, path: str, person: Who = signed_in) -> Response:
        return explorers.answer(own_copy(server, person, id), path)

    @app.post("/submissions/{id}/withdraw", include_in_schema=False)
    def withdraw(id: str, person: Who = signed_in, given: FormData = form) -> Response:
        with database.write() as connection:
            actions.withdraw(connection, person, id)
        return RedirectResponse(f"/submissions/{id}", 303)

    @app.post("/submissions/{id}/retry", include_in_schema=False)
    def retry(id: str, person: Who = signed_in, given: FormData = form) -> Response:
        with database.write() as connection:
            actions.score_again(connection, person, id)
        return RedirectResponse(f"/submissions/{id}", 303)


def _add_organising(app: FastAPI, server: Server) -> None:
    signed_in, form, database = Depends(server.signed_in), Depends(server.form), server.database

    @app.post("/b/{name}/public", include_in_schema=False)
    def public(name: str, person: Who = signed_in, given: FormData = form) -> Response:
        with database.write() as connection:
            actions.show_to_all(connection, person, name, given.get("public") == "yes")
        return RedirectResponse(f"/b/{name}", 303)

    @app.post("/b/{name}/{version}/open", include_in_schema=False)
    def opened(name: str, version: str, person: Who = signed_in, given: FormData = form) -> Response:
        with database.write() as connection:
            actions.open_version(connection, person, name, version, given.get("open") == "yes")
        return RedirectResponse(f"/b/{name}/{version}", 303)


@lru_cache(64)
def shown_card(text: str, task: str) -> Row:
    """A card ready for its page; it is asked for more often than it changes."""
    return contents(parse_card(text, task))


def numbers_of(results: list[Row], task: str) -> list[str]:
    """The numbers that any system has on a task, in the order in which results show them."""
    return list(dict.fromkeys(name for row in results for name in row["scores"].get(task, {}).get("shown", ())))
