"""Pickled checkpoints: only their tensors are read, and nothing in them is run."""

from __future__ import annotations

import argparse
import os
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.models.pickled import read_tensors

torch = pytest.importorskip("torch")


class Hostile:
    """Runs a command when an ordinary reader opens it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("archive", [True, False])
def test_tensors_are_read_and_nothing_runs(tmp_path: Path, archive: bool) -> None:
    mark, file = tmp_path / "ran", tmp_path / "model.ckpt"
    state = OrderedDict(a=torch.arange(6).reshape(2, 3).half(), b=torch.nn.Parameter(torch.ones(2)))
    content = {
        "state_dict": state, "hyper_parameters": argparse.Namespace(rate=1), "callbacks": [Path("a"), {1, 2}],
        "hostile": Hostile(mark), "dtype": torch.float32,
    }  # fmt: skip
    torch.save(content, file, _use_new_zipfile_serialization=archive)
    read = read_tensors(file)
    assert not mark.exists()
    assert read.keys() == {"a", "b"}
    assert torch.equal(read["a"], state["a"])
    torch.load(file, weights_only=False)  # the ordinary reader would have run it
    assert mark.exists()


def test_other_files_are_refused(tmp_path: Path) -> None:
    mark, file = tmp_path / "ran", tmp_path / "a.bin"
    file.write_bytes(pickle.dumps(Hostile(mark)))
    with pytest.raises(AssayError, match="cannot be read as a checkpoint"):
        read_tensors(file)
    assert not mark.exists()
    torch.save({"rate": 1}, file)
    with pytest.raises(AssayError, match="holds no named tensors"):
        read_tensors(file)
    with pytest.raises(AssayError, match="file not found"):
        read_tensors(tmp_path / "none.bin")
