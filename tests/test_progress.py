"""How far we are: JSON lines for programs, one bar for people, nothing for nobody."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import assay
from assay.errors import UsageError
from assay.execution.shard_job import spans_of
from assay.metrics import resolve
from assay.progress import Line, State, Step, shown_as, track
from assay.progress_display import Bar, about
from tests.conftest import Call

Run = Callable[..., Call]
FIELDS = {
    "label", "total", "shards", "items", "failures", "seconds", "items_per_second", "seconds_left", "memory_mb", "done",
    "cost", "metrics",
}  # fmt: skip


def test_a_stream_of_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.progress.INTERVAL", -1.0)
    file = tmp_path / "p.jsonl"
    with shown_as(f"json:{file}"):
        steps = [Step(0.5, 10, 0), Step(0.5, 10, 1)]
        assert list(track([0, 1], "work", 1, steps.__getitem__)) == [0, 1]
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(set(row) == FIELDS for row in rows)
    assert [row["items"] for row in rows] == [10, 20, 20]
    assert [row["done"] for row in rows] == [False, False, True]
    assert rows[-1]["failures"] == 1
    assert rows[-1]["shards"] == rows[-1]["total"] == 1
    assert rows[-1]["memory_mb"] > 10


def test_time_left_is_what_the_rest_takes_at_this_pace() -> None:
    state = State("work", 4)
    state.add(Step(1, 100), since=-1.0)
    elapsed = state.seconds
    assert state.seconds_left == pytest.approx(3 * elapsed, rel=1e-3)
    assert "items/s" in about(state)


class Clock:
    """Time that passes only when it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def slow_metric(clock: Clock, ends: list[int], load: float, pace: float) -> Iterator[int]:
    """Yield the size of each shard, after the time that it takes."""
    for start, end in zip([0, *ends], ends, strict=False):
        clock.now += (end - start) * pace + (0 if start else load)
        yield end - start


def test_time_left_of_each_metric_is_right_within_a_fifth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model takes 20 s to load; the estimate must not spread that over all items."""
    clock = Clock()
    monkeypatch.setattr("assay.progress.time.monotonic", clock)
    ends = [span.stop for span in spans_of(2000, resolve("bertscore")[0].metric, 10_000)]
    shards = slow_metric(clock, ends, load=20.0, pace=0.3)
    steps = track(shards, "scoring", len(ends), lambda n: Step(1, n, 0, "bertscore", n), {"bertscore": 2000})
    with shown_as(f"json:{tmp_path / 'p'}"):
        list(steps)
    rows = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()]
    assert len(rows) == len(ends) + 1
    end = clock.now
    for row in rows[1:-1]:
        (line,) = row["metrics"]
        assert line["seconds_left"] == pytest.approx(end - row["seconds"], rel=0.2, abs=0.1)
        assert line["items_per_second"] == pytest.approx(1 / 0.3, abs=0.1)
        assert row["seconds_left"] == line["seconds_left"]
    assert rows[-1]["metrics"][0]["items"] == 2000


def test_a_metric_that_has_not_begun_has_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("assay.progress.time.monotonic", clock)
    state = State("scoring", 2)
    state.lines = [Line("bleu", 10), Line("nli", 10)]
    state.updated, clock.now = 0.0, 2.0
    state.add(Step(1, 5, 0, "bleu", 5), since=0.0)
    assert (state.lines[0].seconds_left, state.seconds_left) == (2.0, None)
    clock.now = 6.0
    state.add(Step(1, 5, 0, "nli", 5), since=0.0)
    assert state.seconds_left == 6.0
    assert "5 of 10 items" in about(state, state.lines[1])


def test_a_notebook_shows_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel has no terminal; its display is updated in place."""
    shown: list[str] = []

    class Handle:
        def display(self, content: dict[str, str], raw: bool) -> None:
            shown.append(content["text/plain"])

        update = display

    kernel = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: kernel, display=SimpleNamespace(DisplayHandle=Handle))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    clock = Clock()
    monkeypatch.setattr("assay.progress.time.monotonic", clock)
    list(track(slow_metric(clock, [25, 100], 2, 0.1), "scoring", 2, lambda n: Step(1, n, 0, "nli", n), {"nli": 100}))
    assert shown[0].splitlines()[1] == "  nli: 25 of 100 items · 5.6 items/s · 0:14 left"
    assert shown[-1].startswith("scoring: 2 of 2 shards")


def test_a_narrow_terminal_wraps_no_line() -> None:
    """At 80 columns, `left` of each metric was on a line of its own."""
    lines = [Line("meteor", 50_000, 10_000, 15.0), Line("embedding_diversity", 1_000_000, 100_000, 60.0)]
    bar, stream = Bar(), io.StringIO()
    bar.show(State("scoring", 20, 4, 40_000, 0, 5.0, 588.0, 64.0, 256, lines=lines))
    assert bar.bar is not None
    Console(file=stream, width=80).print(bar.bar.get_renderable())
    bar.end()
    shown = [line.rstrip() for line in stream.getvalue().splitlines() if line.strip()]
    assert [line.split()[0] for line in shown] == ["scoring", "meteor", "embedding_diversity"]
    assert all(" left" in line for line in shown)


def test_cost_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.progress.INTERVAL", -1.0)
    spent = iter([0.5, 1.0, 1.0])
    with shown_as(f"json:{tmp_path / 'p'}"):
        list(track([0, 1], "judge", 2, cost=lambda: next(spent)))
    rows = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()]
    assert [row["cost"] for row in rows] == [0.5, 1.0, 1.0]


def test_nothing_is_shown_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    for how in ("auto", "none"):
        with shown_as(how):
            assert list(track([1, 2], "work")) == [1, 2]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("how", ["jsn", "json:/no/such/folder/x", "none:x"])
def test_what_means_nothing_is_refused(how: str) -> None:
    with pytest.raises(UsageError, match="--progress"), shown_as(how):
        pass


def test_who_looks_on_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    monkeypatch.setattr("assay.progress.INTERVAL", -1.0)
    with shown_as("json:/dev/full"):
        assert list(track([0, 1], "work", 1)) == [0, 1]


def test_commands_stream_to_a_file_and_say_the_same(here: Run, toy: Path, tmp_path: Path) -> None:
    command = ["score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "-m", "rouge1", "--json"]
    plain = here(*command)
    streamed = here(*command, "--progress", f"json:{tmp_path / 'p.jsonl'}")
    assert streamed.out == plain.out
    last = json.loads((tmp_path / "p.jsonl").read_text().splitlines()[-1])
    assert (last["label"], last["items"], last["done"]) == ("scoring", 3, True)
    assert here(*command, "--progress", "loud").code == 2


@pytest.mark.parametrize(
    ("engine", "said"),
    [("cloud", "serial, processes, ray"), ("procesess", "did you mean"), ("serial:x", "ray:ADDRESS")],
)
def test_an_engine_that_does_not_exist_is_wrong_usage(here: Run, toy: Path, engine: str, said: str) -> None:
    call = here("score", toy / "outputs.jsonl", "-r", toy / "references.jsonl", "--engine", engine)
    assert call.code == 2
    assert said in call.err


def test_engines_in_python(toy: Path) -> None:
    given = {"outputs": toy / "outputs.jsonl", "references": toy / "references.jsonl", "metrics": "rouge1"}
    found = [assay.score(**given, engine=engine).to_dict() for engine in ("serial", "processes")]  # type: ignore[arg-type]
    assert found[0] == found[1]
    with pytest.raises(UsageError, match="has one worker"):
        assay.score(**given, engine="serial", workers=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["json:", "none:", "auto:x", "jsn", ""])
def test_a_way_to_show_progress_that_is_none_is_told(how: str) -> None:
    with pytest.raises(UsageError, match="use auto, none, json or json:FILE"), shown_as(how):
        pass
