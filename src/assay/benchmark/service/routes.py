"""The routes of the benchmark service."""

from fastapi import FastAPI
from sqlalchemy import Connection, select

from assay.benchmark.service.api_routes import add_api_routes
from assay.benchmark.service.hosted_versions import HostedVersions, scope_of
from assay.benchmark.service.page_routes import add_page_routes
from assay.serving.server import Server
from assay.serving.tables import benchmarks


def add_routes(app: FastAPI, server: Server) -> HostedVersions:
    """Add the API and the pages of benchmarks."""
    versions = HostedVersions(server)
    add_api_routes(app, server, versions)
    add_page_routes(app, server, versions)
    return versions


def scopes(connection: Connection) -> list[str]:
    """Return the role scope of each benchmark."""
    return [scope_of(name) for name in connection.execute(select(benchmarks.c.name).order_by("name")).scalars()]
