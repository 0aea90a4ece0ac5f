"""`assay metric traps`: made from documents, probed with metrics."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
NEWS = Path(__file__).parents[3] / "src/assay/sample/news.jsonl"


def test_made_and_probed(here: Run, tmp_path: Path) -> None:
    out = tmp_path / "traps.jsonl"
    made = here("metric", "traps", "make", NEWS, "-o", out, "--json")
    assert made.code == 0, made.err
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert made.json["traps"] == len(rows) == sum(made.json["kinds"].values())
    assert all({"id", "document", "kind", "text", "value"} <= row.keys() for row in rows)
    again = here("metric", "traps", "make", NEWS, "-o", out)
    assert again.code == 1
    assert "already exists" in again.err
    assert here("metric", "traps", "make", NEWS, "-o", tmp_path / "b.jsonl").code == 0
    assert (tmp_path / "b.jsonl").read_bytes() == out.read_bytes()
    probed = here("metric", "traps", "probe", out, "--documents", NEWS, "-m", "rouge2,sari:gem")
    assert probed.code == 0, probed.err
    assert "Original ranked above the trap" in probed.out
    found = here("metric", "traps", "probe", out, "--documents", NEWS, "-m", "rouge2", "--json").json
    kinds = {row["kind"] for row in found["traps"]}
    assert kinds == set(made.json["kinds"]) - {"control"}
    assert all(0 <= row["low"] <= row["above"] <= row["high"] <= 1 for row in found["traps"])


def test_made_from_references(here: Run, tmp_path: Path) -> None:
    given = [
        {"id": f"d{i}", "source": f"Anna Berg runs shop {i} in Oslo. It opened in 19{i}0 by the sea.",
         "references": [f"The shop {i} belongs to Anna. It has been open since 19{i}0 in Oslo."]}
        for i in range(3, 7)
    ]  # fmt: skip
    write_jsonl(tmp_path / "e.jsonl", given)
    made = here("metric", "traps", "make", tmp_path / "e.jsonl", "--references", "-o", tmp_path / "t.jsonl")
    assert made.code == 0, made.err
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["kind"] for row in rows} >= {"negation", "number-swap", "foreign-sentence", "control"}
    for row in rows:
        reference = next(each["references"][0] for each in given if each["id"] == row["document"])
        assert row["sentences"][row["sentence"]] == row["text"]
        assert (" ".join(row["sentences"]) == reference) == (row["kind"] == "control")
        assert row["kind"] == "control" or row["text"] not in reference
    assert here("metric", "traps", "probe", tmp_path / "t.jsonl", "--documents", tmp_path / "e.jsonl").code == 0
    (tmp_path / "none.jsonl").write_text('{"id": "1", "source": "It opened in 1930 by the sea."}\n')
    call = here("metric", "traps", "make", tmp_path / "none.jsonl", "--references", "-o", tmp_path / "n.jsonl")
    assert call.code == 1
    assert "no reference has a sentence" in call.err


def test_a_set_is_the_same_under_another_hash_seed(run: Run, tmp_path: Path) -> None:
    for name in ("1", "2"):
        kinds = "entity-swap,foreign-sentence"
        call = run(
            "metric", "traps", "make", NEWS, "--kinds", kinds, "-o", tmp_path / f"{name}.jsonl", PYTHONHASHSEED=name
        )
        assert call.code == 0, call.err
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_what_is_missing_is_named(here: Run, tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"id": "1"}\n')
    call = here("metric", "traps", "make", tmp_path / "e.jsonl", "-o", tmp_path / "t.jsonl")
    assert call.code == 1
    assert "Check that there are sources" in call.err
    (tmp_path / "t.jsonl").write_text('{"document": "x", "kind": "negation", "text": "it is not so"}\n')
    call = here("metric", "traps", "probe", tmp_path / "t.jsonl", "--documents", NEWS)
    assert call.code == 1
    assert "document x is missing" in call.err


def test_an_annotator_who_does_not_read_falls_into_them(here: Run, tmp_path: Path) -> None:
    out = tmp_path / "traps.jsonl"
    assert here("metric", "traps", "make", NEWS, "-o", out).code == 0
    traps = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    judged = [
        {"id": trap["id"], "system": "traps", "annotator": who, "criterion": "supported", "value": value}
        for trap in traps
        for who, value in (("careful", trap["value"]), ("trusting", 1))
    ]
    real = [
        {"id": str(i), "system": "mine", "annotator": who, "criterion": "supported", "value": i % 2}
        for i in range(12)
        for who in ("careful", "trusting")
    ]
    call = here("analyze", "agreement", write_jsonl(tmp_path / "j.jsonl", judged + real), "--traps", out, "--json")
    assert call.code == 0, call.err
    right = {who: profile["trap_accuracy"] for who, profile in call.json["profiles"].items()}
    controls = sum(trap["kind"] == "control" for trap in traps)
    assert right == {"careful": 1.0, "trusting": controls / len(traps)}


def test_kinds_that_found_nothing_are_named(here: Run, tmp_path: Path) -> None:
    source = "Kochen Sie vier Tassen Reis in der Küche. Geben Sie danach etwas Salz dazu."
    write_jsonl(tmp_path / "d.jsonl", [{"id": "a", "source": source, "language": "de"}])
    call = here(
        "metric", "traps", "make", tmp_path / "d.jsonl", "--kinds", "negation,control", "-o", tmp_path / "t.jsonl"
    )
    assert call.code == 0
    assert "no trap of negation: no sentence has words that they change" in call.err
