"""Database migrations, under a lock so that servers started at the same time migrate once."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from assay.errors import AssayError
from assay.serving.database import Database

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


def migrate_database(database: Database, revision: str = "head") -> None:
    """Migrate a database to a revision; raise AssayError for a database of a newer version of assay."""
    with database.write() as connection:
        if not database.sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": LOCK})
        config = config_for(connection)
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        at = MigrationContext.configure(connection).get_current_revision()
        if at is not None and at not in known:
            raise AssayError(
                f"The database has revision {at}; this version of assay supports up to {max(known)}. "
                "Install the version that created it, or a newer one."
            )
        if at != max(known) or revision != "head":
            command.upgrade(config, revision)
