"""URLs in the place of paths: files are copied here, run folders there, by whatever fsspec knows."""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

import assay
from assay.errors import AssayError
from assay.records import mirror, remote_lock
from assay.records.locks import BusyError, Owner
from assay.records.mirror import mirrored
from assay.records.remote import FetchedPath, fetched, is_url
from assay.runs import measure
from conftest import OUTPUTS, REFERENCES, Call

fsspec = pytest.importorskip("fsspec", reason="needs the remote extra")
Run = Callable[..., Call]
BUCKET = "assay-tests"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """A store that speaks S3, in this process."""
    pytest.importorskip("s3fs", reason="needs the remote extra")
    server = pytest.importorskip("moto.server", reason="needs moto").ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    changed = pytest.MonkeyPatch()
    told = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**told, "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}.items():
        changed.setenv(name, value)
    fsspec.filesystem("s3").mkdir(BUCKET)
    yield f"s3://{BUCKET}"
    changed.undo()
    server.stop()


@pytest.fixture(params=["memory", "file", "s3"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        return f"{request.getfixturevalue('s3')}/{tmp_path.name}"
    return f"memory://{tmp_path.name}" if request.param == "memory" else f"file://{tmp_path}/there"


@pytest.fixture
def files(home: str) -> str:
    outputs = [{"id": f"i{i}", "output": text} for i, text in enumerate(OUTPUTS)]
    references = [{"id": f"i{i}", "references": [text]} for i, text in enumerate(REFERENCES)]
    for name, rows in (("outputs", outputs), ("references", references)):
        put(f"{home}/{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return home


def put(url: str, text: str) -> None:
    system, path = fsspec.core.url_to_fs(url)
    system.makedirs(path.rpartition("/")[0], exist_ok=True)
    system.pipe_file(path, text.encode())


def held(url: str) -> dict[str, bytes]:
    """What is there; without a file that is taken away while we look."""
    system, path = fsspec.core.url_to_fs(url)
    system.invalidate_cache()
    found = {}
    for file in system.find(path):
        with suppress(FileNotFoundError):
            found[file[len(path) :].lstrip("/")] = system.cat_file(file)
    return found


@pytest.mark.parametrize(
    ("text", "wanted"), [("s3://b/x", True), ("gs://b", True), ("/tmp/x", False), ("C://x", False), ("a:b", False)]
)
def test_urls_are_told_from_paths(text: str, wanted: bool) -> None:
    assert is_url(text) is wanted


def test_a_copy_is_made_once_and_again_when_the_file_changes(files: str) -> None:
    url = f"{files}/outputs.jsonl"
    first = fetched(url)
    assert fetched(url) == first
    put(url, '{"id": "i0", "output": "something else"}\n')
    fsspec.core.url_to_fs(url)[0].invalidate_cache()
    second = fetched(url)
    assert second != first
    assert "something else" in second.read_text()


def test_a_copy_travels_by_its_url(files: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another machine has none of our copies: it fetches one."""
    sent = pickle.dumps(fetched(f"{files}/outputs.jsonl"))
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache / "another-machine"))
    arrived = pickle.loads(sent)
    assert isinstance(arrived, FetchedPath)
    assert arrived.is_relative_to(own_cache / "another-machine")
    assert pickle.loads(pickle.dumps(arrived.parent)) == arrived.parent  # what is derived of it is a plain path


def test_a_run_there_is_the_run_here(files: str, tmp_path: Path) -> None:
    here = assay.score(f"{files}/outputs.jsonl", f"{files}/references.jsonl", metrics="rouge", save=tmp_path / "run")
    assay.score(f"{files}/outputs.jsonl", f"{files}/references.jsonl", metrics="rouge", save=f"{files}/run")
    there = held(f"{files}/run")
    wanted = {
        file.relative_to(tmp_path / "run").as_posix(): file.read_bytes()
        for file in (tmp_path / "run").rglob("*")
        if file.is_file()
    }
    assert set(there) == set(wanted)
    assert {**there, "log.jsonl": b""} == {**wanted, "log.jsonl": b""}
    assert assay.load_run(f"{files}/run").values == here.values


def test_a_run_is_added_to_and_what_is_gone_is_taken_away(files: str, own_cache: Path) -> None:
    assay.score(f"{files}/outputs.jsonl", f"{files}/references.jsonl", metrics="rouge1", save=f"{files}/run")
    for copy in (own_cache / "assay" / "remote").glob("work-*"):
        copy.rename(copy.with_name("gone"))  # another machine
    again = assay.score(f"{files}/outputs.jsonl", f"{files}/references.jsonl", metrics="bleu", save=f"{files}/run")
    assert set(assay.load_run(f"{files}/run").scores) >= {"rouge1", "bleu"}
    assert again.n == 3
    assert not [name for name in held(f"{files}/run") if name.endswith((".lock", ".mirror.json", ".part"))]


def test_commands_take_urls(here: Run, files: str, tmp_path: Path) -> None:
    call = here(
        "score", f"{files}/outputs.jsonl", "-r", f"{files}/references.jsonl", "-m", "rouge1", "--save", f"{files}/cli"
    )
    assert call.code == 0, call.err
    assert "run.json" in held(f"{files}/cli")
    assert here("score", f"{files}/cli", "--json").json["scores"]["rouge1"]["value"]
    config = tmp_path / "c.toml"
    config.write_text(
        f'name = "far"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "{files}/references.jsonl"\nmetrics = ["rouge1"]\n'
        f'[[systems]]\nname = "s"\noutputs = "{files}/outputs.jsonl"\n'
    )
    assert here("run", config, "-o", f"{files}/results").code == 0
    assert "d/s/run.json" in held(f"{files}/results")
    assert here("status", f"{files}/results", "--json").json["states"] == {"finished": 1}


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
    with pytest.raises(BusyError, match=r"process 1 on elsewhere .*wait until it is done"), mirrored(f"{home}/work"):
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

    with pytest.raises(BusyError, match=r"was taken over by process 1 on elsewhere .* has what was computed here"):
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

    with pytest.raises(BusyError, match="was taken over by somebody who is done"):
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
    monkeypatch.setattr(mirror, "EVERY", 0.05)
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
                done.append(shard.number)
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
    monkeypatch.setattr(mirror, "EVERY", 0.02)
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
    monkeypatch.setattr(mirror, "EVERY", 0.02)
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


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory://nowhere/x.jsonl", "nothing is there"),
        ("nonsense://x/y", r"cannot be reached|not known"),
        ("memory://", "names no folder|nothing is there"),
    ],
)
def test_what_cannot_be_reached_is_one_line(here: Run, url: str, said: str) -> None:
    call = here("score", url, "-r", "refs.jsonl")
    assert call.code == 1
    assert len(call.err.strip().splitlines()) == 1
    assert "Traceback" not in call.err


def test_without_fsspec_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.extras.find_spec", lambda name: None)
    with pytest.raises(AssayError, match=r"pip install 'assay\[remote\]'"):
        fetched("s3://bucket/file.jsonl")


@pytest.mark.parametrize("url", ["s3://me:hush@bucket/outputs.jsonl", "sftp://me:hush@host/outputs.jsonl"])
def test_passwords_in_urls_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(AssayError, match="was given with a password") as caught:
        fetched(url)
    assert "hush" not in str(caught.value)
