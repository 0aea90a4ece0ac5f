"""Sign-in of annotators: invitations, links of crowdsourcing platforms, links for another device, sessions.

Signed links name one study and the time of signing. A cookie is valid as long as the digest of its session is in the
database; signing out ends the sessions on every device.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, insert, select, update

from assay.errors import AssayError
from assay.serving.database import now
from assay.serving.secret import Secret, digest, new_word
from assay.serving.tables import annotators, drafts
from assay.studies.judgements import hashed

if TYPE_CHECKING:
    from assay.studies.server.store import StudyTransaction

PLATFORMS = {
    "mturk": ("workerId", "assignmentId", "hitId"),
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
}
"""URL parameters of each platform; the first identifies the worker."""
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""Assignment id that Mechanical Turk sends in a preview."""
PLACEHOLDER = re.compile(r"[${}%]")
"""Part of a placeholder that a platform did not fill in; all its workers would have the same name."""
INVITATION_DAYS = 60
DEVICE_SECONDS = 3600
LONGEST = 100
CODE_LENGTH = 10
SESSIONS = 20
"""Sessions of an annotator at the same time; the oldest one ends."""


@dataclass(frozen=True)
class Caller:
    """The annotator and session that a cookie names; `session_is_valid` checks them."""

    annotator: str
    session: str


@dataclass(frozen=True)
class LinkHolder:
    """An annotator with a valid link."""

    annotator: str
    parameters: dict[str, str]
    preview: bool = False
    device: str = ""
    """Token of a link that can be used once."""


def invitation(secret: Secret, study: str, annotator: str) -> str:
    """Return the token of an invitation."""
    return secret.sign([study, "person", valid_name(annotator)], "invitation")


def platform_link(secret: Secret, address: str, study: str, platform: str) -> str:
    """Return the link for a platform, with the placeholders that it fills in."""
    token = secret.sign([study, "platform", platform], "invitation")
    placeholder = {"mturk": "${%s}", "prolific": "{{%%%s%%}}"}[platform]
    parameters = "&".join(f"{name}={placeholder % name}" for name in PLATFORMS[platform])
    return f"{address}/studies/{study}/enter?link={token}&{parameters}"


def valid_name(name: str) -> str:
    """Return the name of an annotator; refuse one that is too long or not printable."""
    if not 0 < len(name) <= LONGEST or not name.isprintable():
        raise AssayError(f"{name[:40]!r}: the name of an annotator must have 1 to {LONGEST} printable characters")
    return name


def verify_link(
    secret: Secret, study: str, query: Mapping[str, str], days: float = INVITATION_DAYS
) -> LinkHolder | None:
    """Return the annotator of a link with these parameters, or None if the link is invalid or has expired."""
    device = secret.signed(query.get("device", ""), "device", DEVICE_SECONDS)
    if isinstance(device, list) and len(device) == 3 and device[0] == study:
        return LinkHolder(str(device[1]), {}, device=str(device[2]))
    link = secret.signed(query.get("link", ""), "invitation", days * 86400)
    if not isinstance(link, list) or len(link) != 3 or link[0] != study:
        return None
    if link[1] == "person":
        return LinkHolder(str(link[2]), {})
    platform = str(link[2])
    parameters = {name: query.get(name, "")[:LONGEST] for name in PLATFORMS.get(platform, ())}
    if not parameters:
        return None
    preview = platform == "mturk" and parameters["assignmentId"] == PREVIEW
    worker = parameters[PLATFORMS[platform][0]]
    if not preview and (not worker.strip() or not worker.isprintable() or PLACEHOLDER.search(worker)):
        return None
    return LinkHolder(f"{platform}:{worker}", parameters, preview)


def start_session(tx: StudyTransaction, holder: LinkHolder) -> Caller | None:
    """Sign in an annotator, new or known; return None if a link that can be used once was used before."""
    own = _row(tx, holder.annotator)
    row = tx.connection.execute(select(annotators).where(own)).mappings().first()
    if holder.device:
        used = tx.connection.execute(
            update(annotators).where(own, annotators.c.device == digest(holder.device)).values(device="")
        )
        if used.rowcount != 1 or row is None:
            return None
    session = new_word()
    if row is None:
        tx.connection.execute(
            insert(annotators).values(
                study=tx.id, person=valid_name(holder.annotator), session=digest(session),
                parameters=holder.parameters, device="", entered=now(),
            )
        )  # fmt: skip
        return Caller(holder.annotator, session)
    sessions = " ".join([*row["session"].split(), digest(session)][-SESSIONS:])
    parameters = holder.parameters or row["parameters"]
    tx.connection.execute(update(annotators).where(own).values(session=sessions, parameters=parameters))
    return Caller(holder.annotator, session)


def session_is_valid(tx: StudyTransaction, caller: Caller) -> bool:
    """Return whether the session of a cookie has not ended."""
    query = select(annotators.c.session).where(_row(tx, caller.annotator))
    return digest(caller.session) in str(tx.connection.execute(query).scalar() or "").split()


def end_session(tx: StudyTransaction, annotator: str) -> None:
    """Sign out an annotator on every device."""
    tx.connection.execute(update(annotators).where(_row(tx, annotator)).values(session="", device=""))


def device_link(tx: StudyTransaction, secret: Secret, annotator: str) -> str:
    """Return the token of a link with which an annotator signs in on another device, once."""
    token = new_word()
    tx.connection.execute(update(annotators).where(_row(tx, annotator)).values(device=digest(token)))
    return secret.sign([tx.id, annotator, token], "device")


def platform_parameters(tx: StudyTransaction, annotator: str) -> dict[str, str]:
    """Return the URL parameters with which a platform sent an annotator."""
    query = select(annotators.c.parameters).where(_row(tx, annotator))
    parameters: dict[str, str] | None = tx.connection.execute(query).scalar()
    return parameters or {}


def completion_code(secret: Secret, study: str, annotator: str, common: str = "") -> str:
    """Return the completion code of an annotator for a platform: the common one, or one that cannot be guessed."""
    if common:
        return common
    mark = secret.mark(f"{study} {annotator}", "completion")
    return "".join(letter for letter in mark.upper() if letter.isalnum())[:CODE_LENGTH]


def forget_annotator(tx: StudyTransaction, name: str) -> int:
    """Delete all data of an annotator, named plainly or as in exports; return the number of deleted events."""
    from assay.studies.server.store import forget_events

    rows = tx.connection.execute(select(annotators.c.person).where(annotators.c.study == tx.id)).scalars()
    known = {*tx.study.annotators, *rows}
    annotator = next((each for each in known if name in (each, hashed(tx.study, each))), None)
    if annotator is None:
        raise AssayError(f"study {tx.id}: no annotator called {name[:80]}")
    tx.connection.execute(delete(drafts).where(drafts.c.study == tx.id, drafts.c.person == annotator))
    tx.connection.execute(delete(annotators).where(_row(tx, annotator)))
    return forget_events(tx, annotator)


def _row(tx: StudyTransaction, annotator: str) -> Any:
    return and_(annotators.c.study == tx.id, annotators.c.person == annotator)
