"""`assay challenge make`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    rows = [
        {"id": f"t{i}", "source": f"The {i}th day was dry" + "." * (i < 3), "references": ["Dry."]} for i in range(4)
    ]
    return write_jsonl(tmp_path / "texts.jsonl", rows)


def test_items_name_their_parents(here: Run, texts: Path) -> None:
    out = texts.with_name("changed.jsonl")
    call = here("challenge", "make", "no-punctuation", texts, "-o", out)
    assert (call.code, call.err) == (0, "")
    assert call.out.startswith(f"3 perturbed examples in {out}; 1 item could not be changed\nNext: ")
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["parent"] for row in rows] == ["t0", "t1", "t2"]
    assert all(not row["source"].endswith(".") for row in rows)


def test_json_and_size(here: Run, texts: Path) -> None:
    out = texts.with_name("changed.jsonl")
    call = here("challenge", "make", "no-punctuation", texts, "--size", 2, "--seed", 3, "-o", out, "--json")
    assert call.json["examples"] == 2
    assert call.json["seed"] == 3
    assert set(call.json["unchanged"]) <= {"t3"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("scramble",), 1, "scramble changes inputs of the kinds triples"),
        (("no-punctation",), 1, "did you mean no-punctuation?"),
        (("no-punctuation:rate=2",), 1, "no option rate"),
        (("no-punctuation", "--option", "rate=2"), 1, "no option rate"),
        (("no-punctuation", "--size", "0"), 2, "--size"),
    ],
)
def test_what_cannot_be_done_is_said(here: Run, texts: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    call = here("challenge", "make", arguments[0], texts, *arguments[1:], "-o", texts.with_name("out.jsonl"))
    assert call.code == code
    assert said in call.err
    assert not texts.with_name("out.jsonl").exists()


def test_a_bad_input_is_named_by_file_and_line(here: Run, tmp_path: Path) -> None:
    good = {"kind": "triples", "triples": [["a", "b", "c"], ["d", "e", "f"]]}
    bad = {"kind": "triples", "triples": [["a", "b", "c"], ["d", "e"]]}
    path = write_jsonl(tmp_path / "facts.jsonl", [{"id": "a", "input": good}, {"id": "a b", "input": bad}])
    said = f"{path}:2 id a b: input.triples[1] has 2 entries, not 3"
    assert said in here("challenge", "make", "scramble", path, "-o", tmp_path / "o.jsonl").err
    assert said in here("system", "generate", path, "--system", "copy", "-o", tmp_path / "o.jsonl").err
    path = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "It rained."}, {"id": "b", "source": ""}])
    call = here("data", "filter", path, "--strategy", "lead", "--budget", 5, "-o", tmp_path / "f.jsonl")
    assert f"{path}:2 id b: no source to filter" in call.err


def test_nothing_is_written_over(here: Run, texts: Path) -> None:
    assert here("challenge", "make", "no-punctuation", texts, "-o", texts).code == 2
    out = write_jsonl(texts.with_name("there.jsonl"), [{"id": "kept"}])
    assert "--force" in here("challenge", "make", "no-punctuation", texts, "-o", out).err
    assert (
        "no challenge called nope" in here("challenge", "make", "nope", texts, "-o", out).err
    )  # the call is wrong anyway
    assert here("challenge", "make", "no-punctuation", texts, "-o", out, "--force").code == 0


def test_the_whole_way_to_a_report(here: Run, texts: Path, tmp_path: Path) -> None:
    """As docs/challenges.md shows it; a comparison says why it cannot pair the two, whichever comes first."""
    changed, runs = tmp_path / "changed.jsonl", [tmp_path / "runs/plain", tmp_path / "runs/changed"]
    assert here("challenge", "make", "no-punctuation", texts, "-o", changed).code == 0
    for examples, run in zip((texts, changed), runs, strict=True):
        outputs = tmp_path / f"{run.name}.outputs.jsonl"
        assert here("system", "generate", examples, "--system", "copy", "-o", outputs).code == 0
        assert here("score", outputs, "-e", examples, "-m", "chrf", "--save", run).code == 0
    for pair in (runs, runs[::-1]):
        call = here("compare", *pair)
        assert call.code == 1
        assert "3 items of plain are parents of items of changed" in " ".join(call.err.split())
        assert "--against-parents" in call.err
    assert here("report", *runs, "-o", tmp_path / "report.md").code == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8").count("| copy") >= 2


def test_what_is_rejected_is_counted(here: Run, texts: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.py"
    longer.write_text("import sys\nfor line in sys.stdin:\n    print(line.strip() * (2 if '0' in line else 1) + '!')\n")
    kind = f"backtranslation:engine=command:there={sys.executable} {longer}:back=cat"
    call = here("challenge", "make", kind, texts, "-o", tmp_path / "back.jsonl")
    assert call.code == 0
    assert "3 perturbed examples" in call.out
    assert "1 item rejected (75.0% accepted)" in call.out
    call = here("challenge", "make", kind, texts, "-o", tmp_path / "back.jsonl", "--force", "--json")
    assert (list(call.json["rejected"]), call.json["accepted"]) == (["t0"], 0.75)
    call = here("challenge", "make", f"{kind}:most=0", texts, "-o", tmp_path / "none.jsonl")
    assert call.code == 1
    assert "all 4 were rejected" in call.err


def test_in_proportion_to_a_tag(here: Run, tmp_path: Path) -> None:
    rows = [{"id": str(i), "source": "It rained.", "tags": {"topic": "a" if i < 30 else "b"}} for i in range(40)]
    path = write_jsonl(tmp_path / "texts.jsonl", rows)
    out = tmp_path / "out.jsonl"
    assert here("challenge", "make", "no-punctuation", path, "--size", 8, "--by", "topic", "-o", out).code == 0
    found = [json.loads(line)["tags"]["topic"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert found.count("b") == 2
    assert (
        "has no tag domain"
        in here("challenge", "make", "no-punctuation", path, "--by", "domain", "-o", out, "--force").err
    )
