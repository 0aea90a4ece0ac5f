"""Some faults of every case of the sweep; `make faults` tries all of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.cases import CASES
from tests.faults.sweep import IN_MEMORY, KINDS, Case, Forks, Prepared

EACH = 5
"""Faults of a case, spread over the calls it makes."""
FEWER = {"run": 4, "train": 3}
"""Of commands that take longer, by the beginning of the case's name."""

SLOW = {"train": pytest.mark.slow}
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="faults are put between a program and Linux, with cc"
)


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with Forks() as made:
        yield made


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="assay-faults-", dir=IN_MEMORY) as made:
        yield Path(made)


@pytest.mark.parametrize("case", [pytest.param(case, marks=SLOW.get(case.name, ()), id=case.name) for case in CASES])
def test_nothing_wrong_lost_or_doubled(case: Case, forks: Forks, folder: Path) -> None:
    if case.imports:
        pytest.importorskip("torch" if case.name == "train" else "fastapi")
        with Forks(case.imports) as own:
            some_faults(case, own, folder)
    else:
        some_faults(case, forks, folder)


def some_faults(case: Case, forks: Forks, folder: Path) -> None:
    prepared = Prepared(case, forks, folder / "case")
    count = FEWER.get(case.name.split()[0], EACH)
    step = len(prepared.faults) // count
    step -= 1 - step % 2  # calls have three or four kinds of fault each: all of them come up
    chosen = prepared.faults[CASES.index(case) % step :: step][:count]
    assert len(chosen) == count
    assert [f"{fault}: {why}" for fault in chosen for why in prepared.try_fault(fault)] == []


def test_every_kind_of_fault_happens(forks: Forks, folder: Path) -> None:
    """A sweep that injects nothing would find nothing."""
    case = next(case for case in CASES if case.name == "generate fresh")
    prepared = Prepared(case, forks, folder / "case")
    for kind in KINDS:
        fault = next(fault for fault in prepared.faults if fault.kind == kind and fault.call == "write /g.jsonl.part")
        ended = forks.run(prepared._copy(), case.arguments, fault)
        assert ended.killed if kind.startswith("killed") else ended.code == 1
        if kind.endswith("disk"):
            assert {"full disk": "No space left", "broken disk": "Input/output error"}[kind] in ended.err
