"""The annotation server: pages for people who judge, and for those who run a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from assay.serving.server import Server


def add_routes(app: FastAPI, served: Server) -> None:
    """Studies on a server: everything below /studies (who judges), /running (who runs them) and /api/studies."""
    from assay.studies.server.dashboard_routes import add_dashboard
    from assay.studies.server.routes import add_pages
    from assay.studies.server.shown import kind_template
    from assay.studies.server.store import Desk

    served.pages.add_room("assay.studies.server")
    served.pages.add_templates(kind_template)
    served.pages.links.append(("/running", "studies.link"))
    desk = Desk(served.database)
    add_pages(app, served, desk)
    add_dashboard(app, served, desk)
