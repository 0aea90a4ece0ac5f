"""Forms on the command line: every kind of answer, failures by kind, plans, limits, and nothing asked twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.records import read_judgements
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]
N = 4
Files = tuple[Path, Path, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    examples = [{"id": str(i), "source": f"source {i}", "references": [f"reference {i}"]} for i in range(N)]
    texts = {
        name: [{"id": str(i), "output": f"{name} {i}", "system": name} for i in range(N)] for name in ("good", "bad")
    }
    made = [write_jsonl(tmp_path / f"{name}.jsonl", rows) for name, rows in texts.items()]
    return write_jsonl(tmp_path / "e.jsonl", examples), made[0], made[1]


def arguments(files: Files, server: Server, form: str, *outputs: Path, options: str = "") -> list[Any]:
    spec = f"chat:toy:base={server.url}:backoff=0.01:retries=0:concurrency=1:cache=none{options}"
    return ["judge", "run", *(outputs or files[1:2]), "-e", files[0], "--system", spec, "--form", form, "--name", "toy"]


def said(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def test_several_criteria_in_one_call_or_one_each(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    values = {"coherence": 1, "consistency": 2, "fluency": 3, "relevance": 4}
    server.behave = lambda number, body: (200, server.answer(json.dumps(
        {"reason": "", **{name: value for name, value in values.items() if f"{name}:" in said(body)}}
    )))  # fmt: skip
    call = here(*arguments(files, server, "summary"), "-o", tmp_path / "j.jsonl", "--json")
    assert (call.code, call.json["n"], call.json["means"]) == (0, N, values)
    assert call.json["form"].startswith("summary-1-")
    assert "prompt" not in call.json  # the form is asked, and no prompt
    assert server.calls[0]["response_format"]["json_schema"]["schema"]["required"] == ["reason", *values]
    each = here(*arguments(files, server, "summary"), "--each", "-o", tmp_path / "k.jsonl", "--json")
    assert (each.json["n"], each.json["means"]) == (4 * N, values)
    one = here(*arguments(files, server, "summary"), "--criterion", "fluency", "-o", tmp_path / "l.jsonl", "--json")
    assert one.json["means"] == {"fluency": 3}
    assert {each.method for each in read_judgements(tmp_path / "j.jsonl")} == {"judge"}


def test_pairs_are_asked_in_both_orders(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        first = "good" in said(body).partition("First output:\n")[2].partition("\n")[0]
        return 200, server.answer('{"reason": "", "preference": "%s"}' % ("first" if first else "second"))

    server.behave = behave
    out = tmp_path / "j.jsonl"
    assert here(*arguments(files, server, "pairwise", *files[1:]), "-o", out).code == 0
    assert len(server.calls) == 2 * N
    rows = read_judgements(out)
    assert {(row.system, row.value) for row in rows} == {("good", 1.0), ("bad", 0.0)}
    assert {(row.unit, row.position) for row in rows if row.system == "good"} == {
        ("against:bad", 1),
        ("against:bad", 2),
    }
    same = write_jsonl(tmp_path / "same.jsonl", [
        {"id": str(i), "output": f"good {i}" if i else "else", "system": "same"} for i in range(N)
    ])  # fmt: skip
    some = here(*arguments(files, server, "pairwise", files[1], same), "-o", tmp_path / "s.jsonl")
    assert "3 pairs of identical outputs are not judged" in some.err
    assert "2 of 2 comparisons rated" in some.out
    assert "two or more systems" in here(*arguments(files, server, "pairwise"), "-o", tmp_path / "k.jsonl").err


def test_rankings_and_spans(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        if "Output A:" in said(body):
            best = "A" if "Output A:\ngood" in said(body) else "B"
            return 200, server.answer(f'{{"rank": "{best} > {"B" if best == "A" else "A"}"}}')
        error = {"text": "good", "category": "wording", "severity": "major"}
        errors = [error, error | {"text": "absent"}] if "good 0" in said(body) else [error]
        return 200, server.answer(json.dumps({"errors": errors}))

    server.behave = behave
    assert here(*arguments(files, server, "ranking", *files[1:]), "-o", tmp_path / "r.jsonl").code == 0
    assert {(row.system, row.value) for row in read_judgements(tmp_path / "r.jsonl")} == {("good", 1.0), ("bad", 2.0)}
    spans = here(*arguments(files, server, "error-spans"), "-o", tmp_path / "s.jsonl")
    assert "1 of 5 marked errors quote words that are not in the output" in spans.err
    rows = read_judgements(tmp_path / "s.jsonl")
    assert {(row.criterion, row.value, row.unit) for row in rows} == {
        ("errors", 10.0, "summary"), ("errors", 5.0, "summary"), ("errors.spans", "wording/major", "span:0-4")
    }  # fmt: skip


def test_failures_are_counted_by_kind_and_asked_again_on_request(
    here: Run, server: Server, files: Files, tmp_path: Path
) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        if "good 0" in said(body):
            return 200, "slow"
        if "good 1" in said(body):
            return 200, server.answer("I'm sorry, but I cannot rate this.")
        return 200, server.answer("who knows" if "good 2" in said(body) else '{"fluency": 4}')

    server.behave = behave
    out = tmp_path / "j.jsonl"
    command = arguments(files, server, "fluency", options=":timeout=0.3")
    call = here(*command, "-o", out, "--json")
    assert call.json["failures"] == {"timeout": 1, "refusal": 1, "unreadable": 1}
    assert (call.json["scored"], call.json["mean"]) == (1, 4.0)
    assert len(read_judgements(out)) == 1
    count = len(server.calls)
    again = here(*command, "-o", out)
    assert len(server.calls) == count
    assert "1 timeout, 1 refusal of 4 calls stay unscored" in again.err
    assert "," not in again.err.partition("unscored (")[2].partition(")")[0]  # only what could not be parsed is named
    server.behave = lambda number, body: (200, server.answer('{"fluency": 2}'))
    retried = here(*command, "-o", out, "--retry-failed", "--json")
    assert (retried.json["scored"], retried.json["reused"], len(server.calls)) == (4, 1, count + 3)


def test_an_unreadable_answer_is_asked_once_more(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    server.behave = lambda number, body: (
        200, server.answer('{"fluency": 3}' if "cannot be used" in said(body) else "hm")
    )  # fmt: skip
    call = here(*arguments(files, server, "fluency"), "--retry", 1, "-o", tmp_path / "j.jsonl", "--json")
    assert (call.json["scored"], call.json["asked_again"], len(server.calls)) == (N, N, 2 * N)
    assert call.json["tokens_in"] == 7 * 2 * N  # both calls are paid


def test_draws_and_expected_ratings(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    top = [{"token": "4", "logprob": -0.6931}, {"token": "2", "logprob": -0.6931}]
    answer = server.answer("4")
    answer["choices"][0]["logprobs"] = {"content": [{"token": "4", "logprob": -0.7, "top_logprobs": top}]}
    server.behave = lambda number, body: (200, answer)
    out = tmp_path / "j.jsonl"
    command = arguments(files, server, "fluency", options=":temperature=0.7")
    assert here(*command, "--draws", 2, "--expected", "-o", out).code == 0
    rows = read_judgements(out)
    assert {row.annotator for row in rows} == {"toy", "toy#2"}
    assert [row.value for row in rows] == pytest.approx([3.0] * 2 * N)
    assert {body["seed"] for body in server.calls} == {0, 1}
    server.behave = lambda number, body: (200, server.answer("4"))
    plain = here(*arguments(files, server, "fluency"), "--expected", "-o", tmp_path / "k.jsonl")
    assert f"{N} of {N} answers have no token probabilities; their ratings are as written" in plain.err
    assert "temperature 0 are equal" in here(*arguments(files, server, "fluency"), "--draws", 2, "-o", out).err


def test_plans_cost_nothing(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    command = arguments(files, server, "fluency", options=":price_in=1:price_out=2:max_tokens=100")
    call = here(*command, "--plan", "-o", tmp_path / "j.jsonl", "--json")
    assert (call.code, call.json["calls"], call.json["stored"]) == (0, N, 0)
    assert call.json["cost"] == pytest.approx((call.json["tokens_in"] + 2 * 100 * N) / 1e6)
    assert not server.calls
    assert not (tmp_path / "j.answers.jsonl").exists()


def test_what_does_not_fit_is_refused(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    out = ["-o", tmp_path / "j.jsonl"]
    assert here(*arguments(files, server, "fluency"), "--scale", "1-9", *out).code == 2
    assert here(*arguments(files, server, "fluency")[:-4], *out).code == 2  # neither form nor criterion
    local = ["judge", "run", files[1], "-e", files[0], "--system", "hf:nothing", "--form", "fluency", "--rate", 1, *out]
    assert "setting of endpoints" in here(*local).err
    assert "needs the prices" in here(*arguments(files, server, "fluency"), "--max-cost", 1, *out).err


def test_any_program_is_a_judge(here: Run, files: Files, tmp_path: Path) -> None:
    program = tmp_path / "judge.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    good = 'good 1' in asked['messages'][-1]['content']\n"
        "    print(json.dumps({'id': asked['id'], 'output': json.dumps({'fluency': 5 if good else 2})}))\n"
    )
    command = [
        "judge",
        "run",
        files[1],
        "-e",
        files[0],
        "--form",
        "fluency",
        "--name",
        "mine",
        "-o",
        tmp_path / "j.jsonl",
    ]
    call = here(*command, "--system", f"cmd:{sys.executable} {program}", "--json")
    assert call.code == 0, call.err
    assert call.json["mean"] == (5 + 2 * (N - 1)) / N


def test_synthetic_judgements_show_both_answers(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    assert here("data", "synthesize", "judgements", "--size", 40, "-o", path, "--json").json["judgements"] == 600
    judges = here("judge", "validate", path, "--own", "own", "--json").json["judges"]
    assert {name: judge["verdict"] for name, judge in judges.items()} == {"fair": "yes", "partial": "no"}
    assert judges["partial"]["biases"]["self_preference"]["low"] > 0
    assert here("data", "synthesize", "judgements", "--split", "test", "-o", tmp_path / "x.jsonl").code == 2


def test_failures_asked_again_are_requested_and_never_lost(
    here: Run, server: Server, files: Files, tmp_path: Path
) -> None:
    declined = {"error": {"code": "content_filter", "message": "The response was filtered"}}

    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        if "good 0" in said(body):
            return 400, declined
        return 200, server.answer("hm" if "good 1" in said(body) else '{"fluency": 4}')

    server.behave = behave
    command = arguments(files, server, "fluency")
    command[command.index("--system") + 1] = f"chat:toy:base={server.url}:retries=0:cache={tmp_path / 'cache'}"
    command += ["-o", tmp_path / "j.jsonl", "--json"]
    assert here(*command).json["failures"] == {"refusal": 1, "unreadable": 1}
    server.calls.clear()
    again = here(*command, "--retry-failed")
    assert (again.code, again.json["failures"]) == (0, {"refusal": 1, "unreadable": 1})
    assert len(server.calls) == 2  # the cache does not answer for the server
    server.behave = lambda number, body: (401, {})
    assert here(*command, "--retry-failed").code == 1
    assert here(*command).json["failures"] == {"refusal": 1, "unreadable": 1}


def test_an_unreadable_answer_is_asked_once_more_by_default(
    here: Run, server: Server, files: Files, tmp_path: Path
) -> None:
    server.behave = lambda number, body: (200, server.answer("hm"))
    spec = f"chat:toy:base={server.url}:cache=none"
    command = ["judge", "run", files[1], "-e", files[0], "--system", spec, "--form", "fluency", "-o"]
    assert "none of 4 answers" in here(*command, tmp_path / "j.jsonl").err
    assert len(server.calls) == 2 * N


def test_items_without_what_the_form_shows_are_refused(here: Run, server: Server, files: Files, tmp_path: Path) -> None:
    server.behave = lambda number, body: (200, server.answer('{"faithfulness": 4, "preference": "equal"}'))

    def run(form: str, rows: list[dict[str, Any]]) -> Call:
        examples = write_jsonl(tmp_path / "own.jsonl", rows)
        return here(
            *arguments((examples, *files[1:]), server, form, *files[1:]), "-o", tmp_path / "own-j.jsonl", "--force"
        )

    some = [{"id": str(i), **({"source": "text"} if i else {})} for i in range(N)]
    assert (
        "form faithfulness shows the source, and 1 of 4 items have none (id 0 first)" in run("faithfulness", some).err
    )
    assert (
        "shows the reference, and 4 of 4"
        in run("pairwise-reference", [{"id": str(i), "source": "t"} for i in range(N)]).err
    )
    assert not server.calls
    chat = [{"id": str(i), "messages": [{"role": "user", "content": "where to"}]} for i in range(N)]
    assert run("faithfulness", chat).code == 0
    assert "user: where to" in said(server.calls[0])
