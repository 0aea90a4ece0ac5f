"""What the benchmark's room brings to a server."""

from fastapi import FastAPI
from sqlalchemy import Connection, select

from assay.benchmark.service.api_routes import add_api_routes
from assay.benchmark.service.page_routes import add_page_routes
from assay.benchmark.service.versions import Versions, scope_of
from assay.serving.served import Served
from assay.serving.tables import benchmarks


def add_routes(app: FastAPI, served: Served) -> Versions:
    versions = Versions(served)
    add_api_routes(app, served, versions)
    add_page_routes(app, served, versions)
    return versions


def scopes(connection: Connection) -> list[str]:
    """What roles may be given for here."""
    return [scope_of(name) for name in connection.execute(select(benchmarks.c.name).order_by("name")).scalars()]
