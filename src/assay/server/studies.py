"""A server with studies only, as `assay study serve` starts it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from assay.server.app import build_study_app
from assay.server.manage import owner_link
from assay.serving.access import Access
from assay.serving.integrity import require_startable
from assay.studies.server.annotation_queue import AnnotationQueue
from assay.studies.server.dashboard import study_ids
from assay.studies.server.publishing import PublishedStudy, StudyFiles, publish_study, read_study
from assay.studies.server.sign_in import invitation

__all__ = ["StudyFiles", "StudyServer", "read_study", "serve_studies"]

if TYPE_CHECKING:
    from fastapi import FastAPI

    from assay.serving.server import Server


class StudyServer(NamedTuple):
    """The app of a study server, the study that was added to it, and links to hand out."""

    app: FastAPI
    study: PublishedStudy | None
    links: list[tuple[str, str]]
    """Purpose and address of each link."""


def serve_studies(
    server: Server, access: Access, files: StudyFiles | None, pilot: bool = False, invited: Iterable[str] = ()
) -> StudyServer:
    """Add or update a study and return the app that serves all studies of the server.

    Args:
        server: The server.
        access: Which requests to answer.
        files: The design, tasks and lessons of a study to add (default: only the studies already there).
        pilot: Start a new study with its pilot.
        invited: Names of annotators to create invitations for.
    """
    require_startable(server.database, server.folder)
    queue = AnnotationQueue(server.database)
    study = publish_study(server.database, queue, files, pilot) if files is not None else None
    queue.close()
    with server.database.read() as connection:
        known = study_ids(connection)
    owner = owner_link(server)
    links = [("sign in", owner)] if owner else []
    for name in invited:
        for id in [study.id] if study is not None else known:
            token = invitation(server.secret, id, name)
            links.append((f"{id}, {name}", f"{server.address}/studies/{id}/enter?link={token}"))
    return StudyServer(build_study_app(server, access), study, links)
