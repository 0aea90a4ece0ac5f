"""Lock files: one writer at a time, and the name of the process that holds the lock.

The kernel releases a lock when its process ends, so that a dead process blocks no one. On file systems without kernel
locks the file itself is the lock, and its process is looked up.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from assay.errors import AssayError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS}
FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
PAUSE = 0.02
UNKNOWN_OWNER = "another process"


class BusyError(AssayError):
    """Another process is writing there."""


class Owner(msgspec.Struct, frozen=True):
    """The process that holds a lock."""

    pid: int
    host: str
    boot: str
    """Identifies the machine and its current boot."""
    started: str
    """Start time of the process, to distinguish it from a later process with the same id."""
    since: str
    command: str

    @staticmethod
    def me() -> Owner:
        # further arguments can contain texts or keys, and names that are not UTF-8
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]])[:200].encode("utf-8", "replace").decode()
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return Owner(os.getpid(), platform.node(), _boot(), _start_time(os.getpid()), since, command)

    def is_here(self) -> bool:
        """Return whether it is or was a process of this machine since its last boot."""
        return self.boot == _boot() if self.boot and _boot() else self.host == platform.node()

    def is_gone(self) -> bool:
        """Return whether the process is known to have ended."""
        if not self.is_here():
            return self.host == platform.node() and bool(self.boot and _boot())  # this machine was restarted since
        if sys.platform == "win32":
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass
        return bool(self.started) and self.started != _start_time(self.pid)

    def __str__(self) -> str:
        where = "" if self.is_here() else f" on {self.host}"
        return f"process {self.pid}{where} ({self.command}) since {self.since}"


class Lock:
    """A file that one process holds at a time; a folder is locked by the file `.lock` in it."""

    def __init__(self, path: Path, what: Path | str) -> None:
        self.path = path
        self.what = what
        """Name of the locked file or folder in messages."""
        self._wait = 0.0
        self._kernel = True
        """Whether the file system supports kernel locks, which end with their process."""
        self._handle: int | None = None
        self._made: list[Path] = []
        """Folders that were created for the lock."""

    @staticmethod
    def of_folder(folder: Path) -> Lock:
        return Lock(folder / ".lock", folder)

    @staticmethod
    def of_file(file: Path, what: str = "") -> Lock:
        return Lock(file.with_name(f".{file.name}.lock"), what or file)

    @property
    def held(self) -> bool:
        return self._handle is not None

    def waiting(self, seconds: float) -> Lock:
        """Set the number of seconds to wait for another process, and return the lock."""
        self._wait = seconds
        return self

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            BusyError: Another process holds it; the message names the process.
        """
        until = time.monotonic() + self._wait
        while (owner := self._take()) is not None:
            if time.monotonic() >= until:
                self._remove_folders()
                raise BusyError(self._busy(owner))
            time.sleep(PAUSE)

    def release(self) -> None:
        if self._handle is None:
            return
        with suppress(OSError):  # before closing: afterwards the file can belong to another process
            self.path.unlink()
        os.close(self._handle)
        self._handle = None
        self._remove_folders()

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _take(self) -> Owner | str | None:
        """Try to take the lock; return None on success, else its owner."""
        while True:
            handle, made = self._open()
            try:
                alone = flock(handle)
                self._kernel = alone is not None
                owner = _read(handle)
                if alone is False:
                    return owner or UNKNOWN_OWNER
                if not is_at(handle, self.path):  # released and deleted since it was opened
                    continue
                if not made and alone is None and not (owner and owner.is_gone()):
                    return owner or UNKNOWN_OWNER
                if not made and owner and not owner.is_here() and not owner.is_gone():
                    return owner  # locks of other machines may be invisible to this kernel
                if not made and alone is None:
                    self.path.unlink(missing_ok=True)
                    continue  # the process that creates the file again has the lock
                with suppress(OSError):  # on a full disk the lock is held without the name of its owner
                    os.ftruncate(handle, 0)
                    os.lseek(handle, 0, os.SEEK_SET)
                    os.write(handle, msgspec.json.encode(Owner.me()) + b"\n")
                self._handle, handle = handle, -1
                return None
            finally:
                if handle >= 0:
                    os.close(handle)

    def _open(self) -> tuple[int, bool]:
        """Open the lock file and return whether it was created; create its folder if necessary."""
        while True:
            missing = [folder for folder in self.path.parents if not folder.exists()]
            self._made += [folder for folder in missing if folder not in self._made]
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for more in (os.O_EXCL, 0):
                with suppress(FileExistsError, FileNotFoundError):  # another process has created or deleted it
                    return os.open(self.path, FLAGS | more, 0o666), bool(more)

    def _busy(self, owner: Owner | str) -> str:
        here = owner.is_here() if isinstance(owner, Owner) else self._kernel
        wait = "Wait until it has finished." if here else f"Wait, or delete {self.path} if it is not running any more."
        return f"{self.what}: is being written by {owner}. {wait}"

    def _remove_folders(self) -> None:
        """Remove empty folders that were created for the lock."""
        for folder in self._made:
            try:
                folder.rmdir()
            except OSError:
                return


def owner_of(lock: Path) -> Owner | None:
    """Return the process that holds a lock according to its file; None if there is none or it has ended."""
    from assay.records.size_limit import read_regular

    try:
        owner = msgspec.json.decode(read_regular(lock), type=Owner)
    except (msgspec.DecodeError, UnicodeDecodeError, OSError):
        return None
    return None if owner.is_gone() else owner


def flock(handle: int) -> bool | None:
    """Lock an open file; return False if another process holds it, None if the file system has no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in NO_LOCKS:
            return None
        raise
    return True


def _read(handle: int) -> Owner | None:
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        return msgspec.json.decode(os.read(handle, 4096), type=Owner)
    except (msgspec.DecodeError, UnicodeDecodeError, OSError):
        return None


def is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _boot() -> str:
    return _first_line(Path("/proc/sys/kernel/random/boot_id"))


def _start_time(pid: int) -> str:
    """Return the start time of a process in ticks since boot: field 22 of /proc/PID/stat."""
    # the name of the process, field 2, can contain spaces and parentheses
    fields = _first_line(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0]
    except (OSError, UnicodeDecodeError):
        return ""
