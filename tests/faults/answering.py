"""Annotators who answer on a study server: a client for the fault sweep, which notes each acknowledged answer."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

STUDY = "tides"
ANNOTATORS = ("anna", "bert", "carl")


def main() -> None:
    """Answer one task for each annotator who has none answered yet; one line and exit code 1 if the server cannot."""
    from sqlalchemy.exc import SQLAlchemyError

    from assay.errors import AssayError
    from assay.serving.server import open_server
    from assay.studies.server.annotation_queue import AnnotationQueue

    try:
        server = open_server(Path("server"))
        queue = AnnotationQueue(server.database)
        for name in ANNOTATORS:
            answer(queue, name)
        queue.close()
        server.database.close()
    except (AssayError, SQLAlchemyError, OSError) as error:
        print(f"assay: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(1)


def answer(queue: object, name: str) -> None:
    from assay.studies.events import Answer
    from assay.studies.server.annotation_queue import AnnotationQueue
    from assay.studies.server.store import StudyTransaction

    assert isinstance(queue, AnnotationQueue)
    now = time.time()

    def assigned(tx: StudyTransaction) -> str | None:
        if name not in tx.study.annotators:
            tx.study.join(name, now)
        if any(tx.study.assignments[own].done for own in tx.study.annotators[name].assignments):
            return None
        given = tx.study.next_task(name, now)
        return given.id if given else None

    def answered(tx: StudyTransaction) -> None:
        value = float(1 + ANNOTATORS.index(name))
        tx.study.answer(name, assignment, [Answer(0, "fluency", value)], now)

    assignment = queue.write(STUDY, assigned).result() or ""
    if assignment:
        queue.write(STUDY, answered).result()
        with open(os.environ["ASKED"], "a", encoding="utf-8") as acknowledged:  # noqa: PTH123
            acknowledged.write(f"{assignment}\n")
