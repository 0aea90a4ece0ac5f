"""Requests of annotators: authentication, form data, and the page of the response.

GET requests change nothing. Changes are sent by forms with a CSRF token.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from assay.serving.app import RefusedError
from assay.serving.forms import FIELD, csrf_token, read_urlencoded, require_csrf
from assay.serving.server import Server
from assay.studies.design import Design
from assay.studies.server import sign_in
from assay.studies.server.sign_in import Caller

if TYPE_CHECKING:
    from assay.studies.server.annotation_queue import AnnotationQueue
    from assay.studies.server.store import StudyTransaction

T = TypeVar("T")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
LARGEST = 1_000_000
"""Maximum size of a form in bytes; one written text has at most 20,000 characters."""
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


class StudySession:
    """Sessions of annotators in the studies of a server."""

    def __init__(self, server: Server, queue: AnnotationQueue) -> None:
        self.server = server
        self.queue = queue

    def caller(self, request: Request, study: str) -> Caller:
        """Return the annotator whom the cookie of this study names."""
        valid_study_id(study)
        cookie = request.cookies.get(cookie_name(study), "")
        content = self.server.secret.signed(cookie, f"annotator:{study}", self.server.settings.session_days * 86400)
        if not isinstance(content, list) or len(content) != 2:
            self.server.limit(self.server.requests, self.server.from_where(request))
            raise RefusedError("You are not signed in to this study. Open your invitation again.", 401)
        caller = Caller(str(content[0]), str(content[1]))
        self.server.limit(self.server.requests, f"{study} {caller.annotator}")
        return caller

    async def form(self, request: Request, study: str) -> tuple[Caller, dict[str, list[str]]]:
        """Return the annotator and the fields of a form, after checking its CSRF token."""
        caller = self.caller(request, study)
        fields = await read_urlencoded(request, LARGEST, FIELDS)
        require_csrf(self.server.secret, (fields.get(FIELD) or [""])[0], csrf_subject(study, caller), CSRF)
        return caller, fields

    async def read(self, study: str, caller: Caller, action: Callable[[StudyTransaction], T]) -> T:
        """Run an action that changes nothing, if the session is valid."""
        return await completed(self.queue.read(study, self._authenticated(caller, action)))

    async def write(self, study: str, caller: Caller, action: Callable[[StudyTransaction], T]) -> T:
        """Run an action that may change the study, if the session is valid."""
        return await completed(self.queue.write(study, self._authenticated(caller, action)))

    def _authenticated(
        self, caller: Caller, action: Callable[[StudyTransaction], T]
    ) -> Callable[[StudyTransaction], T]:
        def authenticated(tx: StudyTransaction) -> T:
            if not sign_in.session_is_valid(tx, caller):
                raise RefusedError("Your session has ended. Open your invitation again.", 401)
            return action(tx)

        return authenticated

    def page(
        self,
        request: Request,
        template: str,
        study: str,
        design: Design | None,
        caller: Caller | None,
        **values: Any,
    ) -> Response:
        """Render a page of a study."""
        csrf = "" if caller is None else csrf_token(self.server.secret, csrf_subject(study, caller), CSRF)
        return self.server.pages.answer(
            request, f"study/{template}", base=f"/studies/{study}", csrf=csrf, design=design,
            study_title=(design.title or design.name) if design else study,
            lang=(design.language if design else "") or self.server.pages.language(request), **values,
        )  # fmt: skip

    def text(self, request: Request, key: str, **values: object) -> str:
        """Return a text of the catalogue in the language of the request."""
        return self.server.pages.text(self.server.pages.language(request), key, **values)


async def completed(future: Future[T]) -> T:
    """Wait for the result of a queued action."""
    return await asyncio.wrap_future(future)


def valid_study_id(study: str) -> str:
    """Return the id of a study; refuse what cannot be one."""
    if not NAME.fullmatch(study):
        raise RefusedError("No such study.", 404)
    return study


def cookie_name(study: str) -> str:
    return f"assay-study-{study}"


def csrf_subject(study: str, caller: Caller) -> str:
    """Return what the CSRF token of an annotator's forms is bound to."""
    return f"{study}\n{caller.annotator}\n{caller.session}"


def redirect(target: str) -> Response:
    return RedirectResponse(target, 303)
