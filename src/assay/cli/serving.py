"""The rooms of a server put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.serving.access import LOCAL, Access

if TYPE_CHECKING:
    from fastapi import FastAPI

    from assay.serving.served import Served


def app_of(served: Served, access: Access = LOCAL) -> FastAPI:
    """One app with everything: accounts, people, benchmarks."""
    from assay.benchmark.service.routes import add_routes, scopes
    from assay.serving.account_routes import add_account_routes
    from assay.serving.people_routes import add_people_routes
    from assay.serving.served import served_app

    app = served_app(served, access)
    add_account_routes(app, served)
    add_people_routes(app, served, scopes)
    add_routes(app, served)
    return app
