"""Forms of pages: the data that a browser sends, and CSRF tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from markupsafe import Markup

from assay.serving.app import RefusedError

if TYPE_CHECKING:
    from starlette.requests import Request

    from assay.serving.secret import Secret

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


async def read_urlencoded(request: Request, most_bytes: int, most_fields: int) -> dict[str, list[str]]:
    """Return the fields of a form without files; a field may have several values."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise RefusedError(f"The form is larger than {most_bytes:,} bytes. Enter less text.", 413)
    try:
        text = body.decode("utf-8", "replace")
        return parse_qs(text, keep_blank_values=True, max_num_fields=most_fields, errors="replace")
    except ValueError:
        raise RefusedError(f"Not a form with at most {most_fields:,} fields.", 400) from None
