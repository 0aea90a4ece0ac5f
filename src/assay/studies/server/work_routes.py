"""A task: its article and reading test, its screens, and drafts of what is entered there."""

import time
from typing import Any

from fastapi import FastAPI, Request, Response

from assay.serving.app import RefusedError
from assay.studies.server import answering, course
from assay.studies.server.door import FORM, Door, go
from assay.studies.server.entrance import Caller
from assay.studies.server.screens import article_of
from assay.studies.server.shown import article, shown_screen
from assay.studies.server.store import Work


def add_work(app: FastAPI, door: Door) -> None:
    @app.get("/studies/{study}/read/{assignment}", include_in_schema=False)
    async def read(request: Request, study: str, assignment: str) -> Response:
        """The article; then, without it, a question about it."""
        return await reading(request, study, door.caller(request, study), assignment)

    async def reading(request: Request, study: str, caller: Caller, assignment: str, missing: bool = False) -> Response:
        def look(work: Work) -> Any:
            test = course.reading_of(work, caller.person, assignment)
            if test is None:
                return course.where(work, caller.person), None, None, False, work.design
            task = work.study.tasks[test[0].task]
            return None, task, test[1], course.has_read(work, caller.person, task.id), work.design

        place, task, test, has_read, design = await door.look(study, caller, look)
        if place is not None:
            return go(place.address(study))
        action = f"/studies/{study}/read/{assignment}"
        if has_read:
            return door.page(
                request, "reading.html", study, design, caller, names=test.names, action=action, missing=missing,
                status=422 if missing else 200,
            )  # fmt: skip
        text = article(article_of(task), "", design.language)
        return door.page(request, "article.html", study, design, caller, article=text, action=action)

    @app.post("/studies/{study}/read/{assignment}", include_in_schema=False, openapi_extra=FORM)
    async def say_read(request: Request, study: str, assignment: str) -> Response:
        caller, form = await door.form(request, study)
        name = (form.get("name") or [""])[0]

        def do(work: Work) -> bool:
            test = course.reading_of(work, caller.person, assignment)
            if test is not None and not course.has_read(work, caller.person, test[0].task):
                course.say_read(work, caller.person, assignment)
                return True
            return course.answer_reading(work, caller.person, assignment, name, time.time())

        if not await door.change(study, caller, do):
            return await reading(request, study, caller, assignment, missing=True)
        place = await door.look(study, caller, lambda work: course.where(work, caller.person))
        return go(place.address(study))

    @app.get("/studies/{study}/work/{assignment}/{number}", include_in_schema=False)
    async def work_on(request: Request, study: str, assignment: str, number: int) -> Response:
        """One screen of a task."""
        return await screen(request, study, door.caller(request, study), assignment, number, {})

    async def screen(
        request: Request, study: str, caller: Caller, assignment: str, number: int, missing: dict[str, str]
    ) -> Response:
        def look(work: Work) -> Any:
            seen = answering.view(work, caller.person, assignment, number, missing)
            return seen, work.design, course.where(work, caller.person) if seen is None else None

        seen, design, place = await door.look(study, caller, look)
        if seen is None:
            return go(place.address(study))
        page = shown_screen(design, seen.task, seen.screen, seen.order, seen.form, seen.missing)
        base = f"/studies/{study}"
        return door.page(
            request, "work.html", study, design, caller, page=page, place=number + 1, of=seen.of, done=seen.done,
            seconds=f"{seen.seconds:.1f}", action=f"{base}/work/{assignment}/{number}", held=assignment,
            draft=f"{base}/draft/{assignment}/{number}", status=422 if missing else 200,
            back=f"{base}/work/{assignment}/{number - 1}" if number else "",
        )  # fmt: skip

    @app.post("/studies/{study}/work/{assignment}/{number}", include_in_schema=False, openapi_extra=FORM)
    async def send(request: Request, study: str, assignment: str, number: int) -> Response:
        """Go on from a screen; from the last one everything is sent."""
        caller, form = await door.form(request, study)
        now = time.time()
        place, missing = await door.change(
            study, caller, lambda work: answering.send(work, caller.person, assignment, number, form, now)
        )
        if place is None:
            return await screen(request, study, caller, assignment, number, missing)
        return go(place.address(study))

    @app.post(
        "/studies/{study}/draft/{assignment}/{number}", include_in_schema=False, openapi_extra=FORM, status_code=204
    )
    async def draft(request: Request, study: str, assignment: str, number: int) -> Response:
        """Keep what has been entered so far."""
        caller, form = await door.form(request, study)
        kept = await door.change(
            study, caller, lambda work: answering.save(work, caller.person, assignment, number, form, time.time())
        )
        if not kept:
            raise RefusedError("this task is over; open the study again", 409)
        return Response(status_code=204)
