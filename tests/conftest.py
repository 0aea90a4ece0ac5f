"""What all tests share: where the real data is, and how to call the command."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from assay.records import Example

pytest_plugins = ["tests.support.real_browser", "tests.support.systems_fixtures"]

settings.register_profile("assay", deadline=None, max_examples=60)
settings.load_profile("assay")

# Tests run side by side: more threads of torch would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

DATA = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[1].parent / "shared" / "data"))

LONGEST = 10.0
"""Seconds that a test may take unmarked. They are of processor time, its own and that of the processes it waits for:
a busy machine lengthens the time on the clock, and that far less."""


def pytest_configure() -> None:
    """Keep absl, which peers import, from closing a stream: it would close pytest's when a server sets up its log."""
    with suppress(ImportError):
        importlib.import_module("absl.logging").PythonHandler.close = lambda handler: None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test that is slow says so, or `make quick` becomes slow without anybody noticing."""
    before = sum(os.times()[:4])
    result = yield
    spent = sum(os.times()[:4]) - before
    if spent > LONGEST and not item.get_closest_marker("slow"):
        pytest.fail(f"took {spent:.0f} s of processor time; mark it slow, or make it shorter")
    return result


@pytest.fixture(scope="session", autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path, None, None]:
    """Whatever is left for the temporary folder goes into one of ours, which goes with the tests. None of them may end
    in a mistake of assay itself without looking at it."""
    before = os.environ.get("TMPDIR")
    tmp_path_factory.getbasetemp()  # its own place, where it keeps what the last tests made
    with tempfile.TemporaryDirectory(prefix="assay-tests-", ignore_cleanup_errors=True) as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        yield Path(folder)
        mistakes = [file.read_text(encoding="utf-8") for file in Path(folder).glob("assay-mistake-*")]
    tempfile.tempdir = None
    os.environ.pop("TMPDIR")
    if before is not None:
        os.environ["TMPDIR"] = before
    assert not mistakes, "\n".join(mistakes)


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """A path in the shared data; the test is skipped by name where it is absent."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"needs {name} of the shared data")
        return path

    return find


class Call(NamedTuple):
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(word: str) -> None:
            raise AssertionError(f"{word} is not strict JSON")

        return json.loads(self.out, parse_constant=refuse)


def assay(*arguments: object, cwd: Path | None = None, **environment: str) -> Call:
    """Run the real command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment},
        check=False,
        timeout=300,
    )
    return Call(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def run() -> Callable[..., Call]:
    return assay


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Call]:
    """The same command inside this process: quicker, for everything that does not need a process of its own."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: object) -> Call:
        from assay.cli import main

        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Call(int(stop.value.code or 0), said.out, said.err)

    return call


def write_jsonl(path: Path, rows: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Word for word of the same shape as the corpus of GEM's own unit tests, so that every number that only asks which
# words are equal is the published one: BLEU 32.562, distinct-1 .636364, entropy-1 4.233640.
ENTITIES = Example(
    id="x",
    input={
        "kind": "entities",
        "entities": ["Alpha Corp.", "Beta Corp."],
        "background": [
            "Alpha Corporation is an American multinational technology company.",
            "Beta Corporation is a Japanese multinational technology company which sells consumer electronics.",
        ],
        "title": "Console Makers Compete Online",
        "context": "Alpha has led the technology race. Beta sells most consoles.",
    },
)
"""An invented instance of naming a group, whole."""

OUTPUTS = [
    "Thornbeck is a non child-welcoming teahouse near Copper Kettle in the old harbour.",
    "Thornbeck is tucked in the old harbour. It is not child-welcoming.",
    "Or Wexley has a garden.",
]
REFERENCES = [
    "Thornbeck is not child-welcoming, and is near the Copper Kettle in the old harbour.",
    "There is a spot in the old harbour, Thornbeck, that is not child-welcoming.",
    "There is a cottage in New Wexley.",
]


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A folder with the three-line corpus above, as JSONL."""
    write_jsonl(tmp_path / "outputs.jsonl", [{"id": f"i{i}", "output": text} for i, text in enumerate(OUTPUTS)])
    write_jsonl(
        tmp_path / "references.jsonl", [{"id": f"i{i}", "references": [text]} for i, text in enumerate(REFERENCES)]
    )
    return tmp_path
