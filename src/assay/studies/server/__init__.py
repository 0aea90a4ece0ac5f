"""The annotation server: pages for annotators, and a dashboard for the organisers of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from assay.serving.server import Server


def add_routes(app: FastAPI, server: Server) -> None:
    """Add all routes of studies: /studies for annotators, /running for organisers, /api/studies for programs."""
    from assay.studies.server.annotation_queue import AnnotationQueue
    from assay.studies.server.dashboard_routes import add_dashboard
    from assay.studies.server.rendering import kind_template
    from assay.studies.server.routes import add_pages

    server.pages.add_room("assay.studies.server")
    server.pages.add_templates(kind_template)
    server.pages.links.append(("/running", "studies.link"))
    queue = AnnotationQueue(server.database)
    add_pages(app, server, queue)
    add_dashboard(app, server, queue)
