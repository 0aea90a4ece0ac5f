"""Arrays on disk: values are read as written; errors of a full disk name the directory."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError
from assay.metrics.engine.spill import Spill, mapped_zeros


class Full:
    """A file on a full disk."""

    def __getattr__(self, name: str) -> Any:
        def refuse(*arguments: Any) -> None:
            if name in ("write", "flush"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        return refuse


def test_numbers_are_read_as_written() -> None:
    numbers = Spill(np.int32)
    assert numbers.append(np.arange(5)) == 0
    assert numbers.append(np.arange(5, 9)) == 5
    numbers.put(1, np.array([70]))
    assert numbers.get(0, 3).tolist() == [0, 70, 2]
    assert numbers.mapped().tolist() == [0, 70, 2, 3, 4, 5, 6, 7, 8]


def test_the_error_of_a_full_disk_names_the_directory_and_tmpdir(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **how: Full())
    with pytest.raises(AssayError, match=rf"^{tmp_path}: No space left on device; .*TMPDIR"):
        Spill(np.float64).append(np.zeros(3))


def test_space_of_a_table_is_reserved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a full disk would kill the process with SIGBUS while the table is filled."""
    if not hasattr(os, "posix_fallocate"):
        pytest.skip("posix_fallocate is not available")
    made: list[int] = []
    real = tempfile.TemporaryFile

    def watched(**how: Any) -> Any:
        file = real(**how)
        made.append(os.dup(file.fileno()))
        return file

    monkeypatch.setattr(tempfile, "TemporaryFile", watched)
    table = mapped_zeros(1000, 512)
    room = os.fstat(made[0]).st_blocks * 512
    os.close(made[0])
    assert room >= table.nbytes
    assert not table.any()

    def full(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(AssayError, match=r"No space left on device; .*TMPDIR"):
        mapped_zeros(2, 2)
