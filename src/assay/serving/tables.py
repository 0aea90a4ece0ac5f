"""All tables of a server, whichever room uses them: migrations, backup and restore know every one by this list.

Keys are texts that are made here, never counters of a database, so that a restored one goes on without a gap. Times are
ISO in UTC, which sorts as time does. A room with tables of its own adds them below and brings a migration."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Float, Index, Integer, MetaData, Table, Text, UniqueConstraint

metadata = MetaData()

people = Table(
    "people", metadata,
    Column("id", Text, primary_key=True),
    Column("email", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("made", Text, nullable=False),
    Column("closed", Text),
)  # fmt: skip
sign_in_links = Table(
    "sign_in_links", metadata,
    Column("digest", Text, primary_key=True),
    Column("person", Text, nullable=False, index=True),
    Column("made", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("used", Text),
)  # fmt: skip
sessions = Table(
    "sessions", metadata,
    Column("digest", Text, primary_key=True),
    Column("person", Text, nullable=False, index=True),
    Column("made", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("ended", Text),
)  # fmt: skip
tokens = Table(
    "tokens", metadata,
    Column("id", Text, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("person", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("made", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("ended", Text),
)  # fmt: skip
roles = Table(
    "roles", metadata,
    Column("person", Text, primary_key=True),
    Column("scope", Text, primary_key=True),  # "" is the whole server; else "benchmark:NAME", "study:ID"
    Column("role", Text, nullable=False),
    Column("made", Text, nullable=False),
)  # fmt: skip
audit = Table(
    "audit", metadata,
    Column("id", Text, primary_key=True),
    Column("at", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("object", Text, nullable=False, index=True),
    Column("detail", JSON, nullable=False),
)  # fmt: skip
jobs = Table(
    "jobs", metadata,
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
    Index("jobs_by_state", "state", "id"),
)  # fmt: skip
card_drafts = Table(
    "card_drafts", metadata,
    Column("id", Text, primary_key=True),
    Column("person", Text, nullable=False, index=True),
    Column("template", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),  # its fields, as JSON
    Column("version", Integer, nullable=False),  # grows with every change: who changes another one is told
    Column("made", Text, nullable=False),
    Column("changed", Text, nullable=False),
)  # fmt: skip
blobs = Table(
    "blobs", metadata,
    Column("digest", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("made", Text, nullable=False),
)  # fmt: skip
benchmarks = Table(
    "benchmarks", metadata,
    Column("name", Text, primary_key=True),
    Column("about", Text, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("made", Text, nullable=False),
)  # fmt: skip
versions = Table(
    "versions", metadata,
    Column("benchmark", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("archive", Text, nullable=False),  # a blob: manifest, items and cards
    Column("open", Boolean, nullable=False),
    Column("made", Text, nullable=False),
)  # fmt: skip
submissions = Table(
    "submissions", metadata,
    Column("id", Text, primary_key=True),
    Column("benchmark", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("person", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("system", Text, nullable=False),
    Column("sha256", Text, nullable=False),  # a blob: as it was sent
    Column("received", Text, nullable=False),
    Column("pseudonym", Text, nullable=False),
    Column("anonymous", Boolean, nullable=False),
    Column("anonymous_until", Text, nullable=False),
    Column("tasks", JSON, nullable=False),
    Column("findings", JSON, nullable=False),
    Column("state", Text, nullable=False),  # queued, scored, failed, withdrawn
    Column("error", Text, nullable=False),
    Column("scores", JSON, nullable=False),
    Column("held_back", JSON, nullable=False),
    Column("result", Text),  # a blob: what the store has of it
    Column("copy", Text),  # a blob: the results folder for its authors
    Column("done", Text),
    UniqueConstraint("benchmark", "version", "system", name="one_system"),
    UniqueConstraint("benchmark", "version", "person", "sha256", name="sent_once"),
)  # fmt: skip
publications = Table(
    "publications", metadata,
    Column("benchmark", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("content", Text, nullable=False),  # names what was published, and under which names
    Column("bundle", Text, nullable=False),  # a blob
    Column("made", Text, nullable=False),
)  # fmt: skip
BLOB_COLUMNS = [
    versions.c.archive,
    submissions.c.sha256,
    submissions.c.result,
    submissions.c.copy,
    publications.c.bundle,
]
"""What names a blob; a backup carries those that are named."""
