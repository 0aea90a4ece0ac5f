"""Outputs without ids are joined by a column whose values are those of the examples."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError

EXAMPLES: list[dict[str, Any]] = [
    {"id": str(i), "source": f"name[{name}]", "references": [f"{name} it is."], "tags": {"code": f"c{i}"}}
    for i, name in enumerate(("Aromi", "Cotto", "Dove", "Ebury"))
]
OUTPUTS = [{"MR": e["source"], "output": e["references"][0], "n": i} for i, e in enumerate(EXAMPLES)]
MIXED = [OUTPUTS[k] for k in (2, 0, 3, 1)]


def score(outputs: Any, **options: Any) -> assay.Result:
    return assay.score(outputs, examples=EXAMPLES, metrics="rouge1", **options)


def test_a_shuffled_file_scores_as_the_other() -> None:
    assert (
        score(MIXED).values == score(OUTPUTS).values == {"rouge1": 1.0, "rouge1.precision": 1.0, "rouge1.recall": 1.0}
    )
    assert any(
        "joined by column MR of the outputs, equal to source of the examples: 4 have" in note
        for note in score(MIXED).notes
    )
    assert not any("joined" in note for note in score(OUTPUTS).notes)


def test_quotes_and_spaces_around_values_do_not_count() -> None:
    quoted = [{**row, "MR": f"  '{row['MR']}'"} for row in MIXED]
    assert score(quoted).values["rouge1"] == 1


def test_a_named_column_may_be_any_property() -> None:
    coded = [{"code": f"c{k}", "output": OUTPUTS[k]["output"]} for k in (3, 2, 1, 0)]
    assert score(coded).values["rouge1"] < 1
    assert score(coded, join_on="code").values["rouge1"] == 1
    assert score([{"k": row["code"], **row} for row in coded], join_on="k=code").values["rouge1"] == 1


def test_ids_come_first_unless_a_column_is_named() -> None:
    wrong = [{**row, "id": str(i)} for i, row in enumerate(MIXED)]
    assert score(wrong).values["rouge1"] < 1
    assert score(wrong, join_on="MR").values["rouge1"] == 1


def test_the_same_value_twice_is_taken_in_its_order() -> None:
    twice = [*EXAMPLES, {**EXAMPLES[0], "id": "again", "references": ["Aromi once more."]}]
    rows = [*MIXED, {"MR": "name[Aromi]", "output": "Aromi once more.", "n": 9}]
    assert assay.score(rows, examples=twice, metrics="rouge1").values["rouge1"] == 1


def test_what_is_missing_is_counted_or_refused() -> None:
    assert score(MIXED[:3], allow_missing=True).n == 3
    assert any("no output for 1 of 4 items; not scored" in note for note in score(MIXED[:3], allow_missing=True).notes)
    more = [*MIXED, {"MR": "name[X]", "output": "X", "n": 1}]
    found = score(more, allow_missing=True)
    assert found.n == 4
    assert any(note.startswith("1 output has a MR that") for note in found.notes)


@pytest.mark.parametrize(
    ("rows", "on", "words"),
    [
        (MIXED, "MRS", "no column MRS (did you mean MR?). Columns: MR, n"),
        ([{**row, "MR": "x"} for row in MIXED], "MR", "4 of 4 values of MR are not in"),
        (MIXED, "MR=code", "4 of 4 values of MR are not in code"),
        (MIXED[:3], "MR", "there are 3 outputs for 4 items"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(rows: Any, on: str, words: str) -> None:
    with pytest.raises(AssayError) as refused:
        score(rows, join_on=on)
    assert words in str(refused.value)


def test_nothing_to_join_with() -> None:
    with pytest.raises(AssayError, match="there are no examples to join with"):
        assay.score(OUTPUTS, metrics="lengths", join_on="MR")


def test_the_command(here: Callable[..., Any], tmp_path: Path) -> None:
    for name, rows in (("e", EXAMPLES), ("o", MIXED)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = here("score", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "-m", "rouge1", "--join-on", "MR", "--json")
    assert call.json["scores"]["rouge1"]["value"] == 1
    call = here("score", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "-m", "rouge1", "--join-on", "ME")
    assert call.code == 1
    assert "no column ME" in call.err


def test_published_outputs_in_another_order(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    """A shuffled file of E2E has the BLEU of the file as it was released."""
    from assay.datasets import dataset

    examples = list(dataset("e2e_nlg:version=original").read(shared_data("e2e"), "test"))
    released = shared_data("e2e/outputs/slug.tsv")
    head, *rows = released.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    (tmp_path / "mixed.tsv").write_text("\n".join([head, *rows[300:], *rows[:300]]) + "\n", encoding="utf-8")
    values = [
        assay.score(path, examples=examples, metrics="bleu").values["bleu"]
        for path in (released, tmp_path / "mixed.tsv")
    ]
    assert values[0] == values[1]
