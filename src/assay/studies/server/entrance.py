"""How people come in: invitations, links of platforms, another device; and how they are known afterwards.

What is signed names one study and says when it was signed. A cookie holds for as long as the session does that stands
beside the person's name; leaving ends it on every device.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, insert, select, update

from assay.errors import AssayError
from assay.serving.database import now
from assay.serving.secret import Secret, new_word
from assay.serving.tables import annotators, drafts
from assay.studies.judgements import hashed

if TYPE_CHECKING:
    from assay.studies.server.store import Work

PLATFORMS = {
    "mturk": ("workerId", "assignmentId", "hitId"),
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
}
"""The parameters that a platform adds to a link; the first says who it is."""
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What Mechanical Turk sends for an assignment while somebody only looks."""
GAP = re.compile(r"[${}%]")
"""In a gap that a platform has not filled: all its people would be one."""
INVITATION_DAYS = 60
DEVICE_SECONDS = 3600
LONGEST = 100
CODE = 10


@dataclass(frozen=True)
class Caller:
    """Who a cookie says it is; the database says whether that still holds."""

    person: str
    session: str


@dataclass(frozen=True)
class Coming:
    """Somebody at the door with a link that is one of ours."""

    person: str
    parameters: dict[str, str]
    preview: bool = False
    device: str = ""
    """Of a link that works once."""


def invitation(secret: Secret, study: str, person: str) -> str:
    return secret.sign([study, "person", known_name(person)], "invitation")


def platform_link(secret: Secret, address: str, study: str, platform: str) -> str:
    """A link for a platform, with the gaps that it fills in."""
    word = secret.sign([study, "platform", platform], "invitation")
    gaps = {"mturk": "${%s}", "prolific": "{{%%%s%%}}"}[platform]
    more = "&".join(f"{name}={gaps % name}" for name in PLATFORMS[platform])
    return f"{address}/studies/{study}/enter?link={word}&{more}"


def known_name(name: str) -> str:
    """A name under which somebody may come."""
    if not 0 < len(name) <= LONGEST or not name.isprintable():
        raise AssayError(f"a person's name has 1 to {LONGEST} letters, all of which can be seen")
    return name


def coming(secret: Secret, study: str, query: Mapping[str, str], days: float = INVITATION_DAYS) -> Coming | None:
    """Who is let in by a link with these parameters; None for a link that opens nothing here."""
    device = secret.signed(query.get("device", ""), "device", DEVICE_SECONDS)
    if isinstance(device, list) and len(device) == 3 and device[0] == study:
        return Coming(str(device[1]), {}, device=str(device[2]))
    given = secret.signed(query.get("link", ""), "invitation", days * 86400)
    if not isinstance(given, list) or len(given) != 3 or given[0] != study:
        return None
    if given[1] == "person":
        return Coming(str(given[2]), {})
    platform = str(given[2])
    parameters = {name: query.get(name, "")[:LONGEST] for name in PLATFORMS.get(platform, ())}
    if not parameters:
        return None
    preview = platform == "mturk" and parameters["assignmentId"] == PREVIEW
    person = parameters[PLATFORMS[platform][0]]
    if not preview and (not person.strip() or not person.isprintable() or GAP.search(person)):
        return None
    return Coming(f"{platform}:{person}", parameters, preview)


def enter(work: Work, who: Coming) -> Caller | None:
    """Let somebody in, whom the study may have seen before; None where a link that works once has been used."""
    mine = _row(work, who.person)
    row = work.connection.execute(select(annotators).where(mine)).mappings().first()
    if who.device:
        used = work.connection.execute(
            update(annotators).where(mine, annotators.c.device == who.device).values(device="")
        )
        if used.rowcount != 1 or row is None:
            return None
    if row is None:
        made = new_word()
        work.connection.execute(
            insert(annotators).values(
                study=work.id, person=known_name(who.person), session=made, parameters=who.parameters, device="",
                entered=now(),
            )
        )  # fmt: skip
        return Caller(who.person, made)
    if who.parameters and who.parameters != row["parameters"]:
        work.connection.execute(update(annotators).where(mine).values(parameters=who.parameters))
    return Caller(who.person, row["session"])


def holds(work: Work, caller: Caller) -> bool:
    """Whether a cookie's session has not ended."""
    found = select(annotators.c.session).where(_row(work, caller.person))
    return bool(work.connection.execute(found).scalar() == caller.session)


def leave(work: Work, person: str) -> None:
    """End the session on every device."""
    work.connection.execute(update(annotators).where(_row(work, person)).values(session=new_word(), device=""))


def device_link(work: Work, secret: Secret, person: str) -> str:
    """The word of a link that lets this person in elsewhere, once."""
    word = new_word()
    work.connection.execute(update(annotators).where(_row(work, person)).values(device=word))
    return secret.sign([work.id, person, word], "device")


def parameters_of(work: Work, person: str) -> dict[str, str]:
    found: dict[str, str] | None = work.connection.execute(
        select(annotators.c.parameters).where(_row(work, person))
    ).scalar()
    return found or {}


def completion_code(secret: Secret, study: str, person: str, common: str = "") -> str:
    """What somebody shows to a platform; nobody can work out that of another."""
    if common:
        return common
    mark = secret.mark(f"{study} {person}", "completion")
    return "".join(letter for letter in mark.upper() if letter.isalnum())[:CODE]


def forget_person(work: Work, name: str) -> int:
    """Everything of one person, who may be named as they came or as exports have them; how many events went."""
    from assay.studies.server.store import forget_events

    rows = work.connection.execute(select(annotators.c.person).where(annotators.c.study == work.id)).scalars()
    known = {*work.study.annotators, *rows}
    person = next((each for each in known if name in (each, hashed(work.study, each))), None)
    if person is None:
        raise AssayError(f"study {work.id}: no annotator called {name[:80]}")
    work.connection.execute(delete(drafts).where(drafts.c.study == work.id, drafts.c.person == person))
    work.connection.execute(delete(annotators).where(_row(work, person)))
    return forget_events(work, person)


def _row(work: Work, person: str) -> Any:
    return and_(annotators.c.study == work.id, annotators.c.person == person)
