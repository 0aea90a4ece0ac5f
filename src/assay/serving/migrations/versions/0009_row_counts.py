"""Row counts in PostgreSQL: tables do not change; `migrate.py` seals them again, which adds the counters."""

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing."""
