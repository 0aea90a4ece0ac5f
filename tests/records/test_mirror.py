"""Folders at URLs that grow while they are made: who may write, who goes on after whom, what others see meanwhile."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import assay
from assay.errors import AssayError, ChangedError
from assay.execution import measure
from assay.records import mirror, remote_lock
from assay.records.locks import BusyError, Lock, Owner
from assay.records.mirror import mirrored
from tests.support.remote_stores import fsspec, held, home, own_cache, put, s3

__all__ = ["home", "own_cache", "s3"]


def test_what_is_computed_before_an_error_stays(home: str) -> None:
    def stopped() -> None:
        with mirrored(f"{home}/work") as folder:
            (folder / "half.txt").write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stopped()
    assert held(f"{home}/work") == {"half.txt": b"half"}


def test_an_error_is_told_beside_that_of_the_store(home: str) -> None:
    def stopped() -> None:
        with mirrored(f"{home}/work"):
            claim(home, 1)
            raise AssayError("a metric has failed")

    with pytest.raises(
        AssayError, match=r"^a metric has failed; and .*/work: was taken over by process 1 on elsewhere"
    ):
        stopped()


def test_manifests_come_last(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system = fsspec.core.url_to_fs(home)[0]
    order: list[str] = []
    put_file = system.put_file

    def watched(lpath: str, rpath: str, **more: Any) -> Any:
        order.append(rpath.rpartition("/")[2])
        return put_file(lpath, rpath, **more)

    monkeypatch.setattr(system, "put_file", watched)
    with mirrored(f"{home}/work") as folder:
        for name in ("run.json", "items.parquet", "z.txt"):
            (folder / name).write_text(name)
    assert order[-1] == "run.json"
    assert len(order) == 3


def claim(home: str, beat: int) -> None:
    owner = {"pid": 1, "host": "elsewhere", "boot": "another", "started": "", "since": "now", "command": "assay run"}
    put(f"{home}/work/.lock", json.dumps(owner | {"beat": beat}))


def test_another_machine_that_writes_there_is_believed(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    beats = iter(range(1000))
    monkeypatch.setattr(time, "sleep", lambda seconds: claim(home, next(beats)))  # it lives while we wait
    claim(home, next(beats))
    with (
        pytest.raises(BusyError, match=r"process 1 on elsewhere .*Wait until it has finished"),
        mirrored(f"{home}/work"),
    ):
        pass


def test_one_that_gives_no_sign_of_life_is_dead(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "SILENCE", 0.2)
    claim(home, 7)
    with mirrored(f"{home}/work") as folder:
        assert json.loads(held(f"{home}/work")[".lock"])["host"] != "elsewhere"
        (folder / "new.txt").write_text("new")
    assert held(f"{home}/work") == {"new.txt": b"new"}


def test_one_that_was_taken_for_dead_writes_no_more(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "BEAT", 0.05)

    def slow() -> None:
        with mirrored(f"{home}/work") as folder:
            claim(home, 1)
            (folder / "mine.txt").write_text("mine")
            until(lambda: json.loads(held(f"{home}/work")[".lock"])["host"] == "elsewhere")
            time.sleep(0.3)

    with pytest.raises(BusyError, match=r"was taken over by process 1 on elsewhere.* Results of this run are in"):
        slow()
    assert set(held(f"{home}/work")) == {".lock"}


def test_one_that_was_asleep_while_another_came_and_went_writes_no_more(
    home: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sleeps so deeply that its beat has noticed nothing when it writes again."""

    def asleep() -> None:
        with mirrored(f"{home}/work") as folder:
            (folder / "run.json").write_text("mine")
            claim(home, 1)  # taken over, finished, and left
            put(f"{home}/work/run.json", "theirs")
            system, path = fsspec.core.url_to_fs(f"{home}/work/.lock")
            system.rm_file(path)

    with pytest.raises(BusyError, match="was taken over by a process that has finished"):
        asleep()
    assert held(f"{home}/work") == {"run.json": b"theirs"}


def test_the_lock_of_whoever_has_taken_over_stays(home: str) -> None:
    """Also where it was taken between two beats, and before every single file."""
    system = fsspec.core.url_to_fs(home)[0]
    put_file = system.put_file

    def robbed(lpath: str, rpath: str, **more: Any) -> Any:
        claim(home, 1)
        return put_file(lpath, rpath, **more)

    def slow() -> None:
        with mirrored(f"{home}/work") as folder:
            for name in ("a.txt", "b.txt"):
                (folder / name).write_text(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system, "put_file", robbed)
        with pytest.raises(BusyError, match="process 1 on elsewhere"):
            slow()
    assert set(held(f"{home}/work")) == {".lock", "a.txt"}


def test_a_process_of_another_container_is_believed(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers of one machine have the same kernel, and the same numbers of processes."""
    monkeypatch.setattr(remote_lock, "SILENCE", 3.0)
    me = {**msgspec.to_builtins(Owner.me()), "pid": os.getpid(), "token": "another's", "space": "pid:[1]"}
    beats = iter(range(1000))
    monkeypatch.setattr(time, "sleep", lambda _: put(f"{home}/work/.lock", json.dumps({**me, "beat": next(beats)})))
    time.sleep(0)
    with pytest.raises(BusyError, match="is being written by"), mirrored(f"{home}/work"):
        pass


def test_what_others_have_taken_away_does_not_come_back(home: str, own_cache: Path) -> None:
    with mirrored(f"{home}/work") as folder:
        (folder / "old").mkdir()
        for name in ("old/run.json", "kept.txt", "uv.lock"):
            (folder / name).write_text(name)
    system, path = fsspec.core.url_to_fs(f"{home}/work/old/run.json")
    system.rm_file(path)
    with mirrored(f"{home}/work") as folder:
        assert not (folder / "old").exists()
        (folder / "new.txt").write_text("new")
    assert set(held(f"{home}/work")) == {"kept.txt", "uv.lock", "new.txt"}


def test_two_of_one_machine_are_told_by_the_url(home: str, own_cache: Path) -> None:
    with mirrored(f"{home}/work"):
        with pytest.raises(
            BusyError, match=r"/work: is being written by process \d+ .*Wait until it has finished"
        ) as caught:
            mirrored(f"{home}/work").__enter__()
        assert str(own_cache) not in str(caught.value)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


class Killed(BaseException):
    """The end of a process, as far as one process can show it: nothing is brought to an end any more."""


def test_shards_of_a_killed_run_are_there_and_another_machine_goes_on(
    home: str, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "SHARD", 2)
    monkeypatch.setattr(mirror, "INTERVAL", 0.05)
    outputs = {str(i): f"the cat {i} sat" for i in range(8)}
    scored: dict[str, Any] = {"references": dict.fromkeys(outputs, "a cat sat"), "metrics": "bleu,chrf"}
    done: list[int] = []

    class Halfway:
        """Gives two of four shards, and is killed when they are there."""

        def map(self, work: Any, shards: Any) -> Iterator[Any]:
            for shard in shards[:2]:
                yield from work(shard)
            until(lambda: sum(name.endswith(".npz") for name in held(f"{home}/run")) == 4)
            until(lambda: held(f"{home}/run").get("unfinished.jsonl", b"").count(b".npz") == 4)
            raise Killed

    class Counting:
        def map(self, work: Any, shards: Any) -> Iterator[Any]:
            for shard in shards:
                done.append(shard.span.start // 2)
                yield from work(shard)

    with monkeypatch.context() as dying:
        dying.setattr(mirror._Mirror, "push", lambda self: None)
        with pytest.raises(Killed):
            assay.score(outputs, **scored, executor=Halfway(), save=f"{home}/run")
    assert "run.json" not in held(f"{home}/run")
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache / "another-machine"))
    assay.score(outputs, **scored, executor=Counting(), save=f"{home}/run")
    assert done == [2, 3]
    assay.score(outputs, **scored, save=tmp_path / "run")
    there = {name: content for name, content in held(f"{home}/run").items() if name != "log.jsonl"}
    files = (file for file in (tmp_path / "run").rglob("*") if file.is_file() and file.name != "log.jsonl")
    assert there == {file.relative_to(tmp_path / "run").as_posix(): file.read_bytes() for file in files}
    assert not list(tmp_path.glob("there/run/**/*.partial"))  # of a store that has folders


def test_a_run_that_is_there_stays_whole_while_another_takes_its_place(
    home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the end files are only added, and what was added is taken away again."""
    monkeypatch.setattr(mirror, "INTERVAL", 0.02)
    with mirrored(f"{home}/work") as folder:
        for name in ("run.json", "outputs.jsonl"):
            (folder / name).write_text("old")
    with mirrored(f"{home}/work") as folder:
        for name in ("run.json", "outputs.jsonl", "part.npz", ".half.part"):
            (folder / name).write_text("new")
        until(lambda: "part.npz" in held(f"{home}/work"))
        there = {name: text for name, text in held(f"{home}/work").items() if name != ".lock"}
        assert there == {"run.json": b"old", "outputs.jsonl": b"old", "part.npz": b"new"}
        (folder / "part.npz").unlink()
        until(lambda: "part.npz" not in held(f"{home}/work"))
    assert held(f"{home}/work") == {"run.json": b"new", "outputs.jsonl": b"new"}


def test_a_model_comes_when_its_training_is_over(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "INTERVAL", 0.02)
    with mirrored(f"{home}/work") as folder:
        model = folder / "models" / "m"
        model.mkdir(parents=True)
        for name in ("losses.jsonl", "checkpoint.safetensors", "config.json", "model.safetensors"):
            (model / name).write_text(name)
        (folder / "other.txt").write_text("done")
        until(lambda: "other.txt" in held(f"{home}/work"))
        time.sleep(0.2)
        assert set(held(f"{home}/work")) == {".lock", "other.txt"}
        (model / "checkpoint.safetensors").unlink()
        until(lambda: "models/m/config.json" in held(f"{home}/work"))
        assert {"models/m/model.safetensors", "models/m/losses.jsonl"} <= {*held(f"{home}/work")}


def test_locks_of_a_machine_that_was_killed_stand_in_nobodys_way(
    home: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They say who works there: of another machine nobody here can tell whether it still does."""
    monkeypatch.setattr(mirror, "INTERVAL", 0.02)
    elsewhere = {"pid": 1, "host": "elsewhere", "boot": "another", "started": "", "since": "now", "command": "assay"}

    def killed() -> None:
        with mirrored(f"{home}/work") as folder, monkeypatch.context() as dying:
            dying.setattr(mirror._Mirror, "push", lambda self: None)
            (folder / "d").mkdir()
            (folder / "d" / ".answers.jsonl.lock").write_text(json.dumps(elsewhere))
            (folder / "d" / "answers.jsonl.part").write_text("{}\n")
            until(lambda: "d/answers.jsonl.part" in held(f"{home}/work"))
            time.sleep(0.1)
            raise Killed

    with pytest.raises(Killed):
        killed()
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache / "another-machine"))
    with mirrored(f"{home}/work") as folder, Lock.of_file(folder / "d" / "answers.jsonl"):
        assert (folder / "d" / "answers.jsonl.part").exists()


def test_half_a_file_that_was_fetched_is_nothing_that_was_made_here(
    home: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(f"{home}/work/kept.txt", "kept")
    system, path = fsspec.core.url_to_fs(f"{home}/work/kept.txt")

    def torn(rpath: str, lpath: str, **more: Any) -> None:
        Path(lpath).write_text("ke")
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(system, "get_file", torn)
        with pytest.raises(Killed), mirrored(f"{home}/work"):
            pass
    system.rm_file(path)
    with mirrored(f"{home}/work"):
        pass
    assert held(f"{home}/work") == {}


def test_errors_name_the_url_and_not_the_copy(home: str, own_cache: Path) -> None:
    assay.score(["a b"], ["a b"], metrics="rouge1", save=f"{home}/run")
    with pytest.raises(ChangedError, match="contains a run of other outputs") as caught:
        assay.score(["c d"], ["a b"], metrics="rouge1", save=f"{home}/run")
    assert str(caught.value).startswith(f"{home}/run: ")
    assert str(own_cache) not in str(caught.value)
