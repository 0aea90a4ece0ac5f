"""URLs in the place of paths: files are copied here, run folders there, by whatever fsspec knows."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.records.mirror import mirrored
from assay.records.remote import FetchedPath, fetched, is_url
from tests.conftest import Call
from tests.support.remote_stores import files, fsspec, held, home, own_cache, put, s3

__all__ = ["files", "home", "own_cache", "s3"]

Run = Callable[..., Call]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("s3://b/x", True),
        ("gs://b", True),
        ("/tmp/x", False),
        ("C://x", False),
        ("a:b", False),
        ("S3://b/x", True),
        ("arrow_hdfs://b", True),
    ],
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
    assert here("run", "status", f"{files}/results", "--json").json["states"] == {"finished": 1}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory://nowhere/x.jsonl", "not found. Check the name"),
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
    with pytest.raises(AssayError, match=r"pip install 'assay-eval\[remote\]'"):
        fetched("s3://bucket/file.jsonl")


@pytest.mark.parametrize("url", ["s3://me:hush@bucket/outputs.jsonl", "sftp://me:hush@host/outputs.jsonl"])
def test_passwords_in_urls_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(AssayError, match="the URL contains a password") as caught:
        fetched(url)
    assert "hush" not in str(caught.value)


def test_the_scheme_of_a_url_may_be_written_large(files: str) -> None:
    scheme, _, rest = f"{files}/outputs.jsonl".partition("://")
    assert fetched(f"{scheme.upper()}://{rest}").read_bytes() == held(files)["outputs.jsonl"]


def test_a_copy_that_comes_to_nothing_leaves_nothing(
    files: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{files}/outputs.jsonl"
    system = fsspec.core.url_to_fs(url)[0]
    seen: list[Path] = []

    def broken(rpath: str, lpath: str, **more: object) -> None:
        seen.append(Path(lpath))
        Path(lpath).write_text("half")
        raise OSError("connection reset")

    with monkeypatch.context() as patch:
        patch.setattr(system, "get_file", broken)
        for _ in range(2):
            with pytest.raises(AssayError, match="connection reset"):
                fetched(url)
    assert len({*seen}) == 2  # two processes of one number, on machines that share the cache, are two
    assert not list((own_cache / "assay" / "remote").iterdir())
    assert fetched(url).read_bytes() == held(files)["outputs.jsonl"]


class Hostile:
    """A store with a file whose name leads out of its folder, as those that speak S3 allow."""

    def __getattr__(self, name: str) -> object:
        return lambda *given, **more: None

    def exists(self, path: str) -> bool:
        return True

    def isfile(self, path: str) -> bool:
        return False

    def find(self, path: str) -> list[str]:
        return ["bucket/run/run.json", "bucket/run/../../../../outside.txt"]

    def get_file(self, there: str, here: str) -> None:
        Path(here).write_text("hostile")

    def cat_file(self, path: str) -> bytes:
        raise FileNotFoundError


@pytest.mark.parametrize("take", [fetched, lambda url: mirrored(url).__enter__()], ids=["read", "written"])
def test_no_name_in_a_store_leads_out_of_the_copy(
    take: Callable[[str], Path], own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("remote", "mirror"):
        monkeypatch.setattr(f"assay.records.{module}.store_of", lambda url: (Hostile(), "bucket/run"))
    with pytest.raises(
        AssayError, match=r"^s3://bucket/run: the file name \.\./.* leads out of the folder. Rename or delete it"
    ):
        take("s3://bucket/run")
    assert not list(own_cache.parent.rglob("outside.txt"))


def test_messages_name_the_url(here: Run, files: str, own_cache: Path) -> None:
    """Nobody knows the copy."""
    put(f"{files}/bad.jsonl", '{"id": "i0", "output": 7}\n')
    call = here("score", f"{files}/bad.jsonl", "-r", f"{files}/references.jsonl")
    assert call.code == 1
    assert f"{files}/bad.jsonl" in call.err
    assert str(own_cache) not in call.err
    with pytest.raises(AssayError) as caught:
        assay.load_run(files)
    assert str(own_cache) not in str(caught.value)


CONFIG = """
name = "far"
ci = 0
{results}
[[datasets]]
name = "d"
examples = "{files}/references.jsonl"
metrics = ["rouge1"]
[[systems]]
name = "s"
outputs = "{files}/outputs.jsonl"
"""


def test_the_results_of_a_config_may_be_a_url(
    here: Run, files: str, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text(CONFIG.format(files=files, results=f'results = "{files}/results"'))
    call = here("run", "c.toml")
    assert call.code == 0, call.err
    assert f"1 of 1 runs in {files}/results\n" in call.out
    assert str(own_cache) not in call.out
    assert "d/s/run.json" in held(f"{files}/results")
    assert {file.name for file in tmp_path.iterdir()} <= {"c.toml", "cache", "there"}
    assert here("run", "c.toml", "--json").json["runs"][0]["path"] == f"{files}/results/d/s"


def test_a_plan_of_results_at_a_url_sees_them_and_writes_nothing(here: Run, files: str, tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text(CONFIG.format(files=files, results=""))
    (planned,) = here("run", config, "-o", f"{files}/results", "--plan", "--json").json["plan"]
    assert (planned["compute"], planned["reuse"]) == (["rouge"], [])
    assert not [name for name in held(files) if name.startswith("results")]
    assert here("run", config, "-o", f"{files}/results").code == 0
    put(f"{files}/results/.lock", "somebody is at work")
    before = held(f"{files}/results")
    (planned,) = here("run", config, "-o", f"{files}/results", "--plan", "--json").json["plan"]
    assert (planned["compute"], planned["reuse"]) == ([], ["rouge"])
    assert held(f"{files}/results") == before


def test_runs_at_a_url_that_somebody_works_on_are_not_stopped(here: Run, files: str) -> None:
    """Locks of single runs stay with the machine that has them; the folder's own says who is at work."""
    put(f"{files}/results/d/s/content", "x")
    assert here("run", "status", f"{files}/results", "--json").json["states"] == {"stopped": 1}
    owner = {"pid": 1, "host": "elsewhere", "boot": "another", "started": "", "since": "now", "command": "assay run"}
    put(f"{files}/results/.lock", json.dumps({**owner, "beat": 3}))
    fsspec.core.url_to_fs(files)[0].invalidate_cache()
    (found,) = here("run", "status", f"{files}/results", "--json").json["runs"]
    assert found["state"] == "running"
    assert found["by"].startswith("process 1 on elsewhere")


@pytest.mark.parametrize(
    "command",
    [
        ("system", "generate", "e.jsonl", "--system", "lead", "-o"),
        ("system", "train", "embedding", "--train", "e.jsonl", "-o"),
    ],
    ids=["a file", "a folder"],
)
def test_what_cannot_be_written_to_a_url_is_refused(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """And makes no folders here that are called like it."""
    monkeypatch.chdir(tmp_path)
    call = here(*command, "memory://far/made")
    assert (call.code, call.err.count("\n")) == (2, 1)
    assert "memory://far/made: output must be a local path; --save and `assay run -o` accept URLs" in call.err
    assert not (tmp_path / "memory:").exists()


def test_a_copy_is_not_written_over(files: str, here: Run) -> None:
    """Nobody would see it there."""
    assay.score(f"{files}/outputs.jsonl", f"{files}/references.jsonl", metrics="rouge1", save=f"{files}/run")
    there = held(f"{files}/run")
    put(f"{files}/run/items.parquet", "damaged")
    call = here("store", "verify", f"{files}/run", "--repair")
    assert call.code == 1
    assert "cannot be changed in place" in call.err
    assert held(f"{files}/run") == {**there, "items.parquet": b"damaged"}
