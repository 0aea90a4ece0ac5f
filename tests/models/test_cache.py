"""Values on disk: shared by processes, bounded in size, and never wrong."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError
from assay.models import cache as module
from assay.models.cache import Cache, Value
from assay.models.cache_segments import SUFFIX, Key, segment_files
from assay.records.cache_folder import size_of

TEXTS = [f"text {i}" for i in range(40)]


def vector(text: str) -> Value:
    """Synthetic, and the same for the same text."""
    return np.random.default_rng(Key.of(text).number).standard_normal(8).astype(np.float32)


def vectors(texts: list[str]) -> dict[str, Value]:
    return {text: vector(text) for text in texts}


def same(a: Value, b: Value) -> bool:
    return type(a) is type(b) and (a == b if isinstance(a, bytes) else a.dtype == b.dtype and np.array_equal(a, b))  # type: ignore[union-attr]


def test_values_come_back_as_they_were(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    values: dict[str, Value] = {
        **vectors(TEXTS),
        "bytes": b"\x00plain",
        "matrix": np.arange(6, dtype=np.int16).reshape(2, 3),
        "empty": np.zeros((0, 4)),
        "": np.array(3.0),
        "half a character \ud800": b"",
    }
    assert cache.get_many("model-1", list(values)) == {}
    cache.put_many("model-1", values)
    for reader in (cache, Cache(tmp_path), pickle.loads(pickle.dumps(cache))):
        found = reader.get_many("model-1", [*values, "unknown", *values])
        assert found.keys() == values.keys()
        assert all(same(found[key], value) for key, value in values.items())
    assert cache.get_many("model-2", list(values)) == {}
    assert [row[:2] for row in cache.usage()] == [("model-1", 45)]


def test_only_what_is_missing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 8)
    made: list[list[str]] = []

    def make(texts: list[str]) -> list[Value]:
        made.append(texts)
        return [vector(text) for text in texts]

    cache = Cache(tmp_path)
    first = cache.through("m", [*TEXTS[:10], *TEXTS[:5]], make)
    assert [len(piece) for piece in made] == [8, 2]
    assert len(first) == 15
    again = cache.through("m", TEXTS[:12], make)
    assert made[2:] == [TEXTS[10:12]]
    assert all(same(a, vector(text)) for a, text in zip(again, TEXTS, strict=False))


def test_a_namespace_is_a_plain_name(tmp_path: Path) -> None:
    for name in ("../up", "a/b", "", ".hidden", "endpoints", "models"):
        with pytest.raises(AssayError, match="is not a valid namespace"):
            Cache(tmp_path).get_many(name, ["x"])
    with pytest.raises(AssayError, match="object cannot be stored"):
        Cache(tmp_path).put_many("m", {"x": np.array([object()])})


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("1500", 1500), ("5GB", 5 * 10**9), (" 1.5 mb", 1_500_000)])
def test_sizes(text: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert size_of(text) == size
    monkeypatch.setenv("ASSAY_CACHE_SIZE", text)
    assert Cache(Path("x")).limit == size


def test_a_wrong_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_SIZE", "much")
    with pytest.raises(AssayError, match="much: not a cache size"):
        Cache()


def test_without_room_nothing_is_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "none", limit=0)
    assert len(cache.through("m", TEXTS, lambda texts: [vector(text) for text in texts])) == len(TEXTS)
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_written_only_warns(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(UserWarning, match="values cannot be stored"):
        Cache(tmp_path / "file").put_many("m", vectors(TEXTS))


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    """A bit turned anywhere in the file never yields a wrong value; the rest of the values stay where they can."""
    Cache(tmp_path).put_many("m", vectors(TEXTS[:4]))
    (file,) = segment_files(tmp_path / "m")
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        found = Cache(tmp_path).get_many("m", TEXTS[:4])
        assert len(found) < 4, place
        assert all(same(value, vector(text)) for text, value in found.items()), place
        if not file.exists():  # the tables were damaged: all of it went
            assert not found


@pytest.mark.parametrize("length", [0, 3, 30, 100, -1])
def test_a_file_cut_short_is_none(tmp_path: Path, length: int) -> None:
    Cache(tmp_path).put_many("m", vectors(TEXTS[:4]))
    (file,) = segment_files(tmp_path / "m")
    file.write_bytes(file.read_bytes()[:length])
    cache = Cache(tmp_path)
    assert cache.get_many("m", TEXTS[:4]) == {}
    cache.put_many("m", vectors(TEXTS[:4]))
    assert len(cache.get_many("m", TEXTS[:4])) == 4


def test_a_damaged_value_is_found_where_it_is_whole(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_many("m", vectors(TEXTS[:3]))
    (file,) = segment_files(tmp_path / "m")
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert len(cache.get_many("m", TEXTS[:3])) == 2
    cache.put_many("m", vectors(TEXTS[:4]))  # in another segment
    found = cache.get_many("m", TEXTS[:4])
    assert all(same(found[text], vector(text)) for text in TEXTS[:4])


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(4):
        cache.put_many(f"m{number}", vectors([f"{number} {text}" for text in TEXTS]))
        (file,) = segment_files(tmp_path / f"m{number}")
        os.utime(file, (number, number))
    cache.get_many("m0", [f"0 {text}" for text in TEXTS])  # used just now
    size = file.stat().st_size
    small = Cache(tmp_path, limit=3 * size)
    small.put_many("m4", vectors(TEXTS))
    left = {row.namespace for row in small.usage() if row.entries}
    assert left == {"m0", "m3", "m4"}
    assert sum(row.bytes for row in small.usage()) <= 3 * size
    assert cache.get_many("m1", [f"1 {TEXTS[0]}"]) == {}  # an index made before notices


def test_small_files_are_joined(tmp_path: Path) -> None:
    cache, reader = Cache(tmp_path), Cache(tmp_path)
    for text in TEXTS:
        cache.put_many("m", vectors([text]))
        assert same(reader.get_many("m", [text])[text], vector(text))
    assert len(segment_files(tmp_path / "m")) < 10
    found = reader.get_many("m", TEXTS)
    assert all(same(found[text], vector(text)) for text in TEXTS)


def test_large_values_are_spread_over_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEGMENT", 100)
    Cache(tmp_path).put_many("m", vectors(TEXTS))
    assert len(segment_files(tmp_path / "m")) == 14
    assert len(Cache(tmp_path).get_many("m", TEXTS)) == 40


def work(folder: Path, number: int, rounds: int) -> None:
    """Write and read what others write and read too, in a cache that is too small for all of it."""
    warnings.simplefilter("error")
    cache = Cache(folder, limit=60_000)
    rng = np.random.default_rng(number)
    for _ in range(rounds):
        texts = [f"text {i}" for i in rng.integers(0, 400, 30)]
        values = cache.through("m", texts, lambda missing: [vector(text) for text in missing])
        if not all(same(value, vector(text)) for value, text in zip(values, texts, strict=True)):
            os._exit(3)


def spawned(target: Any, *arguments: Any) -> Any:
    process = multiprocessing.get_context("spawn").Process(target=target, args=arguments)
    process.start()
    return process


def test_several_processes_at_once(tmp_path: Path) -> None:
    processes = [spawned(work, tmp_path, number, 60) for number in range(3)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert sum(row.bytes for row in Cache(tmp_path).usage()) <= 60_000


def test_a_killed_writer_leaves_no_damage(tmp_path: Path) -> None:
    writer = spawned(work, tmp_path, 0, 1_000_000)
    try:
        deadline = time.monotonic() + 60
        while not any(map(segment_files, tmp_path.glob("m@*"))) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)
    finally:
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
    cache = Cache(tmp_path)
    (kept,) = tmp_path.iterdir()
    found = cache.get_many(kept.name, [f"text {i}" for i in range(400)])
    assert found
    assert all(same(value, vector(text)) for text, value in found.items())


def test_what_nobody_finished_is_taken_away(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_many("m", vectors(TEXTS))
    begun, old = (tmp_path / "m" / f".{name}{SUFFIX}.part" for name in ("begun", "old"))
    for file in (begun, old):
        file.write_bytes(b"half")
    os.utime(old, (1, 1))
    cache.put_many("m", vectors(["one more"]))
    assert begun.exists()
    assert not old.exists()


def test_files_of_another_version_are_neither_read_nor_taken_away(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_many("m", vectors(TEXTS[:2]))
    (file,) = segment_files(tmp_path / "m")
    other = file.with_name(f"{'f' * 32}.values")
    other.write_bytes(file.read_bytes().replace(b"values 01", b"values 02"))
    assert len(Cache(tmp_path).get_many("m", TEXTS[:2])) == 2
    file.unlink()
    assert Cache(tmp_path).get_many("m", TEXTS[:2]) == {}
    assert other.exists()


def test_what_stands_in_the_way_is_no_value(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_many("m", vectors(TEXTS[:2]))
    (tmp_path / "m" / "folder.values").mkdir()
    assert len(cache.get_many("m", TEXTS[:2])) == 2
    assert Cache(tmp_path).get_many("x" * 300, TEXTS[:2]) == {}


def test_new_values_are_as_kept_ones(tmp_path: Path) -> None:
    turned = np.arange(6.0).reshape(2, 3).T
    for _ in range(2):
        (value,) = Cache(tmp_path).through("m", ["x"], lambda _: [turned])
        assert value.flags.c_contiguous
        assert not value.flags.writeable
        assert same(value, turned)
    assert turned.flags.writeable
    for wrong in (np.zeros(1, dtype=[("a", "i4")]), 1.5, "text"):
        with pytest.raises(AssayError, match="cannot be stored"):
            Cache(tmp_path).put_many("m", {"y": wrong})  # type: ignore[dict-item]


def test_a_cache_that_is_off_gives_nothing(tmp_path: Path) -> None:
    Cache(tmp_path).put_many("m", vectors(TEXTS[:2]))
    assert Cache(tmp_path, 0).get_many("m", TEXTS[:2]) == {}
