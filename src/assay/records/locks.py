"""One writer at a time: a lock is a file that its owner holds, and that says who that is.

The kernel lets go of it when the owner ends, however it ends, so that a lock of a dead process stands in nobody's way.
Where a file system has no such locks the file alone decides, and the process it names is looked for.
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
SOMEBODY = "another process"


class BusyError(AssayError):
    """Somebody else is writing there."""


class Owner(msgspec.Struct, frozen=True):
    """Who holds a lock."""

    pid: int
    host: str
    boot: str
    """Tells machines, and this start of one from the next."""
    started: str
    """When the process began, so that a later one of the same number is not taken for it."""
    since: str
    command: str

    @staticmethod
    def me() -> Owner:
        # what follows the command may hold texts or keys, and names that are no UTF-8
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]])[:200].encode("utf-8", "replace").decode()
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return Owner(os.getpid(), platform.node(), _boot(), _began(os.getpid()), since, command)

    def is_here(self) -> bool:
        """Whether it is, or was, a process of this machine since it was started."""
        return self.boot == _boot() if self.boot and _boot() else self.host == platform.node()

    def is_gone(self) -> bool:
        """Whether it has ended, as far as can be told from here."""
        if not self.is_here():
            return self.host == platform.node() and bool(self.boot and _boot())  # this machine, before its restart
        if sys.platform == "win32":
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass
        return bool(self.started) and self.started != _began(self.pid)

    def __str__(self) -> str:
        where = "" if self.is_here() else f" on {self.host}"
        return f"process {self.pid}{where} ({self.command}) since {self.since}"


class Lock:
    """A file that one process holds at a time; a folder is locked by the file `.lock` in it."""

    def __init__(self, path: Path, what: Path | str) -> None:
        self.path = path
        self.what = what
        """What it guards, as people know it."""
        self._wait = 0.0
        self._kernel = True
        """Whether the kernel knows of locks there, so that nobody holds one who is dead."""
        self._handle: int | None = None
        self._made: list[Path] = []

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
        """The same; whoever takes it waits so long for others, who need it only for a moment."""
        self._wait = seconds
        return self

    def acquire(self) -> None:
        """Take it, or say who has it."""
        until = time.monotonic() + self._wait
        while (owner := self._take()) is not None:
            if time.monotonic() >= until:
                self._remove_folders()
                raise BusyError(self._said(owner))
            time.sleep(PAUSE)

    def release(self) -> None:
        if self._handle is None:
            return
        with suppress(OSError):  # before it is let go: a file of the same name is then another's
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
        """None when it is ours now; else who has it, as far as is known."""
        while True:
            handle, made = self._open()
            try:
                alone = flock(handle)
                self._kernel = alone is not None
                owner = _read(handle)
                if alone is False:
                    return owner or SOMEBODY
                if not is_at(handle, self.path):  # given back and taken away since it was opened
                    continue
                if not made and alone is None and not (owner and owner.is_gone()):
                    return owner or SOMEBODY
                if not made and owner and not owner.is_here() and not owner.is_gone():
                    return owner  # the kernel knows of no owner, but may know nothing of other machines
                if not made and alone is None:
                    self.path.unlink(missing_ok=True)
                    continue  # whoever makes the file anew has it
                with suppress(OSError):  # a full disk; it is held all the same, by nobody in particular
                    os.ftruncate(handle, 0)
                    os.lseek(handle, 0, os.SEEK_SET)
                    os.write(handle, msgspec.json.encode(Owner.me()) + b"\n")
                self._handle, handle = handle, -1
                return None
            finally:
                if handle >= 0:
                    os.close(handle)

    def _open(self) -> tuple[int, bool]:
        """The file, and whether it was not there before; with the folder it stands in."""
        while True:
            missing = [folder for folder in self.path.parents if not folder.exists()]
            self._made += [folder for folder in missing if folder not in self._made]
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for more in (os.O_EXCL, 0):
                with suppress(FileExistsError, FileNotFoundError):  # somebody else was quicker, either way
                    return os.open(self.path, FLAGS | more, 0o666), bool(more)

    def _said(self, owner: Owner | str) -> str:
        here = owner.is_here() if isinstance(owner, Owner) else self._kernel
        wait = "wait until it is done" if here else f"wait, or delete {self.path} if it is not running any more"
        return f"{self.what}: is being written by {owner}; {wait}"

    def _remove_folders(self) -> None:
        """Folders that were made for the lock and hold nothing else: of a run that came to nothing."""
        for folder in self._made:
            try:
                folder.rmdir()
            except OSError:
                return


def owner_of(lock: Path) -> Owner | None:
    """Who holds a lock, as far as its file says; None where nobody does, or where they have ended."""
    from assay.records.size_limit import read_regular

    try:
        owner = msgspec.json.decode(read_regular(lock), type=Owner)
    except (msgspec.DecodeError, UnicodeDecodeError, OSError):
        return None
    return None if owner.is_gone() else owner


def flock(handle: int) -> bool | None:
    """Whether nobody else holds it; None where the file system cannot tell."""
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


def _began(pid: int) -> str:
    """The 22nd field of its line, ticks since the machine was started; names may hold blanks and parentheses."""
    fields = _first_line(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0]
    except (OSError, UnicodeDecodeError):
        return ""
