"""How far we are: JSON lines for programs, one bar for people, nothing for nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import UsageError
from assay.progress import State, Step, shown_as, track
from tests.conftest import Call

Run = Callable[..., Call]
FIELDS = {
    "label", "total", "shards", "items", "failures", "seconds", "items_per_second", "seconds_left", "memory_mb", "done",
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
    assert "items/s" in str(state)


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
