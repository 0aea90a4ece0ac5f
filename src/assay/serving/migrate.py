"""Bringing a database up to date, under a lock: of several servers that start at once one does it."""

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
"""A number that servers of ours agree on with PostgreSQL."""


def config_for(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def migrate_database(database: Database, revision: str = "head") -> None:
    """An older database is changed to what this version of assay knows; one from a newer version is refused."""
    with database.write() as connection:
        if not database.sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": LOCK})
        config = config_for(connection)
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        at = MigrationContext.configure(connection).get_current_revision()
        if at is not None and at not in known:
            raise AssayError(
                f"the database is at {at}, which this version of assay does not know (it knows {max(known)}); "
                "install the version that made it, or a later one"
            )
        if at != max(known) or revision != "head":
            command.upgrade(config, revision)
