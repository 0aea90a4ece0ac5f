"""Pages of the benchmark service: benchmarks, leaderboards, cards, submission form and queue.

They work without JavaScript; with it, the queue is refreshed automatically.
"""

import shutil
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData, UploadFile

from assay.benchmark.cards.card import parse_card
from assay.benchmark.cards.page import contents
from assay.benchmark.service import actions, views
from assay.benchmark.service.board_picture import leaders_of, picture_of
from assay.benchmark.service.downloads import (
    Explorers,
    bundle_answer,
    copy_answer,
    own_copy,
    published_bundle,
    sent_answer,
)
from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.intake import accept
from assay.benchmark.service.ladder import public_ladder, rungs
from assay.benchmark.service.leaderboard import BackgroundTests, Tested, leaderboards, placed_among
from assay.benchmark.service.publishing import is_stale, publication
from assay.serving.accounts import User
from assay.serving.app import RefusedError
from assay.serving.jobs import LEASED, WAITING, counts
from assay.serving.server import Server

Row = dict[str, Any]


def add_page_routes(app: FastAPI, server: Server, versions: HostedVersions) -> None:
    """Add the pages."""
    server.pages.add_room("assay.benchmark.service")
    server.pages.links.append(("/queue", "queue.title"))
    explorers = Explorers(server.blobs)
    _add_reading(app, server, versions, explorers)
    _add_submitting(app, server, versions, explorers)
    _add_organising(app, server)


def _add_reading(app: FastAPI, server: Server, versions: HostedVersions, explorers: Explorers) -> None:
    who, database, pages = Depends(server.who), server.database, server.pages
    tests = BackgroundTests()
    script = files("assay.benchmark.service").joinpath("static", "queue.js").read_bytes()

    @app.get("/static/queue.js", include_in_schema=False)
    def queue_script() -> Response:
        return Response(script, media_type="text/javascript")

    def tested_now(person: User, name: str, version: str) -> Tested | None:
        """Return the tests of the published results if they were already computed; pages of lists start none."""
        with database.read() as connection:
            public = publication(connection, name, version)
            current = public is not None and not is_stale(connection, name, version)
        return tests.ready(published_bundle(server, person, name, version)) if current else None

    @app.get("/", include_in_schema=False)
    def home(request: Request, person: User = who) -> Response:
        with database.read() as connection:
            rows = views.shown_benchmarks(connection, person)
            by_name = {row["name"]: views.versions_of(connection, row["name"]) for row in rows}
            newest = {name: own[-1]["version"] for name, own in by_name.items() if own}
            results = {name: views.published(connection, name, version) for name, version in newest.items()}
        shown: Row = {}
        for name, version in newest.items():
            manifest = versions.open(name, version)[0].manifest
            boards = leaderboards(
                [task.name for task in manifest.tasks], results[name], tested_now(person, name, version)
            )
            leaders = [(board.task, leaders_of(board)) for board in boards[:3]]
            shown[name] = {"tasks": len(manifest.tasks), "systems": len(results[name]), "leaders": leaders}
        return pages.answer(request, "home.html", person, rows=rows, versions=by_name, shown=shown)

    @app.get("/b/{name}", include_in_schema=False)
    def benchmark(request: Request, name: str, person: User = who) -> Response:
        with database.read() as connection:
            row = views.benchmark(connection, person, name)
            rows = views.versions_of(connection, name)
        organiser = person.may("organiser", scope_of(name))
        return pages.answer(request, "benchmark.html", person, row=row, versions=rows, organiser=organiser)

    @app.get("/b/{name}/{version}", include_in_schema=False)
    def one_version(request: Request, name: str, version: str, person: User = who) -> Response:
        with database.read() as connection:
            row = views.version(connection, person, name, version)
            results = views.published(connection, name, version)
            tries = views.tries(connection, name, version)
            public = publication(connection, name, version)
            current = public is not None and not is_stale(connection, name, version)
            own = [
                one
                for one in (views.queue(connection, person) if person.id else [])
                if (one["benchmark"], one["version"]) == (name, version)
            ]
        manifest = versions.open(name, version)[0].manifest
        with database.read() as connection:
            ladder = public_ladder(connection, manifest, (name, version))
        tested = None
        if current:  # results whose bundle is being written are shown without tests
            bundle = published_bundle(server, person, name, version)
            tested = tests.of(bundle, explorers.queries(bundle))
        boards = leaderboards([task.name for task in manifest.tasks], results, tested)
        may = {
            "submitter": person.may("submitter", scope_of(name)),
            "organiser": person.may("organiser", scope_of(name)),
        }
        testing = bool(boards) and tested is None
        shown: Row = {
            "row": row, "manifest": manifest, "boards": [(board, picture_of(board)) for board in boards], "own": own,
            "testing": testing, "public": public, "tries": tries,
            "ladder": ladder, **may,
        }  # fmt: skip
        return pages.answer(request, "version.html", person, 200, **shown)

    @app.get("/b/{name}/{version}/cards/{task}", include_in_schema=False)
    def card(request: Request, name: str, version: str, task: str, person: User = who) -> Response:
        with database.read() as connection:
            views.version(connection, person, name, version)
        shown = shown_card(views.card(versions, name, version, task), task)
        return pages.answer(request, "task_card.html", person, card=shown, name=name, version=version, task=task)

    @app.get("/b/{name}/{version}/bundle.zip", include_in_schema=False)
    def bundle(name: str, version: str, person: User = who) -> Response:
        return bundle_answer(server, person, name, version)

    @app.get("/b/{name}/{version}/explore/{path:path}", include_in_schema=False)
    def explore(name: str, version: str, path: str, person: User = who) -> Response:
        return explorers.answer(published_bundle(server, person, name, version), path)


def _add_submitting(app: FastAPI, server: Server, versions: HostedVersions, explorers: Explorers) -> None:
    signed_in, form = Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages

    def may_send(person: User, name: str, version: str) -> Row:
        with database.read() as connection:
            row = views.version(connection, person, name, version)
        views.require(person, "submitter", name)
        return row

    def submit_page(
        request: Request, person: User, name: str, version: str, status: int = 200, **more: Any
    ) -> Response:
        row = may_send(person, name, version)
        manifest = versions.open(name, version)[0].manifest
        values = {"findings": [], "why": "", **more}
        return pages.answer(request, "submit.html", person, status, row=row, manifest=manifest, **values)

    @app.get("/b/{name}/{version}/submit", include_in_schema=False)
    def submit_form(request: Request, name: str, version: str, person: User = signed_in) -> Response:
        return submit_page(request, person, name, version)

    def uploaded(data: FormData = form) -> Iterator[Path]:
        sent = data.get("file")
        with server.upload() as file:
            if isinstance(sent, UploadFile):
                shutil.copyfileobj(sent.file, file)
            if not file.tell():
                file.write(str(data.get("text", "")).encode("utf-8", "replace"))
            file.flush()
            yield Path(file.name)

    sent_file = Depends(uploaded)

    @app.post("/b/{name}/{version}/submit", include_in_schema=False)
    async def submit(
        request: Request, name: str, version: str, person: User = signed_in, data: FormData = form,
        file: Path = sent_file,
    ) -> Response:  # fmt: skip
        def run() -> Response:
            may_send(person, name, version)
            try:
                intake = accept(versions, person, name, version, file)
            except RefusedError as error:
                return submit_page(request, person, name, version, error.status, why=str(error))
            if intake.row is None:
                return submit_page(request, person, name, version, 422, findings=intake.findings)
            return RedirectResponse(f"/submissions/{intake.row['id']}", 303)

        return await server.slowly(run)

    def queue_page(request: Request, person: User, template: str) -> Response:
        with database.read() as connection:
            rows, by_state = views.queue(connection, person), counts(connection)
        waiting, running = by_state.get(WAITING, 0), by_state.get(LEASED, 0)
        return pages.answer(request, template, person, rows=rows, waiting=waiting, running=running)

    @app.get("/queue", include_in_schema=False)
    def queue(request: Request, person: User = signed_in) -> Response:
        return queue_page(request, person, "queue.html")

    @app.get("/queue/rows", include_in_schema=False)
    def queue_rows(request: Request, person: User = signed_in) -> Response:
        return queue_page(request, person, "queue_rows.html")

    @app.get("/submissions/{id}", include_in_schema=False)
    def submission(request: Request, id: str, person: User = signed_in) -> Response:
        with database.read() as connection:
            row = views.submission(connection, person, id)
            shown = views.described(connection, person, row)
            others = views.published(connection, row["benchmark"], row["version"])
        place = row["benchmark"], row["version"]
        manifest = versions.open(*place)[0].manifest
        with database.read() as connection:
            ladder = rungs(connection, manifest, place, row["person"], id)
        organiser = views.organises(person, row)
        boards, own = placed_among(others, shown)
        return pages.answer(
            request, "submission.html", person, row=shown, scored=bool(row["result"]), organiser=organiser,
            ladder=ladder,
            boards=[(board, picture_of(board, own)) for board in boards], own=own,
        )  # fmt: skip

    @app.get("/submissions/{id}/sent", include_in_schema=False)
    def sent(id: str, person: User = signed_in) -> Response:
        return sent_answer(server, person, id)

    @app.get("/submissions/{id}/results.zip", include_in_schema=False)
    def copy(id: str, person: User = signed_in) -> Response:
        return copy_answer(server, person, id)

    @app.get("/submissions/{id}/explore/{path:path}", include_in_schema=False)
    def explore(id: str, path: str, person: User = signed_in) -> Response:
        return explorers.answer(own_copy(server, person, id), path)

    @app.post("/submissions/{id}/withdraw", include_in_schema=False)
    def withdraw(id: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            actions.withdraw(connection, person, id)
        return RedirectResponse(f"/submissions/{id}", 303)

    @app.post("/submissions/{id}/retry", include_in_schema=False)
    def retry(id: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            actions.score_again(connection, person, id)
        return RedirectResponse(f"/submissions/{id}", 303)


def _add_organising(app: FastAPI, server: Server) -> None:
    signed_in, form, database = Depends(server.signed_in), Depends(server.form), server.database

    @app.post("/b/{name}/public", include_in_schema=False)
    def public(name: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            actions.set_public(connection, person, name, data.get("public") == "yes")
        return RedirectResponse(f"/b/{name}", 303)

    @app.post("/b/{name}/{version}/open", include_in_schema=False)
    def opened(name: str, version: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            actions.set_open(connection, person, name, version, data.get("open") == "yes")
        return RedirectResponse(f"/b/{name}/{version}", 303)


@lru_cache(64)
def shown_card(text: str, task: str) -> Row:
    """Return the template values of a card, cached."""
    return contents(parse_card(text, task))
