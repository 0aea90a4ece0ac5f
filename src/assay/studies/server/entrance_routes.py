"""Coming in, beginning, leaving; and the page that says where somebody is."""

import time
from typing import Any

from fastapi import FastAPI, Request, Response

from assay.serving.pages import COOKIE as LANGUAGE
from assay.serving.pages import LANGUAGES
from assay.studies.design import Design
from assay.studies.server import answering, course, entrance
from assay.studies.server.door import FORM, Door, cookie_of, go, known_study, waited
from assay.studies.server.entrance import Caller
from assay.studies.server.places import Place
from assay.studies.server.store import Work

PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


def note(
    door: Door, request: Request, study: str, caller: Caller | None, key: str, link: str = "", status: int = 200
) -> Response:
    return door.page(
        request, "note.html", study, None, caller, status=status, heading=door.text(request, f"note.{key}"),
        text=door.text(request, f"note.{key}_text"), link=link, back=caller is not None,
    )  # fmt: skip


def add_entrance(app: FastAPI, door: Door) -> None:
    served = door.served

    @app.get("/studies/{study}/enter", include_in_schema=False)
    async def enter(request: Request, study: str) -> Response:
        """In by an invitation, a platform's link, or a link for another device."""
        known_study(study)
        query = request.query_params
        twice = len(query.multi_items()) > len(query)  # which of the two it is, nobody can say
        who = None if twice else entrance.coming(served.secret, study, query)
        if who is not None and who.preview:
            seen = await waited(door.desk.look(study, lambda work: (work.design, work.material.consent)))
            return intro(request, study, *seen, None, preview=True)
        caller = None
        if who is not None:
            caller = await waited(door.desk.change(study, lambda work: entrance.enter(work, who)))
        if caller is None:
            served.limit(served.sign_ins, served.from_where(request))
            return note(door, request, study, None, "entry", status=403)
        answer = go(f"/studies/{study}/")
        answer.set_cookie(
            cookie_of(study), served.secret.sign([caller.person, caller.session], f"annotator:{study}"),
            max_age=served.settings.session_days * 86400, path=f"/studies/{study}", httponly=True, samesite="lax",
            secure=served.settings.https,
        )  # fmt: skip
        return answer

    def intro(
        request: Request, study: str, design: Design, consent: str, caller: Caller | None, preview: bool = False,
        missing: bool = False,
    ) -> Response:  # fmt: skip
        people = design.people
        amount = people.pay if people.pay is not None else people.pay_per_hour
        kind = "intro.task_pay" if people.pay is not None else "intro.hour_pay"
        pay = people.pay_said
        if amount is not None:
            pay = door.text(request, kind, amount=f"{amount:.2f}", currency=people.currency)
        return door.page(
            request, "intro.html", study, design, caller, consent=consent, preview=preview, missing=missing, pay=pay,
            status=422 if missing else 200,
        )  # fmt: skip

    @app.get("/studies/{study}/", include_in_schema=False)
    async def here(request: Request, study: str) -> Response:
        """Where somebody is now: on to what is next, or the beginning, or the end."""
        caller = door.caller(request, study)

        def look(work: Work) -> Any:
            place = course.where(work, caller.person)
            known = caller.person in work.study.annotators
            more = known and place.step == "done" and work.study.has_more(caller.person)
            why = course.why_blocked(work, caller.person) if place.step == "blocked" else ""
            sent = entrance.parameters_of(work, caller.person) if place.step == "done" else {}
            return place, work.design, work.material, course.finished_by(work, caller.person), more, why, sent

        place, design, material, answered, more, why, sent = await door.look(study, caller, look)
        if place.step == "intro":
            return intro(request, study, design, material.consent, caller)
        if place.step == "blocked":
            return door.page(request, "blocked.html", study, design, caller, why=why)
        if place.step == "done":
            code = entrance.completion_code(served.secret, study, caller.person, material.code) if answered else ""
            prolific = "PROLIFIC_PID" in sent and code
            return door.page(
                request, "done.html", study, design, caller, answered=answered, code=code, more=more,
                back_to=PROLIFIC + code if prolific else "",
            )  # fmt: skip
        return go(place.address(study))

    @app.get("/studies/{study}/language/{code}", include_in_schema=False)
    async def language(study: str, code: str) -> Response:
        """The interface in another language; one stays where one is."""
        answer = go(f"/studies/{known_study(study)}/")
        if code in LANGUAGES:
            answer.set_cookie(LANGUAGE, code, max_age=31_536_000, samesite="lax", httponly=True)
        return answer

    @app.post("/studies/{study}/begin", include_in_schema=False, openapi_extra=FORM)
    async def begin(request: Request, study: str) -> Response:
        caller, form = await door.form(request, study)
        if not form.get("agree"):
            seen = await door.look(study, caller, lambda work: (work.design, work.material.consent))
            return intro(request, study, *seen, caller, missing=True)
        place = await door.change(study, caller, lambda work: course.begin(work, caller.person, time.time()))
        if place is None:
            return note(door, request, study, caller, "full", status=403)
        return go(place.address(study))


def add_exits(app: FastAPI, door: Door) -> None:
    served = door.served

    @app.post("/studies/{study}/next", include_in_schema=False, openapi_extra=FORM)
    async def more(request: Request, study: str) -> Response:
        """A new task, if there is one."""
        caller, _ = await door.form(request, study)

        def do(work: Work) -> Place:
            if caller.person not in work.study.annotators:
                return Place("intro")
            return course.advance(work, caller.person, time.time())

        return go((await door.change(study, caller, do)).address(study))

    @app.post("/studies/{study}/return/{assignment}", include_in_schema=False, openapi_extra=FORM)
    async def give_back(request: Request, study: str, assignment: str) -> Response:
        caller, _ = await door.form(request, study)
        await door.change(study, caller, lambda work: answering.give_back(work, caller.person, assignment, time.time()))
        return note(door, request, study, caller, "returned")

    @app.post("/studies/{study}/device", include_in_schema=False, openapi_extra=FORM)
    async def device(request: Request, study: str) -> Response:
        """A link for another device, which works once."""
        caller, _ = await door.form(request, study)
        word = await door.change(study, caller, lambda work: entrance.device_link(work, served.secret, caller.person))
        return note(door, request, study, caller, "device", f"{served.address}/studies/{study}/enter?device={word}")

    @app.post("/studies/{study}/leave", include_in_schema=False, openapi_extra=FORM)
    async def leave(request: Request, study: str) -> Response:
        caller, _ = await door.form(request, study)
        await door.change(study, caller, lambda work: entrance.leave(work, caller.person))
        answer = note(door, request, study, None, "left")
        answer.delete_cookie(cookie_of(study), path=f"/studies/{study}")
        return answer
