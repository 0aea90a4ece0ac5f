"""Sign-in, consent and the start page of annotators, and actions during participation."""

import time
from typing import Any

from fastapi import FastAPI, Request, Response

from assay.serving.pages import COOKIE as LANGUAGE
from assay.serving.pages import LANGUAGES
from assay.studies.design import Design
from assay.studies.server import answering, participation, sign_in
from assay.studies.server.session import (
    FORM,
    StudySession,
    completed,
    cookie_name,
    redirect,
    valid_study_id,
)
from assay.studies.server.sign_in import Caller
from assay.studies.server.steps import CurrentStep
from assay.studies.server.store import StudyTransaction

PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


def note(
    session: StudySession,
    request: Request,
    study: str,
    caller: Caller | None,
    key: str,
    link: str = "",
    status: int = 200,
) -> Response:
    """Render a page with one message."""
    return session.page(
        request, "note.html", study, None, caller, status=status, heading=session.text(request, f"note.{key}"),
        text=session.text(request, f"note.{key}_text"), link=link, back=caller is not None,
    )  # fmt: skip


def add_sign_in(app: FastAPI, session: StudySession) -> None:
    server = session.server

    @app.get("/studies/{study}/enter", include_in_schema=False)
    async def enter(request: Request, study: str) -> Response:
        """Sign in by an invitation, a platform's link, or a link for another device."""
        valid_study_id(study)
        query = request.query_params
        ambiguous = len(query.multi_items()) > len(query)  # a parameter occurs twice
        holder = None if ambiguous else sign_in.verify_link(server.secret, study, query)
        if holder is not None and holder.preview:
            values = await completed(session.queue.read(study, lambda tx: (tx.design, tx.materials.consent)))
            return intro(request, study, *values, None, preview=True)
        caller = None
        if holder is not None:
            caller = await completed(session.queue.write(study, lambda tx: sign_in.start_session(tx, holder)))
        if caller is None:
            server.limit(server.sign_ins, server.from_where(request))
            return note(session, request, study, None, "entry", status=403)
        response = redirect(f"/studies/{study}/")
        response.set_cookie(
            cookie_name(study), server.secret.sign([caller.annotator, caller.session], f"annotator:{study}"),
            max_age=server.settings.session_days * 86400, path=f"/studies/{study}", httponly=True, samesite="lax",
            secure=server.settings.https,
        )  # fmt: skip
        return response

    def intro(
        request: Request, study: str, design: Design, consent: str, caller: Caller | None, preview: bool = False,
        missing: bool = False,
    ) -> Response:  # fmt: skip
        people = design.people
        amount = people.pay if people.pay is not None else people.pay_per_hour
        kind = "intro.task_pay" if people.pay is not None else "intro.hour_pay"
        pay = people.pay_said
        if amount is not None:
            pay = session.text(request, kind, amount=f"{amount:.2f}", currency=people.currency)
        return session.page(
            request, "intro.html", study, design, caller, consent=consent, preview=preview, missing=missing, pay=pay,
            status=422 if missing else 200,
        )  # fmt: skip

    @app.get("/studies/{study}/", include_in_schema=False)
    async def start(request: Request, study: str) -> Response:
        """Go to the current step, or show the introduction, the end, or the reason for a block."""
        caller = session.caller(request, study)

        def look(tx: StudyTransaction) -> Any:
            step = participation.current_step(tx, caller.annotator)
            joined = caller.annotator in tx.study.annotators
            more = joined and step.name == "done" and tx.study.has_more(caller.annotator)
            why = participation.block_message(tx, caller.annotator) if step.name == "blocked" else ""
            parameters = sign_in.platform_parameters(tx, caller.annotator) if step.name == "done" else {}
            finished = participation.finished_tasks(tx, caller.annotator)
            return step, tx.design, tx.materials, finished, more, why, parameters

        step, design, materials, finished, more, why, parameters = await session.read(study, caller, look)
        if step.name == "intro":
            return intro(request, study, design, materials.consent, caller)
        if step.name == "blocked":
            return session.page(request, "blocked.html", study, design, caller, why=why)
        if step.name == "done":
            code = sign_in.completion_code(server.secret, study, caller.annotator, materials.code) if finished else ""
            prolific = "PROLIFIC_PID" in parameters and code
            return session.page(
                request, "done.html", study, design, caller, answered=finished, code=code, more=more,
                back_to=PROLIFIC + code if prolific else "",
            )  # fmt: skip
        return redirect(step.address(study))

    @app.get("/studies/{study}/language/{code}", include_in_schema=False)
    async def language(study: str, code: str) -> Response:
        """Change the language of the pages."""
        response = redirect(f"/studies/{valid_study_id(study)}/")
        if code in LANGUAGES:
            response.set_cookie(LANGUAGE, code, max_age=31_536_000, samesite="lax", httponly=True)
        return response

    @app.post("/studies/{study}/begin", include_in_schema=False, openapi_extra=FORM)
    async def begin(request: Request, study: str) -> Response:
        """Join the study after consent."""
        caller, form = await session.form(request, study)
        if not form.get("agree"):
            values = await session.read(study, caller, lambda tx: (tx.design, tx.materials.consent))
            return intro(request, study, *values, caller, missing=True)
        step = await session.write(study, caller, lambda tx: participation.join(tx, caller.annotator, time.time()))
        if step is None:
            return note(session, request, study, caller, "full", status=403)
        return redirect(step.address(study))


def add_participation(app: FastAPI, session: StudySession) -> None:
    server = session.server

    @app.post("/studies/{study}/next", include_in_schema=False, openapi_extra=FORM)
    async def more(request: Request, study: str) -> Response:
        """Get a new task, if there is one."""
        caller, _ = await session.form(request, study)

        def advance(tx: StudyTransaction) -> CurrentStep:
            if caller.annotator not in tx.study.annotators:
                return CurrentStep("intro")
            return participation.advance(tx, caller.annotator, time.time())

        return redirect((await session.write(study, caller, advance)).address(study))

    @app.post("/studies/{study}/return/{assignment}", include_in_schema=False, openapi_extra=FORM)
    async def return_task(request: Request, study: str, assignment: str) -> Response:
        """Return a task."""
        caller, _ = await session.form(request, study)
        await session.write(
            study, caller, lambda tx: answering.return_task(tx, caller.annotator, assignment, time.time())
        )
        return note(session, request, study, caller, "returned")

    @app.post("/studies/{study}/device", include_in_schema=False, openapi_extra=FORM)
    async def device(request: Request, study: str) -> Response:
        """Create a link for another device, which can be used once."""
        caller, _ = await session.form(request, study)
        token = await session.write(study, caller, lambda tx: sign_in.device_link(tx, server.secret, caller.annotator))
        return note(session, request, study, caller, "device", f"{server.address}/studies/{study}/enter?device={token}")

    @app.post("/studies/{study}/leave", include_in_schema=False, openapi_extra=FORM)
    async def leave(request: Request, study: str) -> Response:
        """Sign out on every device."""
        caller, _ = await session.form(request, study)
        await session.write(study, caller, lambda tx: sign_in.end_session(tx, caller.annotator))
        response = note(session, request, study, None, "left")
        response.delete_cookie(cookie_name(study), path=f"/studies/{study}")
        return response
