"""Users, jobs, blobs, audit log, benchmarks and submissions."""

from alembic import op
from sqlalchemy import JSON, Boolean, Column, Float, Integer, Text, UniqueConstraint

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "people",
        Column("id", Text, primary_key=True),
        Column("email", Text, nullable=False, unique=True),
        Column("name", Text, nullable=False),
        Column("made", Text, nullable=False),
        Column("closed", Text),
    )
    for name in ("sign_in_links", "sessions"):
        op.create_table(
            name,
            Column("digest", Text, primary_key=True),
            Column("person", Text, nullable=False, index=True),
            Column("made", Text, nullable=False),
            Column("expires", Text, nullable=False),
            Column("used" if name == "sign_in_links" else "ended", Text),
        )
    op.create_table(
        "tokens",
        Column("id", Text, primary_key=True),
        Column("digest", Text, nullable=False, unique=True),
        Column("person", Text, nullable=False, index=True),
        Column("name", Text, nullable=False),
        Column("made", Text, nullable=False),
        Column("expires", Text, nullable=False),
        Column("ended", Text),
    )
    op.create_table(
        "roles",
        Column("person", Text, primary_key=True),
        Column("scope", Text, primary_key=True),
        Column("role", Text, nullable=False),
        Column("made", Text, nullable=False),
    )
    op.create_table(
        "audit",
        Column("id", Text, primary_key=True),
        Column("at", Text, nullable=False),
        Column("person", Text, nullable=False),
        Column("action", Text, nullable=False),
        Column("object", Text, nullable=False, index=True),
        Column("detail", JSON, nullable=False),
    )
    op.create_table(
        "jobs",
        Column("id", Text, primary_key=True),
        Column("kind", Text, nullable=False),
        Column("key", Text, nullable=False, unique=True),
        Column("payload", JSON, nullable=False),
        Column("state", Text, nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("lease_until", Float, nullable=False),
        Column("worker", Text, nullable=False),
        Column("error", Text, nullable=False),
        Column("made", Text, nullable=False),
        Column("done", Text),
    )
    op.create_index("jobs_by_state", "jobs", ["state", "id"])
    op.create_table(
        "blobs",
        Column("digest", Text, primary_key=True),
        Column("size", Integer, nullable=False),
        Column("made", Text, nullable=False),
    )
    op.create_table(
        "benchmarks",
        Column("name", Text, primary_key=True),
        Column("about", Text, nullable=False),
        Column("public", Boolean, nullable=False),
        Column("made", Text, nullable=False),
    )
    op.create_table(
        "versions",
        Column("benchmark", Text, primary_key=True),
        Column("version", Text, primary_key=True),
        Column("digest", Text, nullable=False),
        Column("archive", Text, nullable=False),
        Column("open", Boolean, nullable=False),
        Column("made", Text, nullable=False),
    )
    op.create_table(
        "submissions",
        Column("id", Text, primary_key=True),
        Column("benchmark", Text, nullable=False),
        Column("version", Text, nullable=False),
        Column("person", Text, nullable=False, index=True),
        Column("name", Text, nullable=False),
        Column("system", Text, nullable=False),
        Column("sha256", Text, nullable=False),
        Column("received", Text, nullable=False),
        Column("pseudonym", Text, nullable=False),
        Column("anonymous", Boolean, nullable=False),
        Column("anonymous_until", Text, nullable=False),
        Column("tasks", JSON, nullable=False),
        Column("findings", JSON, nullable=False),
        Column("state", Text, nullable=False),
        Column("error", Text, nullable=False),
        Column("scores", JSON, nullable=False),
        Column("held_back", JSON, nullable=False),
        Column("result", Text),
        Column("copy", Text),
        Column("done", Text),
        UniqueConstraint("benchmark", "version", "system", name="one_system"),
        UniqueConstraint("benchmark", "version", "person", "sha256", name="sent_once"),
    )
    op.create_table(
        "publications",
        Column("benchmark", Text, primary_key=True),
        Column("version", Text, primary_key=True),
        Column("content", Text, nullable=False),
        Column("bundle", Text, nullable=False),
        Column("made", Text, nullable=False),
    )
