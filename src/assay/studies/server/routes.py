"""The pages of people who judge. Nothing changes by looking; what changes is sent by a form with a token of its own."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar
from urllib.parse import parse_qs

from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup

from assay.serving.served import Refused, Served
from assay.studies.design import Design
from assay.studies.quality import Feedback
from assay.studies.server import course, entrance
from assay.studies.server.course import Place
from assay.studies.server.drafts import Draft, read_drafts
from assay.studies.server.entrance import Caller
from assay.studies.server.lessons import Part, asked_in
from assay.studies.server.shown import article, shown_screen
from assay.studies.server.store import Desk, Work

T = TypeVar("T")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
LARGEST = 1_000_000
"""Bytes of a form; a text that somebody writes has at most 20,000 characters."""
FIELDS = 2_000
FORM = {
    "requestBody": {
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {"type": "object", "additionalProperties": {"type": "string"}}
            }
        }
    }
}
STATIC = {"study.css": "text/css", "study.js": "text/javascript", "spans.js": "text/javascript"}
PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


class Door:
    """Requests of people who judge: who asks, what they have sent, and the page that answers."""

    def __init__(self, served: Served, desk: Desk) -> None:
        self.served = served
        self.desk = desk

    def caller(self, request: Request, study: str) -> Caller:
        """By the cookie of this study."""
        known_study(study)
        cookie = request.cookies.get(cookie_of(study), "")
        found = self.served.secret.signed(cookie, f"annotator:{study}", self.served.settings.session_days * 86400)
        if not isinstance(found, list) or len(found) != 2:
            self.served.limit(self.served.requests, self.served.from_where(request))
            raise Refused("you are not signed in to this study; open your invitation again", 401)
        caller = Caller(str(found[0]), str(found[1]))
        self.served.limit(self.served.requests, f"{study} {caller.person}")
        return caller

    async def form(self, request: Request, study: str) -> tuple[Caller, dict[str, list[str]]]:
        """What a form of ours has sent, after a look at its token."""
        caller = self.caller(request, study)
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST:
                raise Refused(f"more than {LARGEST:,} bytes; write less", 413)
        try:
            text = body.decode("utf-8", "replace")
            given = parse_qs(text, keep_blank_values=True, max_num_fields=FIELDS, errors="replace")
        except ValueError:
            raise Refused(f"a form of at most {FIELDS:,} fields is expected here", 400) from None
        if not self.served.secret.is_mark((given.get("csrf") or [""])[0], token_of(study, caller), "annotator-csrf"):
            raise Refused("this form is not from the page it should be from; open the page again", 403)
        return caller, given

    async def look(self, study: str, caller: Caller, do: Callable[[Work], T]) -> T:
        return await waited(self.desk.look(study, self._checked(caller, do)))

    async def change(self, study: str, caller: Caller, do: Callable[[Work], T]) -> T:
        return await waited(self.desk.change(study, self._checked(caller, do)))

    def _checked(self, caller: Caller, do: Callable[[Work], T]) -> Callable[[Work], T]:
        def checked(work: Work) -> T:
            if not entrance.holds(work, caller):
                raise Refused("your session has ended; open your invitation again", 401)
            return do(work)

        return checked

    def page(self, request: Request, template: str, study: str, design: Design | None, caller: Caller | None, **values: Any) -> Response:
        hidden = Markup("")
        if caller is not None:
            mark = self.served.secret.mark(token_of(study, caller), "annotator-csrf")
            hidden = Markup('<input type="hidden" name="csrf" value="{}">').format(mark)
        return self.served.pages.answer(
            request, f"study/{template}", base=f"/studies/{study}", hidden=hidden, design=design,
            study_title=(design.title or design.name) if design else study,
            lang=(design.language if design else "") or self.served.pages.language(request), **values,
        )  # fmt: skip

    def text(self, request: Request, key: str, **values: object) -> str:
        return self.served.pages.text(self.served.pages.language(request), key, **values)


async def waited(future: Future[T]) -> T:
    return await asyncio.wrap_future(future)


def known_study(study: str) -> str:
    if not NAME.fullmatch(study):
        raise Refused("there is no such study", 404)
    return study


def cookie_of(study: str) -> str:
    return f"assay-study-{study}"


def token_of(study: str, caller: Caller) -> str:
    return f"{study}\n{caller.person}\n{caller.session}"


def address(study: str, place: Place) -> str:
    base = f"/studies/{study}"
    if place.step in course.PARTS:
        return f"{base}/{place.step}/{place.number}"
    if place.step == "reading":
        return f"{base}/read/{place.assignment}"
    if place.step == "work":
        return f"{base}/work/{place.assignment}/{place.number}"
    return f"{base}/"


def go(target: str) -> Response:
    return RedirectResponse(target, 303)


def add_pages(app: FastAPI, served: Served, desk: Desk) -> None:
    door = Door(served, desk)
    add_entrance(app, door)
    add_lessons(app, door)
    add_work(app, door)

    @app.get("/static/study/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name not in STATIC:
            raise Refused("there is no such file", 404)
        return Response(static_file(name), media_type=STATIC[name])


@lru_cache
def static_file(name: str) -> bytes:
    return files("assay.studies.server").joinpath("static", name).read_bytes()


def add_entrance(app: FastAPI, door: Door) -> None:
    served = door.served

    @app.get("/studies/{study}/enter", tags=["annotators"])
    async def enter(request: Request, study: str) -> Response:
        """In by an invitation, a platform's link, or a link for another device."""
        known_study(study)
        who = entrance.coming(served.secret, study, request.query_params)
        if who is not None and who.preview:
            seen = await waited(door.desk.look(study, lambda work: (work.design, work.material.consent)))
            return intro(request, study, *seen, None, preview=True)
        caller = None
        if who is not None:
            caller = await waited(door.desk.change(study, lambda work: entrance.enter(work, who)))
        if caller is None:
            served.limit(served.sign_ins, served.from_where(request))
            return note(request, study, None, "entry", status=403)
        answer = go(f"/studies/{study}/")
        answer.set_cookie(
            cookie_of(study), served.secret.sign([caller.person, caller.session], f"annotator:{study}"),
            max_age=served.settings.session_days * 86400, path=f"/studies/{study}", httponly=True, samesite="lax",
            secure=served.settings.https,
        )  # fmt: skip
        return answer

    def note(request: Request, study: str, caller: Caller | None, key: str, link: str = "", status: int = 200) -> Response:
        return door.page(
            request, "note.html", study, None, caller, status=status, heading=door.text(request, f"note.{key}"),
            text=door.text(request, f"note.{key}_text"), link=link, back=caller is not None,
        )  # fmt: skip

    def intro(
        request: Request, study: str, design: Design, consent: str, caller: Caller | None, preview: bool = False,
        missing: bool = False,
    ) -> Response:  # fmt: skip
        people = design.people
        amount = people.pay if people.pay is not None else people.pay_per_hour
        kind = "intro.task_pay" if people.pay is not None else "intro.hour_pay"
        pay = people.pay_said if amount is None else door.text(request, kind, amount=f"{amount:.2f}", currency=people.currency)
        return door.page(
            request, "intro.html", study, design, caller, consent=consent, preview=preview, missing=missing, pay=pay,
            status=422 if missing else 200,
        )  # fmt: skip

    @app.get("/studies/{study}/", tags=["annotators"])
    async def here(request: Request, study: str) -> Response:
        """Where somebody is now: on to what is next, or the beginning, or the end."""
        caller = door.caller(request, study)

        def look(work: Work) -> Any:
            place = course.where(work, caller.person)
            known = caller.person in work.study.people
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
        return go(address(study, place))

    @app.post("/studies/{study}/begin", tags=["annotators"], openapi_extra=FORM)
    async def begin(request: Request, study: str) -> Response:
        caller, form = await door.form(request, study)
        if not form.get("agree"):
            seen = await door.look(study, caller, lambda work: (work.design, work.material.consent))
            return intro(request, study, *seen, caller, missing=True)
        return go(address(study, await door.change(study, caller, lambda work: course.begin(work, caller.person, time.time()))))

    @app.post("/studies/{study}/next", tags=["annotators"], openapi_extra=FORM)
    async def more(request: Request, study: str) -> Response:
        """A new task, if there is one."""
        caller, _ = await door.form(request, study)

        def do(work: Work) -> Place:
            if caller.person not in work.study.people:
                return Place("intro")
            return course.advance(work, caller.person, time.time())

        return go(address(study, await door.change(study, caller, do)))

    @app.post("/studies/{study}/return/{assignment}", tags=["annotators"], openapi_extra=FORM)
    async def give_back(request: Request, study: str, assignment: str) -> Response:
        caller, _ = await door.form(request, study)
        await door.change(study, caller, lambda work: course.give_back(work, caller.person, assignment, time.time()))
        return note(request, study, caller, "returned")

    @app.post("/studies/{study}/device", tags=["annotators"], openapi_extra=FORM)
    async def device(request: Request, study: str) -> Response:
        """A link for another device, which works once."""
        caller, _ = await door.form(request, study)
        word = await door.change(study, caller, lambda work: entrance.device_link(work, served.secret, caller.person))
        return note(request, study, caller, "device", f"{served.address}/studies/{study}/enter?device={word}")

    @app.post("/studies/{study}/leave", tags=["annotators"], openapi_extra=FORM)
    async def leave(request: Request, study: str) -> Response:
        caller, _ = await door.form(request, study)
        await door.change(study, caller, lambda work: entrance.leave(work, caller.person))
        answer = note(request, study, None, "left")
        answer.delete_cookie(cookie_of(study), path=f"/studies/{study}")
        return answer


def add_lessons(app: FastAPI, door: Door) -> None:
    async def shown(request: Request, study: str, caller: Caller, part: Part, number: int, form: Any, missing: Mapping[str, str]) -> Response:
        def look(work: Work) -> Any:
            place = course.where(work, caller.person)
            lessons = work.material.part(part)
            if place.step != part or not 0 <= number < len(lessons):
                return place, None, work.design, 0, Draft()
            draft = read_drafts(work, caller.person, f"{part}|").get(f"{part}|{number}", Draft())
            return place, lessons[number], work.design, len(lessons), draft

        place, lesson, design, of, draft = await door.look(study, caller, look)
        if lesson is None:
            return go(address(study, place))
        screen = asked_in(design, lesson)
        feedback = None
        if part == "tutorial" and draft.right is not None and not missing:
            feedback = Feedback(draft.right, expected(door, request, design, screen.questions[0], lesson.expected), lesson.why)
        page = shown_screen(design, lesson.task(), screen, (0,), form or draft.form, missing)
        base = f"/studies/{study}/{part}"
        return door.page(
            request, "lesson.html", study, design, caller, part=part, place=number + 1, of=of, page=page, feedback=feedback,
            action=f"{base}/{number}", back=f"{base}/{number - 1}" if number and part == "qualification" else "",
            status=422 if missing else 200,
        )  # fmt: skip

    def add(part: Part) -> None:
        @app.get(f"/studies/{{study}}/{part}/{{number}}", tags=["annotators"], name=part)
        async def look(request: Request, study: str, number: int) -> Response:
            return await shown(request, study, door.caller(request, study), part, number, None, {})

        @app.post(f"/studies/{{study}}/{part}/{{number}}", tags=["annotators"], openapi_extra=FORM, name=f"answer {part}")
        async def answer(request: Request, study: str, number: int) -> Response:
            caller, form = await door.form(request, study)
            now = time.time()
            missing = await door.change(
                study, caller, lambda work: course.answer_lesson(work, caller.person, part, number, form, now)
            )
            if missing:
                return await shown(request, study, caller, part, number, form, missing)
            place = await door.look(study, caller, lambda work: course.where(work, caller.person))
            return go(address(study, place))

    for part in course.PARTS:
        add(part)


def expected(door: Door, request: Request, design: Design, number: int, answer: str) -> str:
    """The right answer, in words."""
    question = design.questions[number]
    if not answer:
        return door.text(request, "lesson.no_error")
    return question.labels.get(answer, answer)


def add_work(app: FastAPI, door: Door) -> None:
    @app.get("/studies/{study}/read/{assignment}", tags=["annotators"])
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
            return go(address(study, place))
        action = f"/studies/{study}/read/{assignment}"
        if has_read:
            return door.page(
                request, "reading.html", study, design, caller, names=test.names, action=action, missing=missing,
                status=422 if missing else 200,
            )  # fmt: skip
        text = article(course.article_of(task), "", design.language)
        return door.page(request, "article.html", study, design, caller, article=text, action=action)

    @app.post("/studies/{study}/read/{assignment}", tags=["annotators"], openapi_extra=FORM)
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
        return go(address(study, place))

    @app.get("/studies/{study}/work/{assignment}/{number}", tags=["annotators"])
    async def work_on(request: Request, study: str, assignment: str, number: int) -> Response:
        """One screen of a task."""
        return await screen(request, study, door.caller(request, study), assignment, number, {})

    async def screen(
        request: Request, study: str, caller: Caller, assignment: str, number: int, missing: dict[str, str]
    ) -> Response:
        def look(work: Work) -> Any:
            seen = course.view(work, caller.person, assignment, number, missing)
            return seen, work.design, course.where(work, caller.person) if seen is None else None

        seen, design, place = await door.look(study, caller, look)
        if seen is None:
            return go(address(study, place))
        page = shown_screen(design, seen.task, seen.screen, seen.order, seen.form, seen.missing)
        base = f"/studies/{study}"
        return door.page(
            request, "work.html", study, design, caller, page=page, place=number + 1, of=seen.of, done=seen.done,
            seconds=f"{seen.seconds:.1f}", action=f"{base}/work/{assignment}/{number}", held=assignment,
            draft=f"{base}/draft/{assignment}/{number}", status=422 if missing else 200,
            back=f"{base}/work/{assignment}/{number - 1}" if number else "",
        )  # fmt: skip

    @app.post("/studies/{study}/work/{assignment}/{number}", tags=["annotators"], openapi_extra=FORM)
    async def send(request: Request, study: str, assignment: str, number: int) -> Response:
        """Go on from a screen; from the last one everything is sent."""
        caller, form = await door.form(request, study)
        now = time.time()
        place, missing = await door.change(
            study, caller, lambda work: course.send(work, caller.person, assignment, number, form, now)
        )
        if place is None:
            return await screen(request, study, caller, assignment, number, missing)
        return go(address(study, place))

    @app.post("/studies/{study}/draft/{assignment}/{number}", tags=["annotators"], openapi_extra=FORM, status_code=204)
    async def draft(request: Request, study: str, assignment: str, number: int) -> Response:
        """Keep what has been entered so far."""
        caller, form = await door.form(request, study)
        kept = await door.change(study, caller, lambda work: course.save(work, caller.person, assignment, number, form))
        if not kept:
            raise Refused("this task is over; open the study again", 409)
        return Response(status_code=204)
