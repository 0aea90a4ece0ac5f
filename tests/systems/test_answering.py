"""Answers are kept as they come: a stop loses nothing, and nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems.answering import answer
from assay.systems.base import Answer, System
from assay.systems.tasks import Generate
from tests.conftest import Call
from tests.support.systems_fixtures import Failing

Run = Callable[..., Call]
EXAMPLES = [Example(id=str(i), source="word " * i, references=("r",)) for i in range(10)]


@pytest.mark.parametrize("old", [None, "x\n"])
def test_killed_between_the_file_and_its_info(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str | None) -> None:
    from assay.systems import journal

    out = tmp_path / "o.jsonl"
    if old:
        out.write_text(old)
    system = Failing()
    system.good = 10

    def killed(path: Path, text: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(journal, "write_text", killed)
        with pytest.raises(KeyboardInterrupt):
            answer(Generate(), system, EXAMPLES, out, force=True)
    done = answer(Generate(), Failing(), EXAMPLES, out)
    assert done.reused == 10
    assert not (tmp_path / "o.jsonl.part").exists()


def test_resumes_where_it_was(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    first, second = Failing(), Failing()
    with pytest.raises(AssayError, match="broken; 4 of 10 answers are kept"):
        answer(Generate(), first, EXAMPLES, out)
    assert not out.exists()
    part = tmp_path / "o.jsonl.part"
    part.write_bytes(part.read_bytes() + b'{"id": "9", "outp')  # killed while writing
    second.good = 100
    done = answer(Generate(), second, EXAMPLES, out)
    assert done.reused == 4
    assert not set(first.asked) & set(second.asked)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == [example.id for example in EXAMPLES]
    assert not part.exists()
    assert json.loads((tmp_path / "o.jsonl.info.json").read_text())["n"] == 10


def test_finished_work_is_not_done_again(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    made = Failing()
    made.good = 100
    answer(Generate(), made, EXAMPLES, out)
    assert answer(Generate(), Failing(), EXAMPLES, out).reused == 10
    with pytest.raises(AssayError, match="made by another system, seed or examples"):
        answer(Generate(), Failing(seed=1), EXAMPLES, out)
    with pytest.raises(AssayError, match="made by another"):
        answer(Generate(), Failing(), EXAMPLES[:5], out)
    other = Failing(seed=1)
    other.good = 100
    assert answer(Generate(), other, EXAMPLES, out, force=True).reused == 0


def test_long_inputs_go_first_in_batches_of_like_length(tmp_path: Path) -> None:
    made = Failing()
    made.good = 100
    answer(Generate(), made, EXAMPLES, tmp_path / "o.jsonl")
    assert made.asked == [str(i) for i in range(9, -1, -1)]


def test_damaged_or_foreign_parts_are_refused(tmp_path: Path) -> None:
    out, part = tmp_path / "o.jsonl", tmp_path / "o.jsonl.part"
    part.write_text("not json\n")
    with pytest.raises(AssayError, match=r"o\.jsonl\.part: damaged"):
        answer(Generate(), Failing(), EXAMPLES, out)
    part.write_text('{"by": "someone else"}\n{"id": "1"}\n')
    with pytest.raises(AssayError, match="unfinished file of another"):
        answer(Generate(), Failing(), EXAMPLES, out)
    part.write_text("")
    with pytest.raises(AssayError, match="4 of 10 answers"):
        answer(Generate(), Failing(), EXAMPLES, out)


def test_twins_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="same id"):
        answer(Generate(), Failing(), [EXAMPLES[0], EXAMPLES[0]], tmp_path / "o.jsonl")


def finished(tmp_path: Path) -> tuple[Path, list[str]]:
    out = tmp_path / "o.jsonl"
    made = Failing()
    made.good = 100
    answer(Generate(), made, EXAMPLES, out)
    return out, out.read_text().split("\n")[:-1]


@pytest.mark.parametrize("cut", ["", '{"id": "3", "outp'])
def test_a_shortened_file_is_completed(tmp_path: Path, cut: str) -> None:
    out, lines = finished(tmp_path)
    whole = out.read_bytes()
    out.write_text("\n".join(lines[:3]) + "\n" + cut)
    again = Failing()
    with pytest.raises(AssayError, match="broken; 7 of 10 answers are kept"):
        answer(Generate(), again, EXAMPLES, out)
    again.good = 100
    assert answer(Generate(), again, EXAMPLES, out).reused == 7
    assert len(again.asked) == 7
    assert out.read_bytes() == whole


def test_a_changed_file_is_not_finished(tmp_path: Path) -> None:
    out, lines = finished(tmp_path)
    out.write_text("\n".join(reversed(lines)))
    assert [row["id"] for row in answer(Generate(), Failing(), EXAMPLES, out).rows] == [one.id for one in EXAMPLES]
    for change, message in ((lines[0].replace('"0"', '"z"'), "id z was not requested or is a duplicate"),
                                (lines[1], "was not requested or is a duplicate"),
                            ("no json", ":1: damaged")):  # fmt: skip
        out.write_text("\n".join([change, *lines[1:]]) + "\n")
        with pytest.raises(AssayError, match=f"{message}.*use --force"):
            answer(Generate(), Failing(), EXAMPLES, out)
    forced = Failing()
    forced.good = 100
    assert answer(Generate(), forced, EXAMPLES, out, force=True).reused == 0


def test_a_part_without_an_answer_blocks_nobody(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    broken = Failing(seed=1)
    broken.good = 0
    with pytest.raises(AssayError, match=r"^broken$"):
        answer(Generate(), broken, EXAMPLES, out)
    made = Failing()
    made.good = 100
    assert answer(Generate(), made, EXAMPLES, out).reused == 0


@dataclass(eq=False)
class Silent(System):
    """Leaves out every item whose source is short."""

    name: ClassVar = "silent"
    about: ClassVar = "leaves items out"
    abilities: ClassVar = ("generate",)
    shortest: int = 5

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        return (Answer(example.id, "x") for example in examples if len((example.source or "").split()) >= self.shortest)


def test_a_system_that_leaves_items_out_is_told_so(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    with pytest.raises(AssayError, match=r"silent: gave no answer for 5 items, 0 first; .*leaves them out"):
        answer(Generate(), Silent(), EXAMPLES, out)
    assert out.with_name("o.jsonl.part").exists()


def test_nothing_stays_behind_where_nothing_was_answered(tmp_path: Path) -> None:
    broken = Failing()
    broken.good = 0
    for system in (broken, Silent(shortest=100)):
        with pytest.raises(AssayError):
            answer(Generate(), system, EXAMPLES, tmp_path / "o.jsonl")
        assert not list(tmp_path.iterdir())
