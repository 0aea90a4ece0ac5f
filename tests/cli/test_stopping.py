"""Being told to stop: once in order, twice at once with everything that was started; nobody outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.processes import descendants
from tests.conftest import write_jsonl

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], "w").write(str(os.getpid()))
time.sleep(120)
"""
WORKERS = """
import os, sys, time
from pathlib import Path
from assay.execution.executors import Processes

def slow(shard):
    (Path(sys.argv[1]) / f"{os.getpid()}.pid").touch()
    time.sleep(120)
    return [shard]

if __name__ == "__main__":
    list(Processes(2).map(slow, [1, 2]))
"""


def until(holds: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def started(tmp_path: Path) -> tuple[subprocess.Popen[str], int]:
    """`generate` with a command that will not be ended, and the process of the command."""
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "x"}])
    system = f"cmd:{sys.executable} stubborn.py pid"
    command = [sys.executable, "-m", "assay", "system", "generate", "e.jsonl", "--system", system, "-o", "o.jsonl"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # whoever runs the tests may ignore it
    )  # fmt: skip
    pid = tmp_path / "pid"
    assert until(lambda: pid.exists() and pid.read_text() != "")
    return process, int(pid.read_text())


def test_twice_ends_everything_at_once(tmp_path: Path) -> None:
    process, child = started(tmp_path)
    try:
        process.send_signal(signal.SIGINT)
        time.sleep(1)
        assert process.poll() is None, "once, and it waits for the command to end"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "Traceback" not in said
        assert "ended at once" in said
        assert until(lambda: not is_alive(child), 10)
    finally:
        process.kill()
        if is_alive(child):
            os.kill(child, signal.SIGKILL)


def test_workers_that_are_only_starting_end_without_a_word(tmp_path: Path) -> None:
    """A terminal sends ^C to all of them, also to those that are still importing."""
    texts = [f"harbour {i} lantern" for i in range(20_001)]
    write_jsonl(tmp_path / "o.jsonl", [{"id": str(i), "output": text} for i, text in enumerate(texts)])
    command = [sys.executable, "-m", "assay", "score", "o.jsonl", "-m", "distinct-1", "--workers", "2"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert until(lambda: len(descendants(process.pid)) > 2)  # two workers, and what watches over them
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert said.split("\n") == ["", "assay: stopped; nothing was finished", ""]
    finally:
        process.kill()


def test_workers_do_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    process = subprocess.Popen([sys.executable, str(script), str(tmp_path)], start_new_session=True)

    def workers() -> list[int]:
        return [int(file.stem) for file in tmp_path.glob("*.pid")]

    try:
        assert until(lambda: len(workers()) == 2)
        process.kill()
        process.wait()
        assert until(lambda: not any(map(is_alive, workers())), 15)
    finally:
        process.kill()
        for worker in workers():
            if is_alive(worker):
                os.kill(worker, signal.SIGKILL)


def test_a_system_that_ends_it_leaves_nothing_behind(tmp_path: Path) -> None:
    """SIGTERM in the middle of writing: what is temporary is taken away."""
    script = tmp_path / "writes.py"
    script.write_text(
        "import sys, time\n"
        "from pathlib import Path\n"
        "import assay.cli.metric.list\n"
        "from assay.records.files import replacing\n"
        "def slow(*given, **more):\n"
        "    with replacing(Path('kept.json')) as stream:\n"
        "        stream.write('half')\n"
        "        stream.flush()\n"
        "        Path('begun').touch()\n"
        "        time.sleep(120)\n"
        "assay.cli.metric.list.command.callback = slow\n"
        "sys.argv = ['assay', 'metric', 'list']\n"
        "assay.cli.main()\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert until((tmp_path / "begun").exists)
    process.terminate()
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (143, "")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["begun", "writes.py"]
