"""Child processes and their memory use."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def descendants(ancestor: int) -> list[int]:
    """Return the ids of all direct and indirect child processes, as far as the system reports them."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parents[int(entry.parent.name)] = int(entry.read_bytes().rpartition(b")")[2].split()[1])
    if not parents:  # this system has no /proc
        from multiprocessing import active_children

        return [child.pid for child in active_children() if child.pid]
    family = [ancestor]
    for process in family:
        family += [child for child, parent in parents.items() if parent == process]
    return family[1:]


def memory() -> int:
    """Return the resident memory of this process and its children in bytes, 0 if the system does not report it.

    Memory that processes share counts once for each of them.
    """
    total = 0
    for process in (os.getpid(), *descendants(os.getpid())):
        with suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total
