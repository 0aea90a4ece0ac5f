"""Damage of a database is found: rows that changed outside of the server, entries removed from the audit log."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, MetaData, Table, Text, delete, select, text

from assay.errors import AssayError
from assay.server.verify import check_server
from assay.serving import seals
from assay.serving.audit import chain_problems, record
from assay.serving.backup import back_up, dump_table
from assay.serving.database import FILE, Database, new_id, now, open_database
from assay.serving.integrity import database_problems
from assay.serving.server import open_server
from assay.serving.tables import audit, chains, metadata, people, study_events

Opened = Callable[[], Database]


def filled(database: Database, n: int = 30) -> None:
    """Add annotators, answers and entries of the audit log."""
    for i in range(n):
        with database.write() as connection:
            person = new_id()
            connection.execute(people.insert().values(id=person, email=f"{i}@example.org", name="ü", made=now()))
            row = {"study": "s", "seq": i + 1, "at": 1.5 * i, "event": f'{{"answer": {i}, "text": "quite good"}}'}
            connection.execute(study_events.insert().values(row))
            record(connection, person, "answered", "study:s", item=i, seconds=2.5)


def test_a_sound_database_has_no_problems(opened: Opened) -> None:
    database = opened()
    filled(database)
    with database.write() as connection:
        connection.execute(people.update().where(people.c.email == "3@example.org").values(name="changed"))
        connection.execute(delete(study_events).where(study_events.c.seq == 5))
    with opened().read() as connection:
        assert database_problems(connection) == []


def test_a_row_changed_outside_of_the_server_is_named(opened: Opened) -> None:
    database = opened()
    filled(database)
    with database.write() as connection:
        if database.sqlite:
            connection.execute(text("DROP TRIGGER seal_study_events_update"))
        else:
            connection.execute(text("ALTER TABLE study_events DISABLE TRIGGER ALL"))
        connection.execute(study_events.update().where(study_events.c.seq == 7).values(at=99.0))
    with database.read() as connection:
        assert database_problems(connection)[0] == "table study_events: 1 of its rows not as written (s/7)"


def test_a_row_that_vanished_is_counted(opened: Opened) -> None:
    """As after a flipped bit in the header of the row, in either database."""
    database = opened()
    filled(database)
    with database.write() as connection:
        connection.execute(delete(study_events).where(study_events.c.seq.in_([3, 4])))
    with database.read() as connection:
        assert database_problems(connection) == []
    with database.write() as connection:
        if database.sqlite:
            connection.execute(text("DROP TRIGGER seal_study_events_delete"))
        else:
            connection.execute(text("ALTER TABLE study_events DISABLE TRIGGER ALL"))
        connection.execute(delete(study_events).where(study_events.c.seq == 7))
    with opened().read() as connection:
        assert database_problems(connection)[0] == "table study_events: 27 rows, 28 were written"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("replace(sql, 'anonymous_until', 'anonymous_unti1')", "table submissions: no column anonymous_until"),
        ("replace(sql, 'state TEXT', 'state TEXU')", "the schema is not as written"),
    ],
)
def test_a_schema_that_changed_is_found(tmp_path: Path, change: str, why: str) -> None:
    """It is text in the file, which SQLite does not check; a table without rows has no seals that would differ."""
    open_database(None, tmp_path).close()
    file = sqlite3.connect(tmp_path / FILE)
    file.execute("PRAGMA writable_schema=ON")
    file.execute(f"UPDATE sqlite_master SET sql = {change} WHERE name = 'submissions'")
    file.commit()
    file.close()
    database = open_database(None, tmp_path)
    with database.read() as connection:
        assert database_problems(connection) == [why]
    with pytest.raises(AssayError, match=why):
        back_up(database, tmp_path, tmp_path / "a.tar")
    database.close()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (delete(audit).where(audit.c.seq == 4), "entry 4 is missing"),
        (delete(audit).where(audit.c.seq == 30), "29 entries, 30 were written"),
        (audit.update().where(audit.c.seq == 4).values(person="another"), "entry 4 does not continue"),
        (chains.update().values(length=31), "30 entries, 31 were written"),
        (audit.insert().values(id="x", at="", person="", action="", object="", detail={}), "entry x was not written"),
    ],
    ids=["removed", "last-removed", "changed", "counter-changed", "added"],
)
def test_the_audit_log_is_a_chain(opened: Opened, damage: object, why: str) -> None:
    """Seals follow statements of SQL, the chain does not."""
    database = opened()
    filled(database)
    with database.write() as connection:
        connection.execute(damage)  # type: ignore[call-overload]
    with database.read() as connection:
        assert why in chain_problems(connection)[0]


def test_many_transactions_at_once_make_one_chain(opened: Opened) -> None:
    import threading

    databases = [opened(), opened()]
    threads = [threading.Thread(target=filled_log, args=(databases[i % 2], i)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with databases[0].read() as connection:
        assert chain_problems(connection) == []
        assert len(connection.execute(select(audit)).all()) == 40


def filled_log(database: Database, who: int) -> None:
    for i in range(10):
        with database.write() as connection:
            record(connection, str(who), "did", "this", i=i)
            connection.execute(people.insert().values(id=new_id(), email=f"{who}-{i}", name="", made=now()))


def test_a_rolled_back_transaction_leaves_no_entry(opened: Opened) -> None:
    database = opened()

    def half() -> None:
        with database.write() as connection:
            record(connection, "p", "did", "this")
            raise KeyError

    with pytest.raises(KeyError):
        half()
    filled(database, 2)
    with database.read() as connection:
        assert chain_problems(connection) == []
        assert len(connection.execute(select(audit)).all()) == 2


@pytest.mark.slow
def test_no_flipped_bit_changes_a_row_unseen(tmp_path: Path) -> None:
    """120 bits of the database file: each is found, or changes nothing that is stored."""
    home = tmp_path / "sound"
    home.mkdir()
    database = open_database(None, home)
    filled(database)
    with database.read() as connection:
        rows = {table.name: dump_table(connection, table) for table in metadata.sorted_tables}
    database.close()
    sound = (home / FILE).read_bytes()
    draw = random.Random(0)
    found = 0
    for i in range(120):
        damaged = bytearray(sound)
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / FILE).write_bytes(damaged)
        try:
            opened = open_database(None, folder)
        except AssayError:
            found += 1
            continue
        with opened.read() as connection:
            if database_problems(connection):
                found += 1
            else:
                after = {table.name: dump_table(connection, table) for table in metadata.sorted_tables}
                assert after == rows, f"flip {i}"
        opened.close()
    assert found >= 10


@pytest.mark.parametrize("size", [0, 50, 5000, 40_000])
def test_a_truncated_database_is_named_with_the_remedy(size: int, tmp_path: Path, here: Callable[..., Any]) -> None:
    database = open_database(None, tmp_path)
    filled(database)
    database.close()
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes()[:size])
    (tmp_path / "secret").write_text("x" * 64)
    done = here("store", "verify", tmp_path)
    if size:
        assert done.code == 1
        assert "database is damaged" in done.err or "not as written" in done.err or FILE in done.err
        assert "mistake in assay" not in done.err


def test_a_damaged_database_is_neither_served_nor_saved(tmp_path: Path, here: Callable[..., Any]) -> None:
    from assay.server.start import bind
    from assay.serving.listen import listen

    server = open_server(tmp_path)
    filled(server.database)
    with server.database.write() as connection:
        connection.execute(text("DROP TRIGGER seal_people_update"))
        connection.execute(people.update().values(name="flipped"))
    with pytest.raises(AssayError, match="database is damaged"):
        back_up(server.database, tmp_path, tmp_path / "a.tar")
    assert not list(tmp_path.glob("*a.tar*"))
    with pytest.raises(AssayError, match="database is damaged"):
        bind(server, listen("127.0.0.1", 0), "127.0.0.1")
    server.database.close()
    done = here("store", "verify", tmp_path)
    assert done.code == 1
    assert "table people: 30 of its rows not as written" in done.err
    assert "assay server restore NEW_FOLDER ARCHIVE" in done.err


@pytest.mark.parametrize("stored", [True, False], ids=["with files", "answers only"])
@pytest.mark.parametrize("lost", ["emptied", "deleted"])
def test_a_lost_database_is_not_replaced_by_a_new_one(
    lost: str, stored: bool, tmp_path: Path, here: Callable[..., Any]
) -> None:
    """A study server has no stored files: a new one took its place, and its empty backup that of a sound one."""
    server = open_server(tmp_path)
    if stored:
        server.blobs.put(b"content")
    server.database.close()
    if lost == "deleted":
        (tmp_path / FILE).unlink()
    else:
        (tmp_path / FILE).write_bytes(b"")
    with pytest.raises(AssayError, match="missing or empty, but the server was used"):
        open_server(tmp_path)
    done = here("server", "backup", tmp_path, tmp_path / "b.tar")
    assert done.code == 1
    assert "missing or empty" in done.err
    assert "missing or empty" in here("store", "verify", tmp_path).err


def test_a_sound_server_is_verified(tmp_path: Path, here: Callable[..., Any]) -> None:
    server = open_server(tmp_path)
    filled(server.database)
    server.database.close()
    done = here("store", "verify", tmp_path, "--json")
    assert done.code == 0, done.err
    assert '"whole": true' in done.out or '"whole":true' in done.out


def test_seals_do_not_depend_on_the_reader(tmp_path: Path) -> None:
    """Another program may read the database without assay's function."""
    database = open_database(None, tmp_path)
    filled(database, 3)
    database.close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert len(connection.execute(f"SELECT {seals.COLUMN} FROM people").fetchall()) == 3


def test_an_earlier_revision_is_verified_over_its_own_columns(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version of assay has more tables and columns: it took every earlier database for damaged."""
    database = opened()
    filled(database, 3)
    later = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(later)
    later.tables["people"].append_column(Column("later", Text))
    Table("later", later, Column("id", Text, primary_key=True))
    monkeypatch.setattr(seals, "metadata", later)
    with database.read() as connection:
        assert "table people: no column later" in seals.problems(connection)
        assert seals.problems(connection, newest=False) == []
    with database.write() as connection:
        connection.execute(text("DELETE FROM row_counts WHERE name = 'people'"))
    with database.read() as connection:
        assert seals.problems(connection, newest=False) == ["table people: 3 rows, None were written"]


def test_verification_does_not_bring_a_database_up_to_date(tmp_path: Path) -> None:
    server = open_server(tmp_path / "s")
    filled(server.database, 3)
    with server.database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0009'"))
    server.database.close()
    before = (tmp_path / "s" / FILE).read_bytes()
    (checked,) = check_server(tmp_path / "s")
    assert checked.findings == []
    assert (tmp_path / "s" / FILE).read_bytes() == before
    with sqlite3.connect(tmp_path / "s" / FILE) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    (checked,) = check_server(tmp_path / "s")
    assert "supports up to" in str(checked.findings)
