"""Folders that somebody else has filled: a pipe or a bomb where a file of ours belongs is one line, at once."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.errors import AssayError
from assay.execution.config import read_config
from assay.records import size_limit
from assay.records.digests import FileDigest, seal
from tests.conftest import write_jsonl

Call = Callable[..., Any]
CONFIG = """
name = "n"
ci = 0
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1", "bleu", "distinct-1"]
[[systems]]
name = "lead"
system = "lead"
"""
TEXTS = ["Wexley has a harbour .", "The kettle is old .", "Nobody sings here ."]
FILES = (
    "results.json", "d/examples.jsonl", "d/lead/run.json", "d/lead/items.parquet", "d/lead/outputs.jsonl",
    "d/lead/content", "d/lead/statistics/bleu*", "d/lead/log.jsonl", "d/lead/.lock", "d/lead/unfinished.jsonl",
)  # fmt: skip


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever waits longer waits for ever."""
    monkeypatch.setattr(size_limit, "PIPE_TIMEOUT", 0.2)

    def late(*given: Any) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strange")
    rows = [{"id": f"i{i}", "references": [text], "source": text} for i, text in enumerate(TEXTS)]
    write_jsonl(folder / "e.jsonl", rows)
    write_jsonl(folder / "o.jsonl", [{"id": row["id"], "output": row["source"]} for row in rows])
    (folder / "c.toml").write_text(CONFIG)
    assay.run(folder / "c.toml", folder / "results")
    return folder


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("name", FILES)
def test_a_pipe_is_never_waited_for(results: Path, tmp_path: Path, here: Call, at_once: None, name: str) -> None:
    folder = shutil.copytree(results / "results", tmp_path / "results")
    file = next(folder.glob(name), folder / name)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    run = folder / "d" / "lead"
    outputs = results / "o.jsonl"
    for command in (
        ("report", folder, "-o", tmp_path / "r.md"), ("report", run, "-o", tmp_path / "r.csv"), ("score", run),
        ("compare", run, results / "results/d/lead"), ("store", "verify", folder),
        ("run", results / "c.toml", "-o", folder), ("score", outputs, "-e", results / "e.jsonl", "--save", run),
    ):  # fmt: skip
        call = here(*command)
        assert call.code in (0, 1)
        assert "mistake" not in call.err
        if call.code:
            assert len([line for line in call.err.splitlines() if line.startswith("assay: ")]) == 1


def test_statistics_that_unpack_beyond_all_measure(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few kilobytes for a gigabyte, with digests that are right."""
    run = shutil.copytree(results / "results/d/lead", tmp_path / "run")
    file = next((run / "statistics").glob("bleu*"))
    polars.DataFrame({"id": ["i0"] * 3_000_000, "x": [1.0] * 3_000_000}).write_parquet(file, compression="zstd")
    manifest = json.loads((run / "run.json").read_text())
    manifest["files"][file.relative_to(run).as_posix()] = FileDigest.of(file)
    (run / "run.json").write_text(json.dumps(seal(manifest)))
    monkeypatch.setenv("ASSAY_MAX_BYTES", "16MB")
    with pytest.raises(AssayError, match=r"bleu-\S+: decompresses to .* MB"):
        assay.load_run(run)


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, ".".join("abcdef" * 20) + " = 1\n"])
def test_configs_are_read_within_bounds(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(AssayError, match=r"c\.toml.*: (nested too deeply|a key of more than 32 parts)"):
        read_config(tmp_path / "c.toml")
