"""Drafts of cards in the editor."""

from alembic import op
from sqlalchemy import Column, Integer, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "card_drafts",
        Column("id", Text, primary_key=True),
        Column("person", Text, nullable=False, index=True),
        Column("template", Text, nullable=False),
        Column("title", Text, nullable=False),
        Column("text", Text, nullable=False),
        Column("version", Integer, nullable=False),
        Column("made", Text, nullable=False),
        Column("changed", Text, nullable=False),
    )
