"""A PostgreSQL of its own for tests and benchmarks: a cluster in a folder, reached by a socket, gone at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
MISSING = "needs PostgreSQL's server (make postgres)"


def programs() -> Path | None:
    """Where Debian keeps the newest initdb and pg_ctl, or where they are on the PATH."""
    found = shutil.which("initdb")
    return next((place for place in PLACES if (place / "initdb").exists()), Path(found).parent if found else None)


@contextmanager
def cluster() -> Iterator[str]:
    """The URL of a database in a fresh cluster; no network port is opened."""
    with cluster_folder() as folder, running(folder) as url:
        yield url


@contextmanager
def cluster_folder(*options: str, dir: str = "/tmp") -> Iterator[Path]:
    """A folder with a fresh cluster in `data`, made with these options of initdb; it is not running."""
    # PostgreSQL refuses to run as root, and a socket's path may have a hundred letters.
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-", dir=dir))
    account = _account()
    if os.geteuid() == 0:
        os.chown(folder, account.pw_uid, account.pw_gid)
    try:
        data = str(folder / "data")
        words = ("-D", data, "-A", "trust", "-U", account.pw_name, "-E", "UTF8", "--locale=C", *options)
        _call(folder, "initdb", *words)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(folder: Path, stop: str = "immediate") -> Iterator[str]:
    """The URL of a database in the cluster of a folder, which is stopped in this mode at the end."""
    data, log = str(folder / "data"), str(folder / "log")
    options = f"-k {folder} -c listen_addresses='' -c max_connections=60"
    _call(folder, "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start")
    try:
        yield f"postgresql://{_account().pw_name}@/postgres?host={folder}"
    finally:
        _call(folder, "pg_ctl", "-D", data, "-m", stop, "-w", "stop")


def _account() -> pwd.struct_passwd:
    return pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


def _call(folder: Path, program: str, *words: str) -> None:
    place, account = programs(), _account()
    if place is None:
        raise RuntimeError(MISSING)
    how = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    done = subprocess.run([str(place / program), *words], capture_output=True, text=True, cwd=folder, **how)  # type: ignore[call-overload]
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr.strip() or done.stdout.strip()}")


def fresh_database(url: str, name: str) -> str:
    """The URL of an empty database of this name in the same cluster."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
    return url.replace("/postgres?", f"/{name}?")
