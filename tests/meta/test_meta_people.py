"""Agreement of annotators, rater profiles, rankings and the power of a study, on synthetic judgements."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import AssayError
from assay.meta.agreement import AgreementRequest, measure_agreement, rating_table
from assay.meta.coefficients import Coefficient
from assay.meta.power import power_from_judgements, power_from_scores, power_row
from assay.meta.ranking import compare_pairs, rank_systems, scale_ends, unit_values
from assay.meta.ratings import ModelKind, model_ratings
from assay.records import Judgement


def judge(
    item: int, system: str, rater: str, value: float | str, criterion: str = "q", unit: str = "summary"
) -> Judgement:
    return Judgement(
        id=f"i{item}", system=system, annotator=rater, criterion=criterion, value=value, unit=unit, seconds=3.0
    )


def study(items: int = 30, seed: int = 0) -> list[Judgement]:
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(items):
        for system, level in (("best", 4.0), ("good", 4.0), ("bad", 2.0)):
            for rater in ("r1", "r2", "r3"):
                rows.append(judge(i, system, rater, float(np.clip(round(level + rng.normal(0, 0.7)), 1, 5))))
    return rows


def is_inside(entry: Coefficient) -> bool:
    """Whether there is an interval, and the value is in it."""
    low, value, high = entry.get("low"), entry["value"], entry.get("high")
    return low is not None and value is not None and high is not None and low < value < high


def test_coefficients_profiles_and_leave_one_out() -> None:
    (found,) = measure_agreement(study(), AgreementRequest(samples=100))
    assert (found.items, found.annotators, found.judgements) == (90, 3, 270)
    alpha = found.coefficients["alpha-ordinal"]
    assert is_inside(alpha)
    assert set(found.leave_one_out) == {"r1", "r2", "r3"}
    profile = found.profiles["r1"]
    assert sum(profile["distribution"].values()) == profile["judgements"] == 90
    assert profile["median_seconds"] == 3.0


def test_a_model_tells_what_the_design_cannot() -> None:
    """One answer per annotator and output: annotator and item are told apart, their crossings with systems too."""
    found = model_ratings(study(), "q", "linear")
    assert [source.source for source in found.sources] == [
        "item", "annotator", "item x system", "annotator x system", "item x annotator", "residual",
    ]  # fmt: skip
    assert [(pair.a, pair.b) for pair in found.pairs] == [("best", "good"), ("best", "bad"), ("good", "bad")]
    assert found.pairs[1].p_adjusted < 0.001 < found.pairs[0].p_adjusted
    means = {row.system: np.mean([j.value for j in study() if j.system == row.system]) for row in found.systems}
    assert {row.system: row.value for row in found.systems} == pytest.approx(means)
    noise = np.random.default_rng(3)
    alone = [judge(i, "st"[i // 6], rater, float(noise.integers(1, 6))) for i in range(12) for rater in ("a", "b", "c")]
    apart = model_ratings(alone, "q", "linear")
    assert apart.notes[:2] == [
        "item x system: confounded with item in this design",
        "item x annotator: confounded with single answers in this design",
    ]
    assert {source.source for source in apart.sources} == {"item", "annotator", "annotator x system", "residual"}


def test_an_ordinal_model_keeps_answers_apart_finite() -> None:
    noise = np.random.default_rng(4)
    levels = {"low": 1, "high": 4}
    rows = [
        judge(i, system, rater, float(level + noise.integers(0, 2)))
        for i in range(8)
        for system, level in levels.items()
        for rater in "abcdef"
    ]
    found = model_ratings(rows, "q", "ordinal")
    assert any("hardly overlap" in note for note in found.notes)
    assert -20 < found.pairs[0].difference < -2
    assert found.pairs[0].p < 0.05
    assert sorted(found.thresholds or []) == found.thresholds
    with pytest.raises(AssayError, match="Use --model linear"):
        model_ratings([judge(i, "s", rater, float(i)) for i in range(30) for rater in "ab"], "q", "ordinal")
    with pytest.raises(AssayError, match="at least two annotators"):
        model_ratings([judge(i, "s", "a", float(i % 3)) for i in range(9)], "q", "linear")
    with pytest.raises(AssayError, match="No judgement of whole texts"):
        model_ratings([judge(1, "s", "a", 1.0)], "other", "linear")
    with pytest.raises(AssayError, match="no linear model"):
        model_ratings([judge(i, "s", rater, 1.0) for i in range(3) for rater in "ab"], "q", "linear")


@pytest.mark.parametrize("kind", ["linear", "ordinal"])
def test_annotators_who_always_agree_leave_nothing_to_model(kind: ModelKind) -> None:
    """The fit then did not settle, and gave a difference 70 degrees of freedom from 12 items."""
    rows = [
        judge(i, system, rater, float((i * 7 + (system == "b") * (i % 2)) % 5 + 1))
        for i in range(12)
        for system in "ab"
        for rater in "xyz"
    ]
    with pytest.raises(AssayError, match="no residual variance"):
        model_ratings(rows, "q", kind)


def test_few_annotators_without_tastes_do_not_speak_for_all() -> None:
    """Two annotators seldom differ enough for a variance; without it the model rejected 11 % of true nulls at .05."""
    rng, rejected, draws = np.random.default_rng(1), 0, 150
    for _ in range(draws):
        tastes = rng.normal(0, 0.4, (2, 2))
        rows = [
            judge(i, str(s), str(r), float(np.round(3 + level + tastes[r, s] + rng.normal(0, 0.7))))
            for i, level in enumerate(rng.normal(0, 0.5, 12))
            for s in range(2)
            for r in range(2)
        ]
        pair = model_ratings(rows, "q", "linear").pairs[0]
        rejected += pair.p < 0.05
        assert pair.low < pair.difference < pair.high
    assert rejected <= 0.06 * draws + 3 * (0.06 * 0.94 * draws) ** 0.5


def test_agreement_counts_inputs_and_draws_their_outputs_together() -> None:
    rows = study(12)
    (nested,) = measure_agreement(rows, AgreementRequest(samples=200))
    by_text = {key: k for k, key in enumerate(dict.fromkeys((row.id, row.system) for row in rows))}
    alone = [judge(by_text[row.id, row.system], row.system, row.annotator, row.value) for row in rows]
    (apart,) = measure_agreement(alone, AgreementRequest(samples=200))
    assert (nested.inputs, nested.items, apart.inputs) == (12, 36, 36)
    for name in ("percent", "alpha-ordinal", "icc-2"):
        assert nested.coefficients[name]["value"] == pytest.approx(apart.coefficients[name]["value"])
        assert nested.coefficients[name]["low"] != apart.coefficients[name]["low"]
    few = [row for row in rows if int(row.id[1:]) < 9]
    assert (
        measure_agreement(few, AgreementRequest(samples=50))[0]
        .coefficients["percent"]["why_no_interval"]
        .endswith("9 inputs, at least 10 are needed")
    )


def test_coefficients_with_gaps_and_two_people() -> None:
    rows = [row for k, row in enumerate(study(12)) if k % 5]
    (found,) = measure_agreement(rows, AgreementRequest(samples=40, over="both"))
    for name in ("icc-1", "icc-2", "icc-3k", "ac1", "alpha-ordinal"):
        entry = found.coefficients[name]
        assert is_inside(entry)
        assert (entry["high"] or 0) <= 1
    (items,) = measure_agreement(rows, AgreementRequest(samples=40))
    narrow, wide = (each.coefficients["icc-2"] for each in (items, found))
    assert (narrow["low"] or -1) >= (wide["low"] or 1)
    assert (narrow["high"] or 1) < (wide["high"] or 0)
    two = [row for row in study(12) if row.annotator != "r3"]
    entry = measure_agreement(two, AgreementRequest(samples=40, over="annotator"))[0].coefficients["ac1"]
    assert entry["low"] is None
    assert "at least three of them; there are 2" in entry["why_no_interval"]


def test_words_have_no_order() -> None:
    rows = [judge(i, "s", rater, word) for i, word in enumerate(["yes", "no", "yes"]) for rater in ("a", "b")]
    (found,) = measure_agreement(rows, AgreementRequest(samples=0))
    assert found.coefficients["fleiss"]["value"] == 1
    assert found.coefficients["alpha-ordinal"]["value"] is None
    assert "without an order" in found.coefficients["alpha-ordinal"]["why"]


def test_a_stuck_rater_the_preset_and_traps_are_shown() -> None:
    rows = [judge(i, "s", "free", float(i % 5 + 1)) for i in range(20)] + [
        judge(i, "s", "stuck", 3.0) for i in range(20)
    ]
    (found,) = measure_agreement(rows, AgreementRequest(samples=0, preset=3.0, traps={"i0": 1.0, "i5": 1.0}))
    assert found.profiles["stuck"]["preset_share"] == 1
    assert found.profiles["stuck"]["trap_accuracy"] == 0
    assert found.profiles["free"]["trap_accuracy"] == 1
    assert found.profiles["free"]["judgements"] == 18
    assert found.items == 18
    assert [note.split()[0] for note in found.warnings] == ["stuck"]


def test_spans() -> None:
    rows = [
        judge(1, "s", "a", "E", unit="span:0-4"),
        judge(1, "s", "b", "E", unit="span:0-4"),
        judge(1, "s", "b", "E", unit="span:6-8"),
    ]
    (found,) = measure_agreement(rows)
    assert found.spans is not None
    assert found.spans["exact"] == pytest.approx(2 / 3)
    with pytest.raises(AssayError, match="not span:START-END"):
        measure_agreement([judge(1, "s", "a", "E", unit="span:x"), judge(1, "s", "b", "E", unit="span:0-4")])


def test_bad_studies_are_named() -> None:
    with pytest.raises(AssayError, match="at least two annotators, there is only a"):
        measure_agreement([judge(i, "s", "a", 1.0) for i in range(3)])
    with pytest.raises(AssayError, match="no item was judged by two"):
        measure_agreement([judge(1, "s", "a", 1.0), judge(2, "s", "b", 1.0)])
    with pytest.raises(AssayError, match=r"criterion 'x'\. Criteria: q"):
        measure_agreement(study(2), AgreementRequest(criterion="x"))
    with pytest.raises(AssayError, match="twice with different values"):
        rating_table([judge(1, "s", "a", 1.0), judge(1, "s", "a", 2.0)])


def test_few_items_make_no_place_sure() -> None:
    """Three items: no test can tell systems apart, whatever resampled means say."""
    scores = {name: {str(i): level + 0.1 * i for i in range(3)} for name, level in (("a", 5.0), ("b", 3.0), ("c", 2.0))}
    rows = rank_systems(scores, samples=100)
    assert [(row.rank, row.rank_low, row.rank_high) for row in rows] == [(1, 1, 3)] * 3
    assert {(row.low, row.high) for row in rows} == {(None, None)}


def test_places_are_as_sure_as_the_tests() -> None:
    """Of two equal systems on 12 items one was given the first place alone in 10 % of the cases."""
    rng, sure = np.random.default_rng(6), 0
    for _ in range(200):
        scores = {name: dict(enumerate(rng.normal(size=12).tolist())) for name in "ab"}
        rows = rank_systems(scores, samples=100)  # type: ignore[arg-type]
        assert (rows[0].rank == rows[1].rank) == (rows[0].rank_high == 2)
        sure += rows[0].rank_high == 1
    assert sure <= 18


def test_systems_that_cannot_be_told_apart_share_a_rank() -> None:
    rows = rank_systems(unit_values(study(), "q"), samples=200)
    assert [(row.system, row.rank) for row in rows] in (
        [("best", 1), ("good", 1), ("bad", 3)],
        [("good", 1), ("best", 1), ("bad", 3)],
    )
    assert (rows[2].rank_low, rows[2].rank_high) == (3, 3)
    assert all(row.rank_low <= row.rank <= row.rank_high for row in rows)
    assert all((row.low or 0) < row.mean < (row.high or 0) for row in rows)
    with pytest.raises(AssayError, match="at least two systems"):
        rank_systems({"a": {"1": 1.0}})
    with pytest.raises(AssayError, match="no common item"):
        rank_systems({"a": {"1": 1.0}, "b": {"2": 1.0}})
    with pytest.raises(AssayError, match="not a number"):
        unit_values([judge(1, "s", "a", "yes")], "q")


def test_intervals_of_ratings_stay_on_the_scale() -> None:
    """Twelve times the best rating is no certainty, and no mean is above the best rating."""
    ratings = [judge(i, "perfect", "a", 1.0) for i in range(12)]
    ratings += [judge(i, "good", "a", float(i > 1)) for i in range(12)]
    first, second = rank_systems(unit_values(ratings, "q"), ends=scale_ends(ratings, "q"))
    assert first.system == "perfect"
    assert first.low is not None
    assert 0.6 < first.low < 0.85
    assert first.high == 1.0
    assert second.low is not None
    assert second.high is not None
    assert 0.4 < second.low < second.mean < second.high < 1.0


def test_equal_scores_without_a_scale_have_no_interval() -> None:
    scores = {"a": {str(i): 2.5 for i in range(12)}, "b": {str(i): 2.5 + i / 7 for i in range(12)}}
    intervals = {row.system: row.low for row in rank_systems(scores, samples=100)}
    assert intervals["a"] is None
    assert intervals["b"] is not None
    same = [judge(i, "s", "a", 3.0) for i in range(12)]
    assert scale_ends(same, "q") is None
    assert scale_ends(same, "q", range(1, 6)) == (1.0, 5.0)  # the design's scale, of which one level was used
    assert scale_ends([*same, judge(12, "s", "a", 7.0)], "q", range(1, 6)) == (3.0, 7.0)


def test_intervals_near_the_end_of_a_scale_cover_the_mean() -> None:
    """Percentile intervals of resampled means hold in 73 % of these samples."""
    rng, held = np.random.default_rng(0), 0
    for _ in range(300):
        ratings = [judge(i, s, "a", float(rng.random() < p)) for s, p in (("a", 0.9), ("b", 0.6)) for i in range(12)]
        rows = {row.system: row for row in rank_systems(unit_values(ratings, "q"), samples=50, ends=(0.0, 1.0))}
        held += (rows["a"].low or 0.0) <= 0.9 <= (rows["a"].high or 0.0)
    assert held >= 280


def test_power_from_scores() -> None:
    rng = np.random.default_rng(0)
    gaps = rng.normal(0.1, 1, 50)
    a = [{"id": str(i), "m": 0.0, "same": 1.0} for i in range(50)]
    b = [{"id": str(i), "m": float(gap), "same": 1.0} for i, gap in enumerate(gaps)]
    rows = {row.metric: row for row in power_from_scores(a, b, 0.3, 0.8, 0.05)[0]}
    assert rows["m"].sd == pytest.approx(gaps.std(ddof=1))
    assert (rows["m"].items_needed or 0) - 50 == rows["m"].more_items
    assert rows["same"].items_needed is None
    assert "standard deviation" in rows["same"].why
    with pytest.raises(AssayError, match="no common numeric column"):
        power_from_scores(a, b, None, 0.8, 0.05, ["nope"])


def test_power_of_a_study_splits_items_from_judges() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for i in range(200):
        item = rng.normal(0.5, 0.4)
        for rater in ("r1", "r2", "r3", "r4"):
            rows += [judge(i, "a", rater, item + rng.normal(0, 1.0)), judge(i, "b", rater, 0.0)]
    found = power_from_judgements(rows, ("a", "b"), "q", 0.3, 0.8, 0.05)
    assert found.sd_items == pytest.approx(0.4, abs=0.12)
    assert found.sd_judges == pytest.approx(1.0, abs=0.1)
    assert found.plan.per_item == 1
    with pytest.raises(AssayError, match="one annotator"):
        power_from_judgements([r for r in rows if r.annotator == "r1"], ("a", "b"), "q", 0.3, 0.8, 0.05)
    with pytest.raises(AssayError, match="Fewer than two items"):
        power_from_judgements(rows, ("a", "nobody"), "q", 0.3, 0.8, 0.05)
    assert power_row("m", [0.0, 0.0], None, 0.8, 0.05).why


def test_every_two_systems_by_a_named_test() -> None:
    rows = study()
    by_item, single = unit_values(rows, "q"), unit_values(rows, "q", "judgement")
    assert (len(by_item["bad"]), len(single["bad"])) == (30, 90)
    for test, word in (("t", "paired t"), ("wilcoxon", "normal"), ("wilcoxon-exact", "exact"), ("sign", "binomial")):
        found = {(pair.a, pair.b): pair for pair in compare_pairs(by_item, test)}
        assert (found["best", "bad"].p or 1) < 0.001
        assert (found["best", "good"].p or 0) > 0.01
        assert (found["best", "good"].p_adjusted or 0) >= (found["best", "good"].p or 1)
        assert word in found["best", "bad"].method
    assert "permutation" in compare_pairs(by_item, "permutation")[0].method
    (same,) = compare_pairs({"a": {"1": 1.0, "2": 2.0}, "b": {"1": 1.0, "2": 2.0}}, "wilcoxon")
    assert same.p is None
    assert "all differences are zero" in same.method
