"""Account pages of every server: sign in, sign out, API tokens."""

from importlib.resources import files
from urllib.parse import quote, urlsplit

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import select
from starlette.datastructures import FormData

from assay.serving.accounts import User, end_session, end_token, new_token, tokens_of, use_link, user_of_link
from assay.serving.app import RefusedError
from assay.serving.pages import COOKIE, LANGUAGES
from assay.serving.server import SESSION, Server
from assay.serving.tables import people


def add_account_routes(app: FastAPI, server: Server) -> None:
    who, signed_in, form = Depends(server.who), Depends(server.signed_in), Depends(server.form)
    database, pages = server.database, server.pages
    style = b"".join(
        files(room).joinpath(*path).read_bytes()
        for room, path in (
            ("assay.explorer", ("templates", "palette.css")),
            ("assay.serving", ("static", "service.css")),
        )
    )

    @app.get("/static/service.css", include_in_schema=False)
    def css() -> Response:
        return Response(style, media_type="text/css")

    @app.get("/healthz", include_in_schema=False)
    def health() -> Response:
        with database.read() as connection:
            connection.execute(select(people.c.id).limit(1)).first()
        return Response("ok\n", media_type="text/plain")

    @app.get("/language/{code}", include_in_schema=False)
    def language(request: Request, code: str, person: User = who) -> Response:
        # Return to the page of the link. Only its path is used: no redirect to other sites.
        back = "/" + urlsplit(request.headers.get("referer", "")[:2000]).path.lstrip("/\\")
        answer = RedirectResponse(quote(back, safe="/"), 303)
        if code in LANGUAGES:
            answer.set_cookie(COOKIE, code, max_age=31_536_000, samesite="lax", httponly=True)
        return answer

    @app.get("/sign-in", include_in_schema=False)
    def sign_in_page(request: Request, link: str = "", person: User = who) -> Response:
        invited = None
        if link:
            server.limit(server.sign_ins, server.from_where(request))
            with database.read() as connection:
                invited = user_of_link(connection, link)
        return pages.answer(request, "sign_in.html", person, invited=invited, link=link)

    async def link_of(request: Request) -> str:
        return str((await request.form(max_files=0, max_fields=4)).get("link", ""))

    @app.post("/sign-in", include_in_schema=False)
    def sign_in(request: Request, link: str = Depends(link_of)) -> Response:
        server.limit(server.sign_ins, server.from_where(request))
        with database.write() as connection:
            session = use_link(connection, link, server.settings)
        if session is None:
            return pages.answer(request, "sign_in.html", status=403, invited=None, link=link)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            SESSION, server.secret.sign(session, "session"), max_age=server.settings.session_days * 86400,
            httponly=True, samesite="lax", secure=server.settings.https,
        )  # fmt: skip
        return answer

    @app.post("/sign-out", include_in_schema=False)
    def sign_out(person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            end_session(connection, person.session, person.id)
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(SESSION)
        return answer

    def account(request: Request, person: User, new: str = "") -> Response:
        with database.read() as connection:
            tokens = tokens_of(connection, person.id)
        return pages.answer(request, "me.html", person, tokens=tokens, new=new)

    @app.get("/me", include_in_schema=False)
    def me(request: Request, person: User = signed_in) -> Response:
        return account(request, person)

    @app.post("/me/tokens", include_in_schema=False)
    def make_token(request: Request, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            new = new_token(connection, person.id, str(data.get("name", "")), server.settings)
        return account(request, person, new)

    @app.post("/me/tokens/{token}/end", include_in_schema=False)
    def revoke_token(token: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            if not end_token(connection, person.id, token):
                raise RefusedError("You have no such token.", 404)
        return RedirectResponse("/me", 303)
