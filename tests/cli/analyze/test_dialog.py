"""`assay analyze dialog`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call

Run = Callable[..., Call]


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """Databases, two systems, references and goals of an invented town."""
    rows = {
        "restaurant": [{"id": "1", "name": "mill", "area": "north"}, {"id": "2", "name": "sea", "area": "south"}],
        "hotel": [], "attraction": [], "train": [],
    }  # fmt: skip
    for domain, listed in rows.items():
        (tmp_path / f"{domain}_db.json").write_text(json.dumps(listed))
    north = {"restaurant": {"area": "north"}}
    files = {
        "one": {
            "d1": [
                {"response": "[restaurant_name] is nice .", "state": north},
                {"response": "call [restaurant_phone]", "state": north},
            ]
        },
        "two": {"D1.json": [{"response": "which area ?", "active_domains": []}, {"response": "[odd] bye"}]},
        "refs": {"d1": ["[value_name] is nice .", "call [value_phone]"]},
        "goals": {"d1": {"restaurant": {"informable": {"area": "north"}, "requestable": ["phone"]}}},
        "train": {"d7": {"restaurant": {"informable": {"area": "south"}, "requestable": []}}},
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def test_one_system(here: Run, town: Path) -> None:
    call = here(
        "analyze",
        "dialog",
        town / "one.json",
        "--databases",
        town,
        "-r",
        f"mine={town / 'refs.json'}",
        "--goals",
        town / "goals.json",
        "--json",
    )
    found = call.json
    assert (found["inform"], found["success"]) == (100, 100)
    assert found["bleu"] == pytest.approx(100)
    assert found["bleu_by_style"] == {"mine": found["bleu"]}
    assert set(found["richness"]) == {
        "entropy", "cond_entropy", "avg_lengths", "msttr", "num_unigrams", "num_bigrams", "num_trigrams"
    }  # fmt: skip
    assert found["setup"]["venues"] == "subset"
    assert any("--booked" in note for note in found["notes"])


def test_unequal_systems_are_said_to_be(here: Run, town: Path) -> None:
    call = here(
        "analyze", "dialog", town / "one.json", town / "two.json", "--databases", town, "--goals", town / "goals.json"
    )
    assert call.code == 0
    assert "state differ between systems" in " ".join(call.err.split())
    assert "1 slots [odd] are unknown" in " ".join(call.err.split())
    assert "Inform and Success need predicted states or gold states (--states)" in " ".join(call.err.split())


def test_a_trace(here: Run, town: Path) -> None:
    call = here(
        "analyze", "dialog", town / "one.json", "--databases", town, "--goals", town / "goals.json", "--trace", "D1"
    )
    assert "inform 1, success 1" in call.out
    assert "restaurant: 1 (new)" in call.out
    assert "restaurant: PHONE" in call.out
    assert (
        here(
            "analyze", "dialog", town / "one.json", "--databases", town, "--goals", town / "goals.json", "--trace", "x"
        ).code
        == 2
    )


def test_setups_and_goals(here: Run, town: Path) -> None:
    given = ["analyze", "dialog", town / "one.json", "--databases", town, "--goals", town / "goals.json"]
    found = here(*given, "--setup", "uniconv:venues=first:seed=3", "--json").json["setup"]
    assert (found["venues"], found["updates"], found["seed"]) == ("first", "name_id_ref", 3)
    assert here(*given, "--train-goals", town / "train.json", "--json").json["goal_overlap"]["unseen_slot_values"] == 1
    for wrong in ("strikt", "strict:venue=first", "strict:venues=some", "strict:seed=x", "strict:reduced_search=1"):
        assert here(*given, "--setup", wrong).code == 2
    assert here("analyze", "dialog", town / "one.json", "--trace", "d1").code == 2


def test_what_is_missing_is_named(here: Run, town: Path, tmp_path: Path) -> None:
    call = here("analyze", "dialog", town / "one.json", "--databases", tmp_path / "nowhere")
    assert call.code == 1
    assert "restaurant_db.json" in call.err
    assert "need goals (--goals)" in " ".join(here("analyze", "dialog", town / "one.json").err.split())


def test_styles_of_references_are_compared(here: Run, town: Path) -> None:
    """One turn is equal in both styles, one is not, one has no slot; published scores are next to ours."""
    styles = {
        "left": {"d1": ["[value_name] is nice .", "call [value_phone]", "bye"]},
        "right": {"d1": ["[restaurant_name] is nice .", "call 01223 [ref]", "bye"]},
    }
    for name, content in styles.items():
        (town / f"{name}.json").write_text(json.dumps(content))
    (town / "published.json").write_text(json.dumps({"one": {"bleu": 90}, "two": {"bleu": 95}}))
    given = ["analyze", "dialog", town / "one.json", town / "two.json"]
    given += ["-r", f"left={town / 'left.json'}", "-r", f"right={town / 'right.json'}"]
    found = here(*given, "--reported", town / "published.json", "--json").json
    counts = {name: found["delexicalisation"][name] for name in ("turns", "slotted", "identical", "distinct")}
    assert counts == {"turns": 3, "slotted": 2, "identical": 1, "distinct": 1}
    assert [(row["system"], row["reported_rank"], row["rank"]) for row in found["reported"]] == [
        ("one", 2, 1),
        ("two", 1, 2),
    ]
    shown = here(*given, "--reported", town / "published.json").out
    assert "reported and recomputed" in shown
    assert "50.00" in shown
    (town / "published.json").write_text(json.dumps({"one": {"bleu": "90"}}))
    call = here(*given, "--reported", town / "published.json")
    assert (call.code, "one: bleu is not a number" in call.err) == (1, True)
