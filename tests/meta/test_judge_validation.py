"""May a judge replace annotators? Hand-computed tests, planted biases, one answer, drift, and the command."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest

from assay.errors import AssayError
from assay.meta.judge_validation import ValidationRequest, validate_judges
from assay.meta.reproduce import reproduce
from assay.meta.tables.judge_validation import validation_tables
from assay.records import Judgement, to_json
from assay.stats.alternative_annotator import alternative_annotator_test
from assay.stats.error_effects import error_effects, mean_effect
from assay.stats.validation import UndefinedStatistic
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
Find = Callable[[str], Path]


def test_the_alternative_annotator_test_by_hand() -> None:
    """Three annotators of four items; the judge agrees with the others wherever b does."""
    humans: dict[str, dict[Any, float | str]] = {
        "a": {1: "x", 2: "x", 3: "x", 4: "x"}, "b": {1: "x", 2: "x", 3: "y", 4: "y"},
        "c": {1: "x", 2: "y", 3: "x", 4: "y"},
    }  # fmt: skip
    judge: dict[Any, float | str] = {1: "x", 2: "x", 3: "x", 4: "y"}
    result = alternative_annotator_test(judge, humans, "accuracy", 0.2, fewest=4)
    by_name = {row.annotator: row for row in result.annotators}
    # a: equal on 1 to 3; on 4 the others say y, as the judge does. b: worse on 3 only; c: worse on 2 only.
    assert [(by_name[name].judge, by_name[name].human) for name in "abc"] == [(1.0, 0.75), (1.0, 0.75), (1.0, 0.75)]
    assert result.advantage_probability == 1.0
    # differences -1, 0, 0, 0: mean -.25, standard deviation .5, t = (-.25 - .2) / .25 = -1.8 with 3 df
    assert by_name["a"].p == pytest.approx(0.08486, abs=1e-4)
    assert result.winning_rate == 0.0
    with pytest.raises(UndefinedStatistic, match="shares 30 items"):
        alternative_annotator_test(judge, humans, "accuracy", 0.2)


def test_error_effects_by_hand() -> None:
    """Two systems, two items each: effects are half of the difference of means, the slope is that of least squares."""
    effects = error_effects([1, 3, 5, 7.5], ["a", "a", "b", "b"], ["1", "2", "1", "2"], {}, own="b")
    assert effects["level"].value == pytest.approx(4.125)
    assert effects["system:b"].value == pytest.approx(2.125)
    assert effects["self_preference"].value == pytest.approx(4.25)
    lengths = [0.0, 1.0, 0.0, 1.0]
    assert error_effects([1, 3, 5, 7.5], list("aabb"), list("1212"), {"length": lengths})[
        "length"
    ].value == pytest.approx(2.25)
    effect = mean_effect([1.0, 0.0, 1.0, 0.0], ["1", "1", "2", "2"])
    assert effect.value == 0.5
    assert mean_effect([1.0] * 4, ["1", "1", "2", "2"]).p == 0  # a judge that always takes the first text
    assert mean_effect([0.0] * 4, ["1", "1", "2", "2"]).p == 1
    with pytest.raises(UndefinedStatistic, match="are collinear"):
        error_effects([1, 2, 3, 4], list("aabb"), list("1212"), {"length": [1, 1, 2, 2]})


def synthetic(seed: int, kind: float = 0.0, spread: float = 0.8, items: int = 60) -> list[Judgement]:
    """Ratings of three annotators and a judge that likes system b by `kind` points."""
    draw = np.random.default_rng(seed)
    rows = []
    for i in range(items):
        for system in "abc":
            truth = draw.normal(3, 1)
            for name in ("p1", "p2", "p3", "judge"):
                noise = spread if name == "judge" else 0.8
                value = truth + draw.normal(0, noise) + (kind if (name, system) == ("judge", "b") else 0)
                rating = float(np.clip(round(value), 1, 5))
                method = "judge" if name == "judge" else "likert"
                rows.append(
                    Judgement(id=str(i), system=system, annotator=name, criterion="q", value=rating, method=method)
                )
    return rows


def test_a_good_judge_may_replace_annotators() -> None:
    found = validate_judges(synthetic(1), ValidationRequest())["judge"]
    assert found.answer == "yes"
    assert found.agreement is not None
    assert found.agreement == pytest.approx(found.human_agreement, abs=0.15)
    assert found.difference is not None
    assert found.difference[0] < 0 < found.difference[1]
    assert found.correlation["pearson"] > 0.6
    assert [row["judge"] for row in found.calibration] == [1, 2, 3, 4, 5]
    humans = [row["human"] for row in found.calibration]
    assert humans == sorted(humans)
    assert sum(row["n"] for row in found.systems) <= 180


def test_a_judge_that_is_kinder_to_one_system_may_not() -> None:
    found = validate_judges(synthetic(1, kind=0.9), ValidationRequest())["judge"]
    assert found.answer == "no"
    bias = next(bias for bias in found.biases if bias.name == "system:b")
    assert bias.significant
    assert bias.low > 0
    assert any("system:b" in reason for reason in found.reasons)


def test_a_tolerance_needs_intervals_within_it() -> None:
    rows = synthetic(1, kind=0.5)
    requests = {size: ValidationRequest(tolerance=size, epsilon=0.3) for size in (0.2, 0.4, 1.0)}
    answers = {size: validate_judges(rows, request)["judge"].answer for size, request in requests.items()}
    assert answers == {0.2: "no", 0.4: "inconclusive", 1.0: "yes"}
    few = validate_judges(synthetic(1, items=40), ValidationRequest(tolerance=0.05))["judge"]
    assert few.answer == "inconclusive"  # nothing is significant, and nothing is excluded
    assert "may be too large" in few.reasons[1]
    with pytest.raises(AssayError, match="tolerance=0: use a number above 0"):
        ValidationRequest(tolerance=0)


def test_a_judge_that_guesses_may_not() -> None:
    found = validate_judges(synthetic(2, spread=3), ValidationRequest())["judge"]
    assert found.answer == "no"
    assert found.test is not None
    assert found.test.winning_rate == 0


def test_outputs_of_an_item_that_fail_together_are_no_further_evidence() -> None:
    """The judge errs on whole items; the published test counts each of their four outputs."""
    rows = []
    for i in range(32):
        for system in "abcd":
            for name in ("p", "q", "r", "judge"):
                wrong = name == "judge" and i < 5
                method = "judge" if name == "judge" else ""
                rows.append(
                    Judgement(
                        id=str(i),
                        system=system,
                        annotator=name,
                        criterion="c",
                        value=float(i % 2 != wrong),
                        method=method,
                    )
                )
    found = validate_judges(rows, ValidationRequest(epsilon=0.25))["judge"]
    assert found.test is not None
    assert found.clustered is not None
    assert [each.n for each in found.test.annotators] == [each.n for each in found.clustered.annotators]
    assert found.test.winning_rate == 1
    assert found.clustered.winning_rate == 0
    assert found.answer == "inconclusive"
    assert "not independent" in " ".join(found.reasons)


def test_few_items_are_inconclusive() -> None:
    found = validate_judges(synthetic(1, items=8), ValidationRequest())["judge"]
    assert found.answer == "inconclusive"
    assert any("alternative annotator test" in note for note in found.notes)
    alone = [row for row in synthetic(1) if row.annotator in ("p1", "judge")]
    assert validate_judges(alone, ValidationRequest())["judge"].reasons == [
        "the alternative annotator test needs two or more annotators"
    ]


def test_a_judge_like_annotators_on_few_outputs_is_no_worse_than_them() -> None:
    rows = [row for row in synthetic(1, items=40) if row.system == "a"]
    found = validate_judges(rows, ValidationRequest())["judge"]
    assert found.test is not None
    assert (found.test.passes, found.test.undecided, found.answer) == (False, True, "inconclusive")
    assert "not significantly (40 items): label more" in " ".join(found.reasons)


def test_the_error_of_labels_is_no_bias_by_itself() -> None:
    words = {1: "low", 2: "low", 3: "middle", 4: "high", 5: "high"}
    rows = [msgspec.structs.replace(row, value=words[int(row.value)]) for row in synthetic(1)]
    found = validate_judges(rows, ValidationRequest())["judge"]
    cells = next(row for row in validation_tables({"judge": found})[1].rows if row[0] == "level")
    assert cells[3:] == ["–", "no", "share of labels that differ from the annotators' majority; no bias"]


def test_words_repeated_draws_and_positions() -> None:
    def row(i: int, annotator: str, value: Any, **more: Any) -> Judgement:
        method = "judge" if annotator.startswith("m") else ""
        return Judgement(id=str(i), system="s", annotator=annotator, criterion="c", value=value, method=method, **more)

    labels = ["yes" if i % 3 else "no" for i in range(40)]
    rows = [row(i, name, label) for name in ("p", "q", "m") for i, label in enumerate(labels)]
    rows += [row(i, "m#2", "no" if i == 0 else label) for i, label in enumerate(labels)]
    found = validate_judges(rows, ValidationRequest())["m"]
    assert found.answer == "yes"
    assert found.agreement == 1.0
    assert [each["recall"] for each in found.confusion] == [1.0, 1.0]
    assert found.repeatability == {"draws": 2, "equal": 1.0, "n": 40}  # item 0 is `no` anyway
    pairs = [
        row(i, name, 0.0 if (name, place, i % 2) == ("m", 2, 1) else 1.0, unit="against:t", position=place)
        for i in range(40)
        for name in ("p", "m")
        for place in (1, 2)
    ]
    biases = {bias.name: bias for bias in validate_judges(pairs, ValidationRequest())["m"].biases}
    assert biases["position"].value == 0.5
    assert biases["position"].significant


def test_what_is_missing_is_named() -> None:
    rows = synthetic(1, items=3)
    with pytest.raises(AssayError, match=r"no judge jugde.*did you mean judge"):
        validate_judges(rows, ValidationRequest(judges=("jugde",)))
    people = [row for row in rows if row.annotator != "judge"]
    with pytest.raises(AssayError, match="name it with --judge"):
        validate_judges(people, ValidationRequest())
    with pytest.raises(AssayError, match="no human judgements"):
        validate_judges([row for row in rows if row.annotator == "judge"], ValidationRequest())
    with pytest.raises(AssayError, match="no judgements of tone"):
        validate_judges(rows, ValidationRequest(criterion="tone"))


def written(folder: Path, name: str, rows: Sequence[Judgement]) -> Path:
    return write_jsonl(folder / name, [json.loads(to_json(row)) for row in rows])


def test_the_command_its_exit_codes_and_drift(here: Run, tmp_path: Path) -> None:
    good = written(tmp_path, "good.jsonl", synthetic(1))
    bad = written(tmp_path, "bad.jsonl", synthetic(1, kind=0.9))
    call = here("judge", "validate", good, "--json", "--strict")
    assert call.code == 0, call.err
    record = call.json["judges"]["judge"]
    keys = {"agreement", "human_agreement", "winning_rate", "advantage_probability", "biases", "verdict"}
    assert keys <= set(record)
    assert record["verdict"] == "yes"
    stored = tmp_path / "stored.json"
    stored.write_text(call.out)
    same = here("judge", "validate", good, "--baseline", stored, "--strict")
    assert same.code == 0
    report = tmp_path / "judge.xml"
    worse = here("judge", "validate", bad, "--baseline", stored, "--junit", report, "--strict")
    assert worse.code == 1
    assert "the verdict was yes and is no" in worse.err
    assert ElementTree.parse(report).getroot().attrib["failures"] == "1"
    assert here("judge", "validate", bad).code == 0  # without --strict, the answer is no error
    few = written(tmp_path, "few.jsonl", synthetic(1, items=8))
    assert here("judge", "validate", few, "--strict").code == 3
    stored.write_text('{"judges": {"judge": 3}}')
    assert "not a validation" in here("judge", "validate", good, "--baseline", stored).err


def test_published_values_are_reproduced(shared_data: Find) -> None:
    cells = reproduce("alttest", shared_data("alttest").parent)
    printed = [cell for cell in cells if cell.match is not None]
    assert len(printed) == 60
    assert all(cell.match for cell in printed)
    assert len(cells) == 68
