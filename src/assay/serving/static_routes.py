"""Style sheet, font and script of the pages of every server."""

from importlib.resources import files

from fastapi import FastAPI, Response

from assay.serving.app import KEPT
from assay.show.sheet import font, font_name, sheet


def add_static_files(app: FastAPI) -> None:
    own = files("assay.serving").joinpath("static")
    style = sheet(font_name()) + own.joinpath("service.css").read_text(encoding="utf-8")
    script = own.joinpath("tabs.js").read_bytes()

    @app.get("/static/service.css", include_in_schema=False)
    def css() -> Response:
        return Response(style, media_type="text/css")

    @app.get(f"/static/{font_name()}", include_in_schema=False)
    def letters() -> Response:
        return Response(font(), media_type="font/woff2", headers=KEPT)

    @app.get("/static/tabs.js", include_in_schema=False)
    def tabs() -> Response:
        return Response(script, media_type="text/javascript")
