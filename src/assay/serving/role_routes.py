"""People and their roles, and the audit log: pages for those who organise."""

from collections.abc import Callable

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import Connection, select
from starlette.datastructures import FormData

from assay.serving.accounts import RANKS, Who, add_person, give_role, new_link, who_is
from assay.serving.app import RefusedError
from assay.serving.audit import entries
from assay.serving.server import Server
from assay.serving.tables import people, roles, submissions

PAGE = 100


def add_role_routes(app: FastAPI, server: Server, scopes: Callable[[Connection], list[str]]) -> None:
    """`scopes`: what roles may be given for, besides the whole server."""
    signed_in, form = Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages

    def people_page(request: Request, person: Who, link: str = "", invited: str = "") -> Response:
        with database.read() as connection:
            offered = ["", *scopes(connection)] if person.may("organiser") else person.scopes("organiser")
            known = select(roles, people.c.email).join(people, people.c.id == roles.c.person)
            rows = connection.execute(known.order_by(people.c.email, roles.c.scope)).mappings().all()
        shown = [row for row in rows if person.may("organiser", row["scope"])]
        return pages.answer(
            request, "people.html", person, rows=shown, scopes=offered, ranks=list(RANKS), link=link, invited=invited
        )

    def organiser_of(person: Who, scope: str, role: str = "reader") -> None:
        if not person.may("organiser", scope) or (role and not person.may(role, scope)):
            raise RefusedError("this takes an organiser of what the role is for", 403)

    @app.get("/people", include_in_schema=False)
    def list_people(request: Request, person: Who = signed_in) -> Response:
        if not person.scopes("organiser"):
            raise RefusedError("this takes an organiser", 403)
        return people_page(request, person)

    @app.post("/people", include_in_schema=False)
    def invite(request: Request, person: Who = signed_in, given: FormData = form) -> Response:
        email, scope, role = (str(given.get(key, "")) for key in ("email", "scope", "role"))
        if role not in RANKS:
            raise RefusedError(f"no role called {role[:40]}; there are {', '.join(RANKS)}", 400)
        organiser_of(person, scope, role)
        with database.write() as connection:
            if scope and scope not in scopes(connection):
                raise RefusedError("there is nothing of this name to have a role for", 404)
            found = add_person(connection, email, person.id)
            known = who_is(connection, found)
            if known is None:
                raise RefusedError("this person was closed out; ask the owner", 403)
            link = (
                server.link(new_link(connection, found, person.id, server.settings))
                if commands(connection, person, known)
                else ""
            )
            if RANKS.get(known.roles.get(scope, ""), 0) < RANKS[role]:
                give_role(connection, found, scope, role, person.id)
        return people_page(request, person, link, email)

    @app.post("/people/{other}/remove", include_in_schema=False)
    def remove_role(other: str, person: Who = signed_in, given: FormData = form) -> Response:
        scope = str(given.get("scope", ""))
        with database.write() as connection:
            held = connection.execute(
                select(roles.c.role).where(roles.c.person == other, roles.c.scope == scope)
            ).scalar()
            organiser_of(person, scope, str(held or "reader"))
            if held is None:
                raise RefusedError("they have no such role", 404)
            if other == person.id and held == "owner":
                raise RefusedError("an owner cannot stop being one by themselves; another owner can", 400)
            give_role(connection, other, scope, "", person.id)
        return RedirectResponse("/people", 303)

    @app.get("/audit", include_in_schema=False)
    def log(request: Request, before: str = "", person: Who = signed_in) -> Response:
        own = person.scopes("organiser")
        if not own:
            raise RefusedError("this takes an organiser", 403)
        with database.read() as connection:
            rows = entries(connection, objects=None if "" in own else own, before=before, limit=PAGE)
        older = rows[-1]["id"] if len(rows) == PAGE else ""
        return pages.answer(request, "audit.html", person, rows=rows, before=older)


def commands(connection: Connection, person: Who, other: Who) -> bool:
    """Whether somebody may sign another in: a link acts as its person, so nobody may gain a role by making one, nor
    read what the other has sent elsewhere, in a role that they have no more."""
    sent = select(submissions.c.benchmark).where(submissions.c.person == other.id).distinct()
    asked = {f"benchmark:{name}": "reader" for name in connection.execute(sent).scalars()} | other.roles
    return all(
        person.may("organiser", scope) and person.may(role, scope) for scope, role in asked.items() if role in RANKS
    )
