"""The rooms of a server put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.serving.access import LOCAL, Access

if TYPE_CHECKING:
    from fastapi import FastAPI
    from sqlalchemy import Connection

    from assay.serving.served import Served


def app_of(served: Served, access: Access = LOCAL) -> FastAPI:
    """One app with everything: accounts, people, benchmarks, studies, cards."""
    from assay.benchmark.card_editor.routes import add_routes as add_cards
    from assay.benchmark.service.routes import add_routes
    from assay.serving.account_routes import add_account_routes
    from assay.serving.people_routes import add_people_routes
    from assay.serving.served import served_app
    from assay.studies.server import add_routes as add_studies

    app = served_app(served, access)
    add_account_routes(app, served)
    add_people_routes(app, served, scopes)
    add_routes(app, served)
    add_studies(app, served)
    add_cards(app, served)
    return app


def scopes(connection: Connection) -> list[str]:
    """What roles may be given for: each benchmark, each study."""
    from assay.benchmark.service.routes import scopes as benchmarks
    from assay.studies.server.dashboard import study_ids

    return [*benchmarks(connection), *(f"study:{study}" for study in study_ids(connection))]
