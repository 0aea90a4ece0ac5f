"""Account pages of every server: sign in, sign out, API tokens."""

from urllib.parse import quote, urlsplit

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import select
from starlette.datastructures import FormData

from assay.serving.accounts import User
from assay.serving.app import RefusedError
from assay.serving.credentials import (
    by_session,
    end_session,
    end_token,
    new_token,
    require_session,
    set_key,
    tokens_of,
    use_key,
    use_link,
    user_of_link,
)
from assay.serving.forms import read_urlencoded
from assay.serving.pages import COOKIE, LANGUAGES
from assay.serving.server import KEY_PAGE, SESSION, Server
from assay.serving.static_routes import add_static_files
from assay.serving.tables import people

LARGEST_SIGN_IN = 10_000
"""Maximum number of bytes of the form with a link or key, which visitors send."""


def add_account_routes(app: FastAPI, server: Server) -> None:
    who, signed_in, form = Depends(server.who), Depends(server.signed_in), Depends(server.form)
    holder = Depends(server.holder)
    database, pages = server.database, server.pages
    add_static_files(app)

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

    async def sent(request: Request) -> dict[str, str]:
        data = await read_urlencoded(request, LARGEST_SIGN_IN, 4)
        return {name: (data.get(name) or [""])[-1] for name in ("link", "key")}

    words = Depends(sent)

    def begin(answer: Response, session: str) -> Response:
        answer.set_cookie(
            SESSION, server.secret.sign(session, "session"), max_age=server.settings.session_days * 86400,
            httponly=True, samesite="lax", secure=server.settings.https,
        )  # fmt: skip
        return answer

    @app.post("/sign-in", include_in_schema=False)
    def sign_in(request: Request, words: dict[str, str] = words) -> Response:
        server.limit(server.sign_ins, server.from_where(request))
        key = words["key"].strip()
        with database.write() as connection:
            use, word = (use_key, key) if key else (use_link, words["link"])
            session = use(connection, word, server.settings)
            user = by_session(connection, session) if session else None
        if session is None or user is None:
            return pages.answer(request, "sign_in.html", status=403, invited=None, link=words["link"] or key)
        return begin(RedirectResponse(KEY_PAGE if user.limited else "/", 303), session)

    @app.get(KEY_PAGE, include_in_schema=False)
    def key_page(request: Request, person: User = holder) -> Response:
        return pages.answer(request, "key.html", person, key="")

    @app.post(KEY_PAGE, include_in_schema=False)
    def make_key(request: Request, person: User = holder, data: FormData = form) -> Response:
        with database.write() as connection:
            key, session = set_key(connection, person, server.settings)
            user = by_session(connection, session) or person
        return begin(pages.answer(request, "key.html", user, key=key), session)

    @app.post("/sign-out", include_in_schema=False)
    def sign_out(person: User = holder, data: FormData = form) -> Response:
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
            require_session(connection, person)
            new = new_token(connection, person.id, str(data.get("name", "")), server.settings)
        return account(request, person, new)

    @app.post("/me/tokens/{token}/end", include_in_schema=False)
    def revoke_token(token: str, person: User = signed_in, data: FormData = form) -> Response:
        with database.write() as connection:
            if not end_token(connection, person.id, token):
                raise RefusedError("You have no such token.", 404)
        return RedirectResponse("/me", 303)
