"""The table of tasks: what each needs, what is kept with its answers, and a task of somebody else's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from assay.errors import AssayError
from assay.judges.form import prompt_form
from assay.judges.judge import Judge
from assay.records.types import Example
from assay.systems import system
from assay.systems.answering import answer
from assay.systems.base import ABILITIES, Row, System
from assay.systems.prompts import prompt
from assay.systems.tasks import TASKS, Choose, Generate, ListTexts, Rank, Task, tasks_about_examples
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
CHOICE = {"kind": "choice", "prefix": "it", "positive": "rose", "negative": "fell"}


def test_titles_are_those_that_older_answers_were_kept_under() -> None:
    """A finished or unfinished file is found again by them."""
    titles = [task.title() for task in (Generate(), ListTexts(), Rank(), Rank("sum"), Choose(), Choose("mean"))]
    assert titles == ["generate", "list", "rank mean", "rank sum", "choose sum", "choose mean"]
    form = prompt_form(prompt("judge"), "fluency", (0, 10))
    assert Judge("me", form).title() == f"judge fluency 0-10 by me {form.signature}"


def test_every_task_is_under_its_name_and_needs_what_there_is() -> None:
    assert [TASKS.get(name).name for name in TASKS] == list(TASKS)
    assert tasks_about_examples() == ["generate", "list", "rank", "choose"]
    assert all({*TASKS.get(name).needs} <= {*ABILITIES} for name in tasks_about_examples())


@pytest.mark.parametrize("name", tasks_about_examples())
def test_a_system_that_cannot_is_refused_before_it_is_asked(name: str, tmp_path: Path) -> None:
    example = Example(id="a", source="x", input=CHOICE)
    for spec in ("lead", "gold", "ngram"):
        made = system(spec)
        if {*TASKS.get(name).needs} & {*made.abilities}:
            continue
        with pytest.raises(AssayError, match=f"system {spec} cannot {name}; it can {', '.join(made.abilities)}"):
            answer(TASKS.get(name)(), made, [example], tmp_path / "o.jsonl")
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True)
class Twice(Task):
    """Asks for a text and says it twice."""

    name: ClassVar = "twice"
    needs: ClassVar = ("generate",)

    def ask(self, system: System, batch: Sequence[Example], label: str) -> Iterator[Row]:
        for one in system.generate(batch):
            yield {"id": one.id, "output": f"{one.text} {one.text}", "system": label}


def test_a_task_is_one_entry_in_the_table(here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark can ask it, and does not ask again what was answered."""
    write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One.", "references": ["One. One."]}])
    config = tmp_path / "c.toml"
    config.write_text(
        'name = "m"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\ntask = "twice"\n'
        '[[systems]]\nname = "lead"\nsystem = "lead"\n'
    )
    refused = here("run", config, "-o", tmp_path / "out")
    assert refused.code == 1
    assert "dataset d: no task called twice; available: generate, list, rank, choose" in refused.err
    monkeypatch.setitem(TASKS._added, "twice", Twice)
    assert here("run", config, "-o", tmp_path / "out").code == 0
    (row,) = map(json.loads, (tmp_path / "out" / "d" / "lead" / "answers.jsonl").read_text().splitlines())
    assert row == {"id": "a", "output": "One. One.", "system": "lead"}
    example = Example(id="a", source="One.", references=("One. One.",))
    made = system("lead")
    assert answer(Twice(), made, [example], tmp_path / "out" / "d" / "lead" / "answers.jsonl", name="lead").reused == 1


def test_a_system_asked_for_an_unknown_task_is_named(here: Run, tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text(
        'name = "m"\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\n'
        '[[systems]]\nname = "s"\nsystem = "lead"\ntasks = ["generat"]\n'
    )
    call = here("run", config, "-o", tmp_path / "out")
    assert "system s: no task called generat (did you mean generate?)" in call.err
