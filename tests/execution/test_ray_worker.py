"""What a worker of a cluster does with a shard: where it looks for files, and what it says of those it has not."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.execution.ray_worker import WorkerContext, do
from assay.records.lazy_files import LazyRecords
from assay.records.types import Output


def test_paths_start_where_the_command_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raylets are started anywhere; on a disk that all nodes have, a path means the same file everywhere."""
    (tmp_path / "given").mkdir()
    (tmp_path / "raylet").mkdir()
    (tmp_path / "given" / "outputs.jsonl").write_text('{"id":"1","output":"a"}\n')
    shard: LazyRecords[str] = LazyRecords(Path("outputs.jsonl"), Output, np.array([[0, 24]]), "output")
    monkeypatch.chdir(tmp_path / "given")
    told = WorkerContext.now()
    monkeypatch.chdir(tmp_path / "raylet")
    assert do(list, shard, told) == ["a"]
    monkeypatch.chdir(tmp_path / "raylet")
    with pytest.raises(AssayError, match=r"^outputs\.jsonl: no such file any more, or not on this node \(.*give a URL"):
        do(list, shard, dataclasses.replace(told, folder="/nowhere"))
