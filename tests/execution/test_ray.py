"""Ray: two real nodes on this machine, the same bytes as here, and nothing lost with a worker or a node."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.execution import measure
from assay.execution.executors import Executor, Processes, Serial
from assay.execution.ray_engine import Ray
from assay.execution.request import ScoreRequest, choose
from assay.execution.scoring import score_outputs
from assay.metrics import MetricRequest
from assay.specs import parse
from tests.support import ray_jobs
from tests.support.ray_cluster import NODE, for_clients, two_nodes
from tests.support.tiny_models import save_tiny

pytest.importorskip("ray", reason="needs the cluster extra")
SAMPLE = Path(assay.__file__).parent / "sample"
TIMED = {"log.jsonl"}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_nodes() as made:
        yield made


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in TIMED)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


ENGINES: tuple[tuple[Executor, Executor], ...] = ((Serial(), Serial()), (Processes(2), Processes(1)), (Ray(), Ray()))
"""For what counts, and for what loads weights: every process that begins with torch costs six seconds."""


def test_both_nodes_work_and_results_keep_their_order(cluster: Any) -> None:
    assert list(Ray().map(ray_jobs.thirds, [3, 1, 2])) == [(n, third) for n in (3, 1, 2) for third in range(3)]
    assert list(Ray().map(ray_jobs.thirds, [])) == []
    assert len(set(Ray().map(ray_jobs.where, range(6)))) == 2
    assert len({*range(30)} - {*Ray(workers=1).map(lambda n: [n], range(30))}) == 0


def test_run_folders_are_equal_to_the_byte(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every metric of gem-light, and one that loads weights, in shards of seven items."""
    pytest.importorskip("torch")
    monkeypatch.setattr(measure, "SHARD", 7)
    words = "the cat sat on a mat while two dogs ran home by night and no one saw them at all".split()
    outputs = {str(i): f"{i} {' '.join(words[i % 5 :: 1 + i % 3])}" for i in range(40)}
    references = {str(i): f"{' '.join(words[i % 4 :: 1 + i % 2])} {i}" for i in range(40)}
    encoder = save_tiny(tmp_path / "encoder", "encoder")
    for place, (executor, loading) in enumerate(ENGINES):
        monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / f"cache{place}"))
        folder = tmp_path / str(place)
        lead = SAMPLE / "outputs" / "lead" / "simple.jsonl"
        suite = assay.score(
            lead, examples=SAMPLE / "simple.jsonl", suite="gem-light", ci=50, executor=executor, save=folder / "suite"
        )
        assert not suite.failed
        assert not suite.skipped
        learned = assay.score(
            outputs, references, metrics=f"bertscore:model={encoder},chrf", executor=loading, save=folder / "learned"
        )
        assert not learned.failed
    here = content(tmp_path / "0")
    assert len(here) > 20
    assert content(tmp_path / "1") == here
    assert content(tmp_path / "2") == here


def test_models_are_loaded_by_actors_that_stay(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many processes as there are processors, and each does several shards."""
    import ray

    asked: Counter[str] = Counter()

    def counting(name: str) -> Any:
        usual = getattr(ray, name)

        def call(*given: Any, **how: Any) -> Any:
            asked[name] += 1
            return usual(*given, **how)

        return call

    for name in ("cluster_resources", "wait"):
        monkeypatch.setattr(ray, name, counting(name))
    found = list(Ray().map(ray_jobs.loads_once, [ray_jobs.Weighty(n) for n in range(8)]))
    assert 0 < asked["cluster_resources"] <= asked["wait"]  # once a round, however many shards wait for an actor
    assert 1 <= len({process for process, _ in found}) <= 2
    assert max(count for _, count in found) >= 4


def test_a_node_that_is_lost_in_mid_run_loses_nothing(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "SHARD", 4)
    lead: dict[str, Any] = {"outputs": SAMPLE / "outputs" / "lead" / "news.jsonl", "examples": SAMPLE / "news.jsonl"}
    alone = assay.score(**lead, metrics="bleu,rouge,ngrams", save=tmp_path / "here")
    node = cluster.add_node(**NODE, resources={"third": 1})
    cluster.wait_for_nodes()
    killed: list[float] = []

    def kill() -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and not list(tmp_path.glob("there/statistics/*.partial/*.npz")):
            time.sleep(0.01)
        cluster.remove_node(node, allow_graceful=False)
        killed.append(time.monotonic())

    thread = Thread(target=kill)
    thread.start()
    found = assay.score(**lead, metrics="bleu,rouge,ngrams", save=tmp_path / "there", executor=ray_jobs.Slowly(Ray()))
    finished = time.monotonic()
    thread.join()
    assert killed[0] < finished
    assert found.values == alone.values
    assert content(tmp_path / "there") == content(tmp_path / "here")


def test_a_worker_that_dies_and_work_that_fails_are_said_in_one_line(cluster: Any) -> None:
    with pytest.raises(AssayError, match=r"a worker died .* fewer --workers"):
        list(Ray(retries=0).map(ray_jobs.dies, [1]))
    with pytest.raises(ValueError, match="no 1"):
        list(Ray().map(ray_jobs.fails, [1, 2]))


def test_a_slow_shard_is_begun_again_and_the_first_result_counts(cluster: Any, tmp_path: Path) -> None:
    start = time.monotonic()
    assert list(Ray().map(ray_jobs.slow_once, [(n, str(tmp_path)) for n in range(5)])) == list(range(5))
    assert time.monotonic() - start < 60


def test_a_shard_that_never_ends_is_given_up(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SHARD_SECONDS", "1")
    with pytest.raises(AssayError, match="a worker died"):
        list(Ray(retries=0).map(ray_jobs.never_ends, [1]))


@pytest.mark.parametrize("executor", [Processes(2, retries=0), Ray(retries=0)], ids=["processes", "ray"])
def test_an_item_that_kills_its_worker_is_named_and_the_rest_is_scored(
    cluster: Any, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "SHARD", 3)
    outputs = {f"i{n}": "the poison sat" if n == 4 else "the cat sat" for n in range(8)}
    requests = [
        MetricRequest(parse("careful"), ray_jobs.Careful(), None),
        *choose("bleu,rouge1"),
    ]
    request = ScoreRequest(requests=requests, references=dict.fromkeys(outputs, "the cat sat"), executor=executor)
    found = score_outputs(outputs, request).result
    assert set(found.scores) >= {"bleu", "rouge1"}
    (failed,) = found.failed
    assert failed.metric == "careful"
    assert failed.why.startswith("id i4: the process that worked on it died")


COMMAND = ["score", "outputs.jsonl", "-r", "references.jsonl", "-m", "bleu,chrf", "--save", "run"]


def command(folder: Path, *engine: str) -> subprocess.Popen[str]:
    call = [sys.executable, "-m", "assay", *COMMAND, *engine]
    return subprocess.Popen(call, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards, and the run folder that a serial command makes of them."""
    folder = tmp_path_factory.mktemp("alone")
    lines = [f'{{"id": "{n}", "output": "the cat {n} sat on mat {n % 7}"}}\n' for n in range(25_000)]
    (folder / "outputs.jsonl").write_text("".join(lines))
    references = (line.replace("sat", "lay").replace('"output"', '"references"') for line in lines)
    (folder / "references.jsonl").write_text("".join(references))
    process = command(folder)
    assert (process.communicate()[1], process.returncode) == ("", 0)
    return folder


@pytest.fixture
def beside(alone: Path, tmp_path: Path) -> Path:
    """Where the same command is given again."""
    for name in ("outputs.jsonl", "references.jsonl"):
        (tmp_path / name).symlink_to(alone / name)
    return tmp_path


def test_a_client_of_a_cluster_makes_the_same_bytes(cluster: Any, alone: Path, beside: Path) -> None:
    process = command(beside, "--engine", for_clients(cluster))
    assert (process.communicate()[1], process.returncode) == ("", 0)
    assert content(beside / "run") == content(alone / "run")


def test_a_killed_command_leaves_nothing_behind_and_goes_on(cluster: Any, alone: Path, beside: Path) -> None:
    """The commanding process is killed while its local Ray works; the same command, on the cluster, then ends with the
    same bytes."""
    process = command(beside, "--engine", "ray", "--workers", "1")
    until = time.monotonic() + 240
    while not list(beside.glob("run/statistics/*.partial/*.npz")) and time.monotonic() < until:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    from assay.processes import descendants

    # Ray's agents look once a minute whether their node is still there; whatever works or holds memory ends at once
    started = [pid for pid in descendants(process.pid) if b"Agent" not in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert started
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (beside / "run" / "run.json").exists()
    kept = list(beside.glob("run/statistics/*.partial/*.npz"))
    assert kept
    again = command(beside, "--engine", f"ray:{cluster.address}")
    assert (again.communicate()[1], again.returncode) == ("", 0)
    assert content(beside / "run") == content(alone / "run")  # the command in it, too: an engine is not said
    until = time.monotonic() + 20
    while any(map(_alive, started)) and time.monotonic() < until:
        time.sleep(0.2)
    assert not any(map(_alive, started))


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False
