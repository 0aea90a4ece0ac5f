"""What an interrupted command keeps, for its last message, and what is removed when it ends well.

Code that stores finished work registers a description with `keeps`; the command line asks for all of them on ^C. Work
that is stored only in case of an interruption is removed at exit, unless there was one.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable

_kept: dict[object, Callable[[], str]] = {}
_temporary: dict[object, Callable[[], None]] = {}
_interrupted = False


def keeps(key: object, describe: Callable[[], str]) -> None:
    """Register what is kept; an empty description is left out. A later call with the same key replaces it."""
    _kept[key] = describe


def forget(key: object) -> None:
    """Remove a description: its work has ended, and its result says where it is."""
    _kept.pop(key, None)


def remove_at_exit(key: object, remove: Callable[[], None]) -> None:
    """Register finished work that only an interrupted command needs."""
    if not _temporary:
        atexit.register(_remove_all)
    _temporary[key] = remove


def removed(key: object) -> bool:
    """Remove such work now; return whether there was any."""
    remove = _temporary.pop(key, None)
    if remove is not None:
        remove()
    return remove is not None


def kept() -> list[str]:
    """Return descriptions of what an interrupted command keeps."""
    global _interrupted
    _interrupted = True
    texts = list(dict.fromkeys(text for describe in _kept.values() if (text := describe())))
    _kept.clear()
    return texts


def _remove_all() -> None:
    for remove in [] if _interrupted else list(_temporary.values()):
        remove()
    _temporary.clear()
