"""Coverage and familywise error of `assay study estimate` on simulated judgements with known truth.

    python -m benchmarks.few_judgements [--runs 400] [--only CELL]

Each cell draws judgements at random of outputs of several systems. Printed are the coverage of 95 % intervals of system
means, of all means together, of all differences together, and how often equal systems are put into different tiers.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars

from assay.meta.estimate import EstimateRequest, estimate_systems
from assay.records import Judgement


@dataclass(frozen=True)
class Setting:
    """One cell of the table."""

    systems: int
    judgements: int
    """Per system."""
    correlation: float
    clustered: bool
    """Whether the same inputs are judged for all systems, and inputs have an effect of their own."""

    def __str__(self) -> str:
        how = "the same inputs" if self.clustered else "any outputs"
        return f"{self.systems} systems, {self.judgements} each, correlation {self.correlation:g}, {how}"


SETTINGS = [
    Setting(systems, judgements, correlation, clustered)
    for systems, judgements, correlation, clustered in product((2, 8, 16), (12, 50), (0.0, 0.6, 0.9), (False, True))
]
OUTPUTS = 300


def simulate(setting: Setting, seed: int) -> tuple[list[bool], bool, bool, bool]:
    """Return whether each mean is covered, all means, all differences, and whether there is a false tier."""
    rng = np.random.default_rng([seed, setting.systems, setting.judgements, round(10 * setting.correlation)])
    k = setting.systems
    shared = rng.normal(size=(OUTPUTS, 1)) * (0.7 if setting.clustered else 0.0)
    own = rng.normal(size=(OUTPUTS, k)) * (1 - (0.49 if setting.clustered else 0.0)) ** 0.5
    human = shared + own
    noise = rng.normal(size=human.shape) + rng.normal(size=k)  # the proxy is kinder to some systems
    r = setting.correlation
    proxy = human * r + noise * (1 - r**2) ** 0.5
    same = rng.choice(OUTPUTS, setting.judgements, replace=False)
    rows, judgements = [], []
    for system in range(k):
        drawn = same if setting.clustered else rng.choice(OUTPUTS, setting.judgements, replace=False)
        name = f"s{system}"
        rows += [{"id": str(i), "system": name, "proxy": proxy[i, system]} for i in range(OUTPUTS)]
        judgements += [
            Judgement(id=str(i), system=name, annotator="a", criterion="c", value=float(human[i, system]))
            for i in drawn
        ]
    report = estimate_systems(judgements, [polars.DataFrame(rows)], EstimateRequest())
    means = report["systems"].values()
    covered = [(each["low"] or 0) <= 0 <= (each["high"] or 0) for each in means]
    together = all((each["simultaneous"]["low"] or 0) <= 0 <= (each["simultaneous"]["high"] or 0) for each in means)
    pairs = all(each["simultaneous"]["low"] <= 0 <= each["simultaneous"]["high"] for each in report["differences"])
    return covered, together, pairs, any(each["p_adjusted"] < 0.05 for each in report["differences"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--only", type=int, help="number of one cell")
    options = parser.parse_args()
    print("| setting | a mean | all means | all differences | false tiers |\n|---|--:|--:|--:|--:|")
    for number, setting in enumerate(SETTINGS):
        if options.only not in (None, number):
            continue
        runs = [simulate(setting, seed) for seed in range(options.runs)]
        single = np.mean([share for run in runs for share in run[0]])
        shares = [np.mean([run[place] for run in runs]) for place in (1, 2, 3)]
        print(f"| {setting} | {single:.1%} | " + " | ".join(f"{share:.1%}" for share in shares) + " |", flush=True)


if __name__ == "__main__":
    main()
