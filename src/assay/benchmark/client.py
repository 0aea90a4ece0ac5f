"""HTTP client that sends a submission to a server and waits for its scores."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from assay.benchmark.cards.card import read_card
from assay.errors import AssayError, UsageError
from assay.extras import missing_extra
from assay.records import to_json
from assay.records.documents import parse_json
from assay.records.files import read_bytes
from assay.serving.access import is_loopback

if TYPE_CHECKING:
    import httpx

TOKEN = "ASSAY_TOKEN"
"""Environment variable with the API token."""
VERSION_PAGE = re.compile(r"/b/([\w.+-]+)/([\w.+-]+)/?(?:submit)?")
RETRY_SECONDS = 120.0
"""How long an unreachable server is retried. Sending a submission twice stores it once."""
POLL_SECONDS = 1.0


class Receipt(NamedTuple):
    """What the server answered to a submission."""

    base: str
    """Address of the server."""
    body: dict[str, Any]
    """The submission as the API describes it; with `findings` only, if it is not valid."""
    valid: bool = True
    known: bool = False
    """Whether the same submission was sent before."""


def send_submission(
    address: str, content: bytes, token: str, *, wait: bool = True, known: Callable[[Receipt], None] | None = None
) -> Receipt:
    """Send a submission to a benchmark version and wait until it is scored.

    Args:
        address: Address of the page of a version, e.g. https://bench.example.org/b/tides/1.
        content: The submission as JSON.
        token: API token with the submitter role.
        wait: Poll until the submission is no longer queued.
        known: Called before waiting if the same submission was sent before.
    """
    base, path = api_address(address)
    if why := missing_extra("endpoint"):
        raise AssayError(f"--to {why}")
    import httpx

    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    direct = is_loopback(urlsplit(base).hostname or "")  # no proxy on this machine
    with httpx.Client(base_url=base, headers=headers, timeout=60, trust_env=not direct) as client:
        response = _request(client, "POST", f"{path}/submissions", content)
        body = _json(response, base)
        if response.status_code == 422 and "findings" in body:
            return Receipt(base, body, valid=False)
        if response.status_code not in (200, 201):
            raise AssayError(f"{base}: {body.get('error', response.status_code)}")
        receipt = Receipt(base, body, known=response.status_code == 200)
        if receipt.known and known:
            known(receipt)
        while wait and body["state"] == "queued":
            time.sleep(POLL_SECONDS)
            response = _request(client, "GET", f"/api/submissions/{body['id']}", None)
            body = _json(response, base)
            if response.status_code != 200 or "state" not in body:
                why = body.get("error", response.status_code)
                raise AssayError(f"{base}: {why}. The submission is stored; run the same command to query it again.")
    return receipt._replace(body=body)


def api_address(address: str) -> tuple[str, str]:
    """Split the address of a version's page into the server and the API path of the version."""
    parts = urlsplit(address)
    page = VERSION_PAGE.fullmatch(parts.path)
    if parts.scheme not in ("http", "https") or not parts.hostname or not page:
        raise UsageError(
            f"--to {address}: not the address of a version's page. Example: https://bench.example.org/b/tides/1"
        )
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise UsageError(f"--to {address}: http would expose the token. Use https.")
    return f"{parts.scheme}://{parts.netloc}", f"/api/benchmarks/{page[1]}/versions/{page[2]}"


def read_token(file: Path | None) -> str:
    """Return the API token in a file or in ASSAY_TOKEN.

    There is no option for it: other users of the machine can read command lines.
    """
    try:
        token = file.read_text(encoding="ascii").strip() if file else os.environ.get(TOKEN, "").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"--token-file {file}: cannot be read ({error})") from None
    if not token or not token.isascii() or len(token.split()) != 1:
        raise UsageError(
            f"--to requires a token. Create one on the server's account page; set {TOKEN} or use --token-file."
        )
    return token


def submission_content(submission: Path, card: Path | None = None, anonymous_until: str | None = None) -> bytes:
    """Return the submission file as it is, or with the model card and the anonymity date written into it."""
    content = read_bytes(submission)
    if card is None and anonymous_until is None:
        return content
    values = parse_json(content, submission, unique=True)
    if not isinstance(values, dict):
        raise AssayError(f"{submission}: not a JSON object. A submission has submission_name and tasks.")
    values |= {"model_card": read_card(card).markdown()} if card else {}
    values |= {"anonymous_until": anonymous_until} if anonymous_until else {}
    return to_json(values).encode()


def _request(client: httpx.Client, method: str, path: str, content: bytes | None) -> httpx.Response:
    """Send a request, and again while the server cannot be reached or asks to retry: it may be restarting."""
    import httpx

    deadline = time.monotonic() + RETRY_SECONDS
    while True:
        try:
            response = client.request(method, path, content=content)
        except httpx.TransportError as error:
            if time.monotonic() > deadline:
                raise AssayError(
                    f"{client.base_url}: no response ({error}). Run the same command to send it again."
                ) from None
            time.sleep(POLL_SECONDS)
            continue
        retry = response.headers.get("retry-after")
        if response.status_code in (429, 502, 503) and retry is not None and time.monotonic() < deadline:
            # A proxy may send a date instead of seconds.
            time.sleep(min(float(retry), 30) if retry.isascii() and retry.isdigit() else POLL_SECONDS)
            continue
        return response


def _json(response: httpx.Response, base: str) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise AssayError(f"{base}: status {response.status_code} without JSON. Is this an assay server?")
    return body
