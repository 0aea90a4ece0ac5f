"""A backup has one state of everything, also while others write; restored it gives the same bytes again."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import MetaData, Table, func, inspect, select

from assay.errors import AssayError
from assay.serving.audit import record
from assay.serving.backup import CONTENT, SUFFIXES, back_up, dump_table
from assay.serving.blobs import Blobs
from assay.serving.database import Database, new_id, now, open_database
from assay.serving.jobs import add_job
from assay.serving.migrate import migrate_database
from assay.serving.restore import STAGING, require_no_restore, restore
from assay.serving.secret import Secret
from assay.serving.server import open_server
from assay.serving.tables import metadata, people, publications

Opened = Callable[[], Database]


def publish(database: Database, blobs: Blobs, i: int) -> None:
    """A row that names a blob, and a person, who belong together."""
    digest = blobs.put(f'bundle {i}: gr\u00fcn \u2028 \\ "'.encode())
    with database.write() as connection:
        blobs.name(connection, digest)
        row = {"benchmark": "b", "version": str(i), "content": f"\u00e4 {i} \u2028", "bundle": digest, "made": now()}
        connection.execute(publications.insert().values(row))
        connection.execute(people.insert().values(id=new_id(), email=f"{i}@example.org", name="x\ny", made=now()))
        add_job(connection, "k", f"k:{i}", {"i": i, "t": "\u00fc"})


def counted(database: Database) -> tuple[int, int]:
    with database.read() as connection:
        found = [
            connection.execute(select(func.count()).select_from(table)).scalar() for table in (people, publications)
        ]
    return int(found[0] or 0), int(found[1] or 0)


def contents(folder: Path, database: Database) -> dict[str, bytes]:
    """All that a server keeps: rows of every table, and files by name."""
    with database.read() as connection:
        rows = {table.name: dump_table(connection, table) for table in metadata.sorted_tables}
    kept = [folder / "secret", folder / "assay.toml", *sorted((folder / "blobs").rglob("*"))]
    return rows | {str(path.relative_to(folder)): path.read_bytes() for path in kept if path.is_file()}


def a_server(folder: Path, n: int = 3) -> Database:
    folder.mkdir(exist_ok=True)
    database = open_database(None, folder)
    Secret.of(folder)
    (folder / "assay.toml").write_text('title = "mine"\n')
    for i in range(n):
        publish(database, Blobs(folder / "blobs"), i)
    with database.write() as connection:
        record(connection, "p", "added", "benchmark:b", names=["\u00fc"])
    return database


def test_a_backup_under_load_restores_to_the_same_bytes(opened: Opened, tmp_path: Path) -> None:
    database, blobs = opened(), Blobs(tmp_path / "blobs")
    Secret.of(tmp_path)
    (tmp_path / "assay.toml").write_text('title = "mine"\n')
    stop = threading.Event()

    def load(start: int) -> None:
        i = start
        while not stop.is_set():
            publish(database, blobs, i)
            i += 2

    threads = [threading.Thread(target=load, args=(start,)) for start in (0, 1)]
    for thread in threads:
        thread.start()
    while counted(database)[0] < 20:
        stop.wait(0.02)
    counts = back_up(database, tmp_path, tmp_path / "a.tar")
    stop.set()
    for thread in threads:
        thread.join()
    assert counts.rows["people"] == counts.rows["publications"] == counts.rows["jobs"] == counts.blobs >= 20
    assert (tmp_path / "a.tar").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "a.tar") as archive:
        assert sum(name.startswith("blobs/") for name in archive.getnames()) == counts.blobs
    other = tmp_path / "other"
    assert restore(None, other, tmp_path / "a.tar") == counts  # also from PostgreSQL to SQLite
    again = open_database(None, other)
    assert counted(again) == (counts.rows["people"], counts.rows["publications"])
    back_up(again, other, tmp_path / "b.tar")
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()
    assert (other / "secret").stat().st_mode & 0o777 == 0o600
    again.close()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_restores_the_whole_server(suffix: str, tmp_path: Path) -> None:
    """A compressed archive gave a server without blobs and reported success."""
    database = a_server(tmp_path / "server")
    archive = tmp_path / f"a{suffix}"
    saved = back_up(database, tmp_path / "server", archive)
    assert restore(None, tmp_path / "new", archive) == saved
    assert saved.blobs == 3
    again = open_database(None, tmp_path / "new")
    assert contents(tmp_path / "new", again) == contents(tmp_path / "server", database)
    back_up(again, tmp_path / "new", tmp_path / f"b{suffix}")
    assert archive.read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    for each in (database, again):
        each.close()


def test_an_archive_compressed_by_another_program_is_restored(tmp_path: Path) -> None:
    database = a_server(tmp_path / "server")
    saved = back_up(database, tmp_path / "server", tmp_path / "a.tar")
    (tmp_path / "renamed.bin").write_bytes(gzip.compress((tmp_path / "a.tar").read_bytes()))
    assert restore(None, tmp_path / "new", tmp_path / "renamed.bin") == saved
    with pytest.raises(AssayError, match="not a name of an archive"):
        back_up(database, tmp_path / "server", tmp_path / "a.zip")
    database.close()


def test_a_server_or_a_database_with_rows_is_not_overwritten(opened: Opened, url: str | None, tmp_path: Path) -> None:
    database = opened()
    publish(database, Blobs(tmp_path / "blobs"), 1)
    back_up(database, tmp_path, tmp_path / "a.tar")
    with pytest.raises(AssayError, match=r"file exists\. Choose another name\."):
        back_up(database, tmp_path, tmp_path / "a.tar")
    with pytest.raises(AssayError, match="Restore into an empty folder"):
        restore(url, tmp_path, tmp_path / "a.tar")
    publish(database, Blobs(tmp_path / "blobs"), 2)
    with pytest.raises(AssayError, match="The database is not empty"):
        restore(url or f"sqlite:///{tmp_path / 'assay.sqlite'}", tmp_path / "empty", tmp_path / "a.tar")
    assert not list((tmp_path / "empty").iterdir())
    assert counted(database) == (2, 2)


def test_a_database_filled_by_an_interrupted_restore_is_accepted(url: str | None, tmp_path: Path) -> None:
    """The rows were committed, the files not yet moved: the same command completes it."""
    database = a_server(tmp_path / "server")
    saved = back_up(database, tmp_path / "server", tmp_path / "a.tar")
    target = url or f"sqlite:///{tmp_path / 'elsewhere.sqlite'}"
    restore(target, tmp_path / "first", tmp_path / "a.tar")
    assert restore(target, tmp_path / "second", tmp_path / "a.tar") == saved
    assert (tmp_path / "second" / "secret").read_bytes() == (tmp_path / "server" / "secret").read_bytes()
    database.close()


def _restore_in_a_process_killed_at(step: int, folder: Path, archive: Path) -> int:
    """Start a process that restores and ends without cleaning up at its n-th operation on a file; return its id."""
    if child := os.fork():
        return child
    left = step

    def count(event: str, args: tuple[object, ...]) -> None:
        nonlocal left
        if event in ("os.rename", "open", "os.mkdir", "os.rmdir") and str(folder) in str(args[0]):
            left -= 1
            if left < 0:
                os._exit(9)

    sys.addaudithook(count)
    try:
        restore(None, folder, archive)
        os._exit(0)
    except BaseException:
        os._exit(1)


@pytest.mark.parametrize("step", range(0, 40, 5))
def test_a_killed_restore_does_not_look_like_a_server_and_can_be_repeated(step: int, tmp_path: Path) -> None:
    """Killed at any moment: the server refuses to start, and the same command succeeds."""
    database = a_server(tmp_path / "server")
    saved = back_up(database, tmp_path / "server", tmp_path / "a.tar.gz")
    new = tmp_path / "new"
    status = os.waitpid(_restore_in_a_process_killed_at(step, new, tmp_path / "a.tar.gz"), 0)[1]
    code = os.waitstatus_to_exitcode(status)
    if code:
        assert code == 9
        if new.exists() and list(new.iterdir()):
            with pytest.raises(AssayError, match="a restore was interrupted"):
                open_server(new)
        assert restore(None, new, tmp_path / "a.tar.gz") == saved
    again = open_database(None, new)
    assert contents(new, again) == contents(tmp_path / "server", database)
    assert not (new / STAGING).exists()
    require_no_restore(new)
    for each in (database, again):
        each.close()


def test_damage_is_found_before_anything_is_written(tmp_path: Path) -> None:
    database, blobs = open_database(None, tmp_path), Blobs(tmp_path / "blobs")
    publish(database, blobs, 1)
    back_up(database, tmp_path, tmp_path / "a.tar")
    content = (tmp_path / "a.tar").read_bytes()
    other = tmp_path / "other"
    for place in (content.index(b"bundle 1") + 3, content.index(b"1@example.org")):
        (tmp_path / "bad.tar").write_bytes(content[:place] + b"~" + content[place + 1 :])
        with pytest.raises(AssayError, match="damaged"):
            restore(None, other, tmp_path / "bad.tar")
    for bad in (b"no archive", content[: len(content) // 2], b"", gzip.compress(content)[:-900]):
        (tmp_path / "bad.tar").write_bytes(bad)
        with pytest.raises(AssayError, match=r"cannot be read|damaged"):
            restore(None, other, tmp_path / "bad.tar")
    assert not list(other.iterdir())


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.GNUTYPE_SPARSE, tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_an_archive_of_few_bytes_cannot_fill_the_disk(kind: bytes, tmp_path: Path) -> None:
    """An entry of ten gigabytes of zeros takes a few kilobytes; nothing of it is written."""
    header = tarfile.TarInfo("blobs/" + "a" * 64)
    header.type, header.size, header.linkname = kind, 10 << 30, "../../secret"
    content = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    if kind == tarfile.GNUTYPE_SPARSE:  # no data: one hole of ten gigabytes
        content[124:136] = b"%011o\0" % 0
        content[483:495] = b"%011o\0" % (8 << 30)
        content[148:156] = b"%06o\0 " % (256 + sum(content[:148]) + sum(content[156:512]))
    (tmp_path / "bomb.tar.gz").write_bytes(gzip.compress(bytes(content) + bytes(1 << 20)))
    with pytest.raises(AssayError, match=r"the limit is 1 GB|is not a file"):
        restore(None, tmp_path / "new", tmp_path / "bomb.tar.gz")
    assert not list((tmp_path / "new").iterdir())


def test_a_backup_of_an_earlier_version_is_migrated(tmp_path: Path) -> None:
    """The archive states the revision of its tables; here one that has no chain in the audit log."""
    old = open_database(None, tmp_path, migrate=False)
    migrate_database(old, "0003")
    with old.write() as connection:
        connection.exec_driver_sql("INSERT INTO people (id, email, name, made) VALUES ('1', 'a@b.org', '', '')")
        tables = {
            name: dump_table(connection, Table(name, MetaData(), autoload_with=connection))
            for name in inspect(connection).get_table_names()
            if name in metadata.tables
        }
    counts = {name: content.count(b"\n") for name, content in tables.items()}
    entries = {f"tables/{name}.jsonl": content for name, content in tables.items()}
    entries[CONTENT] = json.dumps({"revision": "0003", "rows": counts, "blobs": 0, "size": 0}).encode()
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in entries.items())
    with tarfile.open(tmp_path / "old.tar", "w") as archive:
        for name, content in (entries | {"SHA256SUMS": sums.encode()}).items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    assert restore(None, tmp_path / "new", tmp_path / "old.tar").rows["people"] == 1
    database = open_database(None, tmp_path / "new")
    assert counted(database) == (1, 0)
    for each in (old, database):
        each.close()


def test_a_blob_is_checked_when_it_is_read(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    digest = blobs.put(b"content")
    assert blobs.put(b"content") == digest
    assert blobs.get(digest) == b"content"
    blobs.path(digest).write_bytes(b"contenT")
    with pytest.raises(AssayError, match="damaged"):
        blobs.get(digest)
    for name in ("../../etc/passwd", "a" * 63, "A" * 64):
        with pytest.raises(AssayError, match="not a blob digest"):
            blobs.get(name)
