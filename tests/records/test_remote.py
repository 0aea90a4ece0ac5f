"""URLs in the place of paths: files are copied here, run folders there, by whatever fsspec knows."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.records.remote import FetchedPath, fetched, is_url
from conftest import Call
from remote_stores import files, fsspec, held, home, own_cache, put, s3

__all__ = ["files", "home", "own_cache", "s3"]

Run = Callable[..., Call]


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
