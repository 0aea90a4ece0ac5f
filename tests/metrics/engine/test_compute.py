"""Metrics that run a model: a text is encoded only once, with one worker or several."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from assay.execution import measure as measuring
from assay.execution.executors import SERIAL, Executor, Processes
from assay.execution.measure import measure
from assay.execution.scoring import score_items
from assay.metrics import Context, Dense, Items, MeanMetric, Metric, MetricRequest, Part, Rows, setting
from assay.models.cache import Cache
from assay.records.types import Example
from assay.specs import Spec
from assay.store.run_folder import RunFolder

SIZE = 32


@dataclass(frozen=True)
class Closeness(MeanMetric):
    """The cosine of synthetic vectors: every word adds a random vector seeded by its digest."""

    salt: int = 0
    batch: int = setting(7)

    name: ClassVar = "closeness"
    category: ClassVar = "semantic"
    summary: ClassVar = "cosine of vectors that mean nothing"

    def parts(self) -> tuple[Part, ...]:
        return (Part("closeness", bounds=(-1.0, 1.0)),)

    def compute(self, items: Items, context: Context) -> Dense:
        def vectors(texts: Sequence[str]) -> Any:
            return np.stack(context.cache.through(f"words-{self.salt}", texts, self.encode))

        outputs = vectors(items.outputs)
        references = vectors([references[0] for references in items.references])
        return self.rows({"closeness": (outputs * references).sum(axis=1).astype(np.float64)})

    def encode(self, texts: list[str]) -> list[Any]:
        """Append the number of texts of each batch to a file that all processes share."""
        for low in range(0, len(texts), self.batch):
            with Path(os.environ["ENCODED"]).open("a") as log:
                log.write(f"{len(texts[low : low + self.batch])}\n")
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Any:
        seeds = [hashlib.blake2b(f"{self.salt} {word}".encode(), digest_size=4).digest() for word in text.split()]
        drawn = [np.random.default_rng(int.from_bytes(seed, "big")).standard_normal(SIZE) for seed in seeds]
        vector = np.sum(drawn, axis=0, dtype=np.float64).astype(np.float32)
        return vector / np.linalg.norm(vector)


ITEMS = Items(
    tuple(f"the cat number {i % 50} sat" for i in range(90)),
    tuple(Example(id=f"i{i}", references=(f"a cat number {i % 30} stood",)) for i in range(90)),
)


@pytest.fixture
def encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ENCODED", str(tmp_path / "encoded"))
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(measuring, "SHARD", 30)
    return tmp_path / "encoded"


def request(**options: int) -> MetricRequest:
    return MetricRequest(Spec("closeness"), Closeness(**options), None)


def rows(executor: Executor = SERIAL, **options: int) -> Rows:
    measured = measure(ITEMS, [request(**options)], executor=executor)
    assert not measured.failed
    return measured.computed[0].rows


def count(log: Path) -> int:
    return sum(map(int, log.read_text().split())) if log.exists() else 0


def test_the_second_run_encodes_nothing(encoded: Path) -> None:
    first = rows()
    assert count(encoded) == 50 + 30  # each different text once
    second = rows(batch=64)
    assert count(encoded) == 80
    assert isinstance(first, Dense)
    assert isinstance(second, Dense)
    assert first.values.tobytes() == second.values.tobytes()
    rows(salt=1)
    assert count(encoded) == 160


def test_two_workers_give_the_same_bytes(encoded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = []
    for name, executor in (("one", SERIAL), ("two", Processes(2)), ("again", SERIAL)):
        if name == "two":
            monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "another cache"))
        folder = RunFolder(tmp_path / name, ITEMS)
        score_items(ITEMS, [request()], executor=executor, folder=folder, command=[])
        folders.append(folder.path)
        encoded.rename(tmp_path / f"encoded by {name}") if encoded.exists() else None
    one, *others = ({file.name: file.read_bytes() for file in (folder / "statistics").iterdir()} for folder in folders)
    assert len(one) == 1
    assert others == [one, one]
    assert count(tmp_path / "encoded by one") == 80
    assert count(tmp_path / "encoded by two") >= 80
    assert not (tmp_path / "encoded by again").exists()


def test_a_damaged_cache_changes_no_number(encoded: Path, tmp_path: Path) -> None:
    first = rows()
    for file in (tmp_path / "cache/assay/values").glob("words-0@*/*"):
        file.write_bytes(file.read_bytes()[:-300] + bytes(300))
    again = rows()
    assert count(encoded) > 80
    assert isinstance(first, Dense)
    assert isinstance(again, Dense)
    assert first.values.tobytes() == again.values.tobytes()


def test_a_setting_is_in_no_signature(encoded: Path) -> None:
    assert "batch" not in Closeness(batch=64).signature("1")
    assert "|salt:0|" in Closeness().signature("1")
    assert Closeness(batch=64) == Closeness()
    assert Closeness(batch=64).stored_as() == Closeness().stored_as()
    assert Closeness(salt=1) != Closeness()


def test_a_pure_metric_needs_no_context(tmp_path: Path) -> None:
    class Nothing(MeanMetric):
        def parts(self) -> tuple[Part, ...]:
            return (Part("nothing"),)

    class Ones(Nothing):
        def statistics(self, items: Items) -> Dense:
            return self.rows({"nothing": np.ones(len(items))})

    context = Context(cache=Cache(tmp_path))
    computed = Metric.compute(Ones(), ITEMS, context)
    assert isinstance(computed, Dense)
    assert computed.values.sum() == 180
    assert not list(tmp_path.iterdir())
    with pytest.raises(NotImplementedError, match="Closeness runs a model: call `compute` with a context"):
        Closeness().statistics(ITEMS)
    with pytest.raises(NotImplementedError, match="Nothing defines neither `statistics` nor `compute`"):
        Nothing().compute(ITEMS, context)


def test_where_models_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DEVICE", "cuda:1")
    assert Context().torch_device() == "cuda:1"
    monkeypatch.delenv("ASSAY_DEVICE")
    assert Context().device == "auto"
    for there, name in ((True, "cuda"), (False, "cpu")):
        cuda = SimpleNamespace(is_available=lambda there=there: there)
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
        assert Context().torch_device() == name
