"""The benchmark versions on a server.

Database and blobs are authoritative; the submission stores on disk, used for scoring, are recreated from them if they
are missing.
"""

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
from assay.records.temporary import remove_abandoned
from assay.serving.app import RefusedError
from assay.serving.audit import record
from assay.serving.database import insert_new, now
from assay.serving.server import Server
from assay.serving.tables import benchmarks, submissions, versions

if TYPE_CHECKING:
    from assay.benchmark.manifest import BenchmarkManifest
    from assay.benchmark.submission_store import StoredVersion
    from assay.records.read import ExampleFile

STORES = "stores"


def scope_of(name: str) -> str:
    """Return the role scope of a benchmark."""
    return f"benchmark:{name}"


class HostedVersions:
    """Adds and opens the benchmark versions of a server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._items: dict[tuple[str, str], tuple[StoredVersion, dict[str, ExampleFile]]] = {}
        self._lock = threading.Lock()

    def add(self, path: Path, by: str = "") -> BenchmarkManifest:
        """Add a frozen manifest with its items and cards; adding it again changes nothing."""
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
            row = self._row(connection, manifest.name, manifest.version)
            if row is not None and row["digest"] != manifest.digest:
                raise AssayError(f"{path}: the server has a different {manifest.title}. Create a new version.")
            if row is None:
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
        """Return a version with the items of its tasks, cached."""
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
        """Return a version whose store has every scored submission; after a restore it is filled from the blobs."""
        from assay.benchmark.freezing import require_same_metrics

        stored, examples = self.open(name, version)
        require_same_metrics(stored.manifest, examples)
        scored = select(submissions.c.system, submissions.c.result).where(
            submissions.c.benchmark == name, submissions.c.version == version, submissions.c.result.is_not(None)
        )
        with self.server.database.read() as connection:
            rows = connection.execute(scored).all()
        missing = [row for row in rows if not (stored.submissions / row.system / "record.json").exists()]
        for row in missing:
            self._refill(stored, row.result)
        systems = {row.system for row in missing}
        for each in stored.records():
            if each.system in systems:
                stored.score(each, cards=False)  # lists the existing scores without computing them again
        return stored, examples

    def _refill(self, version: StoredVersion, result: str) -> None:
        from assay.store.run_manifest import EXAMPLES

        remove_abandoned(version.folder, ".refill-")
        made = Path(mkdtemp(prefix=".refill-", dir=version.folder))
        try:
            _extract(self.server.blobs.get(result), made)
            for task in made.glob("held-back/*"):
                items = version.held_back / task.name / EXAMPLES
                items.parent.mkdir(parents=True, exist_ok=True)
                if not items.exists():
                    shutil.copyfile(version.results / task.name / EXAMPLES, items)
            # The record last: its presence means that the submission is complete.
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
            raise RefusedError("There is no such benchmark version.", 404)
        place.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(place.parent, ".unpack-")
        made = Path(mkdtemp(prefix=".unpack-", dir=place.parent))
        try:
            _extract(self.server.blobs.get(row["archive"]), made)
            if not place.exists():
                made.rename(place)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def is_open(self, connection: Connection, name: str, version: str) -> bool:
        """Return whether a version accepts submissions."""
        row = self._row(connection, name, version)
        return row is not None and bool(row["open"])

    @staticmethod
    def _row(connection: Connection, name: str, version: str) -> dict[str, Any] | None:
        query = select(versions).where(versions.c.benchmark == name, versions.c.version == version)
        row = connection.execute(query).mappings().first()
        return dict(row) if row else None


def _extract(content: bytes, folder: Path) -> None:
    """Extract an archive written by this server and verified by its digest."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
