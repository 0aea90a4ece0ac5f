"""`assay data users`: responses of users in three sets, from systems or from a tag."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.inputs.users import Response, divided
from assay.records import Example, read_examples
from tests.conftest import Call, write_jsonl


def responses(sizes: dict[str, int]) -> list[Response]:
    return [
        Response(user, f"q{i}", Example(id=f"q{i}", references=(f"{user} {i}",)))
        for user, size in sizes.items()
        for i in range(size)
    ]


def test_every_user_is_in_every_set() -> None:
    done = divided(responses({"ann": 9, "bob": 7, "cat": 6, "dan": 1}), held_out=3)
    assert done.users == 2
    assert done.left_out == {"cat": 6, "dan": 1}
    counts = {
        split: [sum(one.tags["user"] == user for one in some) for user in ("ann", "bob")]
        for split, some in done.examples.items()
    }
    assert counts == {"train": [3, 1], "validation": [3, 3], "test": [3, 3]}
    ids = [one.id for some in done.examples.values() for one in some]
    assert len(set(ids)) == len(ids) == 16
    assert done == divided(responses({"ann": 9, "bob": 7, "cat": 6, "dan": 1}), held_out=3)
    assert done.examples != divided(responses({"ann": 9, "bob": 7}), held_out=3, seed=1).examples
    assert len(divided(responses({"ann": 90, "bob": 7}), held_out=1, most=5).examples["train"]) == 3 + 3


def test_outputs_of_systems_are_responses(here: Callable[..., Call], tmp_path: Path) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": f"i{i}", "source": f"in {i}"} for i in range(8)])
    files = [
        write_jsonl(tmp_path / f"{name}.jsonl", [{"id": f"i{i}", "output": f"{name} says {i}"} for i in range(8)])
        for name in ("ann", "bob")
    ]
    call = here("data", "users", *files, "-e", examples, "-o", tmp_path / "users", "--json")
    assert call.json == {"users": 2, "train": 4, "validation": 6, "test": 6, "left_out": {}}
    for one in read_examples(tmp_path / "users/test.jsonl").examples:
        number = one.tags["question"].removeprefix("i")
        assert (one.source, one.references) == (f"in {number}", (f"{one.tags['user']} says {number}",))


def test_a_tag_names_the_users(here: Callable[..., Call], tmp_path: Path) -> None:
    rows = [{"id": str(i), "references": [f"t {i}", "other"], "tags": {"who": "abb"[i % 3]}} for i in range(30)]
    rows.append({"id": "x", "references": ["once"], "tags": {"who": "z"}})
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    call = here("data", "users", "-e", examples, "--user", "who", "-o", tmp_path / "users")
    assert "one user left out" in call.err.lower() or "1 user left out" in call.err
    test = read_examples(tmp_path / "users/test.jsonl").examples
    assert {one.tags["user"] for one in test} == {"a", "b"}
    assert all("question" not in one.tags and len(one.references) == 1 for one in test)


@pytest.mark.parametrize(
    ("options", "code", "why"),
    [
        ((), 2, "--user TAG"),
        (("--user", "speaker"), 1, "available: who"),
        (("--user", "who"), 1, "more than 6 responses: 0 of 1; at least two are needed: lower held_out (--held-out)"),
        (("--user", "who", "--held-out", "1"), 1, "give more responses"),
    ],
)
def test_what_is_missing_is_named(
    here: Callable[..., Call], tmp_path: Path, options: tuple[str, ...], code: int, why: str
) -> None:
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "1", "references": ["t"], "tags": {"who": "a"}}])
    call = here("data", "users", "-e", examples, *options, "-o", tmp_path / "users")
    assert (call.code, call.out) == (code, "")
    assert why in " ".join(call.err.split())
