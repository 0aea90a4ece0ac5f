"""The web app of a server, with the routes of every room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.serving.access import LOCAL, Access

if TYPE_CHECKING:
    from fastapi import FastAPI
    from sqlalchemy import Connection

    from assay.serving.server import Server


def build_app(server: Server, access: Access = LOCAL) -> FastAPI:
    """Return the app with accounts, roles, benchmarks, studies and the card editor."""
    from assay.benchmark.cards.editor.routes import add_routes as add_cards
    from assay.benchmark.service.routes import add_routes as add_benchmarks
    from assay.serving.account_routes import add_account_routes
    from assay.serving.role_routes import add_role_routes
    from assay.serving.server import base_app
    from assay.studies.server import add_routes as add_studies

    app = base_app(server, access)
    add_account_routes(app, server)
    add_role_routes(app, server, role_scopes)
    add_benchmarks(app, server)
    add_studies(app, server)
    add_cards(app, server)
    return app


def build_study_app(server: Server, access: Access = LOCAL) -> FastAPI:
    """Return the app with accounts, roles and studies only; its home page is the list of studies."""
    from fastapi.responses import RedirectResponse

    from assay.serving.account_routes import add_account_routes
    from assay.serving.role_routes import add_role_routes
    from assay.serving.server import base_app
    from assay.studies.server import add_routes as add_studies

    app = base_app(server, access)
    add_account_routes(app, server)
    add_role_routes(app, server, study_scopes)
    add_studies(app, server)
    app.add_api_route("/", lambda: RedirectResponse("/running", 303), include_in_schema=False)
    return app


def role_scopes(connection: Connection) -> list[str]:
    """Return the scopes that a role can be given for: each benchmark, then each study."""
    from assay.benchmark.service.routes import scopes as benchmark_scopes

    return [*benchmark_scopes(connection), *study_scopes(connection)]


def study_scopes(connection: Connection) -> list[str]:
    """Return the scope of each study."""
    from assay.studies.server.dashboard import study_ids

    return [f"study:{study}" for study in study_ids(connection)]
