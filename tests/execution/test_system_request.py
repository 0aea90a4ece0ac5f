"""Requests to a system: the same from Python and from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.execution.system_request import SystemRequest, generate_outputs
from assay.records import read_outputs
from assay.systems.tasks import Rank
from tests.conftest import Call, write_jsonl

EXAMPLES = [{"id": str(i), "source": f"It rains in {i}. It pours."} for i in range(4)]


def test_command_and_call_give_the_same_outputs(here: Callable[..., Call], tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", EXAMPLES)
    request = SystemRequest(system="lead:k=1", limit=3, name="first")
    made = generate_outputs(examples, request)
    assert [(one.id, one.output, one.system) for one in made] == [
        (str(i), f"It rains in {i}.", "first") for i in range(3)
    ]
    assert assay.generate(examples, "lead:k=1", limit=3, name="first") == made
    out = tmp_path / "o.jsonl"
    options = ("--system", "lead:k=1", "--limit", 3, "--name", "first")
    assert here("system", "generate", examples, *options, "-o", out).code == 0
    assert [(one.id, one.output) for one in read_outputs(out).outputs] == [(one.id, one.output) for one in made]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(AssayError, match=r"limit=0: use 1 or more"):
        SystemRequest(system="lead", limit=0)


def test_a_system_that_cannot_do_the_task_is_refused() -> None:
    with pytest.raises(AssayError, match="cannot rank"):
        SystemRequest(system="lead").open(Rank())


def test_files_are_those_of_training() -> None:
    request = SystemRequest(system="lead", train=Path("t.jsonl"), valid=EXAMPLES)
    assert request.files == [Path("t.jsonl")]
    assert request.but(train=None).files == []
