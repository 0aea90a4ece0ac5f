"""The question kind of CONTRIBUTING.md is linted, simulated, served, filled in on sheets, and analysed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.studies.design import Design, People, Question
from assay.studies.judgements import study_judgements
from assay.studies.kinds import QUESTION_KINDS, kinds_with
from tests.conftest import Call, read_jsonl, write_jsonl
from tests.studies.server.synthetic import Site, tasks_of, toml
from tests.test_docs import examples_to_follow

Run = Callable[..., Call]


@pytest.fixture(autouse=True)
def magnitude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the contributed kind."""
    (text,) = examples_to_follow("A question kind")
    (tmp_path / "contributed_kind.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(QUESTION_KINDS._added, "magnitude", importlib.import_module("contributed_kind").Magnitude)


def design(text: str = "How good is it, if the reference is 100?") -> Design:
    question = Question(criterion="quality", kind="magnitude", text=text)
    return Design(name="magnitudes", questions=[question], people=People(per_item=2))


def written(folder: Path, made: Design) -> Path:
    path = folder / "design.toml"
    fields = msgspec.to_builtins(made).items()
    path.write_text("".join(f"{name} = {toml(value)}\n" for name, value in fields), encoding="utf-8")
    return path


def test_it_is_linted_and_simulated(here: Run, tmp_path: Path) -> None:
    def rules(path: Path) -> set[str]:
        return {finding["rule"] for finding in here("study", "lint", path, "--json").json["findings"]}

    assert "no-reference" not in rules(written(tmp_path, design()))
    assert "no-reference" in rules(written(tmp_path, design("How good is it?")))
    assert "magnitude" in kinds_with("simulated")
    call = here(
        "study", "simulate", "--kinds", "magnitude,likert", "--repeats", 20, "--items", 20, "--effect", 2, "--json"
    )
    likert, magnitude = call.json["designs"]
    assert (likert["kind"], magnitude["kind"]) == ("likert", "magnitude")
    assert magnitude["agreement"] == pytest.approx(likert["agreement"], abs=0.2)
    assert magnitude["minutes"] == likert["minutes"]


def test_it_is_served(site: Callable[..., Site]) -> None:
    made = site(design(), tasks_of("magnitude"))
    person = made.person("anna")
    person.begin()
    assert '<input type="number" name="q0"' in person.page.text
    assert person.send(q0="0").status_code == 422
    assert "not a valid answer" in person.page.text
    person.send(q0="140")
    (judgement,) = study_judgements(made.now())
    assert (judgement.value, judgement.method) == (140.0, "magnitude")


def test_sheets_of_it_are_analysed(here: Run, tmp_path: Path) -> None:
    path, journal = written(tmp_path, design()), tmp_path / "j.jsonl"
    outputs = []
    for system, value in (("good", 150), ("bad", 60)):
        outputs.append(tmp_path / f"{system}.jsonl")
        rows = [{"id": f"i{i}", "output": f"{value + i}", "system": system} for i in range(6)]
        write_jsonl(outputs[-1], rows)
    sheets = tmp_path / "sheets"
    assert here("study", "assign", path, *outputs, "-o", journal, "--people", 2, "--sheets", sheets).code == 0
    for sheet in sheets.iterdir():
        lines: list[dict[str, Any]] = read_jsonl(sheet)
        for line in lines:
            line["answers"]["quality"] = [float(text) for text in line["texts"]]
        write_jsonl(sheet, lines)
    assert here("study", "collect", journal, "--design", path, *sheets.iterdir()).code == 0
    (criterion,) = here("study", "analyze", journal, "--design", path, "--ci", 20, "--json").json["criteria"]
    assert criterion["method"] == "magnitude"
    assert [(row["system"], row["mean"]) for row in criterion["ranking"]] == [("good", 152.5), ("bad", 62.5)]
