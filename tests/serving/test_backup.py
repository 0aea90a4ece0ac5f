"""A backup has one state of everything, also while others write; restored it gives the same bytes again."""

from __future__ import annotations

import tarfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select

from assay.errors import AssayError
from assay.serving.backup import back_up, restore
from assay.serving.blobs import Blobs
from assay.serving.database import Database, new_id, now, open_database
from assay.serving.jobs import add_job
from assay.serving.secret import Secret
from assay.serving.tables import people, publications

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
    assert counts["people"] == counts["publications"] == counts["jobs"] >= 20
    assert (tmp_path / "a.tar").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "a.tar") as archive:
        assert sum(name.startswith("blobs/") for name in archive.getnames()) == counts["publications"]
    other = tmp_path / "other"
    other.mkdir()
    again = open_database(None, other)  # also from PostgreSQL to SQLite
    assert restore(again, other, tmp_path / "a.tar") == counts
    assert counted(again) == (counts["people"], counts["publications"])
    back_up(again, other, tmp_path / "b.tar")
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()
    assert (other / "secret").stat().st_mode & 0o777 == 0o600
    again.close()


def test_what_is_there_is_not_overwritten(opened: Opened, tmp_path: Path) -> None:
    database = opened()
    publish(database, Blobs(tmp_path / "blobs"), 1)
    back_up(database, tmp_path, tmp_path / "a.tar")
    with pytest.raises(AssayError, match=r"file exists\. Choose another name\."):
        back_up(database, tmp_path, tmp_path / "a.tar")
    with pytest.raises(AssayError, match="Restore into an empty folder"):
        restore(database, tmp_path, tmp_path / "a.tar")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(AssayError, match="The database is not empty"):
        restore(database, empty, tmp_path / "a.tar")
    assert not list(empty.iterdir())
    assert counted(database) == (1, 1)


def test_damage_is_found_before_anything_is_written(tmp_path: Path) -> None:
    database, blobs = open_database(None, tmp_path), Blobs(tmp_path / "blobs")
    publish(database, blobs, 1)
    back_up(database, tmp_path, tmp_path / "a.tar")
    content = (tmp_path / "a.tar").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    fresh = open_database(None, other)
    for place in (content.index(b"bundle 1") + 3, content.index(b"1@example.org")):
        (tmp_path / "bad.tar").write_bytes(content[:place] + b"~" + content[place + 1 :])
        with pytest.raises(AssayError, match="damaged"):
            restore(fresh, other, tmp_path / "bad.tar")
    for bad in (b"no archive", content[: len(content) // 2], b""):
        (tmp_path / "bad.tar").write_bytes(bad)
        with pytest.raises(AssayError, match=r"cannot be read|damaged"):
            restore(fresh, other, tmp_path / "bad.tar")
    assert counted(fresh) == (0, 0)
    assert not (other / "blobs").exists()


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
