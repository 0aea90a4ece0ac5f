"""The tutorial, example by example with feedback, and the qualification test."""

import time
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response

from assay.studies.design import Design
from assay.studies.kinds.form import Form
from assay.studies.quality import Feedback
from assay.studies.server import course
from assay.studies.server.door import FORM, Door, go
from assay.studies.server.drafts import Draft, read_drafts
from assay.studies.server.entrance import Caller
from assay.studies.server.lessons import asked_in
from assay.studies.server.material import PARTS, Part
from assay.studies.server.shown import shown_screen
from assay.studies.server.store import Work


def add_lessons(app: FastAPI, door: Door) -> None:
    async def shown(
        request: Request,
        study: str,
        caller: Caller,
        part: Part,
        number: int,
        form: Form | None = None,
        missing: Mapping[str, str] | None = None,
    ) -> Response:
        def look(work: Work) -> Any:
            place = course.where(work, caller.person)
            lessons = work.material.part(part)
            if place.step != part or not 0 <= number < len(lessons):
                return place, None, work.design, 0, Draft()
            draft = read_drafts(work, caller.person, f"{part}|").get(f"{part}|{number}", Draft())
            return place, lessons[number], work.design, len(lessons), draft

        place, lesson, design, of, draft = await door.look(study, caller, look)
        if lesson is None:
            return go(place.address(study))
        screen = asked_in(design, lesson)
        feedback = None
        if part == "tutorial" and draft.right is not None and not missing:
            wanted = expected(door, request, design, screen.questions[0], lesson.expected)
            feedback = Feedback(draft.right, wanted, lesson.why)
        page = shown_screen(design, lesson.task(), screen, (0,), form or draft.form, missing or {})
        base = f"/studies/{study}/{part}"
        return door.page(
            request, "lesson.html", study, design, caller, part=part, place=number + 1, of=of, page=page,
            feedback=feedback, action=f"{base}/{number}", status=422 if missing else 200,
            back=f"{base}/{number - 1}" if number and part == "qualification" else "",
        )  # fmt: skip

    def add(part: Part) -> None:
        @app.get(f"/studies/{{study}}/{part}/{{number}}", include_in_schema=False, name=part)
        async def look(request: Request, study: str, number: int) -> Response:
            return await shown(request, study, door.caller(request, study), part, number)

        @app.post(
            f"/studies/{{study}}/{part}/{{number}}", include_in_schema=False, openapi_extra=FORM, name=f"{part}-answer"
        )
        async def answer(request: Request, study: str, number: int) -> Response:
            caller, form = await door.form(request, study)
            now = time.time()
            missing = await door.change(
                study, caller, lambda work: course.answer_lesson(work, caller.person, part, number, form, now)
            )
            if missing:
                return await shown(request, study, caller, part, number, form, missing)
            place = await door.look(study, caller, lambda work: course.where(work, caller.person))
            return go(place.address(study))

    for part in PARTS:
        add(part)


def expected(door: Door, request: Request, design: Design, number: int, answer: str) -> str:
    """The right answer, in words."""
    question = design.questions[number]
    if not answer:
        return door.text(request, "lesson.no_error")
    return question.labels.get(answer, answer)
