"""Ratings by a model from Python: the judgements, their counts and what stays unscored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.execution.judging import JudgeRequest, answers_file, rate_outputs
from assay.execution.system_request import SystemRequest
from assay.records import read_judgements
from tests.support.systems_fixtures import Server

EXAMPLES = [{"id": str(i), "source": f"source {i}"} for i in range(3)]
OUTPUTS = {str(i): f"text {i}" for i in range(3)}


def request(server: Server) -> JudgeRequest:
    spec = f"chat:toy:base={server.url}:backoff=0.01:retries=0:concurrency=1:cache=none"
    return JudgeRequest(model=SystemRequest(system=spec, name="toy"), examples=EXAMPLES, criterion="fluency")


def test_ratings_are_written_and_counted(server: Server, tmp_path: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        asked = body["messages"][-1]["content"]
        return 200, server.answer("perhaps" if "text 1" in asked else "Rating: 2" if "text 0" in asked else "Rating: 5")

    server.behave = behave
    out = tmp_path / "j.jsonl"
    rated = rate_outputs(OUTPUTS, request(server), out)
    assert (rated.annotator, rated.unscored, rated.mean) == ("toy", ["1"], 3.5)
    assert rated.counts == {2.0: 1, 5.0: 1}
    assert read_judgements(out) == rated.judgements
    assert answers_file(out).name == "j.answers.jsonl"
    assert answers_file(out).exists()


def test_answers_without_any_rating_are_an_error(server: Server, tmp_path: Path) -> None:
    server.behave = lambda number, body: (200, server.answer("no idea"))
    with pytest.raises(AssayError, match=r"none of 3 answers has a rating from 1-5 \(id 0: 'no idea'\)"):
        rate_outputs(OUTPUTS, request(server), tmp_path / "j.jsonl")
