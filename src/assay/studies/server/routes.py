"""All pages of annotators, with their style sheet and scripts."""

from functools import lru_cache
from importlib.resources import files

from fastapi import FastAPI, Response

from assay.serving.app import RefusedError
from assay.serving.server import Server
from assay.studies.server.annotation_queue import AnnotationQueue
from assay.studies.server.session import StudySession

STATIC = {"study.css": "text/css", "study.js": "text/javascript", "spans.js": "text/javascript",
          "article.js": "text/javascript"}  # fmt: skip


def add_pages(app: FastAPI, server: Server, queue: AnnotationQueue) -> None:
    """Add the routes of annotators."""
    from assay.studies.server.sign_in_routes import add_participation, add_sign_in
    from assay.studies.server.task_routes import add_tasks
    from assay.studies.server.training_routes import add_training

    session = StudySession(server, queue)
    add_sign_in(app, session)
    add_participation(app, session)
    add_training(app, session)
    add_tasks(app, session)

    @app.get("/static/study/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name not in STATIC:
            raise RefusedError("No such file.", 404)
        return Response(static_file(name), media_type=STATIC[name])


@lru_cache
def static_file(name: str) -> bytes:
    """Return the content of a style sheet or script."""
    return files("assay.studies.server").joinpath("static", name).read_bytes()
