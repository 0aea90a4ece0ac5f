"""At the door of a study: who asks, what they have sent, and the page that answers.

Nothing changes by looking; what changes is sent by a form with a token of its own."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from assay.serving.app import RefusedError
from assay.serving.forms import FIELD, csrf_token, read_urlencoded, require_csrf
from assay.serving.server import Server
from assay.studies.design import Design
from assay.studies.server import entrance
from assay.studies.server.entrance import Caller
from assay.studies.server.store import Desk, Work

T = TypeVar("T")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
LARGEST = 1_000_000
"""Bytes of a form; a text that somebody writes has at most 20,000 characters."""
FIELDS = 2_000
CSRF = "annotator-csrf"
FORM = {
    "requestBody": {
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {"type": "object", "additionalProperties": {"type": "string"}}
            }
        }
    }
}


class Door:
    """Requests of people who judge: who asks, what they have sent, and the page that answers."""

    def __init__(self, served: Server, desk: Desk) -> None:
        self.served = served
        self.desk = desk

    def caller(self, request: Request, study: str) -> Caller:
        """By the cookie of this study."""
        known_study(study)
        cookie = request.cookies.get(cookie_of(study), "")
        found = self.served.secret.signed(cookie, f"annotator:{study}", self.served.settings.session_days * 86400)
        if not isinstance(found, list) or len(found) != 2:
            self.served.limit(self.served.requests, self.served.from_where(request))
            raise RefusedError("you are not signed in to this study; open your invitation again", 401)
        caller = Caller(str(found[0]), str(found[1]))
        self.served.limit(self.served.requests, f"{study} {caller.person}")
        return caller

    async def form(self, request: Request, study: str) -> tuple[Caller, dict[str, list[str]]]:
        """What a form of ours has sent, after a look at its token."""
        caller = self.caller(request, study)
        given = await read_urlencoded(request, LARGEST, FIELDS)
        require_csrf(self.served.secret, (given.get(FIELD) or [""])[0], token_of(study, caller), CSRF)
        return caller, given

    async def look(self, study: str, caller: Caller, do: Callable[[Work], T]) -> T:
        return await waited(self.desk.look(study, self._checked(caller, do)))

    async def change(self, study: str, caller: Caller, do: Callable[[Work], T]) -> T:
        return await waited(self.desk.change(study, self._checked(caller, do)))

    def _checked(self, caller: Caller, do: Callable[[Work], T]) -> Callable[[Work], T]:
        def checked(work: Work) -> T:
            if not entrance.holds(work, caller):
                raise RefusedError("your session has ended; open your invitation again", 401)
            return do(work)

        return checked

    def page(
        self,
        request: Request,
        template: str,
        study: str,
        design: Design | None,
        caller: Caller | None,
        **values: Any,
    ) -> Response:
        csrf = "" if caller is None else csrf_token(self.served.secret, token_of(study, caller), CSRF)
        return self.served.pages.answer(
            request, f"study/{template}", base=f"/studies/{study}", csrf=csrf, design=design,
            study_title=(design.title or design.name) if design else study,
            lang=(design.language if design else "") or self.served.pages.language(request), **values,
        )  # fmt: skip

    def text(self, request: Request, key: str, **values: object) -> str:
        return self.served.pages.text(self.served.pages.language(request), key, **values)


async def waited(future: Future[T]) -> T:
    return await asyncio.wrap_future(future)


def known_study(study: str) -> str:
    if not NAME.fullmatch(study):
        raise RefusedError("there is no such study", 404)
    return study


def cookie_of(study: str) -> str:
    return f"assay-study-{study}"


def token_of(study: str, caller: Caller) -> str:
    return f"{study}\n{caller.person}\n{caller.session}"


def go(target: str) -> Response:
    return RedirectResponse(target, 303)
