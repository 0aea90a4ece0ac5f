"""An interrupted run keeps every finished shard of every metric; the same call computes only what is missing."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import interruption
from assay.execution import keeping, measure
from assay.execution.shard_job import spans_of
from assay.metrics import resolve
from assay.store.scratch import Scratch
from assay.store.statistics_folder import StatisticsFolder
from tests.conftest import Call
from tests.store.test_run_folder import NEWS

METRICS = "bleu,chrf,rouge,ngrams"
Run = Callable[..., Call]


class Stopping:
    """Interrupts after some results, and notes what was computed."""

    def __init__(self, after: int = 1000) -> None:
        self.after = after
        self.computed: list[tuple[str, str]] = []

    def map(self, work: Any, shards: Any) -> Iterator[Any]:
        for shard in shards:
            for (key, span), outcome in work(shard):
                if len(self.computed) == self.after:
                    raise KeyboardInterrupt
                self.computed.append((key, str(span)))
                yield (key, span), outcome


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "assay" / "unfinished"


@pytest.mark.parametrize("size", [10, 10_000], ids=["four shards", "one shard"])
@pytest.mark.parametrize("saved", [True, False], ids=["--save", "no folder"])
@pytest.mark.parametrize("after", [1, 3])
def test_the_same_call_computes_only_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path, size: int, saved: bool, after: int
) -> None:
    monkeypatch.setattr(measure, "SHARD", size)
    folder = tmp_path / "run" if saved else None
    clean = assay.score(**NEWS, metrics=METRICS).to_dict()["scores"]
    first, second = Stopping(after), Stopping()
    with pytest.raises(KeyboardInterrupt):
        assay.score(**NEWS, metrics=METRICS, executor=first, save=folder)
    assert saved != cache.is_dir()
    found = assay.score(**NEWS, metrics=METRICS, executor=second, save=folder)
    assert found.to_dict()["scores"] == clean
    assert len(first.computed) == after
    assert not set(first.computed) & set(second.computed)
    assert len(first.computed + second.computed) == (16 if size == 10 else 4)


def test_a_run_that_has_ended_is_computed_again(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Its scratch folder serves the rest of an interrupted command, never another call."""
    monkeypatch.setattr(keeping, "AFTER", -1.0)
    assay.score(**NEWS, metrics=METRICS)
    assert list(cache.iterdir())
    again = Stopping()
    assay.score(**NEWS, metrics=METRICS, executor=again)
    assert len(again.computed) == 4
    interruption._remove_all()
    assert not list(cache.iterdir())


@pytest.mark.parametrize("when", ["at once", "later"])
def test_a_full_disk_does_not_end_a_run_that_is_not_saved(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    clean = assay.score(**NEWS, metrics=METRICS).to_dict()
    monkeypatch.setattr(keeping, "AFTER", -1.0)
    real, calls = StatisticsFolder.put_shard, []

    def full(self: Any, *shard: Any) -> None:
        calls.append(shard)
        if when == "at once" or len(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(self, *shard)

    monkeypatch.setattr(StatisticsFolder, "put_shard", full)
    with pytest.warns(UserWarning, match="No space left"):
        assert assay.score(**NEWS, metrics=METRICS).to_dict() == clean
    assert len(calls) == (1 if when == "at once" else 3)


def test_a_cache_that_is_turned_off_keeps_nothing(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setenv("ASSAY_CACHE_SIZE", "0")
    with pytest.raises(KeyboardInterrupt):
        assay.score(**NEWS, metrics=METRICS, executor=Stopping(2))
    assert not cache.exists()


def test_a_folder_in_use_is_left_alone(cache: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        assay.score(**NEWS, metrics=METRICS, executor=Stopping(2))
    (folder,) = cache.iterdir()
    other = Stopping()
    from assay.records.locks import Lock

    with Lock.of_folder(folder):
        assay.score(**NEWS, metrics=METRICS, executor=other)
    assert len(other.computed) == 4


def test_old_folders_are_removed(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    (cache / "old").mkdir(parents=True)
    os.utime(cache / "old", (0, 0))
    monkeypatch.setattr(keeping, "AFTER", -1.0)
    assay.score(**NEWS, metrics="bleu")
    assert "old" not in {folder.name for folder in Scratch.home().iterdir()}


@pytest.mark.parametrize("saved", [True, False])
def test_the_message_says_what_is_kept(here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, saved: bool) -> None:
    def interrupted(self: object, items: object) -> None:
        raise KeyboardInterrupt

    interruption.kept()  # of other tests
    monkeypatch.setattr("assay.metrics.lexical.chrf.Chrf.statistics", interrupted)
    command = ["score", NEWS["outputs"], "-e", NEWS["examples"], *(["--save", tmp_path / "run"] if saved else [])]
    call = here(*command, "-m", "bleu,chrf")
    where = str(tmp_path / "run") if saved else "the cache folder"
    assert call.code == 130
    assert "stopped; 1 of 2 shards of" in call.err
    assert f"is kept in {where}, and the same command continues" in call.err
    if saved:
        for verb in (["score"], ["table"], ["report", "-o", tmp_path / "r.md"]):
            assert f"{where}: this run was interrupted. Finish it" in here(*verb, where).err
        assert f"{tmp_path}: this run was interrupted" in here("report", tmp_path, "-o", tmp_path / "r.md").err
    call = here(*command, "-m", "chrf")
    assert "stopped; nothing was finished" in call.err


def test_shards_of_slow_metrics_begin_small() -> None:
    slow, fast = resolve("bertscore")[0].metric, resolve("bleu")[0].metric
    assert [span.stop for span in spans_of(700, slow, 10_000)] == [25, 100, 200, 400, 600, 700]
    assert spans_of(700, fast, 10_000) == [(0, 700)]
    assert spans_of(20, slow, 10_000) == [(0, 20)]
    for n in (1, 25, 100, 200, 201, 399, 400, 1000):
        spans = spans_of(n, slow, 10_000)
        assert [at for span in spans for at in range(*span)] == list(range(n))


def test_kills_and_full_disks_at_random_moments() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.interruption", "--times", "6"],
        capture_output=True, text=True, check=True, timeout=300, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    counts = json.loads(found.stdout)
    assert counts["times"] == 6
    assert counts["computed twice"] <= 6  # at most the one that was under way
    assert counts["different"] == 0
