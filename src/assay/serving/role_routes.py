"""Pages for organisers: users and their roles, the audit log."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import Connection, select
from starlette.datastructures import FormData

from assay.serving.accounts import RANKS, User, given_roles, is_vouched
from assay.serving.app import RefusedError
from assay.serving.audit import entries
from assay.serving.invitations import accept_account, covers, invite_user, remove_role, require_organiser
from assay.serving.server import Server
from assay.serving.tables import people, roles

PAGE = 100
"""Entries on a page of the audit log."""
REQUIRES_ORGANISER = "Requires the organiser role."


def add_role_routes(app: FastAPI, server: Server, scopes: Callable[[Connection], list[str]]) -> None:
    """Add the pages. `scopes` returns what a role can be given for, apart from the whole server."""
    signed_in, form = Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages

    def people_page(request: Request, person: User, link: str = "", invited: str = "") -> Response:
        with database.read() as connection:
            offered = ["", *scopes(connection)] if person.may("organiser") else person.scopes("organiser")
            known = select(roles, people.c.email).join(people, people.c.id == roles.c.person)
            rows = connection.execute(known.order_by(people.c.email, roles.c.scope)).mappings().all()
            shown = [
                {**row, "state": state_of(connection, person, row)}
                for row in rows
                if person.may("organiser", row["scope"])
            ]
        return pages.answer(
            request, "people.html", person, rows=shown, scopes=offered, ranks=list(RANKS), link=link, invited=invited
        )

    @app.get("/people", include_in_schema=False)
    def list_people(request: Request, person: User = signed_in) -> Response:
        if not person.scopes("organiser"):
            raise RefusedError(REQUIRES_ORGANISER, 403)
        return people_page(request, person)

    @app.post("/people", include_in_schema=False)
    def invite(request: Request, person: User = signed_in, data: FormData = form) -> Response:
        email, scope, role = (str(data.get(key, "")) for key in ("email", "scope", "role"))
        if role not in RANKS:
            raise RefusedError(f"Unknown role: {role[:40]}. Choose one of: {', '.join(RANKS)}", 400)
        require_organiser(person, scope, role)
        with database.write() as connection:
            if scope and scope not in scopes(connection):
                raise RefusedError("There is no benchmark or study of this name.", 404)
            made = invite_user(connection, person, email, scope, role, server.settings)
        return people_page(request, person, server.link(made.link) if made.link else "", email)

    @app.post("/people/{other}/remove", include_in_schema=False)
    def remove(other: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            remove_role(connection, person, other, str(data.get("scope", "")))
        return RedirectResponse("/people", 303)

    @app.post("/people/{other}/accept", include_in_schema=False)
    def accept(other: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            accept_account(connection, person, other)
        return RedirectResponse("/people", 303)

    @app.get("/audit", include_in_schema=False)
    def log(request: Request, before: str = "", person: User = signed_in) -> Response:
        own = person.scopes("organiser")
        if not own:
            raise RefusedError(REQUIRES_ORGANISER, 403)
        with database.read() as connection:
            rows = entries(connection, objects=None if "" in own else own, before=before, limit=PAGE)
        older = rows[-1]["id"] if len(rows) == PAGE else ""
        return pages.answer(request, "audit.html", person, rows=rows, before=older)


def state_of(connection: Connection, person: User, row: Mapping[Any, Any]) -> str:
    """Return whether a role is in force: "active", "invited", "suspended", or "acceptable" by this organiser."""
    user = given_roles(connection, row["person"])
    if user is None or user.vouchers is None:
        return "invited"
    if is_vouched(connection, user, row["role"], row["scope"]):
        return "active"
    return "acceptable" if covers(person, user.roles) else "suspended"
