"""What Alembic runs: the steps, in the transaction of whoever called."""

from alembic import context

from assay.serving.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
