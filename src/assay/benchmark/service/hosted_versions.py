"""The versions of benchmarks that a server has. What counts is in the database and the blobs; the stores on disk, in
which submissions are scored, are made from these whenever they are not there."""

from __future__ import annotations

import io
import shutil
import threading
import zipfile
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from assay.errors import AssayError
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.database import insert_new, now
from assay.serving.server import Server
from assay.serving.tables import benchmarks, submissions, versions

if TYPE_CHECKING:
    from assay.benchmark.manifest import Manifest
    from assay.benchmark.submission_store import StoredVersion
    from assay.records.read import ExampleFile

STORES = "stores"


def scope_of(name: str) -> str:
    """What roles for a benchmark are given for."""
    return f"benchmark:{name}"


class HostedVersions:
    def __init__(self, server: Server) -> None:
        self.server = server
        self._items: dict[tuple[str, str], tuple[StoredVersion, dict[str, ExampleFile]]] = {}
        self._lock = threading.Lock()

    def add(self, path: Path, by: str = "") -> Manifest:
        """Take in a frozen manifest with its items and cards; the same one again changes nothing."""
        from assay.benchmark.bundle import packed
        from assay.benchmark.freezing import frozen_examples
        from assay.benchmark.submission_store import MANIFEST, StoredVersion
        from assay.store.run_manifest import EXAMPLES

        manifest, examples = frozen_examples(path)
        version = StoredVersion(self._place(manifest.name, manifest.version), manifest)
        version.prepare(examples, path.parent)
        items = [version.results / task.name for task in manifest.tasks]
        files = [version.folder / MANIFEST, *(version.folder / "cards").glob("*.md")]
        files += [each / EXAMPLES for each in items]
        archive = self.server.blobs.put(packed(version.folder, files))
        with self.server.database.write() as connection:
            self.server.blobs.name(connection, archive)
            insert_new(
                connection, benchmarks, "name", name=manifest.name, about=manifest.about, public=False, made=now()
            )
            held = self._row(connection, manifest.name, manifest.version)
            if held is not None and held["digest"] != manifest.digest:
                raise AssayError(
                    f"{path}: this server has another {manifest.title}; what changed needs another version"
                )
            if held is None:
                connection.execute(
                    versions.insert().values(
                        benchmark=manifest.name, version=manifest.version, digest=manifest.digest, archive=archive,
                        open=True, made=now(),
                    )
                )  # fmt: skip
                what = f"{scope_of(manifest.name)}/{manifest.version}"
                record(connection, by, "version.add", what, digest=manifest.digest)
        return manifest

    def open(self, name: str, version: str) -> tuple[StoredVersion, dict[str, ExampleFile]]:
        """A version with the items of its tasks, read once."""
        from assay.benchmark.freezing import frozen_examples
        from assay.benchmark.submission_store import MANIFEST, StoredVersion

        with self._lock:
            if (name, version) not in self._items:
                place = self._place(name, version)
                if not (place / MANIFEST).exists():
                    self._unpack(name, version, place)
                manifest, examples = frozen_examples(place / MANIFEST)
                self._items[name, version] = StoredVersion(place, manifest), examples
            return self._items[name, version]

    def open_to_score(self, name: str, version: str) -> tuple[StoredVersion, dict[str, ExampleFile]]:
        """The same with every scored submission in its store: after a restore it is filled from the blobs."""
        from assay.benchmark.freezing import refuse_other_metrics

        found, examples = self.open(name, version)
        refuse_other_metrics(found.manifest, examples)
        scored = select(submissions.c.system, submissions.c.result).where(
            submissions.c.benchmark == name, submissions.c.version == version, submissions.c.result.is_not(None)
        )
        with self.server.database.read() as connection:
            rows = connection.execute(scored).all()
        lacking = [row for row in rows if not (found.submissions / row.system / "record.json").exists()]
        for row in lacking:
            self._refill(found, row.result)
        systems = {row.system for row in lacking}
        for each in found.records():
            if each.system in systems:
                found.score(each, cards=False)  # what is there is not computed again, but listed
        return found, examples

    def _refill(self, version: StoredVersion, result: str) -> None:
        from assay.store.run_manifest import EXAMPLES

        made = Path(mkdtemp(prefix=".refill-", dir=version.folder))
        try:
            _extract(self.server.blobs.get(result), made)
            for task in made.glob("held-back/*"):
                items = version.held_back / task.name / EXAMPLES
                items.parent.mkdir(parents=True, exist_ok=True)
                if not items.exists():
                    shutil.copyfile(version.results / task.name / EXAMPLES, items)
            # The record last: where it is, the rest is.
            for kind in ("results/*/*", "held-back/*/*", "submissions/*"):
                for folder in made.glob(kind):
                    target = version.folder / folder.relative_to(made)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    if not target.exists():
                        folder.rename(target)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def _place(self, name: str, version: str) -> Path:
        return self.server.folder / STORES / name / version

    def _unpack(self, name: str, version: str, place: Path) -> None:
        with self.server.database.read() as connection:
            row = self._row(connection, name, version)
        if row is None:
            raise RefusedError("there is no such version of a benchmark", 404)
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(mkdtemp(prefix=".unpack-", dir=place.parent))
        try:
            _extract(self.server.blobs.get(row["archive"]), made)
            if not place.exists():
                made.rename(place)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def is_open(self, connection: Connection, name: str, version: str) -> bool:
        row = self._row(connection, name, version)
        return row is not None and bool(row["open"])

    @staticmethod
    def _row(connection: Connection, name: str, version: str) -> dict[str, Any] | None:
        asked = select(versions).where(versions.c.benchmark == name, versions.c.version == version)
        row = connection.execute(asked).mappings().first()
        return dict(row) if row else None


def _extract(content: bytes, folder: Path) -> None:
    """Archives of our own, known by their digest."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
