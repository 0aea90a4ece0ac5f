"""Verification of a server folder, for `assay store verify`: database, rows, audit log and stored files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError
from assay.server.manage import require_packages
from assay.serving.settings import database_url
from assay.store.verify import Checked

DATABASE_FILE = "assay.sqlite"
START = "start the server once, which brings the database up to date"
REMEDY = "restore a backup: assay server restore NEW_FOLDER ARCHIVE"


def is_server_folder(path: Path) -> bool:
    """Return whether a folder is that of a server."""
    database = path / DATABASE_FILE
    return path.is_dir() and ((database.is_file() and database.stat().st_size > 0) or (path / "secret").is_file())


def check_server(folder: Path, url: str | None = None) -> Iterator[Checked]:
    """Verify a server folder without changing it.

    Args:
        folder: The server folder.
        url: URL of the database (default: that in ASSAY_DATABASE_FILE, else SQLite in the folder).
    """
    require_packages()
    from assay.serving.database import open_database, readable
    from assay.serving.integrity import blob_digests, blob_problems, database_problems
    from assay.serving.migrate import is_newest
    from assay.serving.restore import require_no_restore
    from assay.serving.seals import is_sealed

    checked = Checked(str(folder), "server")
    yield checked
    url = url or database_url()
    name = "database" if url else DATABASE_FILE
    try:
        require_no_restore(folder)
        if not url and not ((folder / DATABASE_FILE).is_file() and (folder / DATABASE_FILE).stat().st_size):
            raise AssayError("missing or empty. If the server uses another database, name it with --database")
        database = open_database(url, folder, migrate=False)
    except AssayError as error:
        checked.find(name, *_with_remedy(error))
        return
    try:
        checked.files += 1
        with readable(database), database.read() as connection:
            newest = is_newest(connection)
            if not newest and not is_sealed(connection):
                checked.find(name, "not verified: an earlier version of assay wrote it, without digests", START)
                return
            for problem in database_problems(connection, newest=newest):
                checked.find(name, problem, REMEDY)
            if not checked.findings:
                checked.files += len(blob_digests(connection))
                for problem in blob_problems(connection, folder):
                    checked.find("blobs", problem, REMEDY)
    except AssayError as error:
        checked.find(name, *_with_remedy(error))
    finally:
        database.close()


def _with_remedy(error: AssayError) -> tuple[str, str]:
    """Return an error and its remedy, which some errors state themselves."""
    why, _, remedy = str(error).partition(". ")
    return why, f"{remedy[0].lower()}{remedy[1:]}" if remedy else REMEDY
