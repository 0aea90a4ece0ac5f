"""All database tables of a server; migrations, backup and restore use this list.

Keys are random texts, not database counters, so that a restored database continues without gaps. Times are ISO in UTC,
which sort chronologically. A new table is added below together with a migration.
"""

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
    Column("key", Text),  # digest of the sign-in key
    Column("vouchers", Text),  # ids of who may hold the credentials besides the user; NULL: not confirmed
    Index("people_key", "key", unique=True),
)  # fmt: skip
sign_in_links = Table(
    "sign_in_links", metadata,
    Column("digest", Text, primary_key=True),
    Column("person", Text, nullable=False, index=True),
    Column("made", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("used", Text),
    Column("vouchers", Text),  # NULL: made by the user
)  # fmt: skip
sessions = Table(
    "sessions", metadata,
    Column("digest", Text, primary_key=True),
    Column("person", Text, nullable=False, index=True),
    Column("made", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("ended", Text),
    Column("vouchers", Text),  # NULL: not limited; else those of the account once it sets its sign-in key
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
    Column("seq", Integer, unique=True),  # position in the log
    Column("chain", Text),  # digest of this entry and the chain of the entry before it
)  # fmt: skip
chains = Table(
    "chains", metadata,
    Column("name", Text, primary_key=True),
    Column("head", Text, nullable=False),  # chain of the latest entry
    Column("length", Integer, nullable=False),
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
    Column("version", Integer, nullable=False),  # grows with every change, to detect concurrent edits
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
    Column("archive", Text, nullable=False),  # blob: manifest, items and cards
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
    Column("sha256", Text, nullable=False),  # blob: the file as submitted
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
    Column("result", Text),  # blob: its files in the submission store
    Column("copy", Text),  # blob: the results folder for its authors
    Column("done", Text),
    UniqueConstraint("benchmark", "version", "system", name="one_system"),
    UniqueConstraint("benchmark", "version", "person", "sha256", name="sent_once"),
)  # fmt: skip
publications = Table(
    "publications", metadata,
    Column("benchmark", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("content", Text, nullable=False),  # digest of the published systems and their public names
    Column("bundle", Text, nullable=False),  # blob
    Column("signed_in_bundle", Text),  # blob, where users who are signed in may read more
    Column("made", Text, nullable=False),
)  # fmt: skip
studies = Table(
    "studies", metadata,
    Column("id", Text, primary_key=True),
    Column("design", Text, nullable=False),
    Column("material", Text, nullable=False),  # lessons, reading tests, consent
    Column("generation", Integer, nullable=False),  # grows when the copy in memory is out of date
    Column("made", Text, nullable=False),
)  # fmt: skip
study_events = Table(
    "study_events", metadata,
    Column("study", Text, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("event", Text, nullable=False),
)  # fmt: skip
annotators = Table(
    "annotators", metadata,
    Column("study", Text, primary_key=True),
    Column("person", Text, primary_key=True),  # id as in the invitation or from the platform
    Column("session", Text, nullable=False),  # digests of sessions, separated by spaces
    Column("parameters", JSON, nullable=False),  # from a crowdsourcing platform
    Column("device", Text, nullable=False),  # digest of an unused link for another device
    Column("entered", Text, nullable=False),
)  # fmt: skip
drafts = Table(
    "drafts", metadata,
    Column("study", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    Column("place", Text, primary_key=True),
    Column("content", Text, nullable=False),
    Column("at", Text, nullable=False),
)  # fmt: skip
BLOB_COLUMNS = [
    versions.c.archive,
    submissions.c.sha256,
    submissions.c.result,
    submissions.c.copy,
    publications.c.bundle,
    publications.c.signed_in_bundle,
]
"""Columns with blob digests; a backup contains these blobs."""
