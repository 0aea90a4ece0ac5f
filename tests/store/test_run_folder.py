"""Run folders: nothing is computed twice, nothing is lost, and new questions need no text."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.errors import AssayError
from assay.execution import measure
from assay.metrics.lexical.chrf import Chrf
from assay.records.locks import Lock

SAMPLE = Path(assay.__file__).parent / "sample"
NEWS: dict[str, Any] = {"outputs": SAMPLE / "outputs/lead/news.jsonl", "examples": SAMPLE / "news.jsonl"}


def log(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def forget_digests(folder: Path) -> None:
    """As folders were before digests were kept."""
    file = folder / "run.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    for entry in manifest["metrics"]:
        del entry["assay"]
    kept = {key: value for key, value in manifest.items() if key not in ("files", "digest", "beside")}
    file.write_text(json.dumps(kept), encoding="utf-8")


def test_what_is_in_a_folder(tmp_path: Path) -> None:
    assay.score(**NEWS, metrics="rouge,ngrams,msttr", ci=100, save=tmp_path)
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert manifest["n"] == 40
    assert manifest["seed"] == 0
    assert {"numpy", "polars", "sacrebleu"} <= manifest["packages"].keys()
    assert [entry["spec"] for entry in manifest["metrics"]] == ["rouge", "ngrams", "msttr"]
    assert len(list((tmp_path / "statistics").glob("*.parquet"))) == 2  # ngrams and msttr share their tokens
    assert manifest["scores"]["rouge1"]["low"] is not None
    assert not list(tmp_path.rglob("*.part"))


def test_one_more_metric_computes_only_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assay.score(**NEWS, metrics="rouge,chrf", save=tmp_path)
    monkeypatch.setattr(Chrf, "statistics", lambda self, items: pytest.fail("computed again"))
    result = assay.score(**NEWS, metrics="rouge,chrf,bleu", save=tmp_path)
    assert [entry["computed"] for entry in log(tmp_path)] == [["rouge", "chrf"], ["bleu"]]
    assert set(result.scores) >= {"rouge1", "chrf", "bleu"}
    assay.score(**NEWS, metrics="bleu", save=tmp_path)
    stored = assay.load_run(tmp_path)
    assert set(stored.scores) == set(result.scores)  # metrics of earlier runs stay


def test_subsets_and_intervals_need_no_text(tmp_path: Path) -> None:
    fresh = assay.score(**NEWS, suite="summarization", save=tmp_path)
    for file in ("outputs.jsonl", "examples.jsonl"):
        (tmp_path / file).unlink()
    stored = assay.load_run(tmp_path)
    assert stored.scores == fresh.scores
    assert stored.subset("topic=sport").scores == fresh.subset("topic=sport").scores
    assert stored.with_intervals(200, 3).scores == fresh.with_intervals(200, 3).scores
    assert stored.per_example.equals(fresh.per_example)


def test_other_content_is_refused(tmp_path: Path) -> None:
    assay.score(**NEWS, metrics="lengths", save=tmp_path)
    other = {**NEWS, "outputs": SAMPLE / "outputs/copy/news.jsonl"}
    before = (tmp_path / "run.json").read_bytes()
    with pytest.raises(AssayError, match="contains a run of other outputs or references"):
        assay.score(**other, metrics="lengths", save=tmp_path)
    assert (tmp_path / "run.json").read_bytes() == before
    replaced = assay.score(**other, metrics="lengths", save=tmp_path, force=True)
    assert assay.load_run(tmp_path).scores == replaced.scores
    assert assay.load_run(tmp_path).system == "copy"


def test_damage_is_named(tmp_path: Path) -> None:
    assay.score(**NEWS, metrics="rouge", save=tmp_path)
    statistics = next((tmp_path / "statistics").iterdir())
    whole = statistics.read_bytes()
    statistics.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AssayError, match=r"rouge-\w+\.parquet: damaged"):
        assay.load_run(tmp_path)
    statistics.unlink()
    with pytest.raises(AssayError, match="missing from the run folder"):
        assay.load_run(tmp_path)
    (tmp_path / "run.json").write_text('{"format": 1, "syst', encoding="utf-8")
    with pytest.raises(AssayError, match=r"run\.json: damaged"):
        assay.load_run(tmp_path)
    with pytest.raises(AssayError, match="not a finished run"):
        assay.load_run(tmp_path / "statistics")


def test_metrics_that_are_not_stored(tmp_path: Path) -> None:
    assay.score(**NEWS, metrics="rouge", save=tmp_path)
    assert [name for name in assay.load_run(tmp_path, "rouge2").scores if "." not in name] == ["rouge2"]
    with pytest.raises(AssayError, match="bleu is not stored there, only rouge"):
        assay.load_run(tmp_path, "bleu")


@pytest.mark.slow
@pytest.mark.parametrize("large", [100_000, 0], ids=["in memory", "on disk"])
def test_killed_and_resumed_is_as_undisturbed(tmp_path: Path, large: int) -> None:
    """SIGKILL in the middle of the shards; the next call finishes, reuses what was done, same bytes."""
    script = tmp_path / "script.py"
    script.write_text(
        """
import sys, time
from pathlib import Path
from assay.store import run_folder
from assay.execution import measure
from assay.metrics.engine import row_collectors
from assay.cli import main

flag, wait, large, arguments = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
sys.argv[1:] = arguments
measure.SHARD = 4
row_collectors.LARGE_SET = large
real = run_folder.RunFolder.put_shard

def slowly(self, key, shard, rows):
    real(self, key, shard, rows)
    with flag.open("a") as stream:
        stream.write(f"{key} {shard}\\n")
    time.sleep(wait)

run_folder.RunFolder.put_shard = slowly
main(arguments)
""",
        encoding="utf-8",
    )
    folders = {}
    for name in ("undisturbed", "killed"):
        folder = tmp_path / name / "run"
        folder.parent.mkdir()
        folders[name] = folder
    arguments = ["score", str(NEWS["outputs"]), "--examples", str(NEWS["examples"])]
    arguments += ["--metrics", "rouge,chrf,ngrams", "--ci", "100", "--save", "run"]
    environment = {**os.environ}

    def start(name: str, wait: float) -> subprocess.Popen[bytes]:
        flag = tmp_path / f"{name}.flag"
        return subprocess.Popen(
            [sys.executable, str(script), str(flag), str(wait), str(large), *arguments],
            cwd=tmp_path / name,
            env=environment,
            stdout=subprocess.DEVNULL,
        )

    assert start("undisturbed", 0).wait(120) == 0
    process = start("killed", 0.2)
    flag = tmp_path / "killed.flag"
    deadline = time.monotonic() + 60
    while not flag.exists() or len(flag.read_text().splitlines()) < 5:
        assert process.poll() is None, "it must not finish before it is killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (folders["killed"] / "run.json").exists()
    done_before = len(flag.read_text().splitlines())
    assert start("killed", 0).wait(120) == 0
    total = len((tmp_path / "undisturbed.flag").read_text().splitlines())
    assert len(flag.read_text().splitlines()) == total  # finished shards were not computed again
    assert 0 < done_before < total
    for file in ("run.json", "outputs.jsonl", "items.parquet"):
        assert (folders["killed"] / file).read_bytes() == (folders["undisturbed"] / file).read_bytes(), file
    names = sorted(path.name for path in (folders["undisturbed"] / "statistics").iterdir())
    assert names == sorted(path.name for path in (folders["killed"] / "statistics").iterdir())
    for name in names:
        both = [(folder / "statistics" / name).read_bytes() for folder in folders.values()]
        assert both[0] == both[1], name


@pytest.mark.parametrize("order", [["rouge1", "rouge1:stemmer=true"], ["rouge1:stemmer=true", "rouge1"]])
def test_variants_saved_one_after_the_other_all_stay(order: list[str], tmp_path: Path) -> None:
    for metrics in (*order, "rouge2", "rouge1:stemmer=false"):
        assay.score(["cats running"], ["cat runs"], metrics=metrics, save=tmp_path)
    stored = assay.load_run(tmp_path)
    values = {label: score.value for label, score in stored.scores.items() if "." not in label}
    assert values == {"rouge1": 0.0, "rouge2": 0.0, "rouge1:stemmer=true": 1.0}
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert {label: score["value"] for label, score in manifest["scores"].items() if "." not in label} == values


@pytest.mark.parametrize("text", ['{"format": 2, "met', "[]", '{"format": 1}'])
def test_a_damaged_manifest_is_written_anew_with_force(text: str, tmp_path: Path) -> None:
    fresh = assay.score(**NEWS, metrics="rouge1", save=tmp_path)
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(AssayError, match=r"run\.json: .*--save and --force"):
        assay.score(**NEWS, metrics="rouge1", save=tmp_path)
    assay.score(**NEWS, metrics="rouge1", save=tmp_path, force=True)
    assert assay.load_run(tmp_path).scores == fresh.scores


def test_statistics_with_too_few_rows_are_named(tmp_path: Path) -> None:
    assay.score(**NEWS, metrics="rouge1", save=tmp_path)
    forget_digests(tmp_path)
    file = next((tmp_path / "statistics").glob("*.parquet"))
    polars.read_parquet(file).head(7).write_parquet(file)
    named = rf"{file.name}: damaged \(7 rows for 40 items\)"
    with pytest.raises(AssayError, match=named):
        assay.load_run(tmp_path)
    with pytest.raises(AssayError, match=named):
        assay.score(**NEWS, metrics="rouge1", save=tmp_path)


def test_metrics_of_another_version_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until they are computed again, with all their numbers."""
    with monkeypatch.context() as older:
        older.setattr("assay.metrics.engine.base.version_of", lambda cls: "assay-0.0.9")
        for module in ("manifest_metrics", "saved_run"):
            older.setattr(f"assay.store.{module}.VERSION", "0.0.9")
        assay.score(**NEWS, metrics="rouge1,lengths", ci=20, save=tmp_path)
    old = assay.load_run(tmp_path)
    assert any("rouge, lengths: computed by assay 0.0.9" in note for note in old.notes)
    assay.score(**NEWS, metrics="chrf", save=tmp_path)
    both = assay.load_run(tmp_path)
    assert set(both.scores) == {*old.scores, "chrf"}
    assert both.scores["rouge1"].value == old.scores["rouge1"].value
    assert both.scores["rouge1"].signature.endswith("version:assay-0.0.9")
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert {entry["spec"]: entry["assay"] for entry in manifest["metrics"]} == {
        "chrf": assay.__version__, "rouge": "0.0.9", "lengths": "0.0.9",
    }  # fmt: skip
    assay.score(**NEWS, metrics="rouge2", save=tmp_path)
    new = assay.load_run(tmp_path)
    assert {"rouge1", "rouge2", "chrf", "mean_length"} <= set(new.scores)
    assert new.scores["rouge1"].signature.endswith(f"version:assay-{assay.__version__}")
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert manifest["scores"]["rouge1"]["signature"] == new.scores["rouge1"].signature
    assert len(list(tmp_path.glob("statistics/rouge-*"))) == 1
    assert any("lengths: computed by assay 0.0.9" in note for note in new.notes)


def test_a_folder_without_digests_opens_and_is_added_to(tmp_path: Path) -> None:
    fresh = assay.score(**NEWS, metrics="rouge1", save=tmp_path)
    forget_digests(tmp_path)
    stored = assay.load_run(tmp_path)
    assert stored.scores == fresh.scores
    assert any("saved without digests" in note for note in stored.notes)
    assay.score(**NEWS, metrics="rouge1,chrf", save=tmp_path)
    assert log(tmp_path)[-1]["reused"] == ["rouge"]
    assert not any("digests" in note for note in assay.load_run(tmp_path).notes)


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "run"
    outside.write_text("mine\n")
    folder.mkdir()
    (folder / "log.jsonl").symlink_to(outside)
    with pytest.raises(OSError, match=r"log\.jsonl"):
        assay.score(["a"], ["a"], metrics="lengths", save=folder)
    assert outside.read_text() == "mine\n"


def test_a_lock_is_said_by_the_command(tmp_path: Path) -> None:
    with Lock.of_folder(tmp_path / "run"), pytest.raises(AssayError, match=r"run: is being written by process \d+"):
        assay.score(["a"], ["a"], metrics="lengths", save=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_shards_beside_what_was_made_of_them_are_taken_away(tmp_path: Path) -> None:
    """Left by one who was killed in between; those of a metric that nobody asks for now wait for it."""
    assay.score(**NEWS, metrics="rouge", save=tmp_path)
    (whole,) = (tmp_path / "statistics").glob("*.parquet")
    for left in (whole.with_suffix(".partial"), whole.with_name("bleu-0.partial")):
        left.mkdir()
        (left / "00000.npz").touch()
    assay.score(**NEWS, metrics="rouge", save=tmp_path)
    assert [left.name for left in (tmp_path / "statistics").glob("*.partial")] == ["bleu-0.partial"]


class Halfway:
    """Gives the results of two shards, and is stopped."""

    def map(self, work: Any, shards: Any) -> Iterator[Any]:
        for shard in shards[:2]:
            yield from work(shard)
        raise KeyboardInterrupt


class Counting:
    def __init__(self) -> None:
        self.shards: list[int] = []

    def map(self, work: Any, shards: Any) -> Iterator[Any]:
        for shard in shards:
            self.shards.append(shard.span.start // measure.SHARD)
            yield from work(shard)


@pytest.mark.parametrize("before", ["", "lengths"], ids=["a new run", "a run that is added to"])
def test_what_was_stopped_waits_while_another_metric_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    monkeypatch.setattr(measure, "SHARD", 10)
    folder, undisturbed = tmp_path / "run", tmp_path / "undisturbed"
    if before:
        assay.score(**NEWS, metrics=before, save=folder)
    with pytest.raises(KeyboardInterrupt):
        assay.score(**NEWS, metrics="chrf", executor=Halfway(), save=folder)
    assay.score(**NEWS, metrics="rouge", save=folder)
    going_on = Counting()
    assay.score(**NEWS, metrics="chrf", executor=going_on, save=folder)
    assert going_on.shards == [2, 3]
    for metrics in filter(None, (before, "rouge", "chrf")):
        assay.score(**NEWS, metrics=metrics, save=undisturbed)
    for whole in (folder, undisturbed):
        (whole / "log.jsonl").unlink()
    assert {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()} == {
        file.relative_to(undisturbed): file.read_bytes() for file in undisturbed.rglob("*") if file.is_file()
    }


@pytest.mark.parametrize("force", [False, True])
def test_a_metric_that_failed_goes_on_from_the_shards_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: bool
) -> None:
    monkeypatch.setattr(measure, "SHARD", 10)
    statistics, broken = Chrf.statistics, [True]

    def breaking(self: Chrf, items: Any) -> Any:
        if broken and items.ids[0] == first_of_last:
            raise ZeroDivisionError
        return statistics(self, items)

    first_of_last = [json.loads(line)["id"] for line in NEWS["examples"].read_text("utf-8").splitlines()][30]
    monkeypatch.setattr(Chrf, "statistics", breaking)
    if force:
        assay.score(**NEWS, metrics="lengths", save=tmp_path / "run")
    result = assay.score(**NEWS, metrics="rouge,chrf", save=tmp_path / "run", force=force)
    assert [missing.metric for missing in result.failed] == ["chrf"]
    broken.clear()
    going_on = Counting()
    assert "chrf" in assay.score(**NEWS, metrics="rouge,chrf", executor=going_on, save=tmp_path / "run").scores
    assert going_on.shards == [3]
    assert not list((tmp_path / "run").rglob("*.partial"))
    assert not (tmp_path / "run" / "unfinished.jsonl").exists()
