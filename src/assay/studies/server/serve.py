"""A server with studies alone."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI, Response
from fastapi.responses import RedirectResponse

from assay.serving.access import Access
from assay.serving.account_routes import add_account_routes
from assay.serving.people import add_person, give_role, has_owner, new_link
from assay.serving.people_routes import add_people_routes
from assay.serving.served import Served, served_app
from assay.studies.server import add_routes
from assay.studies.server.dashboard import study_ids
from assay.studies.server.entrance import invitation
from assay.studies.server.opening import Files, Put, put_study
from assay.studies.server.store import Desk

__all__ = ["Files", "serve_studies"]
OWNER = "owner@localhost"


def serve_studies(
    served: Served, access: Access, files: Files | None, pilot: bool = False, invited: Iterable[str] = ()
) -> tuple[FastAPI, Put | None, list[tuple[str, str]]]:
    """The app, the study that was put on it, and links to hand out, each with what it is for."""
    desk = Desk(served.database)
    put = put_study(served.database, desk, files, pilot) if files is not None else None
    desk.close()
    with served.database.read() as connection:
        known = study_ids(connection)
    links = owner_link(served)
    for name in invited:
        for study in [put.id] if put is not None else known:
            word = invitation(served.secret, study, name)
            links.append((f"{study}, {name}", f"{served.address}/studies/{study}/enter?link={word}"))
    app = served_app(served, access)
    add_account_routes(app, served)
    add_people_routes(app, served, lambda connection: [f"study:{study}" for study in study_ids(connection)])
    add_routes(app, served)

    @app.get("/", include_in_schema=False)
    def home() -> Response:
        return RedirectResponse("/running", 303)

    return app, put, links


def owner_link(served: Served) -> list[tuple[str, str]]:
    """A link for whoever runs the server, where nobody does yet."""
    with served.database.write() as connection:
        if has_owner(connection):
            return []
        person = add_person(connection, OWNER, "server")
        give_role(connection, person, "", "owner", "server")
        return [("sign in", served.link(new_link(connection, person, "server", served.settings)))]
