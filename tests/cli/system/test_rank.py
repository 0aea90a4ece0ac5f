"""`assay system rank`: what candidates must bring along, and what chance gives beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def test_chance_is_written_like_the_numbers_above_it(here: Run, tmp_path: Path) -> None:
    given = {"kind": "entities", "candidates": ["a", "b", "c", "d"], "labels": [1, 0, 0, 0]}
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "r1", "source": "s", "input": given}])
    call = here("system", "rank", examples, "--system", "random", "-o", tmp_path / "o.jsonl")
    # one of four: the mean of 1, 1/2, 1/3 and 1/4
    assert "\n  chance         map .521   recall@10 1.000   mrr .521\n" in call.out


def test_labels_are_numbers(here: Run, tmp_path: Path) -> None:
    given = {"kind": "entities", "candidates": ["a", "b"], "labels": ["yes", "no"]}
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "r1", "source": "s", "input": given}])
    call = here("system", "rank", examples, "--system", "random", "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "id r1: input.labels[0] is a string, not true or false or an integer; labels needs 0 or 1" in call.err


def test_features_need_their_input(here: Run, tmp_path: Path) -> None:
    given = {"kind": "entities", "candidates": ["a", "b"], "labels": [1, 0]}
    rows = [{"id": str(i), "source": "s", "references": ["a"], "input": given} for i in range(4)]
    examples = write_jsonl(tmp_path / "e.jsonl", rows)
    call = here("system", "rank", examples, "--system", "logistic", "--train", examples, "-o", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "id 0: input.entities is missing; entities needs the names" in call.err


def test_a_file_with_all_splits_given_twice_is_noticed(here: Run, tmp_path: Path) -> None:
    """`data entities rank` writes all splits to one file; training and testing on all of it looked like a result."""

    def ranking(i: int) -> dict[str, object]:
        given = {"kind": "entities", "candidates": ["a", "b"], "labels": [1, 0]}
        return {"id": f"r{i}", "source": f"s{i}", "references": ["a"], "input": given}

    both = write_jsonl(tmp_path / "e.jsonl", [ranking(i) for i in range(4)])
    train = write_jsonl(tmp_path / "t.jsonl", [ranking(i) for i in range(3, 6)])
    other = write_jsonl(tmp_path / "o.jsonl", [ranking(i) for i in range(7, 9)])
    for file, count in ((both, "4 of 4"), (train, "1 of 4"), (other, "")):
        call = here("system", "rank", both, "--system", "frequency", "--train", file, "-o", tmp_path / "r.jsonl",
                    "--force")  # fmt: skip
        assert call.code == 0, call.err
        assert ("are also training examples" in call.err) == bool(count)
        assert count in call.err
