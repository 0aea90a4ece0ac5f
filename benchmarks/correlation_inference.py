"""Do intervals of correlations cover, and do tests between metrics keep their level? Simulated, as Markdown tables.

python -m benchmarks.correlation_inference                      # all tables, 400 simulations each
python -m benchmarks.correlation_inference shared 1000          # or: intervals, differences, williams, noise
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats.correlation import Method, of_group_means, pearson
from assay.stats.correlation_interval import correlation_interval
from assay.stats.crossed import Copies, Crossed, Level, Unit, correlations
from assay.stats.metric_difference import inflation, metric_permutation_test, spread
from assay.stats.partial import partial
from assay.stats.reliability import ceiling, disattenuated_interval, human_noise, reliability
from assay.stats.validation import UndefinedStatistic
from assay.stats.weighted import weighted_correlation
from assay.stats.williams import williams
from benchmarks.shared_inputs import shared

Values = NDArray[np.float64]
NOMINAL = 0.05
REPLICATES = 400
"""Repetitions from which the true value for given systems is computed."""


@dataclass(frozen=True)
class World:
    """Systems of normally distributed quality, inputs of their own difficulty, and noise in every single text."""

    systems: int = 16
    inputs: int = 50
    rho: float = 0.8
    """Correlation of a metric's system effects with true quality."""
    noise: float = 2.0
    """Deviation of texts about their system, which itself has 1."""
    texts: float = 0.3
    """Correlation of that noise between metric and people."""
    taste: float = 0.0
    """How much inputs differ in how far a metric rewards quality on them: other inputs, other correlation."""
    shared: float = 0.5
    """What two metrics share of the system effects that are not quality."""

    @property
    def table(self) -> Crossed:
        systems = np.repeat(np.arange(self.systems), self.inputs)
        return Crossed(len(systems), systems, np.tile(np.arange(self.inputs), self.systems))

    def effects(self, random: np.random.Generator, metrics: int = 1) -> list[Values]:
        """True quality, then each metric's view of it."""
        quality, common = random.normal(size=(2, self.systems))
        off = math.sqrt(1 - self.rho**2)
        own = random.normal(size=(metrics, self.systems))
        mixed = math.sqrt(self.shared) * common + math.sqrt(1 - self.shared) * own
        return [quality, *(self.rho * quality + off * each for each in mixed)]

    def scores(self, random: np.random.Generator, effects: list[Values]) -> list[Values]:
        """Human scores, then each metric's, of all texts."""
        shape = (self.systems, self.inputs)
        private = random.normal(size=shape)
        found = []
        for number, effect in enumerate(effects):
            about = self.texts * private + math.sqrt(1 - self.texts**2) * random.normal(size=shape)
            slope = self.taste * random.normal(size=self.inputs) if number else np.zeros(self.inputs)
            mean = effect[:, None] + effects[0][:, None] * slope + random.normal(size=self.inputs)
            found.append((mean + self.noise * (about if number else private)).ravel())
        return found

    def true_correlation(
        self, random: np.random.Generator, level: Level, method: Method, effects: list[Values] | None
    ) -> float:
        """What the estimate is about: its middle over new inputs, and over new systems unless they are given."""
        if level == "system":
            return self._true_of_means(random, method, effects)
        drawn = []
        for _ in range(20 if level == "summary" else 40):
            people, metric = self.scores(random, effects or self.effects(random))
            drawn.append(float(correlations(metric, people, self.table, level, method, Copies())[0]))
        return float(np.mean(drawn))

    def _true_of_means(self, random: np.random.Generator, method: Method, effects: list[Values] | None) -> float:
        size = (REPLICATES, self.systems)
        if effects is None:  # many systems: what the correlation over all of them would be
            size = (40, 600)
            quality = random.normal(size=size)
            metric = self.rho * quality + math.sqrt(1 - self.rho**2) * random.normal(size=size)
        else:
            quality, metric = (np.broadcast_to(effect, size) for effect in effects)
        error = self.noise / math.sqrt(self.inputs)
        private = random.normal(size=size)
        about = self.texts * private + math.sqrt(1 - self.texts**2) * random.normal(size=size)
        slope = self.taste / math.sqrt(self.inputs) * random.normal(size=(len(quality), 1))
        people, seen = quality + error * private, metric + quality * slope + error * about
        return float(np.median(weighted_correlation(seen, people, np.ones(size), method)))


def intervals(simulations: int) -> Iterator[str]:
    """Coverage and width of 95 % intervals for other systems, other inputs, and both."""
    yield "| level | systems | inputs | noise | taste | method | systems anew | inputs anew | both anew |"
    yield "|---|---|---|---|---|---|---|---|---|"
    worlds = [
        World(8),
        World(16),
        World(25, 100, 0.97, 3.0),
        World(16, 50, 0.9, 1.0),
        World(16, 50, 0.7, 1.0, taste=2.0),
    ]
    methods: tuple[Method, ...] = ("pearson", "spearman", "kendall-b")
    cases: list[tuple[Level, World, Method]] = [("system", world, method) for world in worlds for method in methods]
    for world in (worlds[0], worlds[1], worlds[3]):
        cases += [("summary", world, "pearson"), ("summary", world, "kendall-b"), ("global", world, "pearson")]
    for level, world, method in cases:
        cells = [cover(world, level, method, unit, simulations) for unit in ("systems", "inputs", "both")]
        shown = " | ".join(f"{100 * share:.1f} ({width:.2f})" for share, width in cells)
        yield (
            f"| {level} | {world.systems} | {world.inputs} | {world.noise:g} | {world.taste:g} | {method} | {shown} |"
        )


def cover(
    world: World, level: Level, method: Method, unit: Unit, simulations: int, draws: int = 400
) -> tuple[float, float]:
    """The share of intervals that hold the true value, and their median width."""
    random = np.random.default_rng(1)
    table = world.table
    wanted = None if unit == "inputs" else world.true_correlation(random, level, method, None)
    hits, widths = [], []
    for simulation in range(simulations):
        effects = world.effects(random)
        people, metric = world.scores(random, effects)
        true = world.true_correlation(random, level, method, effects) if wanted is None else wanted
        estimate = float(correlations(metric, people, table, level, method, Copies())[0])
        try:
            found, _ = correlation_interval(metric, people, estimate, table, level, method, unit, draws, simulation)
        except UndefinedStatistic:
            continue
        hits.append(found.low <= true <= found.high)
        widths.append(found.high - found.low)
    return float(np.mean(hits)), float(np.median(widths))


def differences(simulations: int) -> Iterator[str]:
    """How often two metrics that follow people equally well are called different at .05."""
    yield "| level | systems | inputs | noise | taste | method | systems | inputs (these systems) | both | texts |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    worlds = [World(10), World(16), World(16, shared=1.0), World(16, 50, 0.9, 1.0), World(16, 50, taste=1.5)]
    methods: tuple[Method, ...] = ("pearson", "kendall-b")
    cases: list[tuple[Level, World, Method]] = [("system", world, method) for world in worlds for method in methods]
    cases += [(level, world, "pearson") for level in ("summary", "global") for world in worlds[1:]]
    for level, world, method in cases:
        units: tuple[Unit, ...] = ("systems", "inputs", "both", "texts")
        shown = " | ".join(f"{100 * wrongly_different(world, level, method, unit, simulations):.1f}" for unit in units)
        yield (
            f"| {level} | {world.systems} | {world.inputs} | {world.noise:g} | {world.taste:g} | {method} | {shown} |"
        )


def wrongly_different(
    world: World, level: Level, method: Method, unit: Unit, simulations: int, permutations: int = 300
) -> float:
    """Two metrics of the same make; for other inputs alone, both follow these very systems equally well."""
    random = np.random.default_rng(2)
    table = world.table
    rejected = []
    for simulation in range(simulations):
        effects = world.effects(random, 2)
        if unit == "inputs":
            effects = _equally_good(effects, world.rho)
        people, first, second = world.scores(random, effects)
        wider = 1.0
        if unit == "both":
            wider = inflation(*(spread(x, people, table, level, method, simulation, 200) for x in (first, second)))
        found = metric_permutation_test(
            first, second, people, table, level, method, unit, permutations, simulation, inflation=wider
        )
        rejected.append(found.p <= NOMINAL)
    return float(np.mean(rejected))


def _equally_good(effects: list[Values], rho: float) -> list[Values]:
    """The same system effects, turned so that both metrics correlate with quality by rho among these systems."""
    quality = (effects[0] - effects[0].mean()) / effects[0].std()
    made = [quality]
    for effect in effects[1:]:
        off = effect - effect.mean()
        off -= quality * float(quality @ off) / len(quality)
        made.append(rho * quality + math.sqrt(1 - rho**2) * off / off.std())
    return made


def williams_levels(simulations: int) -> Iterator[str]:
    """How often equal correlations fall below .05, and the p of partial correlations without any."""
    yield "| test | rows | true r | rejected at .05 |"
    yield "|---|---|---|---|"
    for name, rows, rho, test in (
        ("Williams, two-sided", 50, 0.5, lambda t: t.p),
        ("Williams, two-sided", 200, 0.8, lambda t: t.p),
        ("Williams, one-sided, chosen before", 200, 0.5, lambda t: t.p_greater),
        ("Williams, for the larger (`frank`)", 200, 0.5, lambda t: t.p / 2),
        ("Williams, signs by the data", 200, 0.5, None),
        ("Williams, signs by the data", 200, 0.0, None),
    ):
        yield f"| {name} | {rows} | {rho} | {100 * _williams_level(rows, rho, test, 10 * simulations):.1f} % |"
    for counted in (True, False):
        how, share = "groups counted" if counted else "n - 2", _partial_level(counted, 10 * simulations)
        yield f"| partial correlation, 12 groups, {how} | 48 | 0 | {100 * share:.1f} % |"


def _williams_level(rows: int, rho: float, p: Callable[..., float] | None, simulations: int) -> float:
    random = np.random.default_rng(3)
    rejected = []
    for _ in range(simulations):
        people, common, *own = random.normal(size=(4, rows))
        made = [rho * people + math.sqrt(1 - rho**2) * (0.6 * common + 0.8 * each) for each in own]
        x, y = made[0], -made[1] if p is None else made[1]
        r12, r13, r23 = pearson(x, people).r, pearson(y, people).r, pearson(x, y).r
        if p is None:  # turned by their own signs
            s, t = (1 if r >= 0 else -1 for r in (r12, r13))
            rejected.append(williams(s * r12, t * r13, s * t * r23, rows).p <= NOMINAL)
        else:
            rejected.append(p(williams(r12, r13, r23, rows)) <= NOMINAL)
    return float(np.mean(rejected))


def _partial_level(counted: bool, simulations: int) -> float:
    random = np.random.default_rng(4)
    groups = np.repeat(np.arange(12), 4)
    pairs = random.normal(size=(simulations, 2, 48)) + groups
    return float(np.mean([partial(x, y, groups, corrected_df=counted).p <= NOMINAL for x, y in pairs]))


def noise(simulations: int) -> Iterator[str]:
    """A metric's correlation with the true scores, recovered from a few noisy annotators."""
    yield "| level | annotators | true r | r with their mean | without the noise | its 95 % intervals cover |"
    yield "|---|---|---|---|---|---|"
    for level, annotators in (("global", 2), ("global", 5), ("system", 3)):
        rows = np.array([_one_noise(level, annotators, each) for each in range(simulations)])  # type: ignore[arg-type]
        true, seen, found, covered = rows.mean(axis=0)
        yield f"| {level} | {annotators} | {true:.3f} | {seen:.3f} | {found:.3f} | {100 * covered:.1f} % |"


def _one_noise(level: Level, annotators: int, seed: int) -> tuple[float, float, float, float]:
    random = np.random.default_rng(seed)
    world = World(16, 40, 0.7, 1.0) if level == "global" else World(16, 6, 0.7, 0.3)
    deviation = 1.5
    people, metric = world.scores(random, world.effects(random))
    judged = people[:, None] + deviation * random.normal(size=(len(people), annotators))
    texts, raters = (each.ravel() for each in np.indices(judged.shape))
    error = human_noise(judged.ravel(), texts, raters)
    mean, table = judged.mean(axis=1), world.table
    if level == "system":
        assert table.systems is not None
        true, seen = (of_group_means(metric, each, table.systems, "pearson").r for each in (people, mean))
    else:
        true, seen = pearson(metric, people).r, pearson(metric, mean).r
    found = seen / ceiling(max(0.01, float(reliability(mean, error.variance, table, level)[0])))
    ends = disattenuated_interval(metric, mean, error.variance, found, table, level, "both", 200, seed)
    aim = world.true_correlation(np.random.default_rng(9), level, "pearson", None)
    return true, seen, found, float(ends is not None and ends[0] <= aim <= ends[1])


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "shared": shared,
    "intervals": intervals,
    "differences": differences,
    "williams": williams_levels,
    "noise": noise,
}


def main(arguments: list[str]) -> None:
    wanted = [name for name in TABLES if name in arguments] or list(TABLES)
    simulations = next((int(word) for word in arguments if word.isdigit()), 400)
    for name in wanted:
        print(f"\n{TABLES[name].__doc__} {simulations} simulations.\n", flush=True)
        for row in TABLES[name](simulations):
            print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
