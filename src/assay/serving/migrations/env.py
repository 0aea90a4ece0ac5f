"""Alembic environment: runs the migrations in the transaction of the caller."""

from alembic import context

from assay.serving.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
