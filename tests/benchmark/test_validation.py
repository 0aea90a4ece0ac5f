"""Submissions that can be taken, and thirty kinds that cannot: each is named with its place and a remedy."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.submission import parse_submission, read_submission
from assay.benchmark.submission_record import system_name
from assay.benchmark.validation import Validation, validate
from assay.errors import AssayError
from assay.records.read import ExampleFile, read_examples
from tests.support.made_submissions import BROKEN, KEYS, TEXTS, WORDS, N, good, task, text


@pytest.fixture
def tasks() -> dict[str, ExampleFile]:
    rows = [
        {"id": f"p{i}", "references": [f"The sea at port {i} is {WORDS[i % 12]}."], "split": "test"} for i in range(N)
    ]
    return {"tides_test": read_examples(rows), "winds_test": read_examples(rows[:4])}


def checked(given: dict[str, Any], tasks: dict[str, ExampleFile]) -> Validation:
    return validate(parse_submission(given, "s.json"), tasks)


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_wrong_is_named(tasks: dict[str, ExampleFile], kind: str) -> None:
    changes, where, id, problem = BROKEN[kind]
    found = checked(good(**changes), tasks)
    assert not found.valid
    hits = [each for each in found.findings if each.is_error and problem in each.problem]
    assert [(each.task, each.id) for each in hits][:1] == [(where, id)]
    assert all(each.remedy for each in found.findings)


def test_a_good_one_is_taken_with_any_ids_and_any_order(tasks: dict[str, ExampleFile]) -> None:
    own = [f"tides-test-{i}" for i in range(N)]
    for keys in (KEYS, None, own, [*KEYS[:7], *own[7:]]):
        found = checked(good(**task(keys=keys)), tasks)
        assert found.valid, [each.plain() for each in found.findings]
        assert found.items["tides_test"].outputs[3] == text(3)
    turned = checked(good(**task(TEXTS[::-1], KEYS[::-1])), tasks)
    assert turned.items["tides_test"].outputs[3] == text(3)


def test_several_tasks_and_parts_of_a_benchmark_are_legal(tasks: dict[str, ExampleFile]) -> None:
    given = good()
    given["tasks"]["winds-test"] = {"values": [{"generated": text(i), "gem_id": f"p{i}"} for i in range(4)]}
    found = checked(given, tasks)
    assert found.valid
    assert sorted(found.items) == ["tides_test", "winds_test"]


def test_missing_parameters_are_only_said(tasks: dict[str, ExampleFile]) -> None:
    found = checked(good(param_count=None), tasks)
    assert found.valid
    assert [each.problem for each in found.findings if each.problem == "param_count is missing"]


@pytest.mark.parametrize("given", [[], {}, {"tasks": []}, "x"])
def test_what_is_no_submission_is_refused(given: Any) -> None:
    with pytest.raises(AssayError, match=r"s\.json: no object under"):
        parse_submission(given, "s.json")


def test_a_name_that_stands_twice_in_the_file_is_refused(tmp_path: Path) -> None:
    """JSON keeps the last of two tasks of one name without a word."""
    (tmp_path / "s.json").write_text('{"submission_name": "x", "tasks": {"a": {"values": ["1"]}, "a": {"values": []}}}')
    with pytest.raises(AssayError, match=r"s\.json: 'a' is repeated in one object"):
        read_submission(tmp_path / "s.json")


def test_many_wrong_ids_are_named_at_once() -> None:
    """Time grows with the number of ids, not with its square."""
    rows = read_examples([{"id": f"p{i}", "references": ["x"], "split": "test"} for i in range(30_000)])
    keys = [f"p{i}" for i in range(1, 30_001)]
    begun = time.process_time()
    found = validate(parse_submission(good(**task(["a"] * 30_000, keys)), "s.json"), {"tides_test": rows})
    assert time.process_time() - begun < 20
    assert [each.id for each in found.findings if each.is_error] == ["p30000", "p0"]


def test_names_that_no_folder_could_have() -> None:
    for name in ("\U0001d400" * 500, "n" * 5000, "../../x", "CON\0", "."):
        made = system_name(name)
        assert 0 < len(made.encode()) < 250
        assert Path(made).name == made
