"""Database migrations, under a lock so that servers started at the same time migrate once."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from assay.errors import AssayError
from assay.serving.database import DAMAGED, Database
from assay.serving.seals import is_sealed, problems, seal_tables

SCRIPTS = Path(__file__).parent / "migrations"
LOCK = 7_311_420_817
"""Key of the PostgreSQL advisory lock."""


def config_for(connection: Connection) -> Config:
    """Return the Alembic configuration for a connection."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None if it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def migrate_database(database: Database, revision: str | None = None) -> None:
    """Migrate a database to a revision (default: the newest), and seal its rows at the newest.

    Raise AssayError for a database of a newer version of assay, and for a damaged one.
    """
    with database.write() as connection:
        if not database.sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": LOCK})
        at, newest = _known_revision(revision_of(connection), "The database")
        goal, _ = _known_revision(revision, "The backup")
        goal = goal or newest
        if at != goal:
            # An upgrade seals all rows again, and would hide damage.
            if at is not None and is_sealed(connection) and (damage := problems(connection, newest=False)):
                raise AssayError(DAMAGED.format(why=damage[0]))
            command.upgrade(config_for(connection), goal)
        if goal == newest and (at != goal or not is_sealed(connection)):
            seal_tables(connection)


def is_newest(connection: Connection) -> bool:
    """Return whether a database has the revision of this version of assay; raise AssayError for a later one."""
    at, newest = _known_revision(revision_of(connection), "The database")
    return at == newest


def _known_revision(revision: str | None, what: str) -> tuple[str | None, str]:
    """Return a revision and the newest one; refuse one that this version of assay does not know."""
    known = {script.revision for script in ScriptDirectory(str(SCRIPTS)).walk_revisions()}
    newest = max(known)
    if revision is not None and revision not in known:
        raise AssayError(
            f"{what} has revision {revision}; this version of assay supports up to {newest}. "
            "Install the version that created it, or a newer one."
        )
    return revision, newest
