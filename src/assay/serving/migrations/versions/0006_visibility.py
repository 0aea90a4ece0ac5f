"""A second bundle for users who are signed in. Published bundles are written again: they contained all references."""

from alembic import op
from sqlalchemy import Column, Text, text

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("publications", Column("signed_in_bundle", Text))
    op.get_bind().execute(text("DELETE FROM publications"))
