"""Pages for organisers: users and their roles, the audit log."""

from collections.abc import Callable

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import Connection, select
from starlette.datastructures import FormData

from assay.serving.accounts import RANKS, User, add_person, find_user, give_role, new_link
from assay.serving.app import RefusedError
from assay.serving.audit import entries
from assay.serving.server import Server
from assay.serving.tables import people, roles, submissions

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
        shown = [row for row in rows if person.may("organiser", row["scope"])]
        return pages.answer(
            request, "people.html", person, rows=shown, scopes=offered, ranks=list(RANKS), link=link, invited=invited
        )

    def organiser_of(person: User, scope: str, role: str = "reader") -> None:
        if not person.may("organiser", scope) or (role and not person.may(role, scope)):
            raise RefusedError("Requires the organiser role for the same benchmark, study or server.", 403)

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
        organiser_of(person, scope, role)
        with database.write() as connection:
            if scope and scope not in scopes(connection):
                raise RefusedError("There is no benchmark or study of this name.", 404)
            id = add_person(connection, email, person.id)
            known = find_user(connection, id)
            if known is None:
                raise RefusedError("This account is closed. Contact the owner of the server.", 403)
            link = (
                server.link(new_link(connection, id, person.id, server.settings))
                if may_sign_in(connection, person, known)
                else ""
            )
            if RANKS.get(known.roles.get(scope, ""), 0) < RANKS[role]:
                give_role(connection, id, scope, role, person.id)
        return people_page(request, person, link, email)

    @app.post("/people/{other}/remove", include_in_schema=False)
    def remove_role(other: str, person: User = signed_in, data: FormData = form) -> Response:
        scope = str(data.get("scope", ""))
        with database.write() as connection:
            role = connection.execute(
                select(roles.c.role).where(roles.c.person == other, roles.c.scope == scope)
            ).scalar()
            organiser_of(person, scope, str(role or "reader"))
            if role is None:
                raise RefusedError("The user does not have this role.", 404)
            if other == person.id and role == "owner":
                raise RefusedError("Owners cannot remove their own role. Another owner can.", 400)
            give_role(connection, other, scope, "", person.id)
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


def may_sign_in(connection: Connection, person: User, other: User) -> bool:
    """Return whether a user may create a sign-in link for another.

    The link acts as the other user. It must not give roles that its creator lacks, nor access to submissions of the
    other user to benchmarks that its creator does not organise.
    """
    sent = select(submissions.c.benchmark).where(submissions.c.person == other.id).distinct()
    required = {f"benchmark:{name}": "reader" for name in connection.execute(sent).scalars()} | other.roles
    return all(
        person.may("organiser", scope) and person.may(role, scope) for scope, role in required.items() if role in RANKS
    )
