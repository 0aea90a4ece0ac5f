"""Baselines, and the two ways to bring a system of one's own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import SYSTEMS, system
from assay.systems.command import Call as CallSystem
from assay.systems.command import of_function
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]

DOCUMENT = Example(id="d", source="One fox ran. Two dogs sat there. A third went home.", references=("Two dogs sat.",))
SLOTS = Example(
    id="s",
    input={"kind": "slots", "act": None, "slots": [["name", "Alto"], ["area", "city"], ["family friendly", "no"]]},
)
TRIPLES = Example(id="t", input={"kind": "triples", "triples": [["Alan_Bean", "birthPlace", "Wheeler,_Texas"]]})


def texts(spec: str, *examples: Example, train: list[Example] | None = None) -> list[str]:
    made = system(spec)
    made.prepare(train or [])
    return [answer.text for answer in made.generate(examples)]


@pytest.mark.parametrize(
    ("spec", "example", "text"),
    [
        ("copy", DOCUMENT, DOCUMENT.source),
        ("copy", SLOTS, "name[Alto], area[city], family friendly[no]"),
        ("lead:k=2", DOCUMENT, "One fox ran. Two dogs sat there."),
        ("oracle-extract:budget=4", DOCUMENT, "Two dogs sat there."),
        ("template", SLOTS, "Alto has area city and is not family friendly."),
        ("template", TRIPLES, "Alan Bean has birth place Wheeler, Texas."),
        ("gold", DOCUMENT, "Two dogs sat."),
    ],
)
def test_baselines(spec: str, example: Example, text: str) -> None:
    assert texts(spec, example) == [text]


def test_lead_takes_the_documents_own_sentences() -> None:
    event = Example(id="e", source="a. b. c", input={"kind": "event", "document": ["a. b.", "c"], "template": {}})
    assert texts("lead:k=1", event) == ["a. b."]


@pytest.mark.parametrize(
    ("spec", "text", "language", "first"),
    [
        ("lead:k=1", "Dr. Smith of Acme Inc. left.", None, "Dr. Smith of Acme Inc. left."),
        ("lead:k=1", "Он пришёл в 1998 г. домой. Она ушла.", None, "Он пришёл в 1998 г. домой."),
        ("lead:k=1", "Am 3. Oktober kam er. Sie ging.", "de", "Am 3. Oktober kam er."),
        ("random-sentence", "Dr. Smith of Acme Inc. left.", "en", "Dr. Smith of Acme Inc. left."),
        ("lead:k=1:splitter=capitals", "Dr. Smith of Acme Inc. left.", None, "Dr."),
        ("lead:mucsum", "A. B. C. D.", None, "A. B. C."),
    ],
)
def test_sources_are_cut_into_sentences(spec: str, text: str, language: str | None, first: str) -> None:
    assert texts(spec, Example(id="x", source=text, language=language)) == [first]


def test_chance_depends_on_seed_and_item_alone() -> None:
    others = [Example(id=str(i), source=DOCUMENT.source) for i in range(20)]
    alone = texts("random-sentence:seed=4", others[7])
    assert texts("random-sentence:seed=4", *others)[7:8] == alone
    assert len({*texts("random-sentence:seed=4", *others)}) == 3
    assert texts("random-sentence:seed=4", *others) != texts("random-sentence:seed=5", *others)


def test_frequency_counts_examples_not_mentions() -> None:
    train = [Example(id=str(i), references=refs) for i, refs in enumerate([("a", "a", "b"), ("a",), ("c",)])]
    made = system("frequency")
    made.prepare(train)
    assert next(made.classify([DOCUMENT], [["b", "a", "x"]])) == [1.0, 2.0, 0.0]
    assert texts("frequency", DOCUMENT, train=train) == ["a"]


def test_ngram_probabilities_by_hand() -> None:
    made = system("ngram:n=2")
    made.prepare([Example(id="1", references=("a b", "a c"))])
    (scored,) = next(made.logprob([DOCUMENT], [["b"]], ["a"]))
    # words a b c <s> </s> <unk>; "a b" was seen once, "a" twice as a context
    assert scored.tokens == pytest.approx([-1.386294361], abs=1e-9)  # log(2/8)
    assert scored.sum() == scored.tokens[0]
    assert scored.mean(end=True) == pytest.approx((scored.tokens[0] + (scored.end or 0)) / 2)


@pytest.mark.parametrize(
    ("spec", "example", "message"),
    [
        ("oracle-extract", Example(id="x", source="a b."), "id x: the oracle needs references"),
        (
            "template",
            DOCUMENT,
            "id d: the template baseline requires slots, triples, event, acts, table, concepts, events",
        ),
        ("template", Example(id="x", input={"kind": "slots", "slots": [["a", ""]]}), "id x: nothing is filled in"),
        ("template", Example(id="x", input={"kind": "event", "template": {}}), "id x: nothing is filled in"),
        ("template", Example(id="x", input={"kind": "event", "document": ["a"]}), "id x: nothing is filled in"),
        ("template", Example(id="x", input={"kind": "triples"}), "id x: input.triples is missing"),
        ("random", DOCUMENT, "--train"),
        ("frequency", DOCUMENT, "training examples have none"),
        ("ngram", DOCUMENT, "system ngram cannot generate; it can logprob, classify"),
    ],
)
def test_what_a_baseline_cannot_do_is_said(spec: str, example: Example, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        texts(spec, example)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lead:k=0", "system lead: k=0 must be at least 1"),
        ("random-sentence:k=-1", "k=-1 must be at least 1"),
        ("oracle-extract:budget=0", "budget=0 must be at least 1"),
        ("frequency:nbest=0", "nbest=0 must be at least 1"),
        ("ngram:n=0", "n=0 must be at least 1"),
        ("logistic:only=20", "only=20 must be from 0 to 15"),
        ("logistic:epochs=0", "epochs=0 must be at least 1"),
        ("logistic:lr=nan", "lr=nan must be"),
        ("hf:lr=0.1", "if lr=0.1 is its path, write hf:path=lr=0.1"),
        ("hf:runs/lr=0.1:beams=2", "write hf:path=runs/lr=0.1"),
        ("hf:beems=2", "did you mean beams"),
        ("hf:1337", "a folder is written hf:./1337"),
    ],
)
def test_options_out_of_range_and_names_that_look_like_options(spec: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        system(spec)


def test_names_and_options() -> None:
    assert {"copy", "lead", "hf", "chat", "cmd"} <= set(SYSTEMS)
    assert system("chat:m:base=http://localhost:8000/v1:max_tokens=5").options()["base"] == "http://localhost:8000/v1"
    assert system("cmd:./my.sh --x=1:2 'a b'").options()["line"] == "./my.sh --x=1:2 'a b'"
    with pytest.raises(AssayError, match="did you mean lead"):
        system("laed")
    with pytest.raises(AssayError, match="no option j"):
        system("lead:j=3")


SCRIPT = """
import json, sys
for line in sys.stdin:
    one = json.loads(line)
    if one["do"] == "generate":
        print(json.dumps({"id": one["id"], "output": one["text"].upper()}), flush=True)
    elif one["do"] == "classify":
        print(json.dumps({"id": one["id"], "scores": [len(text) for text in one["candidates"]]}))
    else:
        print(json.dumps({"id": one["id"], "logprobs": [[-1.0, -2.0] for _ in one["continuations"]]}))
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "mine.py"
    file.write_text(SCRIPT, encoding="utf-8")
    return f"cmd:{sys.executable} {file}"


def test_a_command_has_all_abilities(script: str) -> None:
    made = system(script)
    assert [answer.text for answer in made.generate([DOCUMENT])] == [str(DOCUMENT.source).upper()]
    assert list(made.classify([DOCUMENT], [["a", "bbb"]])) == [[1.0, 3.0]]
    (scored,) = made.logprob([DOCUMENT], [["a", "b"]], [""])
    assert [one.sum() for one in scored] == [-3.0, -3.0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cmd:", "name the command"),
        ("cmd:./no-such-thing", "cannot be started"),
        ("cmd:false", "1 of 1 items unanswered, d first"),
        ("cmd:echo hello", "no JSON object with an id"),
        ('cmd:echo \'{"id": "z", "output": ""}\'', "about id z, which was not requested"),
        ('cmd:echo \'{"id": "d", "output": 3}\'', "no text under 'output'"),
        ("cmd:'open", "not a command line"),
        ('cmd:echo \'{"id": "d", "output": "\\ud800"}\'', "unpaired surrogate"),
    ],
)
def test_bad_commands_are_named(line: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        list(system(line).generate([DOCUMENT]))


def test_any_callable_is_a_system() -> None:
    def shout(request: dict[str, Any]) -> str:
        return str(request["text"]).upper()

    assert next(of_function(shout).generate([DOCUMENT])).text.startswith("ONE FOX")

    def broken(request: dict[str, Any]) -> str:
        return str(request["nothing"])

    with pytest.raises(AssayError, match=r"call:.*broken id d: KeyError: 'nothing'"):
        next(of_function(broken).generate([DOCUMENT]))
    with pytest.raises(AssayError, match="cannot be imported"):
        next(system("call:no.such.thing").generate([DOCUMENT]))
    with pytest.raises(AssayError, match="cannot be called"):
        next(system("call:math.pi").generate([DOCUMENT]))


@pytest.mark.parametrize("scores", ['["1", "2"]', "[1, NaN]", "[1]", "[1, null]", "5"])
def test_scores_must_be_numbers(scores: str) -> None:
    made = system(f"""cmd:echo '{{"id": "d", "scores": {scores}, "logprobs": {scores}}}'""")
    with pytest.raises(AssayError, match="id d: needs 2 finite numbers under 'scores'"):
        list(made.classify([DOCUMENT], [["a", "b"]]))
    with pytest.raises(AssayError, match="id d: needs 2 finite numbers under 'logprobs'"):
        list(made.logprob([DOCUMENT], [["a", "b"]], [""]))


@pytest.mark.parametrize("spec", [f"cmd:{sys.executable} mine.py", "cmd:./run --code=mine.py", "call:mine.shout"])
def test_a_program_that_changed_is_another_one(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    code = "def shout(one): return one['text'].upper()\n"
    Path("mine.py").write_text(code)
    before = system(spec).fingerprint()
    assert system(spec).fingerprint() == before
    assert system(spec, seed=2).fingerprint() != before
    Path("mine.py").write_text(code + "# other\n")
    assert system(spec).fingerprint() != before
    monkeypatch.delitem(sys.modules, "mine", raising=False)


def test_an_open_quote_is_no_traceback(here: Run, tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "s"}])
    call = here("system", "generate", examples, "--system", "cmd:./my.sh 'x", "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "not a command line" in call.err


def test_the_seed_is_sent() -> None:
    told = system("call:none", seed=7)
    assert isinstance(told, CallSystem)
    told.function = lambda request: str(request["seed"])
    assert next(told.generate([DOCUMENT])).text == "7"
    assert system("cmd:./my.sh --x:seed=3", seed=7).seed == 7


@pytest.mark.parametrize("spec", ["lead", "random-sentence", "oracle-extract"])
def test_an_empty_source_gives_an_empty_text(spec: str) -> None:
    assert texts(spec, Example(id="x", source=" ", references=("a",))) == [""]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            {"kind": "acts", "service": "Buses", "context": [], "acts": [
                {"act": "OFFER", "slot": "departure_time", "values": ["8:30 am"]},
                {"act": "REQUEST", "slot": "fare_type", "values": []},
                {"act": "CONFIRM", "slot": "city", "values": ["Bonn"]},
                {"act": "NOTIFY_FAILURE", "slot": None, "values": []},
            ]},
            "The departure time is 8:30 am. Which fare type? Is the city Bonn? Notify failure.",
        ),
        ({"kind": "concepts", "concepts": ["dog", "ball", "park"]}, "There is dog, ball and park."),
        (
            {"kind": "table", "page_title": "Ann Lee", "highlighted": [[1, 0], [1, 1]], "table": [
                [{"value": "Year", "is_header": True}, {"value": "Club", "is_header": True}],
                [{"value": "1999"}, {"value": "Rovers"}],
            ]},
            "Ann Lee has Year 1999 and has Club Rovers.",
        ),
        (
            {"kind": "events", "templates": [
                {"type": "bombing", "PerpInd": [[{"text": "a man", "start": 0}, {"text": "he", "start": 9}]],
                 "Target": [[{"text": "the bridge", "start": 20}], [{"text": "a bus", "start": 40}]]},
            ]},
            "bombing: perp ind a man; target the bridge, a bus.",
        ),
    ],
)  # fmt: skip
def test_the_template_realises_every_structured_input(data: dict[str, object], expected: str) -> None:
    assert texts("template", Example(id="x", input=data)) == [expected]
