"""Released data that some benchmarks read. It is not part of the repository: say where it is.

python -m benchmarks --data DIR lexical
ASSAY_DATA=DIR python -m benchmarks.slot_matching
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "ASSAY_DATA"


class MissingDataError(Exception):
    """A collection is not on this machine."""


def released(name: str) -> Path:
    """Return a file or folder of the released data.

    Raises:
        MissingDataError: The folder of released data is not given, or has no such file.
    """
    root = os.environ.get(VARIABLE)
    if not root:
        raise MissingDataError(f"needs {name} of released data; give its folder with --data DIR or {VARIABLE}")
    path = Path(root) / name
    if not path.exists():
        raise MissingDataError(f"{path}: no such file or folder; check --data or {VARIABLE}")
    return path
