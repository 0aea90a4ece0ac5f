"""A wheel built from a copy of the checkout, and fresh virtual environments that it is installed in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
PAGES = Path("src/assay/explorer/static")
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
UNREACHABLE = re.compile(
    r"Failed to establish|Temporary failure|ProxyError|timed out|No matching distribution|Max retries"
)
BIN = "Scripts" if os.name == "nt" else "bin"


def tracked(folder: str = ".") -> list[Path]:
    """Return the files of the checkout that belong to the project, relative to its root."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("the list of files needs a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [Path(name) for name in names if name and (ROOT / name).is_file()]


def copy_checkout(folder: Path, pages: bool = True) -> Path:
    """Copy the project's files, and the built pages, to a folder."""
    names = [path for path in tracked() if path.parts[0] not in {"tests", "docs", "benchmarks", "examples"}]
    if pages:
        if not (ROOT / PAGES / "pages.js").exists():
            pytest.skip("the explorer's pages are not built: they need npm")
        names += [path.relative_to(ROOT) for path in (ROOT / PAGES).iterdir()]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


def build(hook: str, source: Path, folder: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Call a hook of the build backend in a source folder."""
    environment = {**os.environ, "PATH": path if path is not None else os.environ["PATH"], "PYTHONPATH": ""}
    code = f"import setuptools.build_meta as backend; backend.{hook}({str(folder)!r})"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=True, env=environment)


@dataclass(frozen=True)
class Installed:
    """A virtual environment, used from an empty folder, without npm, compilers or the checkout."""

    folder: Path
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        system = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "TMPDIR") if name in os.environ}
        return {**system, "PATH": str(self.folder / BIN), "HOME": str(self.home), "PYTHONUTF8": "1", "COLUMNS": "200"}

    def python(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.folder / BIN / "python", *map(str, arguments)],
            cwd=self.home,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def assay(self, *arguments: object) -> str:
        """Run the installed command and return its standard output."""
        done = self.python(self.folder / BIN / "assay", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def serving(self, pattern: str, *arguments: object) -> Iterator[str]:
        """Start a server and yield the first address in its output that matches `pattern`."""
        log = self.home / "server.log"
        with log.open("w", encoding="utf-8") as stream:
            server = subprocess.Popen(
                [self.folder / BIN / "python", "-u", self.folder / BIN / "assay", *map(str, arguments), "--port", "0"],
                cwd=self.home,
                env=self.environment,
                stdout=stream,
                stderr=stream,
            )
        try:
            yield _address(server, log, pattern)
        finally:
            server.terminate()
            server.wait(60)
        assert "Traceback" not in log.read_text(encoding="utf-8")


def _address(server: subprocess.Popen[bytes], log: Path, pattern: str) -> str:
    for _ in range(600):
        ended = server.poll() is not None
        text = log.read_text(encoding="utf-8")
        # the last line is printed when the server listens
        if (match := re.search(pattern, text)) and "Ctrl-C" in text:
            return match[0]
        if ended:
            break
        try:
            server.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"the server did not start: {log.read_text(encoding='utf-8')}")


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Make a folder once, also where several processes run the tests."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root

    def made(name: str, make: Callable[[Path], None]) -> Path:
        folder = root / name
        with FileLock(f"{folder}.lock"):
            if not (folder / ".complete").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                (folder / ".complete").touch()
        return folder

    return made


@pytest.fixture(scope="session")
def distributions(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A folder with the source distribution and the wheel that was built from it."""

    def make(folder: Path) -> None:
        source = copy_checkout(folder / "source")
        build("build_sdist", source, folder)
        [archive] = folder.glob("*.tar.gz")
        command = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(archive)]
        subprocess.run(command, check=True, cwd=folder, env={**os.environ, "PYTHONPATH": ""})
        shutil.rmtree(source)

    return once("distributions", make)


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    [path] = distributions.glob("*.whl")
    return path


def install(requirement: str, folder: Path) -> None:
    """Create a virtual environment with a requirement and what it depends on, in the versions of locks/core.txt."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    locked = re.findall(r"^\S+==\S+", (ROOT / "locks/core.txt").read_text(encoding="utf-8"), re.MULTILINE)
    (folder / "constraints.txt").write_text("\n".join(locked), encoding="utf-8")
    command = [*PIP, "--python", str(folder / BIN / "python"), "install", "--no-compile", requirement]
    command += ["--constraint", str(folder / "constraints.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ""})
    if done.returncode and UNREACHABLE.search(done.stderr):
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def core(wheel: Path, once: Callable[[str, Callable[[Path], None]], Path], tmp_path: Path) -> Installed:
    """The wheel with its required dependencies."""
    return Installed(once("core", lambda folder: install(str(wheel), folder)), tmp_path)


@pytest.fixture
def studio(wheel: Path, once: Callable[[str, Callable[[Path], None]], Path], tmp_path: Path) -> Installed:
    """The wheel with the extra for servers."""
    return Installed(once("studio", lambda folder: install(f"{wheel}[studio]", folder)), tmp_path)
