"""Studies: events, annotators, drafts of answers."""

from alembic import op
from sqlalchemy import JSON, Column, Float, Integer, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "studies",
        Column("id", Text, primary_key=True),
        Column("design", Text, nullable=False),
        Column("material", Text, nullable=False),
        Column("generation", Integer, nullable=False),
        Column("made", Text, nullable=False),
    )
    op.create_table(
        "study_events",
        Column("study", Text, primary_key=True),
        Column("seq", Integer, primary_key=True),
        Column("at", Float, nullable=False),
        Column("event", Text, nullable=False),
    )
    op.create_table(
        "annotators",
        Column("study", Text, primary_key=True),
        Column("person", Text, primary_key=True),
        Column("session", Text, nullable=False),
        Column("parameters", JSON, nullable=False),
        Column("device", Text, nullable=False),
        Column("entered", Text, nullable=False),
    )
    op.create_table(
        "drafts",
        Column("study", Text, primary_key=True),
        Column("person", Text, primary_key=True),
        Column("place", Text, primary_key=True),
        Column("content", Text, nullable=False),
        Column("at", Text, nullable=False),
    )
