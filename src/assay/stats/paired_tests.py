"""Registry of the paired significance tests of two systems on the same items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Literal

from assay.stats.significance import TestResult, paired_t, sign_flip, sign_test, wilcoxon

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Needs = Literal["permutations", "resamples", "contributions", "values"]


@dataclass(frozen=True)
class PairedTest:
    """A two-sided test of the difference of two systems."""

    name: str
    """Value of `--test`."""
    summary: str
    """What the test does, for help texts and documentation."""
    needs: Needs
    """Input of the test. `permutations` and `resamples` work for every metric and with `--cluster`; `contributions`
    for metrics where the contribution of an item to the score is known; `values` for metrics with a value per item."""
    function: Callable[..., TestResult] | None = None
    """Test of two columns of per-item values, the tested system first. Required if the test needs `values`. One that
    draws random numbers takes `seed` and `samples`."""

    @property
    def takes_clusters(self) -> bool:
        """Return whether whole clusters of items can be permuted, resampled, or tested by their contributions."""
        return self.needs != "values"

    def run(self, a: ArrayLike, b: ArrayLike, seed: int = 0, samples: int | None = None) -> TestResult:
        """Test two columns of paired values.

        Args:
            a: Values of the tested system.
            b: Values of the other system on the same items.
            seed: Random seed, for a function with this parameter.
            samples: Number of random permutations or resamples, for a function with this parameter (default: its own).

        Raises:
            UndefinedStatistic: The test has no value for these columns.
        """
        assert self.function, f"{self.name} is computed from {self.needs}, not from two columns"
        options = {"seed": seed} if samples is None else {"seed": seed, "samples": samples}
        taken = options.keys() & signature(self.function).parameters.keys()
        return self.function(a, b, **{name: options[name] for name in taken})


def table(*tests: PairedTest) -> dict[str, PairedTest]:
    return {test.name: test for test in tests}


TESTS: dict[str, PairedTest] = table(
    PairedTest(
        "permutation",
        "paired permutation test: exchange the outputs of the two systems at random, item by item",
        "permutations",
    ),
    PairedTest(
        "bootstrap",
        "paired bootstrap-t: studentised differences in bootstrap resamples of the items",
        "resamples",
    ),
    PairedTest("t", "paired t-test on the contributions of the items to the difference", "contributions"),
    PairedTest(
        "wilcoxon",
        "Wilcoxon signed-rank test on the values of the items; exact up to 25 non-zero differences",
        "values",
        wilcoxon,
    ),
    PairedTest(
        "sign", "sign test: exact binomial test of how often a system is better on an item", "values", sign_test
    ),
)
"""Tests of `assay compare --test`, of outputs scored by metrics. The first is the default."""

JUDGEMENT_TESTS: dict[str, PairedTest] = table(
    PairedTest("permutation", "paired permutation test of the mean difference", "values", sign_flip),
    PairedTest("t", "paired t-test", "values", paired_t),
    PairedTest(
        "wilcoxon",
        "Wilcoxon signed-rank test, normal approximation",
        "values",
        partial(wilcoxon, method="normal"),
    ),
    PairedTest("wilcoxon-exact", "Wilcoxon signed-rank test, exact", "values", partial(wilcoxon, method="exact")),
    PairedTest("sign", "sign test: exact binomial test of how often a system is preferred", "values", sign_test),
)
"""Tests of `assay analyze agreement --compare`, of the human judgements of systems."""


def describe(tests: Mapping[str, PairedTest]) -> str:
    """Return the names of tests with their summaries, for the help of an option."""
    return "; ".join(f"{test.name}: {test.summary.removeprefix(f'{test.name} test: ')}" for test in tests.values())
