"""Analysis of judgements with known effects, and of simulations without any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.records import Judgement
from assay.studies.analysis import analyze
from assay.studies.categories import accuracy, model_annotators, rates
from assay.studies.effects import fatigue_effects, order_effect
from assay.studies.methods import compare_methods
from assay.studies.perception import perception_matrix
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


def judgement(id: str, system: str, who: str, value: float | str, **more: object) -> Judgement:
    return Judgement(id=id, system=system, annotator=who, criterion="c", value=value, **more)  # type: ignore[arg-type]


def study(seed: int, place: float = 0.0, tired: float = 0.0, items: int = 30, people: int = 6) -> list[Judgement]:
    """Return ratings of two systems by annotators of different leniency, in random order.

    Each position further down adds `place` points; noise at the end is `tired` times as large as at the start.
    """
    draw = np.random.default_rng(seed)
    kind, hard = draw.normal(0, 0.7, people), draw.normal(0, 0.7, items)
    rows = []
    for who in range(people):
        for number, item in enumerate(draw.permutation(items)):
            noise = 0.6 + tired * number / items
            for position, system in enumerate(draw.permutation(2), 1):
                value = 3 + 0.3 * system + kind[who] + hard[item] + place * position + draw.normal(0, noise)
                rows.append(
                    judgement(f"i{item}", f"s{system}", f"p{who}", value, position=position, seconds=9 + number)
                )
    return rows


def test_order_effects_are_detected_without_false_positives() -> None:
    result = order_effect(study(0, place=0.5))
    assert result.slope == pytest.approx(0.5, abs=0.15)
    assert result.p is not None
    assert result.p < 0.01
    null = [order_effect(study(seed)).p for seed in range(100)]
    assert 0 <= sum(p is not None and p < 0.05 for p in null) <= 10


def test_fatigue() -> None:
    points, distance, seconds = fatigue_effects(study(1, tired=2.0))
    assert distance.slope is not None
    assert distance.slope > 0.3
    assert distance.p is not None
    assert distance.p < 0.01
    assert points.p is None or points.p > 0.01
    assert seconds.slope == pytest.approx(29, abs=1)
    null = [fatigue_effects(study(seed))[1].p for seed in range(60)]
    assert sum(p is not None and p < 0.05 for p in null) <= 8


def test_effects_that_cannot_be_estimated() -> None:
    assert order_effect([]).slope is None
    same = [judgement(f"i{i}", "a", f"p{k}", float(i + k), position=1) for i in range(10) for k in range(3)]
    assert order_effect(same).why == "the predictor hardly varies within texts and annotators"


def test_perception_matrix() -> None:
    items = [judgement(f"i{i}", "gold", "x", 2.0 if i < 219 else 3.0) for i in range(350)]
    (result,) = perception_matrix(items)
    assert (round(100 * result.share, 1), round(100 * (1 - result.share), 1)) == (62.6, 37.4)
    votes = [judgement("a", "g", str(k), float(v)) for k, v in enumerate([1, 2, 2, 1, 2, 2, 2])]
    votes += [judgement("b", "g", str(k), 3.0) for k in range(5)]
    (result,) = perception_matrix(votes)
    assert (result.human, result.items) == (1, 2)  # 1.714 is human, exactly 3 is not
    assert result.mean == pytest.approx((12 / 7 + 3) / 2)
    with pytest.raises(AssayError, match="'human' is not a number"):
        perception_matrix([judgement("a", "g", "x", "human")])


def test_contradicting_methods() -> None:
    """One system is rated higher, but preferred less often in pairs."""
    rows = []
    for i in range(20):
        for who in "xyz":
            rows += [
                judgement(f"i{i}", s, who, v, method="likert") for s, v in (("dialect", 2.0 + i % 2), ("standard", 4.0))
            ]
            rows += [judgement(f"i{i}", s, who, v, method="pairwise") for s, v in (("dialect", 1.0), ("standard", 0.0))]
    (pair,) = compare_methods(rows)
    assert pair.verdict == "contradiction"
    assert list(pair.differences) == pytest.approx([-1.5, 1.0])
    agreeing = [j for j in rows if j.method == "likert"]
    agreeing += [
        judgement(j.id, j.system, j.annotator, 1.0 if j.system == "standard" else 2.0, method="ranking")
        for j in agreeing
    ]
    assert [pair.verdict for pair in compare_methods(agreeing)] == ["same"]  # rank 1 is best
    assert compare_methods([j for j in rows if j.method == "likert"]) == []


def votes(*sentences: Sequence[str], id: str = "a", system: str = "s") -> list[Judgement]:
    return [
        judgement(id, system, f"p{k}", vote, unit=f"sentence:{n}")
        for n, labels in enumerate(sentences)
        for k, vote in enumerate(labels)
    ]


def test_rates_and_minority_votes() -> None:
    rows = votes(["NoE", "NoE", "RelE"], ["CorefE", "CorefE", "NoE"], ["RelE", "OutE", "EntE"])
    shares = {rate.value: (rate.count, rate.of) for rate in rates(rows)}
    assert shares == {"NoE": (1, 3), "CorefE": (1, 3), "no majority": (1, 3)}
    result = analyze(rows)
    assert result.criteria[0].minority == {("NoE", "RelE"): 1, ("CorefE", "NoE"): 1}


def test_sentences_of_one_text_have_a_smaller_effective_sample_size() -> None:
    alike = [j for i in range(20) for j in votes(*[["NoE" if i % 2 else "RelE"] * 3] * 4, id=f"i{i}")]
    apart = [j for i in range(80) for j in votes(["NoE" if i % 2 else "RelE"] * 3, id=f"i{i}")]
    widths = [next(r.high - r.low for r in rates(rows) if r.value == "NoE") for rows in (alike, apart)]
    assert widths[0] > 1.8 * widths[1]


def test_gold_and_models() -> None:
    draw = np.random.default_rng(0)
    truth = {(f"i{i}", "s", "summary"): "yn"[draw.integers(2)] for i in range(80)}
    rows = []
    for (id, system, _), right in truth.items():
        other = "n" if right == "y" else "y"
        rows += [judgement(id, system, f"good{k}", right if draw.random() < 0.95 else other) for k in range(2)]
        rows += [judgement(id, system, f"guess{k}", "yn"[draw.integers(2)]) for k in range(3)]
    result = accuracy(model_annotators(rows), truth)
    assert result["majority"][0] < result["dawid-skene"][0] <= 80
    assert result["majority"][0] < result["mace"][0]
    gold = [judgement(id, system, "expert", right) for (id, system, _), right in truth.items()]
    (criterion,) = analyze(rows, gold=gold).criteria
    right, of = criterion.gold["annotators"]["good0"]
    assert of == 80
    assert right > 70
    with pytest.raises(AssayError, match="i0 of s has two values for c"):
        analyze(rows, gold=[*gold, judgement("i0", "s", "other", "z")])


def test_pilots_and_wordings_are_analysed_separately(here: Run, tmp_path: Path) -> None:
    rows = [
        {"id": f"i{i}", "system": s, "annotator": a, "criterion": "c", "value": 1 + (i + len(s) * k) % 5, "question": q,
         "pilot": i == 0, "method": "likert"}
        for i in range(12) for s in ("one", "three") for k, a in enumerate(("x", "y", "z")) for q in ("1", "2")
    ]  # fmt: skip
    path = write_jsonl(tmp_path / "j.jsonl", rows)
    result = here("study", "analyze", path, "--ci", 50, "--json").json
    assert result["pilot_left_out"] == 12
    assert [each["question"] for each in result["criteria"]] == ["1", "2"]
    assert result["notes"] == ["c: 2 wordings of the question, analysed separately"]
    text = here("study", "analyze", path, "--ci", 50)
    assert text.code == 0
    assert "12 pilot answers are excluded" in text.err


def test_the_eks_study(shared_data: Callable[[str], Path], here: Run, tmp_path: Path) -> None:
    path = tmp_path / "eks.jsonl"
    assert here("data", "read", "eks", shared_data("eks"), "--judgements", path).code == 0
    (result,) = here("study", "analyze", path, "--ci", 50, "--json").json["criteria"]
    means = {row["system"].split(".")[0]: round(row["mean"], 2) for row in result["ranking"]}
    assert means == {
        "reference": 4.13, "bart-large": 3.79, "pegasus-large": 3.72, "t5-large": 3.8, "chatgpt": 3.76, "gpt4": 3.62,
    }  # fmt: skip
    call = here("analyze", "agreement", path, "--compare", "wilcoxon", "--unit", "judgement", "--ci", 50, "--json").json
    pairs = {frozenset((p["a"].split(".")[0], p["b"].split(".")[0])): p for p in call["pairs"]}
    assert pairs[frozenset(("reference", "gpt4"))]["p"] < 0.001
