"""What a request sends: forms of pages with their CSRF tokens, and small JSON objects of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qs

from markupsafe import Markup

from assay.serving.app import RefusedError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from starlette.requests import Request

    from assay.serving.secret import Secret

Shape = TypeVar("Shape", bound="BaseModel")
LARGEST_JSON = 10_000
"""Maximum number of bytes of a JSON object that changes a setting."""
FIELD = "csrf"
"""Name of the hidden field with the CSRF token."""


def csrf_token(secret: Secret, session: str, use: str = "csrf") -> str:
    """Return the token that a form of this session must send; empty without a session."""
    return secret.mark(session, use) if session else ""


def csrf_field(token: str) -> Markup:
    """Return the hidden form field with a CSRF token."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, token)


def require_csrf(secret: Secret, token: object, session: str, use: str = "csrf") -> None:
    """Raise RefusedError unless the token belongs to this session."""
    if not isinstance(token, str) or not secret.is_mark(token, session, use):
        raise RefusedError("The form has expired or was not sent by this page. Open the page again.", 403)


async def read_json(request: Request, shape: type[Shape], most_bytes: int = LARGEST_JSON) -> Shape:
    """Return the JSON object that a request sends.

    A route reads it after it has authenticated the user. A parameter of the route would be read and parsed before, for
    everyone, whatever its size.
    """
    from fastapi.exceptions import RequestValidationError
    from pydantic import ValidationError

    body = await _limited(request, most_bytes, f"The body is larger than {most_bytes:,} bytes. Send less.")
    try:
        return shape.model_validate_json(bytes(body))
    except ValidationError as error:
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in error.errors()]) from None


def json_request(shape: type[BaseModel]) -> dict[str, object]:
    """Return the description of a request body for `openapi_extra` of a route that calls `read_json`."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": shape.model_json_schema()}}}}


async def read_urlencoded(request: Request, most_bytes: int, most_fields: int) -> dict[str, list[str]]:
    """Return the fields of a form without files; a field may have several values."""
    body = await _limited(request, most_bytes, f"The form is larger than {most_bytes:,} bytes. Enter less text.")
    try:
        text = body.decode("utf-8", "replace")
        return parse_qs(text, keep_blank_values=True, max_num_fields=most_fields, errors="replace")
    except ValueError:
        raise RefusedError(f"Not a form with at most {most_fields:,} fields.", 400) from None


async def _limited(request: Request, most_bytes: int, why: str) -> bytearray:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise RefusedError(why, 413)
    return body
