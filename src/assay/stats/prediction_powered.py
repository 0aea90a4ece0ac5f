"""Means of human judgements from few judged texts and proxy scores of all: prediction-powered, cross-fitted.

The estimate of a system is the weighted mean of y - b'(x - X): y are judgements, x the proxies of the same text, X the
mean of the proxies over all texts of the system (the optimal control variate; PPI++ of Angelopoulos, Duchi and Zrnic
2023 in large samples). b is estimated without the cluster it is applied to, from the correlation with the proxies that
is common to all systems, and shrunk to zero where proxies do not predict (`cross_fitted`), so that the estimate is
unbiased by design and hardly wider than judgements alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.cross_fitted import cross_fitted
from assay.stats.distributions import t_quantile
from assay.stats.validation import UndefinedStatistic, group_codes

Values = NDArray[np.float64]
Codes = NDArray[np.int64]
ROUNDING = 1e-12
"""Spread of a constant proxy, relative to its largest value: means are rounded."""


@dataclass(frozen=True)
class Population:
    """All texts that have proxy scores."""

    proxies: Values
    """Proxy scores, texts x proxies."""
    system: Codes
    """System of each text, 0 to k-1."""
    cluster: Codes
    """Input of each text, or a group of inputs that were drawn together."""
    probability: Values | None = None
    """Probability with which each text was chosen to be judged; None if it was the same within a system."""
    stratum: Codes | None = None
    """Stratum from which each text was drawn."""

    def without_proxies(self) -> Population:
        """Return the same texts for an estimate from judgements alone."""
        return replace(self, proxies=self.proxies[:, :0])


@dataclass(frozen=True)
class Judged:
    """Single judgements: the judged text (its row in the population), value and annotator."""

    text: Codes
    value: Values
    annotator: Codes | None = None
    """None: the estimate is about these annotators, not about others."""


class Contrast(NamedTuple):
    """A weighted sum of system means, its standard error and degrees of freedom."""

    value: float
    error: float
    df: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval by Student's t."""
        reach = t_quantile((1 + level) / 2, self.df) * self.error
        return self.value - reach, self.value + reach


@dataclass(frozen=True)
class Estimates:
    """Means of all systems, and what each cluster and annotator contributes to their errors."""

    value: Values
    df: Values
    clusters: Values
    """Contributions of clusters, clusters x systems: the variance is the sum of their squares."""
    annotators: Values
    cells: Values
    """Contributions of annotators, and of annotators within a cluster; empty if annotators are fixed."""
    shared: NDArray[np.bool_]
    """Whether a cluster has a judged text of a system."""
    judged: Codes
    """Number of judged texts of each system."""
    slope: Values
    """Coefficient of each proxy by system, in points of the human scale for each point of the proxy."""
    unit: Values
    """Variance of each mean if that of a judgement were 1."""
    unseen: Values
    """How much more the prediction varies over all texts of a system than over its judged ones."""

    def contrast(self, weights: Values) -> Contrast:
        """Return a weighted sum of means; `weights` has one value for each system."""
        within = float(((self.clusters @ weights) ** 2).sum())
        people = len(self.annotators)
        extra = 0.0
        if people > 1:
            shared = float(((self.annotators @ weights) ** 2).sum()) * people / (people - 1)
            extra = max(0.0, shared - float(((self.cells @ weights) ** 2).sum()))
        used = weights != 0
        own = (self.clusters[:, used] ** 2).sum(axis=0) * weights[used] ** 2
        parts = float((own**2 / self.df[used]).sum())
        df = float(own.sum()) ** 2 / parts if parts > 0 else float(self.df[used].min())
        if ((self.shared[:, used]).sum(axis=1) > 1).any():  # the same inputs for several systems are not more inputs
            df = min(df, float(self.df[used].max()))
        df = max(df, 1.0)
        total = within + extra
        if extra > 0:
            df = total**2 / (within**2 / df + extra**2 / (people - 1))
        return Contrast(float(self.value @ weights), sqrt(total), df)

    def mean(self, system: int) -> Contrast:
        """Return the mean of one system."""
        return self.contrast(np.eye(len(self.value))[system])

    def variances(self) -> tuple[Values, Values]:
        """Return variance and degrees of freedom of every mean, as `mean` does for one."""
        within, df = (self.clusters**2).sum(axis=0), np.maximum(self.df, 1.0)
        people = len(self.annotators)
        if people < 2:
            return within, df
        shared = (self.annotators**2).sum(axis=0) * people / (people - 1)
        extra = np.maximum(0.0, shared - (self.cells**2).sum(axis=0))
        total = within + extra
        with np.errstate(divide="ignore", invalid="ignore"):
            both = total**2 / (within**2 / df + extra**2 / (people - 1))
        return total, np.where(extra > 0, both, df)

    def covariance(self) -> Values:
        """Return the covariance of the means."""
        covariance = self.clusters.T @ self.clusters
        people = len(self.annotators)
        if people > 1:
            shared = self.annotators.T @ self.annotators * people / (people - 1) - self.cells.T @ self.cells
            values, vectors = np.linalg.eigh(shared)
            covariance = covariance + (vectors * np.maximum(values, 0)) @ vectors.T
        return np.asarray(covariance)


def estimate_means(population: Population, judged: Judged, finite: bool = False) -> Estimates:
    """Estimate the mean judgement of every system.

    Args:
        population: All texts, with proxies (possibly none: the mean of the judgements alone).
        judged: Judgements of some of them.
        finite: The means of exactly these texts, not of others like them.

    Raises:
        UndefinedStatistic: A system has fewer than two judged texts.
    """
    systems = int(population.system.max()) + 1
    rows, row_of = np.unique(judged.text, return_inverse=True)
    times = np.bincount(row_of)
    y = np.bincount(row_of, judged.value) / times
    system, cluster = population.system[rows], population.cluster[rows]
    counts = np.bincount(system, minlength=systems)
    if (counts < 2).any():
        raise UndefinedStatistic(f"system {int(counts.argmin())} has {counts.min()} judged texts; 2 are needed")
    sizes = np.bincount(population.system, minlength=systems)
    proxies = _centred(population.proxies, population.system, sizes)
    weights, chosen, stratum = _weights(population, rows, counts, sizes)
    share = weights / np.bincount(system, weights, systems)[system]
    spread = _spread(proxies, population, sizes)
    slope, fitted = cross_fitted(proxies[rows], y, share * counts[system], system, cluster, spread)
    predicted = (proxies * slope[population.system]).sum(axis=1)
    adjusted = y - fitted
    value = np.bincount(system, share * adjusted, systems).astype(np.float64)
    within = group_codes(system, stratum)
    total = np.bincount(within, share)
    inside = np.bincount(within)
    single = inside[within] < 2  # a stratum with one judged text: its own mean says nothing about its spread
    centre = np.where(single, value[system], (np.bincount(within, share * adjusted) / total)[within])
    several = np.maximum(inside[within], 2)
    small = np.sqrt(np.where(single, 1.0, several / (several - 1)))
    part = share * (adjusted - centre) * small
    groups = int(population.cluster.max()) + 1
    contributions = np.zeros((groups, systems))
    np.add.at(contributions, (cluster, system), part * np.sqrt(1 - chosen) if finite else part)
    shared = np.zeros((groups, systems), dtype=bool)
    shared[cluster, system] = True
    clusters = shared.sum(axis=0)
    contributions *= np.sqrt(clusters / np.maximum(clusters - 1, 1) * (counts - 1) / counts)
    if not finite:
        np.add.at(contributions, (population.cluster, population.system), predicted / sizes[population.system])
    people, cells = _by_annotator(judged, row_of, times, share, fitted, centre, system, cluster, systems)
    used = int(slope.any(axis=0).sum())
    least = np.minimum(_freedom(share, within, system, systems), clusters - _strata(within, system, systems))
    df = np.maximum(least - used * counts / counts.sum(), 1.0)
    left = share**2 * (1 - chosen) if finite else share**2
    unseen = _unseen(predicted, population.system, sizes, rows, share)
    unit = np.bincount(system, left, systems).astype(np.float64)
    return Estimates(value, df, contributions, people, cells, shared, counts, slope, unit, unseen)


def _unseen(predicted: Values, system: Codes, sizes: Codes, rows: Codes, share: Values) -> Values:
    own, systems = system[rows], len(sizes)
    everywhere = np.bincount(system, predicted**2, systems) / sizes
    mean = np.bincount(own, share * predicted[rows], systems)
    judged = np.bincount(own, minlength=systems)
    seen = (np.bincount(own, share * predicted[rows] ** 2, systems) - mean**2) * judged / np.maximum(judged - 1, 1)
    return np.asarray(np.maximum(everywhere - seen, 0.0))


def _freedom(share: Values, within: Codes, system: Codes, systems: int) -> Values:
    """Return the degrees of freedom of the error of each mean (Satterthwaite), if all judgements vary alike.

    Where a large stratum has few judgements, or some judgements have large weights, these alone decide the error.
    Strata with one judged text are taken together.
    """
    several = np.bincount(within)[within] > 1
    group = group_codes(np.where(several, within, -1 - system))
    squares, fourth = np.bincount(group, share**2), np.bincount(group, share**4)
    size = np.bincount(group)
    own = squares**2 / fourth
    first = np.unique(group, return_index=True)[1]
    own = np.where(several[first], own * (size - 1) / size, own)
    total = np.bincount(system[first], squares, systems)
    return np.asarray(total**2 / np.bincount(system[first], squares**2 / own, systems))


def _strata(within: Codes, system: Codes, systems: int) -> Codes:
    """Return the number of strata with at least two judged texts of each system, at least one."""
    first = np.unique(within, return_index=True)[1][np.bincount(within) > 1]
    return np.maximum(np.bincount(system[first], minlength=systems), 1)


def _centred(proxies: Values, system: Codes, sizes: Codes) -> Values:
    columns = [column - (np.bincount(system, column) / sizes)[system] for column in proxies.T]
    return np.stack(columns, axis=1) if columns else np.zeros((len(system), 0))


def _spread(centred: Values, population: Population, sizes: Codes) -> Values:
    """Return the standard deviation of each proxy by system; 0 where it is constant up to rounding."""
    columns = [np.sqrt(np.bincount(population.system, column**2) / sizes) for column in centred.T]
    spread = np.stack(columns, axis=1) if columns else np.zeros((len(sizes), 0))
    return np.where(spread > ROUNDING * np.abs(population.proxies).max(axis=0, initial=0.0), spread, 0.0)


def _weights(population: Population, rows: Codes, counts: Codes, sizes: Codes) -> tuple[Values, Values, Codes]:
    """Return weight, probability and stratum of each judged text."""
    system = population.system[rows]
    stratum = np.zeros(len(rows), dtype=np.int64) if population.stratum is None else population.stratum[rows]
    if population.probability is not None:
        chosen = population.probability[rows]
        return 1 / chosen, chosen, stratum
    if population.stratum is None:
        chosen = (counts / sizes)[system]
        return np.ones(len(rows)), chosen, stratum
    cell = group_codes(population.system, population.stratum)
    chosen = np.bincount(cell[rows], minlength=cell.max() + 1)[cell[rows]] / np.bincount(cell)[cell[rows]]
    return 1 / chosen, chosen, stratum


def _by_annotator(
    judged: Judged, row_of: Codes, times: Codes, share: Values, fitted: Values, centre: Values, system: Codes,
    cluster: Codes, systems: int,
) -> tuple[Values, Values]:  # fmt: skip
    if judged.annotator is None:
        return np.zeros((0, systems)), np.zeros((0, systems))
    part = (share / times)[row_of] * (judged.value - fitted[row_of] - centre[row_of])
    of_people = np.zeros((int(judged.annotator.max()) + 1, systems))
    np.add.at(of_people, (judged.annotator, system[row_of]), part)
    code = group_codes(judged.annotator, cluster[row_of])
    of_cells = np.zeros((int(code.max()) + 1, systems))
    np.add.at(of_cells, (code, system[row_of]), part)
    return of_people, of_cells


def ppi_mean(judged: Values, proxy: Values, other: Values) -> tuple[float, float, float]:
    """Return mean, standard error and power tuning of PPI++ as published, for one proxy and one system.

    For many judgements only: the weight of the proxy comes from the same judgements, and the error is the normal one.

    Args:
        judged: Judgements.
        proxy: Proxy of the same texts.
        other: Proxy of the texts that were not judged.
    """
    n, others = len(judged), len(other)
    spread = float(np.concatenate([proxy, other]).var(ddof=1))
    cross = float(((judged - judged.mean()) * (proxy - proxy.mean())).mean())
    tuning = min(max(cross / ((1 + n / others) * spread), 0.0), 1.0) if spread else 0.0
    rest = judged - tuning * proxy
    error = sqrt(tuning**2 * other.var() / others + rest.var() / n)
    return tuning * float(other.mean()) + float(rest.mean()), error, tuning
