"""Claims of outputs: clauses by rule, claims of a chat model, and a judge that decides on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.metrics.support.splitting import claims_of, why_not_split
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
SOURCE = "Acme bought Bolt in March 2019. Revenue was 4 million dollars."
OUTPUT = "Acme bought Bolt in March 2019, and revenue was 7 million dollars."


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Acme bought Bolt and sold Cord to Delta.", ["Acme bought Bolt.", "Acme sold Cord to Delta."]),
        ("Revenue was flat, and profits fell by 5 percent.", ["Revenue was flat.", "Profits fell by 5 percent."]),
        ("Prices rose by 2; wages were flat.", ["Prices rose by 2.", "Wages were flat."]),
        ("He bought used and refurbished cars.", ["He bought used and refurbished cars."]),
        ("Bread and butter is cheap.", ["Bread and butter is cheap."]),
        ("Acme, which was founded in 1990 and sold in 2000, makes cars.", None),
    ],
)
def test_clauses(text: str, claims: list[str] | None) -> None:
    (own,) = claims_of([f"So it is. {text}"], "clauses")
    assert [one.text for one in own[1:]] == (claims or [text])


def test_clauses_have_the_offsets_of_their_part() -> None:
    (own,) = claims_of([OUTPUT], "clauses")
    assert [OUTPUT[one.start : one.end] for one in own] == [
        "Acme bought Bolt in March 2019",
        "revenue was 7 million dollars.",
    ]


def test_unknown_ways() -> None:
    with pytest.raises(AssayError, match="claims=words: unknown; use sentences, clauses, chat:MODEL"):
        why_not_split("words")


@pytest.fixture
def files(here: Run, tmp_path: Path) -> list[str]:
    example = {"id": "1", "contexts": [{"id": "d1", "text": SOURCE}]}
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "1", "output": OUTPUT, "system": "a"}])
    return [str(outputs), "-e", str(write_jsonl(tmp_path / "e.jsonl", [example]))]


def test_clauses_get_verdicts_of_their_own(here: Run, files: list[str], tmp_path: Path) -> None:
    assert here("support", *files, "--json").json["systems"]["a"]["supported"] == 0
    done = here("support", *files, "--claims", "clauses", "-o", str(tmp_path / "s.html"), "--json")
    assert done.json["sentences"] == 2
    assert done.json["systems"]["a"]["supported"] == 0.5
    page = (tmp_path / "s.html").read_text()
    assert '>Acme bought Bolt in March 2019</mark>, and <mark class="contradicted"' in page


def answering(reply: Callable[[str], str]) -> Callable[[int, dict[str, Any]], tuple[int, Any]]:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        asked = body["messages"][-1]["content"]
        return 200, {"choices": [{"message": {"content": reply(asked)}}], "usage": {}}

    return behave


def test_claims_of_a_chat_model(
    here: Run, files: list[str], server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    claims = ["Acme bought Bolt.", "The purchase was in March 2019.", "Revenue was 7 million dollars."]

    def reply(asked: str) -> str:
        assert asked.endswith(f"Sentence: {OUTPUT}")
        return f"Here they are: {json.dumps(claims)}"

    server.behave = answering(reply)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    here("support", *files, "--claims", "chat:m-1", "-o", str(tmp_path / "s.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [row["sentence"] for row in rows] == claims
    assert {(row["start"], row["end"]) for row in rows} == {(0, len(OUTPUT))}
    assert [row["verdict"] for row in rows][::2] == ["supported", "contradicted"]
    server.behave = answering(lambda asked: "I cannot do that.")
    here("support", *files, "--claims", "chat:m-2", "-o", str(tmp_path / "whole.jsonl"))
    (row,) = [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text().splitlines()]
    assert row["sentence"] == OUTPUT


def test_a_judge_decides(
    here: Run, files: list[str], server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def reply(asked: str) -> str:
        assert SOURCE in asked
        wrong = "7 million" in asked.split("Claim:")[1]
        return json.dumps({"support": "contradicted" if wrong else "supported"})

    server.behave = answering(reply)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    checker = f"judge:support:model=m-1:base={server.url}"
    done = here("support", *files, "--claims", "clauses", "--checker", checker, "-o", str(tmp_path / "s.jsonl"))
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [(row["verdict"], row["probability"]) for row in rows] == [("supported", 1), ("contradicted", 0)]
