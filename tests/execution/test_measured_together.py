"""Systems that are measured in one call get the rows that each would get alone."""

from __future__ import annotations

import numpy as np
import pytest

from assay.execution.measure import measure, measure_together
from assay.metrics import resolve
from assay.metrics.engine.statistics import Dense
from assay.records import Example
from assay.records.items import Items
from assay.stats.resample import all_items
from tests.metrics.engine.test_properties import LEARNED, OF_TEXTS

WORDS = "The cat sat on a mat near the old river . Dogs ran past many houses and barked at him .".split()


def system(number: int) -> Items:
    rng, own = np.random.default_rng(0), np.random.default_rng(number)
    examples = []
    for i in range(12):
        source = " ".join(rng.choice(WORDS, 14))
        examples.append(Example(id=f"x{i}", source=source, references=(source[:40],), parent=f"x{i - i % 3}"))
    return Items(tuple(" ".join(own.choice(WORDS, 9)) for _ in examples), tuple(examples), system=f"s{number}")


@pytest.mark.parametrize("name", [name for name in OF_TEXTS if name not in LEARNED])
def test_rows_do_not_depend_on_the_other_systems(name: str) -> None:
    requests = resolve("pass_at_k:k=2" if name == "pass_at_k" else name)
    systems = [system(1), system(2), system(3)]
    for items, own in zip(systems, measure_together(systems, requests), strict=True):
        alone = measure(items, requests)
        assert [missing.why for missing in own.skipped] == [missing.why for missing in alone.skipped]
        for mine, other in zip(own.computed, alone.computed, strict=True):
            if isinstance(mine.rows, Dense):
                assert isinstance(other.rows, Dense)
                np.testing.assert_array_equal(mine.rows.values, other.rows.values)
            values, wanted = (each.metric.fold(each.rows, all_items(12)) for each in (mine, other))
            np.testing.assert_equal(values, wanted)


def test_samples_of_a_problem_are_those_of_one_system() -> None:
    examples = tuple(Example(id=f"x{i}", references=("yes",), parent=f"x{i - i % 4}") for i in range(20))
    systems = [Items(("yes",) * 20, examples, system="right"), Items(("no",) * 20, examples, system="wrong")]
    requests = resolve("pass_at_k:k=2,exact_match")
    for own, wanted in zip(measure_together(systems, requests), (1.0, 0.0), strict=True):
        assert [each.metric.name for each in own.computed] == ["pass_at_k", "exact_match"]
        rows = own.computed[0].rows
        assert isinstance(rows, Dense)
        values = rows.values
        assert values.sum(axis=0)[0] / values.sum(axis=0)[-1] == wanted
