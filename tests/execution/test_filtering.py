"""Filters in the config of a run: what a system gets to see, in training and when it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.execution.filtering import Filter
from assay.records import Example, write_jsonl
from tests.conftest import Call

Run = Callable[..., Call]
HEAD = 'name = "x"\nci = 0\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\nmetrics = ["rouge1"]\n'
SOURCE = "Lunch was served at noon. The rate rose to two per cent. Members left early."


def answers(folder: Path, system: str) -> list[str]:
    lines = (folder / "out/d" / system / "answers.jsonl").read_text().splitlines()
    return [json.loads(line)["output"] for line in lines]


def entry(name: str, filter: str, more: str = 'system = "copy"') -> str:
    return f'[[systems]]\nname = "{name}"\n{more}\nfilter = "{filter}"\n'


def test_each_system_sees_what_its_filter_leaves(here: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "e.jsonl", [Example(id="1", source=SOURCE, references=("The rate rose to two per cent .",))])
    (tmp_path / "s.jsonl").write_text(json.dumps({"id": "1", "scores": [0.1, 0.2, 0.9]}) + "\n")
    entries = [entry("lead", "lead:budget=5"), entry("oracle", "oracle:budget=8"), entry("mine", "s.jsonl:budget=4")]
    (tmp_path / "c.toml").write_text(HEAD + "".join(entries))
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert call.code == 0, call.err
    assert answers(tmp_path, "lead") == ["Lunch was served at noon."]
    assert answers(tmp_path, "oracle") == ["The rate rose to two per cent."]
    assert answers(tmp_path, "mine") == ["Members left early."]


def test_a_filter_is_trained_once_and_shown_to_all(here: Run, tmp_path: Path, one_thread: None) -> None:
    keep, drop = "The rate rose to {} per cent .", "Lunch was served at {} o'clock ."
    examples = [
        Example(id=str(i), source="\n".join((keep.format(i), *(drop.format(j) for j in range(i, i + 6)))),
                references=(keep.format(i),))
        for i in range(4)
    ]  # fmt: skip
    write_jsonl(tmp_path / "e.jsonl", examples)
    recipe = 'system = "copy"\nfilter_train = "filter:tiny:epochs=1:vocabulary=300:source_limit=60:lr=0.01"'
    head = HEAD + 'train = "e.jsonl"\nvalid = "e.jsonl"\n'
    entries = [entry("short", "{filter}:budget=8", recipe), entry("long", "{filter}:budget=80", recipe)]
    (tmp_path / "c.toml").write_text(head + "".join(entries))
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert call.code == 0, call.err
    assert len(list((tmp_path / "out/models").iterdir())) == 1
    assert all(len(text.split()) <= 8 for text in answers(tmp_path, "short"))


def test_instances_of_a_document_get_its_filtered_source(here: Run, tmp_path: Path) -> None:
    marked = "[EVIDENCE_START] dear bread [EVIDENCE_END]"
    write_jsonl(tmp_path / "e.jsonl", [Example(id="1", source="Bread is dear. Ports idle.", references=(marked,))])
    members = [["dear bread"], ["idle ports"]]
    classes = {"annotation": "evidence", "evaluation": "evidence", "equivalence_classes": members}
    (tmp_path / "k.json").write_text(json.dumps([classes]))
    asked = tmp_path / "asked.py"
    asked.write_text(
        "import json, sys\nfor line in sys.stdin:\n    item = json.loads(line)\n"
        "    low = -1.0 if item['source'] == 'Bread is dear.' else -9.0\n"
        "    print(json.dumps({'id': item['id'], 'logprobs': [[low], [-5.0]]}), flush=True)\n"
    )
    head = HEAD.replace("rouge1", "eq_accuracy") + 'task = "choose"\nclasses = "k.json"\n'
    (tmp_path / "c.toml").write_text(head + entry("asked", "lead:budget=3", f'system = "cmd:python {asked}"'))
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert call.code == 0, call.err
    run = json.loads((tmp_path / "out/d/asked/run.json").read_text())
    assert run["scores"]["eq_accuracy"]["value"] == 1


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('system = "copy"\nfilter = "lead:budget=0"', "budget=0 must be at least 1"),
        ('system = "copy"\nfilter = "lead:words=3"', "words"),
        ('system = "copy"\nfilter = "{filter}:budget=3"', "filter_train require each other"),
        ('system = "copy"\nfilter_train = "filter:tiny"', "filter_train require each other"),
        ('outputs = "o.jsonl"\nfilter = "lead"', "a filter but no system"),
    ],
)
def test_filters_that_mean_nothing(here: Run, tmp_path: Path, entry: str, message: str) -> None:
    (tmp_path / "c.toml").write_text(HEAD + f'[[systems]]\nname = "s"\n{entry}\n')
    call = here("run", tmp_path / "c.toml", "-o", tmp_path / "out")
    assert call.code == 1
    assert message in call.err


def test_from_a_name() -> None:
    assert Filter.of("oracle:budget=9:tokenizer=whitespace+2") == Filter("oracle", 9, "whitespace+2")
    assert Filter.of("runs/filter", Path("/a")).strategy == "/a/runs/filter"
    with pytest.raises(AssayError):
        Filter.of("lead:budget=x")
