"""Likelihoods from servers: four dialects on loopback give the values of one reference model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import system
from assay.systems.likelihood_dialects import continuation
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
PIECES = re.compile(r"\s?\w+|\s?[^\w\s]|\s")


def pieces(text: str) -> list[str]:
    return PIECES.findall(text)


def logprob_of(before: str, piece: str) -> float:
    """The reference model: a word is likelier if it has occurred, and shorter words are likelier."""
    return -0.5 * len(piece.strip()) - (0.0 if piece.strip() in before else 1.0)


def scored(text: str) -> list[tuple[str, float | None]]:
    values: list[tuple[str, float | None]] = []
    at = 0
    for piece in pieces(text):
        values.append((piece, logprob_of(text[:at], piece) if at else None))
        at += len(piece)
    return values


def answer(number: int, body: dict[str, Any]) -> tuple[int, Any]:
    """All four servers: a body says which is spoken to."""
    if "content" in body:  # llama.cpp, tokenize
        return 200, {"tokens": [ord(c) for c in body["content"]]}
    if "logit_bias" in body:  # llama.cpp, completion
        ((id, _),) = body["logit_bias"]
        return 200, {"completion_probabilities": [{"id": id, "token": chr(id), "logprob": -0.25 - id / 1000}]}
    if "inputs" in body:
        prefill = [{"id": 1, "text": text, "logprob": value} for text, value in scored(body["inputs"])]
        return 200, {"generated_text": "x", "details": {"prefill": prefill, "tokens": []}}
    values = scored(body["prompt"])
    usage = {"prompt_tokens": len(values), "completion_tokens": 1}
    if "prompt_logprobs" in body:
        listed = [None if v is None else {"7": {"logprob": v, "rank": 1, "decoded_token": t}} for t, v in values]
        return 200, {"choices": [{"text": "!", "prompt_logprobs": listed}], "usage": usage}
    texts, offsets, at = [text for text, _ in values], [], 0
    for text in texts:
        offsets.append(at)
        at += len(text)
    logs = {"tokens": [*texts, "!"], "token_logprobs": [*(v for _, v in values), -9.0], "text_offset": [*offsets, at]}
    return 200, {"choices": [{"text": body["prompt"] + "!", "logprobs": logs}], "usage": usage}


@pytest.fixture
def served(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    server.behave = answer
    return server


ITEMS = [Example(id="a", source="The old port is busy."), Example(id="b", source="Rain fell.")]


@pytest.mark.parametrize("dialect", ["openai", "vllm", "tgi"])
def test_dialects_give_the_values_of_the_model(served: Server, dialect: str) -> None:
    made = system(f"completions:m:base={served.url}:dialect={dialect}:cache=none", form="source")
    first, second = made.logprob(ITEMS, [["port", "old ships"], ["rain"]], ["The", ""])
    assert first[0].tokens == pytest.approx([-0.5 * 4])
    assert first[1].tokens == pytest.approx([-0.5 * 3, -0.5 * 5 - 1])
    assert second[0].tokens == pytest.approx([-0.5 * 4 - 1])
    assert first[0].end is None


def test_llamacpp_is_asked_token_by_token(served: Server) -> None:
    made = system(f"completions:m:base={served.url}:dialect=llamacpp:cache=none", form="source")
    ((first,),) = made.logprob(ITEMS[:1], [["ab"]], [""])
    assert first.tokens == pytest.approx([-0.25 - ord(c) / 1000 for c in " ab"])
    paths = set(served.paths)
    assert paths == {"/tokenize", "/completion"}  # not below /v1


def test_characters_of_several_tokens_are_counted_once() -> None:
    details = {"scored": [("a", None), (" \ufffd", -1.0), ("\ufffd", -2.0), ("b", -3.0)]}
    assert continuation(details, "a éb", 1) == [-1.0, -2.0, -3.0]
    with pytest.raises(AssayError, match="do not spell"):
        continuation({"scored": [("a", None), ("c", -1.0), ("b", -1.0)]}, "a éb", 1)
    with pytest.raises(AssayError, match="do not cover"):
        continuation({"scored": [("b", -3.0)]}, "a éb", 1)


@pytest.mark.parametrize(
    "reply", [{}, {"choices": []}, {"choices": [{"logprobs": None}]}, {"choices": [{"logprobs": {"tokens": [1]}}]},
              {"choices": [{"logprobs": {"tokens": ["a", "b"], "token_logprobs": [None, "x"]}}]}],
)  # fmt: skip
def test_damaged_answers_are_errors(served: Server, reply: Any) -> None:
    served.behave = lambda number, body: (200, reply)
    made = system(f"completions:m:base={served.url}:retries=0:cache=none", form="source")
    with pytest.raises(AssayError, match="texts failed"):
        list(made.logprob(ITEMS[:1], [["x"]], [""]))


def test_choose_and_rank_from_the_command_line(here: Run, served: Server, tmp_path: Path) -> None:
    choice = {"kind": "choice", "prefix": "The", "positive": "port", "negative": "cathedral"}
    write_jsonl(
        tmp_path / "c.jsonl", [{"id": "a", "source": ITEMS[0].source, "input": choice, "tags": {"evaluation": "x"}}]
    )
    spec = f"completions:m:base={served.url}:dialect=vllm"
    call = here(
        "system",
        "choose",
        tmp_path / "c.jsonl",
        "--system",
        spec,
        "--as",
        "source",
        "-o",
        tmp_path / "o.jsonl",
        "--json",
    )
    assert call.code == 0, call.err
    assert call.json["evaluations"]["x"]["correct"] == 1
    ranking = {"kind": "entities", "type": "person", "entities": ["Ada", "Bo"], "background": ["", ""], "title": "t",
               "context": "Ada met Bo.", "candidates": ["bankers", "pilots"], "labels": [0, 1]}  # fmt: skip
    write_jsonl(tmp_path / "r.jsonl", [{"id": "a", "input": ranking, "references": ["pilots"]}])
    call = here(
        "system", "rank", tmp_path / "r.jsonl", "--system", spec, "-o", tmp_path / "p.jsonl", "--ci", 0, "--json"
    )
    assert call.code == 0, call.err
    assert call.json["scores"]["map"]["value"] == 1


def test_metrics_read_a_served_model(
    here: Run, served: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", served.url)
    monkeypatch.chdir(tmp_path)
    write_jsonl(Path("e.jsonl"), [{"id": "a", "source": "The old port.", "references": ["x"]}])
    write_jsonl(Path("o.jsonl"), [{"id": "a", "output": "old cat"}])
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "perplexity:model=completions:m@vllm", "--json")
    score = call.json["scores"]["perplexity"]
    assert score["value"] == pytest.approx(math.exp(2.5))  # the first token has no probability
    assert "model:served-m-vllm" in score["signature"]
    call = here("score", "o.jsonl", "-e", "e.jsonl", "-m", "bartscore:model=completions:m", "--json")
    assert call.json["scores"]["bartscore"]["value"] == pytest.approx((-1.5 - 2.5) / 2), call.err


def chat_answer(number: int, body: dict[str, Any]) -> tuple[int, Any]:
    listed = re.findall(r"^([A-Z])\. (.*)$", body["messages"][-1]["content"], re.MULTILINE)
    words = [letter for letter, text in listed] or ["port", " ship"]
    top = [{"token": word, "logprob": -0.5 - place} for place, word in enumerate(reversed(words))]
    content = [{"token": top[0]["token"], "logprob": -0.5, "top_logprobs": top}]
    return 200, {"choices": [{"message": {"content": "x"}, "logprobs": {"content": content}}], "usage": {}}


def test_a_chat_model_compares_single_tokens(server: Server) -> None:
    server.behave = chat_answer
    made = system(f"chat:m:base={server.url}:cache=none", form="source")
    ((ship, port, none),) = made.logprob(ITEMS[:1], [["ship", "port", "cat"]], ["The"])
    assert (ship.sum(), port.sum(), none.sum()) == (-0.5, -1.5, -1.5)
    assert none.notes
    assert list(made.classify(ITEMS[:1], [["one", "two", "three"]])) == [[-2.5, -1.5, -0.5]]
    with pytest.raises(AssayError, match="use completions:m"):
        list(made.logprob(ITEMS[:1], [["two words"]], [""]))
    with pytest.raises(AssayError, match="at most 26"):
        list(made.classify(ITEMS[:1], [["x"] * 27]))


@pytest.mark.parametrize(
    ("by", "chosen"), [("fixed", ["boats", "trains"]), ("nearest", ["trains", "boats"]), ("random", None)]
)
def test_demonstrations_are_earlier_turns(
    here: Run, server: Server, tmp_path: Path, by: str, chosen: list[str] | None
) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        return 200, {"choices": [{"message": {"content": "x"}}], "usage": {}}

    server.behave = behave
    shots = [
        ("boats", "The harbour was full of boats."),
        ("trains", "A train left the station."),
        ("none", "Snow fell."),
    ]
    write_jsonl(tmp_path / "train.jsonl", [{"id": name, "source": text, "references": [name]} for name, text in shots])
    write_jsonl(tmp_path / "test.jsonl", [{"id": "q", "source": "The harbour is full of boats near the station."}])
    arguments = ("system", "generate", tmp_path / "test.jsonl", "--system", f"chat:m:base={server.url}:cache=none",
                 "-o", tmp_path / "o.jsonl")  # fmt: skip
    call = here(*arguments, "--shots", 2, "--shots-from", tmp_path / "train.jsonl", "--shots-by", by)
    assert call.code == 0, call.err
    turns = [one["content"] for one in server.calls[-1]["messages"] if one["role"] == "assistant"]
    assert len(turns) == 2
    if chosen:
        assert turns == chosen
    info = json.loads((tmp_path / "o.jsonl.info.json").read_text())
    assert info["shots"].startswith(f"2 {by} of 3 (")
    again = here(*arguments)
    assert again.code == 1  # another system: answers with demonstrations are not those without


def test_demonstrations_are_refused_where_they_have_no_effect(here: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "t.jsonl", [{"id": "a", "source": "A.", "references": ["A."]}])
    arguments = ("system", "generate", tmp_path / "t.jsonl", "--system", "lead", "-o", tmp_path / "o.jsonl")
    call = here(*arguments, "--shots", 1, "--shots-from", tmp_path / "t.jsonl")
    assert "takes no demonstrations" in call.err
    assert "give --shots N and --shots-from FILE" in here(*arguments, "--shots", 1).err
    assert "--shots-by requires --shots" in here(*arguments, "--shots-by", "random").err
    chat = ("system", "generate", tmp_path / "t.jsonl", "--system", "chat:m:base=http://localhost:9/v1", "-o",
            tmp_path / "o.jsonl", "--shots", 3, "--shots-from", tmp_path / "t.jsonl")  # fmt: skip
    assert "1 examples with a reference, 3 demonstrations wanted" in here(*chat).err
