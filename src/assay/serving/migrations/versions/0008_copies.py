"""Copies for authors are written again on request: they contained all references."""

from alembic import op
from sqlalchemy import text

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.get_bind().execute(text("UPDATE submissions SET copy = NULL"))
