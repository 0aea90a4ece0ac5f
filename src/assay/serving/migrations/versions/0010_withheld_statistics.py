"""Bundles and copies are written again: statistics of NIST and CIDEr contained the words of hidden references."""

from alembic import op
from sqlalchemy import text

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.get_bind().execute(text("UPDATE submissions SET copy = NULL"))
    op.get_bind().execute(text("DELETE FROM publications"))
