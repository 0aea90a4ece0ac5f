"""All pages of people who judge, and the style and scripts of these pages."""

from functools import lru_cache
from importlib.resources import files

from fastapi import FastAPI, Response

from assay.serving.app import RefusedError
from assay.serving.server import Server
from assay.studies.server.door import Door
from assay.studies.server.store import Desk

STATIC = {"study.css": "text/css", "study.js": "text/javascript", "spans.js": "text/javascript"}


def add_pages(app: FastAPI, served: Server, desk: Desk) -> None:
    from assay.studies.server.entrance_routes import add_entrance, add_exits
    from assay.studies.server.lesson_routes import add_lessons
    from assay.studies.server.work_routes import add_work

    door = Door(served, desk)
    add_entrance(app, door)
    add_exits(app, door)
    add_lessons(app, door)
    add_work(app, door)

    @app.get("/static/study/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name not in STATIC:
            raise RefusedError("there is no such file", 404)
        return Response(static_file(name), media_type=STATIC[name])


@lru_cache
def static_file(name: str) -> bytes:
    return files("assay.studies.server").joinpath("static", name).read_bytes()
