"""The entries of the audit log form a chain, so that a removed entry is noticed."""

from alembic import op
from sqlalchemy import Column, Integer, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "chains",
        Column("name", Text, primary_key=True),
        Column("head", Text, nullable=False),
        Column("length", Integer, nullable=False),
    )
    with op.batch_alter_table("audit") as audit:
        audit.add_column(Column("seq", Integer))
        audit.add_column(Column("chain", Text))
        audit.create_unique_constraint("audit_seq", ["seq"])
