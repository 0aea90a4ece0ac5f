"""The explorer's server. It answers names, never paths: nothing outside what was opened can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from assay.explorer.export import EXPORTS
from assay.explorer.queries import Queries
from assay.explorer.standalone import static_files
from assay.serving.access import LOCAL, Access
from assay.serving.app import add_files, guarded_app, json_answer, refusal
from assay.serving.thread_pools import ThreadPools

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response


def app_of(queries: Queries, access: Access = LOCAL) -> FastAPI:
    """The pages and what they ask for."""
    app = guarded_app(access)
    add_explorer(app, queries)
    return app


def add_explorer(app: FastAPI, queries: Queries) -> None:
    """The same for an app that has looked already at who asks."""
    from fastapi import Request, Response

    globals().update(Request=Request, Response=Response)  # the framework reads annotations by name
    work = ThreadPools()

    async def kept(make: Callable[..., object], *about: str) -> Response:
        """What takes long, computed once for all who ask."""
        return json_answer(await work.once((make, *about), lambda: msgspec.json.encode(make(*about))))

    @app.get("/api/overview")
    async def overview() -> Response:
        return json_answer(await work.once("overview", lambda: queries.overview_json))

    @app.get("/api/compare")
    async def compare(dataset: str, a: str, b: str) -> Response:
        return await kept(queries.comparison, dataset, a, b)

    @app.get("/api/parents")
    async def parents(dataset: str) -> Response:
        return await kept(queries.parents, dataset)

    @app.get("/api/table")
    async def table(dataset: str) -> Response:
        return await kept(queries.table, dataset)

    @app.get("/api/examples")
    async def examples(request: Request, dataset: str) -> Response:
        asked = request.query_params.multi_items()
        await work.once(("texts", dataset), lambda: queries.texts(dataset).prepare())
        return json_answer(await work.quick(lambda: msgspec.json.encode(queries.examples(dataset, asked))))

    @app.get("/api/people")
    async def people(dataset: str, criterion: str = "") -> Response:
        return await kept(queries.people, dataset, criterion)

    @app.get("/api/dialogues")
    async def dialogues(name: str) -> Response:
        return await kept(queries.dialogues, name)

    @app.get("/api/dialogue")
    async def dialogue(name: str, id: str) -> Response:
        return json_answer(await work.quick(lambda: msgspec.json.encode(queries.dialogue(name, id))))

    @app.get("/api/cards")
    async def cards() -> Response:
        return json_answer(await work.once("cards", lambda: msgspec.json.encode(queries.cards)))

    @app.get("/api/export.{form}")
    async def export(form: str) -> Response:
        if f".{form}" not in EXPORTS:
            return refusal(f"no form called {form}; there are {', '.join(EXPORTS)}")
        kind, write = EXPORTS[f".{form}"]
        attached = {"Content-Disposition": f'attachment; filename="results.{form}"'}
        written = await work.once(("export", form), lambda: write(queries))
        return Response(written, media_type=kind, headers=attached)

    add_files(app, static_files())
