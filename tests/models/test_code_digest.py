"""The code behind a cached value: what changes it is seen wherever it stands, and what cannot be read is not kept."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError
from assay.models.cache import Cache
from assay.models.code_digest import _package_digest, callable_digest, code_digest, command_file_digests

Write = Callable[..., Any]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write files of a package and import it afresh."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] in ("synthetic", "other")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        _package_digest.cache_clear()

    def make(**files: str) -> Any:
        for name, text in files.items():
            package, _, module = name.partition("__")
            (tmp_path / package).mkdir(exist_ok=True)
            (tmp_path / package / "__init__.py").touch()
            (tmp_path / package / f"{module}.py").write_text(text)
        forget()
        return importlib.import_module("synthetic.encoder")

    yield make
    forget()


BASE = """
class Base:
    def maker(self):
        def make(texts):
            return [self.one(text) for text in texts]
        return make
"""


def test_code_is_followed_wherever_it_stands(write: Write) -> None:
    files = {
        "other__base": BASE,
        "synthetic__deep": "SIZE = 3\n",
        "synthetic__encoder": (
            "from other.base import Base\nfrom synthetic.deep import SIZE\n"
            "def encode(texts, size=SIZE): return texts\n"
            "class Mine(Base):\n    def one(self, text): return text[:SIZE]\n"
        ),
    }
    reached: dict[str, Callable[[Any], Any]] = {
        "function": lambda module: module.encode,
        "partial": lambda module: partial(map, module.encode),
        "closure of a base class in another package": lambda module: module.Mine().maker(),
        "method": lambda module: module.Mine().one,
        "object": lambda module: module.Mine(),
        "cached": lambda module: lru_cache(module.encode),
    }
    before = {name: callable_digest(reach(write(**files))) for name, reach in reached.items()}
    assert None not in before.values()
    assert {name: callable_digest(reach(write(**files))) for name, reach in reached.items()} == before
    files["synthetic__deep"] = "SIZE = 4\n"
    for name, reach in reached.items():
        assert callable_digest(reach(write(**files))) != before[name], name


def test_what_stands_in_no_file_is_not_kept(tmp_path: Path) -> None:
    typed: dict[str, Any] = {"__name__": "__main__x"}
    exec("import numpy as np\ndef make(texts): return [np.array([len(t)]) for t in texts]", typed)
    cache = Cache(tmp_path)
    for _ in range(2):
        with pytest.warns(UserWarning, match="the code that computes m is in no file, so no value is stored"):
            assert [int(value[0]) for value in cache.through("m", ["a", "bb"], typed["make"])] == [1, 2]
    assert cache.usage() == []
    nameless: dict[str, Any] = {}
    exec("def make(texts): return texts", nameless)
    assert callable_digest(nameless["make"]) is None


def test_libraries_are_known_by_their_version(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.models.code_digest import _installed_version

    assert _installed_version("numpy") == np.__version__
    before = callable_digest(np.mean)
    _installed_version.cache_clear()
    monkeypatch.setattr(np, "__version__", "99")
    assert callable_digest(np.mean) != before
    _installed_version.cache_clear()


@pytest.mark.parametrize("only", ["encoder.py", "deep.py"])
def test_code_that_a_disk_does_not_give_is_no_other_code(
    write: Write, monkeypatch: pytest.MonkeyPatch, only: str
) -> None:
    """Else the answers of the same function would count as those of another one."""
    made = write(
        synthetic__deep="SIZE = 3\n", synthetic__encoder="from synthetic.deep import SIZE\ndef f(text): return SIZE\n"
    )
    before = code_digest(made.f)
    plain = Path.open

    def broken(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == only:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return plain(path, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", broken)
        with pytest.raises(AssayError, match=f"{only}: cannot be read .Input/output error."):
            code_digest(made.f)
    assert code_digest(made.f) == before
    assert command_file_digests(["cat", "x" * 5000, "/nowhere/at/all", "a\0b"]) == []
