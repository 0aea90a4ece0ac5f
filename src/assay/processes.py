"""What a process has started, and how much memory all of it takes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def descendants(ancestor: int) -> list[int]:
    """The processes that it has started and those that they have, as far as the system tells."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parents[int(entry.parent.name)] = int(entry.read_bytes().rpartition(b")")[2].split()[1])
    if not parents:  # no such list here
        from multiprocessing import active_children

        return [child.pid for child in active_children() if child.pid]
    found = [ancestor]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def memory() -> int:
    """Bytes that this process and all that it has started hold now; what they share counts once for each. 0 where the
    system does not tell."""
    total = 0
    for process in (os.getpid(), *descendants(os.getpid())):
        with suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total
