"""The explorer's server. It answers names, never paths: nothing outside what was opened can be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.explorer.export import EXPORTS
from assay.explorer.queries import Queries
from assay.explorer.standalone import static_files
from assay.serving.access import LOCAL, Access
from assay.serving.app import add_files, guarded_app, json_answer, refusal

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response


def app_of(queries: Queries, access: Access = LOCAL) -> FastAPI:
    """The pages and what they ask for."""
    from fastapi import Request, Response

    globals().update(Request=Request, Response=Response)  # the framework reads annotations by name
    app = guarded_app(access)

    @app.get("/api/overview")
    def overview() -> Response:
        return json_answer(queries.overview_json)

    @app.get("/api/compare")
    def compare(dataset: str, a: str, b: str) -> Response:
        return json_answer(queries.comparison(dataset, a, b))

    @app.get("/api/examples")
    def examples(request: Request, dataset: str) -> Response:
        return json_answer(queries.examples(dataset, request.query_params.multi_items()))

    @app.get("/api/people")
    def people(dataset: str, criterion: str = "") -> Response:
        return json_answer(queries.people(dataset, criterion))

    @app.get("/api/cards")
    def cards() -> Response:
        return json_answer(queries.cards)

    @app.get("/api/export.{form}")
    def export(form: str) -> Response:
        if f".{form}" not in EXPORTS:
            return refusal(f"no form called {form}; there are {', '.join(EXPORTS)}")
        kind, write = EXPORTS[f".{form}"]
        attached = {"Content-Disposition": f'attachment; filename="results.{form}"'}
        return Response(write(queries.overview), media_type=kind, headers=attached)

    add_files(app, static_files())
    return app
