"""FEQA: blanks of an output, filled from its source by words, by a chat model, or by an extractive model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.fit_cloze_reader import Question, fit, of_articles

from assay.metrics.faithfulness.cloze_reader import FEATURES, by_reader, features, read_source, reader_weights
from assay.metrics.faithfulness.clozes import by_overlap, clozes
from assay.records import Example
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


def test_the_reader_weighs_the_words_around_a_mention() -> None:
    """Word overlap alone takes the first of two sentences that share one word; the reader also sees what is next to
    the blank, and how often a name occurs."""
    source = "The harbour was shown to Ada Reed. In spring it was Bo Lind who opened the harbour. They met Bo Lind."
    (cloze,) = clozes("Then Carl Vale opened the harbour.")
    matches = features(cloze, read_source(source))
    assert set(matches) == {"Ada Reed", "Bo Lind"}
    assert all(len(row) == len(FEATURES) for rows in matches.values() for row in rows)
    assert by_reader(cloze, source) == "Bo Lind"
    (nothing,) = clozes("It cost 12 euros.")
    assert by_reader(nothing, source) == ""  # no mention of this kind


def test_a_question_is_no_evidence_for_itself() -> None:
    """The sentence that a question was made from is out of the words, the mentions and their numbers."""
    source = read_source("Ada Reed sang in Norby. Bo Lind met Ada Reed. It rained.")
    rest = source.without(0)
    assert [one.sentence for one in rest.clozes] == [1, 1]
    assert rest.mentions == {(0, "bo lind"): 1, (0, "ada reed"): 1}
    assert "sang" not in rest.rarity
    assert source.mentions[0, "ada reed"] == 2


def test_the_fit_recovers_what_was_planted() -> None:
    """In a corpus in which the answer follows the same word, the words on the left decide."""

    def questions(names: list[str]) -> list[Question]:
        pairs = [(one, two) for one in names for two in names if one != two]
        texts = [f"We saw mayor {a} on a pier. Rain fell upon baker {b}. Later mayor {a} left. So did baker {b}."
                 for a, b in pairs]  # fmt: skip
        return list(of_articles([Example(id=text, source=text) for text in texts]))

    weights = fit(questions(["Ada", "Bo", "Cleo", "Dan", "Eva", "Finn"]))
    assert set(weights) == set(FEATURES) == set(reader_weights())
    vector = [weights[name] for name in FEATURES]
    held_out = questions(["Gia", "Hal", "Ivo"])
    assert len(held_out) > 12
    for one in held_out:
        scores = {name: max(np.array(rows) @ vector) for name, rows in one.matches.items()}
        assert max(scores, key=lambda name: scores[name]) == one.cloze.answer


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
    reader = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "feqa:qa=reader", "--json").json["scores"]["feqa"]
    assert reader["value"] == pytest.approx(1 / 3)
    assert "|qa:reader-" in reader["signature"]


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
