"""Group differences, and differences between training samples and the test set."""

from __future__ import annotations

import random

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.records import Example
from assay.results.group_differences import GroupDifferences, generalisation_gap, group_differences
from assay.results.result import Result
from assay.show.tables import write


def scored(values: np.ndarray, groups: list[str] | None = None, prefix: str = "i") -> Result:
    """Return items whose ROUGE-1 is about the value: that share of ten words is right."""
    outputs, examples = [], []
    for i, value in enumerate(values):
        right = round(float(np.clip(value, 0, 1)) * 10)
        outputs.append(" ".join([f"w{k}" for k in range(right)] + ["x"] * (10 - right)))
        tags = {"group": groups[i]} if groups else {}
        examples.append(Example(id=f"{prefix}{i}", references=(" ".join(f"w{k}" for k in range(10)),), tags=tags))
    return assay.score(outputs, examples=examples, metrics="rouge1", system=prefix)


def by_group(found: GroupDifferences) -> dict[str, float | None]:
    return {row.group: row.difference for row in found.rows}


def test_groups_against_all_others() -> None:
    values = np.repeat([0.5, 0.8, 0.8], 40) + np.tile([0.0, 0.1], 60)
    found = group_differences(scored(values, ["a"] * 40 + ["b"] * 40 + ["c"] * 40), "group")
    differences = by_group(found)
    assert differences["a"] == pytest.approx(-0.3)
    assert differences["b"] == differences["c"] == pytest.approx(0.15)
    for row in found.rows:
        assert row.low is not None
        assert row.high is not None
        assert row.low < (row.difference or 0) < row.high
        assert row.significant
    assert found.to_dict()["metrics"]["rouge1"][0]["sure"] is True
    for form in ("text", "markdown", "latex", "html"):
        assert "-30.0" in write(found.table(), form)


def test_small_groups_are_listed_without_a_difference() -> None:
    values = np.linspace(0.2, 0.9, 100)
    found = group_differences(scored(values, ["a"] * 60 + ["b"] * 35 + ["c"] * 5), "group")
    small = next(row for row in found.rows if row.group == "c")
    assert (small.difference, small.low, small.n) == (None, None, 5)
    assert small.why == "not tested: 5 items, minimum 30"
    assert "c: not tested: 5 items, minimum 30" in repr(found)
    looser = group_differences(scored(values, ["a"] * 60 + ["b"] * 35 + ["c"] * 5), "group", least=5)
    assert by_group(looser)["c"] is not None


def test_from_samples_to_the_test_set() -> None:
    rng = np.random.default_rng(0)
    test, train, valid = (scored(rng.normal(mean, 0.15, 120), prefix=name) for name, mean in
                          (("test", 0.5), ("train", 0.8), ("valid", 0.5)))  # fmt: skip
    found = generalisation_gap(test, [train, valid])
    significant = {row.group: row.significant for row in found.rows}
    assert significant == {"train": True, "valid": False}
    with pytest.raises(AssayError, match=r"120 items are also in test \(first: "):
        generalisation_gap(test, [test])


def test_two_groups_are_each_others_mirror() -> None:
    rng = np.random.default_rng(3)
    a, b = group_differences(scored(rng.beta(4, 2, 150), ["a"] * 50 + ["b"] * 100), "group").rows
    assert (a.difference, a.low, a.high) == (-(b.difference or 0), -(b.high or 0), -(b.low or 0))


def test_what_is_refused() -> None:
    one = scored(np.full(40, 0.5), ["a"] * 40)
    with pytest.raises(AssayError, match="all items have the same value"):
        group_differences(one, "group")
    with pytest.raises(AssayError, match="colour: items have no such field"):
        group_differences(one, "colour")
    two = scored(np.linspace(0, 1, 80), ["a", "b"] * 40)
    with pytest.raises(AssayError, match="least=1"):
        group_differences(two, "group", least=1)


def test_numbers_that_grow_with_the_items_take_equal_groups() -> None:
    examples = [Example(id=str(i), tags={"group": "a" if i < 30 else "b"}) for i in range(120)]
    result = assay.score([f"word{i % 7} more" for i in range(120)], examples=examples, metrics="distinct-1")
    assert all("depends on the number of items (" in (row.why or "") for row in group_differences(result, "group").rows)


@pytest.mark.slow
def test_intervals_are_simultaneous() -> None:
    """With three groups that do not differ, all intervals contain zero in about 95 of 100 sets."""
    rng = np.random.default_rng(7)
    sets, covered = 200, 0
    for _ in range(sets):
        found = group_differences(
            scored(rng.beta(4, 2, 150), ["a"] * 50 + ["b"] * 40 + ["c"] * 60), "group", samples=400
        )
        covered += not any(row.significant for row in found.rows)
    assert covered / sets > 0.95 - 3 * (0.05 * 0.95 / sets) ** 0.5


def test_groups_without_an_interval_are_pooled_with_the_others() -> None:
    """The few groups that have an interval are a selection with a mean of its own."""
    draw = random.Random(5)
    examples, outputs = [], {}
    for i in range(160):
        words = [f"w{draw.randrange(500)}" for _ in range(6)]
        examples.append(assay.Example(id=str(i), references=(" ".join(words),), tags={"topic": f"t{i % 16}"}))
        outputs[str(i)] = " ".join(words[: draw.choice((3, 4, 6))])
    result = assay.score(outputs, examples=examples, metrics="rouge1")
    rows = assay.group_differences(result, "topic", least=5).rows
    assert any(row.low is None for row in rows)
    assert all(row.pooled is not None for row in rows)
    middle = [row.pooled or 0.0 for row in rows]
    assert abs(sum(middle) / len(middle) - sum(row.difference or 0.0 for row in rows) / len(rows)) < 0.01
