"""FEQA: blanks of an output, filled from its source by words, by a chat model, or by an extractive model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.metrics.faithfulness.feqa import by_overlap, clozes
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
SOURCE = "Mayor Ada Reed opened the port on Friday. Storms damaged 12 boats. Bo Lind paid for the crane in March."


def test_each_mention_is_a_blank() -> None:
    made = clozes("Bo Lind opened the port on Friday with 12 boats.")
    assert [(one.answer, one.kind) for one in made] == [("Bo Lind", 0), ("12", 1), ("Friday", 2)]
    assert made[1].question == "Bo Lind opened the port on Friday with _____ boats."


def test_blanks_are_filled_by_the_sentence_that_shares_most_words() -> None:
    wrong, right = clozes("Bo Lind opened the port. Ada Reed opened the port.")
    assert "reed" in by_overlap(wrong, SOURCE).lower()
    assert "reed" in by_overlap(right, SOURCE).lower()
    (nothing,) = clozes("Cleo Vale sang.")
    assert by_overlap(nothing, SOURCE) == ""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    outputs = ["Storms damaged 12 boats.", "Storms damaged 30 boats.", "", "It rained."]
    write_jsonl(Path("e.jsonl"), [{"id": str(i), "source": SOURCE, "language": "en"} for i in range(4)])
    write_jsonl(Path("o.jsonl"), [{"id": str(i), "output": text} for i, text in enumerate(outputs)])
    return tmp_path


def test_wrong_numbers_cost(here: Run, files: Path) -> None:
    """One right, one wrong, one empty; the item without mentions is left out."""
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "feqa", "--json")
    score = call.json["scores"]["feqa"]
    assert score["value"] == pytest.approx(1 / 3)
    assert "|qa:overlap|" in score["signature"]


def test_a_chat_model_fills_the_blanks(here: Run, files: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        asked = body["messages"][-1]["content"]
        assert SOURCE in asked
        assert "Storms damaged _____ boats." in asked
        return 200, {"choices": [{"message": {"content": "12"}}], "usage": {}}

    server.behave = behave
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "feqa:qa=chat:judge-1", "--json")
    score = call.json["scores"]["feqa"]
    assert score["value"] == pytest.approx(1 / 3)
    assert "|qa:chat-judge-1-" in score["signature"]
    server.behave = lambda number, body: (200, {"choices": [{"message": {"content": "Unanswerable."}}], "usage": {}})
    monkeypatch.setenv("ASSAY_CACHE", str(files / "other"))
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "feqa:qa=chat:judge-2", "--json")
    assert call.json["scores"]["feqa"]["value"] == 0


def test_without_a_server_it_is_skipped(here: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "feqa:qa=chat:judge-1", "--json")
    assert "OPENAI_BASE_URL" in call.json["skipped"][0]["why"]
