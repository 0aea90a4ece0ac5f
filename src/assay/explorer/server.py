"""The explorer's server. Requests name datasets and systems, never paths, so other files cannot be read."""

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
    """Return the app of the pages and their data."""
    app = guarded_app(access)
    add_explorer(app, queries)
    return app


def add_explorer(app: FastAPI, queries: Queries) -> None:
    """Add the pages to an app that already checks access."""
    from fastapi import Request, Response

    globals().update(Request=Request, Response=Response)  # the framework reads annotations by name
    work = ThreadPools()
    reading = ThreadPools()  # texts have a thread of their own: they are there before long tests end

    async def cached(make: Callable[..., object], *arguments: str) -> Response:
        """Compute a slow response once for all requests."""
        return json_answer(await work.once((make, *arguments), lambda: msgspec.json.encode(make(*arguments))))

    @app.get("/api/overview")
    async def overview() -> Response:
        return json_answer(await work.once("overview", lambda: queries.overview_json))

    @app.get("/api/compare")
    async def compare(dataset: str, a: str, b: str) -> Response:
        return await cached(queries.comparison, dataset, a, b)

    @app.get("/api/parents")
    async def parents(dataset: str) -> Response:
        return await cached(queries.parents, dataset)

    @app.get("/api/table")
    async def table(dataset: str) -> Response:
        return await cached(queries.table, dataset)

    @app.get("/api/examples")
    async def examples(request: Request, dataset: str) -> Response:
        parameters = request.query_params.multi_items()
        await reading.once(("texts", dataset), lambda: queries.texts(dataset).prepare())
        return json_answer(await work.quick(lambda: msgspec.json.encode(queries.examples(dataset, parameters))))

    @app.get("/api/differences")
    async def differences(dataset: str, metric: str, a: str, b: str) -> Response:
        await reading.once(("texts", dataset), lambda: queries.texts(dataset).prepare())
        return await cached(queries.differences, dataset, metric, a, b)

    @app.get("/api/subsets")
    async def subsets(dataset: str, a: str, b: str) -> Response:
        return await cached(queries.subsets, dataset, a, b)

    @app.get("/api/correlation")
    async def correlation(dataset: str, criterion: str = "") -> Response:
        return await cached(queries.correlation, dataset, criterion)

    @app.get("/api/dialogues")
    async def dialogues(name: str) -> Response:
        return await cached(queries.dialogues, name)

    @app.get("/api/dialogue")
    async def dialogue(name: str, id: str) -> Response:
        return json_answer(await work.quick(lambda: msgspec.json.encode(queries.dialogue(name, id))))

    @app.get("/api/cards")
    async def cards() -> Response:
        return json_answer(await work.once("cards", lambda: msgspec.json.encode(queries.cards)))

    @app.get("/api/export.{form}")
    async def export(form: str) -> Response:
        if f".{form}" not in EXPORTS:
            return refusal(f"no export format {form}; available: {', '.join(EXPORTS)}")
        kind, write = EXPORTS[f".{form}"]
        headers = {"Content-Disposition": f'attachment; filename="results.{form}"'}
        content = await work.once(("export", form), lambda: write(queries))
        return Response(content, media_type=kind, headers=headers)

    add_files(app, static_files())
