"""Management of a server folder: open it, add benchmarks, invite users, back up and restore."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from assay.errors import AssayError, UsageError
from assay.records.files import read_text, write_text
from assay.serving.settings import database_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.benchmark.manifest import BenchmarkManifest
    from assay.serving.backup import BackupCounts
    from assay.serving.server import Server

ADDRESS = "address"
"""File of the server folder with the address of the last start; printed links begin with it."""
LOCAL_ADDRESS = "http://127.0.0.1:8000"
OWNER = "owner@localhost"


class AddedBenchmark(NamedTuple):
    """A benchmark version that the server now hosts."""

    manifest: BenchmarkManifest
    carried_over: int
    """Number of submissions to earlier versions that were queued for this one."""


class InvitedUser(NamedTuple):
    """A user with a new sign-in link."""

    link: str
    role: str
    before: str | None
    """Role in the same scope before the invitation."""


def require_packages() -> None:
    """Raise AssayError if a package of the studio extra is not installed."""
    try:
        import alembic  # noqa: F401
        import fastapi  # noqa: F401
        import itsdangerous  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise AssayError(f"{error.name} is not installed; pip install 'assay-eval[studio]'") from None


def recorded_address(folder: Path) -> str:
    """Return the address on which the server was started last; empty if it never was."""
    file = folder / ADDRESS
    return read_text(file).strip() if file.is_file() else ""


def record_address(server: Server) -> None:
    """Record the address of a server that starts, for the links that other commands print."""
    write_text(server.folder / ADDRESS, f"{server.address}\n")


@contextmanager
def opened(folder: Path, database: str | None = None, address: str = LOCAL_ADDRESS) -> Iterator[Server]:
    """Open the server folder, created if it does not exist, and close its database afterwards.

    Args:
        folder: The server folder.
        database: URL of the database (default: that in ASSAY_DATABASE_FILE, else SQLite in the folder).
        address: Prefix of links until the server has been started once.
    """
    require_packages()
    from assay.serving.server import open_server

    server = open_server(folder, database or database_url(), recorded_address(folder) or address)
    try:
        yield server
    finally:
        server.database.close()


def add_benchmark(server: Server, manifest: Path) -> AddedBenchmark:
    """Add a frozen benchmark version, and queue submissions to earlier versions for tasks with the same items."""
    from assay.benchmark.service.carry_over import carry_over
    from assay.benchmark.service.hosted_versions import HostedVersions

    versions = HostedVersions(server)
    added = versions.add(manifest)
    return AddedBenchmark(added, carry_over(versions, added))


def invite(server: Server, email: str, role: str | None = None, scope: str | None = None) -> InvitedUser:
    """Give a user a role and make a link that signs the user in once. All other credentials of the user end.

    Args:
        server: The server.
        email: Address of the user, who is added if unknown.
        role: One of `assay.serving.accounts.RANKS` (default: the present role in the scope, else `submitter`).
        scope: Name of a benchmark, or `study:ID` (default: the whole server).
    """
    from assay.benchmark.service.hosted_versions import scope_of
    from assay.server.app import role_scopes
    from assay.serving.accounts import OPERATOR, RANKS, add_person, give_role, given_roles
    from assay.serving.credentials import new_link

    if role is not None and role not in RANKS:
        raise UsageError(f"--role {role}: unknown role. Choose one of: {', '.join(RANKS)}")
    full = "" if not scope else scope if scope.startswith("study:") else scope_of(scope)
    with server.database.write() as connection:
        if full and full not in role_scopes(connection):
            raise AssayError(
                f"--for {scope}: no such benchmark on this server. Add it: assay server add {server.folder} MANIFEST"
            )
        person = add_person(connection, email, OPERATOR)
        user = given_roles(connection, person)
        if user is None:
            raise AssayError(f"{email}: this account is closed. Invite the user by another address.")
        before = user.roles.get(full)
        if role is None and not user.may("submitter", full):
            role = "submitter"
        if role is not None and role != before:
            give_role(connection, person, full, role, OPERATOR)
        link = server.link(new_link(connection, person, OPERATOR, server.settings))
    return InvitedUser(link, role or before or user.roles[""], before)


def owner_link(server: Server) -> str | None:
    """Create the owner account and return a sign-in link for it; None if the server has an owner."""
    from assay.serving.accounts import OPERATOR, add_person, give_role, has_owner
    from assay.serving.credentials import new_link

    with server.database.write() as connection:
        if has_owner(connection):
            return None
        owner = add_person(connection, OWNER, OPERATOR)
        give_role(connection, owner, "", "owner", OPERATOR)
        return server.link(new_link(connection, owner, OPERATOR, server.settings))


def run_worker(server: Server) -> None:
    """Process the job queue (scoring, publishing) until the process that started this one ends."""
    from assay.benchmark.service.hosted_versions import HostedVersions
    from assay.benchmark.service.scoring import failures, handlers
    from assay.serving.worker import Worker, limit_memory, until_orphaned

    limit_memory(server.settings.job_bytes)
    Worker(server.database, server.settings, handlers(HostedVersions(server)), failures()).run(until_orphaned())


def back_up_server(server: Server, target: Path) -> BackupCounts:
    """Write all tables and blobs to one archive; return what it contains."""
    from assay.serving.backup import back_up

    return back_up(server.database, server.folder, target)


def restore_server(folder: Path, source: Path, database: str | None = None) -> BackupCounts:
    """Restore an archive into an empty folder and an empty database; return what was restored."""
    require_packages()
    from assay.serving.restore import restore

    new = not folder.exists()
    if new and not source.is_file():
        raise AssayError(f"{source}: no such file. Check the path.")
    try:
        return restore(database or database_url(), folder, source)
    except BaseException:
        if new:
            with suppress(OSError):  # not empty: a restore that can be repeated
                folder.rmdir()
        raise
