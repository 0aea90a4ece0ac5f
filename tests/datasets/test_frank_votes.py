"""FRANK's labels of single annotators: read, aggregated into the released columns, and written as judgements."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.datasets import dataset
from assay.datasets.frank_typology import CATEGORIES, GROUPS
from assay.datasets.frank_votes import columns
from assay.errors import AssayError
from assay.inputs.typology import FRANK
from assay.records.inputs import read_input
from assay.records.kinds import Judged
from assay.stats.votes import Verdict
from tests.conftest import Call

Run = Callable[..., Call]
FOUR = [  # fine; one category by two of three; two errors that nobody shares; three who say something else
    {"annotator_0": ["NoE"], "annotator_1": ["NoE"], "annotator_2": ["OutE"]},
    {"annotator_0": ["EntE"], "annotator_1": ["EntE", "OutE"], "annotator_2": ["NoE"]},
    {"annotator_0": ["NoE"], "annotator_1": ["RelE"], "annotator_2": ["EntE"]},
    {"annotator_0": ["OtherE"], "annotator_1": ["OtherE"], "annotator_2": ["LinkE"]},
]


def record(votes: list[dict[str, list[str]]], **changed: Any) -> dict[str, Any]:
    return {
        "hash": "0a", "model_name": "bart", "dataset": "bbc", "split": "valid", "article": "The mill burned.",
        "reference": "Mill burns.", "summary": "a b c d", "summary_sentences": [f"s{i}" for i in range(len(votes))],
        "summary_sentences_annotations": votes,
    } | changed  # fmt: skip


def written(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "human_annotations_sentence.json"
    path.write_text(json.dumps(records))
    return path


def test_columns_from_votes(tmp_path: Path) -> None:
    """By hand: one of four sentences is fine, EntE has one, two are unassigned (no shared error; OtherE)."""
    (example,) = dataset("frank").read(written(tmp_path, record(FOUR)))
    structure = read_input(example, Judged)
    human = structure.human or {}
    assert example.split == "validation"
    assert (human["Factuality"], human["Other"]) == (0.25, 0.5)
    assert (human["EntE"], human["RelE"], human["OutE"]) == (0.25, 0.5, 0.5)
    assert (human["Semantic_Frame_Errors"], human["Discourse_Errors"]) == (0.25, 0.5)
    assert (human["Flip_EntE"], human["Flip_RelE"], human["Flip_Other"]) == (0.5, 0.25, 0.25)
    assert structure.errors == dict.fromkeys(CATEGORIES, 0.0) | {"EntE": 0.25, "unassigned": 0.5}


def test_the_released_identities_hold_for_any_verdicts() -> None:
    verdicts = [Verdict(True, name) for name in CATEGORIES] + [Verdict(False)] * 5 + [Verdict(True)] * 3
    made = columns(verdicts)
    share = dict.fromkeys(CATEGORIES, 1 / 15)
    assert made["Factuality"] == pytest.approx(1 - sum(share.values()) - 3 / 15)
    for name in CATEGORIES:
        assert made[name] == pytest.approx(made["Other"] - share[name])
        assert made[f"Flip_{name}"] == pytest.approx(made["Factuality"] + share[name])
    for group, names in GROUPS.items():
        assert made[group] == pytest.approx(made["Other"] - sum(share[name] for name in names))
    assert made["Flip_Other"] == made["Factuality"]


def test_every_vote_is_a_judgement(here: Run, tmp_path: Path) -> None:
    path = written(tmp_path, record(FOUR), record(FOUR, model_name="pgn", split="test"))
    votes = tmp_path / "votes.jsonl"
    call = here("data", "read", "frank", path, "--split", "valid", "-o", tmp_path / "e.jsonl", "--judgements", votes)
    assert call.code == 0, call.err
    rows = [json.loads(line) for line in votes.read_text().splitlines()]
    assert {row["id"] for row in rows} == {"0a/bart"}
    second = [row for row in rows if row["unit"] == "sentence:1"]
    assert [(row["annotator"], row["value"]) for row in second if row["criterion"] == "error"] == [
        ("annotator_0", "EntE"), ("annotator_1", "EntE+OutE"), ("annotator_2", "NoE"),
    ]  # fmt: skip
    assert {row["unit"] for row in rows if row["criterion"] == "kind"} == {"sentence:3"}
    assert here("analyze", "agreement", votes, "--criterion", "factual").code == 0


@pytest.mark.parametrize(
    ("votes", "changed", "message"),
    [
        ([{"annotator_0": ["Wrong"]}], {}, "none of RelE"),
        ([{"annotator_0": ["NoE", "RelE"]}], {}, "says NoE and names an error"),
        ([{"annotator_0": []}], {}, "at least 1"),
        ([{}], {}, "without judgement"),
        ([], {"summary_sentences": []}, "has no sentence"),
        ([{"annotator_0": ["NoE"]}], {"summary_sentences": ["a", "b"]}, "1 entries for 2 sentences"),
    ],
)
def test_invalid_votes_are_reported(
    tmp_path: Path, votes: list[dict[str, list[str]]], changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(AssayError, match=message):
        list(dataset("frank").read(written(tmp_path, record(votes, **changed))))


def test_the_typology_has_all_categories() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(CATEGORIES)
    page = (Path(__file__).parents[2] / "docs/error-typology.md").read_text(encoding="utf-8")
    page = " ".join(page.replace("\n> ", " ").split())
    assert FRANK.text in page
    for label, each in FRANK.errors.items():
        assert f"- `{label}` **{each.name}** (" in page
        assert f"{each.definition} Example: *{each.wrong}* ({each.why})." in page
        assert each.definition.endswith(".")
        assert each.wrong not in FRANK.text


def test_traps_are_counted_by_kind(here: Run, shared_data: Callable[[str], Path]) -> None:
    out = here("data", "read", "frank", shared_data("frank")).out
    printed = " ".join(out.split())
    assert (
        "2,808 sentences to test annotators with: 415 untouched (F0), 596 negated (F1), 617 of another article"
        in printed
    )
    assert "582 scrambled (F5), 598 with another pronoun (F6)" in printed


def test_an_expert_is_compared_with_the_majority(here: Run, tmp_path: Path) -> None:
    """By hand: on three of four sentences the crowd has a majority; the expert agrees on two of them."""
    crowd = {0: ["NoE", "NoE", "OutE"], 1: ["EntE", "EntE+OutE", "NoE"], 2: ["NoE", "RelE", "EntE"], 3: ["OutE"] * 3}
    expert = {0: "NoE", 1: "EntE", 2: "RelE", 3: "EntE"}
    rows = [
        {"id": "1", "system": "s", "annotator": who, "criterion": "error", "unit": f"sentence:{n}", "value": value}
        for n in crowd
        for who, value in (*((f"c{i}", vote) for i, vote in enumerate(crowd[n])), ("x", expert[n]))
    ]
    path = tmp_path / "v.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = here("analyze", "agreement", path, "--expert", "x", "--json")
    assert call.code == 0, call.err
    assert "1 of x's answers are excluded: the others have no majority" in call.err
    (criterion,) = call.json["criteria"].values() if isinstance(call.json["criteria"], dict) else call.json["criteria"]
    assert criterion["percent"]["value"] == pytest.approx(2 / 3)
    assert here("analyze", "agreement", path, "--expert", "nobody").code == 1
    drawn = here("analyze", "agreement", path, "--plots", tmp_path / "p", "--figure-format", "svg")
    assert drawn.code == 0, drawn.err
    assert (tmp_path / "p/dissent-error.svg").exists()


def test_xsum_labels_are_read_as_judgements(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("frank")
    if not (folder / "xsum_hallucination_annotations.csv").exists():
        pytest.skip("needs frank/xsum_hallucination_annotations.csv of the shared data")
    assert len(list(dataset("xsum_labels").read(folder))) == 2500
    judgements = list(dataset("xsum_labels").judgements(folder))
    factual = [one for one in judgements if one.criterion == "factual"]
    assert (len(factual), sum(float(one.value) for one in factual)) == (5564, 582)
    assert sum(one.value == "extrinsic" for one in judgements) == 7860
    assert sum(one.value == "intrinsic" for one in judgements) == 2537
