"""Pages of a task: the article and its reading test, the screens, and drafts."""

import time
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

from assay.serving.app import RefusedError
from assay.studies.server import answering, participation
from assay.studies.server.rendering import article, screen_values
from assay.studies.server.screens import article_of
from assay.studies.server.session import FORM, StudySession, redirect
from assay.studies.server.sign_in import Caller
from assay.studies.server.store import StudyTransaction


def add_tasks(app: FastAPI, session: StudySession) -> None:
    @app.get("/studies/{study}/read/{assignment}", include_in_schema=False)
    async def read(request: Request, study: str, assignment: str) -> Response:
        """Show the article, then, without it, the reading test."""
        return await reading_page(request, study, session.caller(request, study), assignment)

    async def reading_page(
        request: Request, study: str, caller: Caller, assignment: str, missing: bool = False
    ) -> Response:
        def look(tx: StudyTransaction) -> Any:
            test = participation.pending_reading_test(tx, caller.annotator, assignment)
            if test is None:
                return participation.current_step(tx, caller.annotator), None, None, False, tx.design
            task = tx.study.tasks[test[0].task]
            has_read = participation.has_read_article(tx, caller.annotator, task.id)
            return None, task, test[1], has_read, tx.design

        step, task, test, has_read, design = await session.read(study, caller, look)
        if step is not None:
            return redirect(step.address(study))
        action = f"/studies/{study}/read/{assignment}"
        if has_read:
            return session.page(
                request, "reading.html", study, design, caller, names=test.names, action=action, missing=missing,
                status=422 if missing else 200,
            )  # fmt: skip
        text = await run_in_threadpool(article, article_of(task), "", design.language)
        return session.page(request, "article.html", study, design, caller, article=text, action=action)

    @app.post("/studies/{study}/read/{assignment}", include_in_schema=False, openapi_extra=FORM)
    async def answer_reading(request: Request, study: str, assignment: str) -> Response:
        """Confirm that the article was read, or answer the reading test."""
        caller, form = await session.form(request, study)
        name = (form.get("name") or [""])[0]

        def answer(tx: StudyTransaction) -> bool:
            test = participation.pending_reading_test(tx, caller.annotator, assignment)
            if test is not None and not participation.has_read_article(tx, caller.annotator, test[0].task):
                participation.confirm_article(tx, caller.annotator, assignment)
                return True
            return participation.answer_reading_test(tx, caller.annotator, assignment, name, time.time())

        if not await session.write(study, caller, answer):
            return await reading_page(request, study, caller, assignment, missing=True)
        step = await session.read(study, caller, lambda tx: participation.current_step(tx, caller.annotator))
        return redirect(step.address(study))

    @app.get("/studies/{study}/work/{assignment}/{number}", include_in_schema=False)
    async def show(request: Request, study: str, assignment: str, number: int) -> Response:
        """Show a screen of a task."""
        return await screen_page(request, study, session.caller(request, study), assignment, number, {})

    async def screen_page(
        request: Request, study: str, caller: Caller, assignment: str, number: int, missing: dict[str, str]
    ) -> Response:
        def look(tx: StudyTransaction) -> Any:
            state = answering.screen_state(tx, caller.annotator, assignment, number, missing)
            return state, tx.design, participation.current_step(tx, caller.annotator) if state is None else None

        state, design, step = await session.read(study, caller, look)
        if state is None:
            return redirect(step.address(study))
        page = await run_in_threadpool(
            screen_values, design, state.task, state.screen, state.order, state.form, state.missing
        )  # long texts must not hold up the pages of others
        base = f"/studies/{study}"
        return session.page(
            request, "work.html", study, design, caller, page=page, place=number + 1, of=state.of, done=state.done,
            tasks=state.tasks, suggested=state.suggested, seconds=f"{state.seconds:.1f}", assignment=assignment,
            action=f"{base}/work/{assignment}/{number}",
            draft=f"{base}/draft/{assignment}/{number}", status=422 if missing else 200,
            back=f"{base}/work/{assignment}/{number - 1}" if number else "",
        )  # fmt: skip

    @app.post("/studies/{study}/work/{assignment}/{number}", include_in_schema=False, openapi_extra=FORM)
    async def submit(request: Request, study: str, assignment: str, number: int) -> Response:
        """Submit a screen; the last screen submits all answers of the task."""
        caller, form = await session.form(request, study)
        now = time.time()
        step, missing = await session.write(
            study, caller, lambda tx: answering.submit_screen(tx, caller.annotator, assignment, number, form, now)
        )
        if step is None:
            return await screen_page(request, study, caller, assignment, number, missing)
        return redirect(step.address(study))

    @app.post(
        "/studies/{study}/draft/{assignment}/{number}", include_in_schema=False, openapi_extra=FORM, status_code=204
    )
    async def draft(request: Request, study: str, assignment: str, number: int) -> Response:
        """Store a draft."""
        caller, form = await session.form(request, study)
        now = time.time()
        stored = await session.write(
            study, caller, lambda tx: answering.save_draft(tx, caller.annotator, assignment, number, form, now)
        )
        if not stored:
            raise RefusedError("This task is finished. Open the study again.", 409)
        return Response(status_code=204)
