"""Numbers that wait on disk: read as they were put there, and a disk without room is told with its folder."""

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
    """A file on a disk without room."""

    def __getattr__(self, name: str) -> Any:
        def refuse(*given: Any) -> None:
            if name in ("write", "flush"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        return refuse


def test_numbers_come_back_from_where_they_were_put() -> None:
    held = Spill(np.int32)
    assert held.append(np.arange(5)) == 0
    assert held.append(np.arange(5, 9)) == 5
    held.put(1, np.array([70]))
    assert held.get(0, 3).tolist() == [0, 70, 2]
    assert held.mapped().tolist() == [0, 70, 2, 3, 4, 5, 6, 7, 8]


def test_a_full_disk_is_told_with_its_folder_and_what_chooses_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **how: Full())
    with pytest.raises(AssayError, match=rf"^{tmp_path}: No space left on device; .*TMPDIR"):
        Spill(np.float64).append(np.zeros(3))


def test_a_table_has_its_room_before_it_is_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a full disk would end the process in the middle of filling, with a signal and without a word."""
    if not hasattr(os, "posix_fallocate"):
        pytest.skip("room cannot be asked for here")
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

    def full(*given: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(AssayError, match=r"No space left on device; .*TMPDIR"):
        mapped_zeros(2, 2)
