"""`assay benchmark submit --to`: a submission sent to a server, and what becomes of it there."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from assay.benchmark.card import read_card
from assay.benchmark.submission import Finding
from assay.cli.shared.display import counted, say
from assay.cli.shared.findings import print_findings
from assay.errors import AssayError, UsageError
from assay.extras import missing_extra
from assay.records import to_json
from assay.records.documents import parse_json
from assay.records.files import read_bytes
from assay.serving.access import is_loopback

if TYPE_CHECKING:
    import httpx

TOKEN = "ASSAY_TOKEN"
PLACE = re.compile(r"/b/([\w.+-]+)/([\w.+-]+)/?(?:submit)?")
PATIENCE = 120.0
"""Seconds for which a server may be away: sending again changes nothing, so it is sent again."""
EVERY = 1.0


def submit_to(
    address: str, submission: Path, card: Path | None, until: str | None, token_file: Path | None, wait: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Send, and unless told otherwise wait until it is scored."""
    base, path = _place(address)
    if why := missing_extra("endpoint"):
        raise AssayError(f"--to {why}")
    import httpx

    content = _content(submission, card, until)
    headers = {"Authorization": f"Bearer {_token(token_file)}", "Content-Type": "application/json"}
    with httpx.Client(
        base_url=base, headers=headers, timeout=60, trust_env=not is_loopback(urlsplit(base).hostname or "")
    ) as client:
        answer = _asked(client, "POST", f"{path}/submissions", content)
        told = _json(answer, base)
        if answer.status_code == 422 and "findings" in told:
            _refused(submission, told, as_json)
        if answer.status_code not in (200, 201):
            raise AssayError(f"{base}: {told.get('error', answer.status_code)}")
        if answer.status_code == 200 and not as_json:
            say(f"{told['name']}: was sent before; this is what became of it")
        while wait and told["state"] == "queued":
            time.sleep(EVERY)
            answer = _asked(client, "GET", f"/api/submissions/{told['id']}", None)
            told = _json(answer, base)
            if answer.status_code != 200 or "state" not in told:
                why = told.get("error", answer.status_code)
                raise AssayError(f"{base}: {why}; the submission is there, and the same call asks again")
    _said(base, told, as_json)
    if told.get("state") == "failed":
        raise AssayError(f"{told['name']}: could not be scored ({told['error']}); its organisers may try again")


def _place(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    found = PLACE.fullmatch(parts.path)
    if parts.scheme not in ("http", "https") or not parts.hostname or not found:
        raise UsageError(f"--to {address}: write the address of a version's page, https://bench.example.org/b/tides/1")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise UsageError(f"--to {address}: everybody on the way could read the token; use https")
    return f"{parts.scheme}://{parts.netloc}", f"/api/benchmarks/{found[1]}/versions/{found[2]}"


def _token(file: Path | None) -> str:
    """Never from the command line, where other users of the machine see it."""
    try:
        token = file.read_text(encoding="ascii").strip() if file else os.environ.get(TOKEN, "").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"--token-file {file}: cannot be read ({error})") from None
    if not token or not token.isascii() or len(token.split()) != 1:
        raise UsageError(
            f"--to needs a token: make one on the server's page about you, put it into {TOKEN} or --token-file"
        )
    return token


def _content(submission: Path, card: Path | None, until: str | None) -> bytes:
    """The file as it is; with a card or a day of its own, written anew with them."""
    content = read_bytes(submission)
    if card is None and until is None:
        return content
    given = parse_json(content, submission, unique=True)
    if not isinstance(given, dict):
        raise AssayError(f"{submission}: no object, so it is no submission")
    given |= {"model_card": read_card(card).markdown()} if card else {}
    given |= {"anonymous_until": until} if until else {}
    return to_json(given).encode()


def _asked(client: httpx.Client, method: str, path: str, content: bytes | None) -> httpx.Response:
    """The answer, however often the server has to be asked: it may be started anew meanwhile."""
    import httpx

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            answer = client.request(method, path, content=content)
        except httpx.TransportError as error:
            if time.monotonic() > deadline:
                raise AssayError(
                    f"{client.base_url}: does not answer ({error}); the same call sends it again"
                ) from None
            time.sleep(EVERY)
            continue
        if answer.status_code in (429, 502, 503) and "retry-after" in answer.headers and time.monotonic() < deadline:
            said = answer.headers["retry-after"]  # a proxy may name a date
            time.sleep(min(float(said), 30) if said.isascii() and said.isdigit() else EVERY)
            continue
        return answer


def _json(answer: httpx.Response, base: str) -> dict[str, Any]:
    try:
        told = answer.json()
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise AssayError(f"{base}: answers {answer.status_code} and no JSON; is it a server of assay?")
    return told


def _refused(submission: Path, told: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(to_json({"stored": False, "valid": False, "findings": told["findings"]}))
    else:
        say(f"{submission}: cannot be taken, and nothing of it is stored")
        print_findings(Finding(**finding) for finding in told["findings"])
    raise click.exceptions.Exit(1)


def _said(base: str, told: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(to_json({"stored": True, "valid": True, **told}))
        return
    tasks = counted(len(told["tasks"]), "task")
    say(f"{told['name']} · {told['benchmark']} {told['version']} · {tasks}: {told['state']}")
    for task, result in told["scores"].items():
        shown = [(name, result["scores"][name]["value"]) for name in result["shown"]]
        numbers = "   ".join(f"{name} {value:.2f}" for name, value in shown if value is not None)
        say(f" {task} · {counted(result['n'], 'output')}: {numbers}")
    print_findings(Finding(**finding) for finding in told["findings"])
    say(f"Next: {base}/submissions/{told['id']}")
