"""Few judgements on real data: all labels are the truth, most are hidden, and the estimate is compared with it.

Nothing here was printed: the cells are coverage of the 95 % confidence intervals of system means, and the median of
the effective number of judgements for each one paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.datasets.alttest import HUMANS, MODELS, labels_of
from assay.meta.joined_scores import join_scores
from assay.meta.reproduce.cells import Cell, cell, require_files
from assay.stats.prediction_powered import Judged, Population, estimate_means
from assay.stats.validation import group_codes

REPETITIONS = 1000
SHARES = (0.05, 0.1, 0.2)
FEWEST = 4
"""Judged outputs of a system: with fewer, an interval says nothing."""
JUDGES = ("gpt-4o", "llama-31", "mistral-v03")
METRICS = ("FactCC", "BertScore P Art", "Rouge 1")
"""Proxies of FRANK: a metric that follows judgements, one that does less, and one that hardly does."""


@dataclass(frozen=True)
class Labelled:
    """A data set whose outputs all have labels."""

    name: str
    truth: NDArray[np.float64]
    system: NDArray[np.int64]
    cluster: NDArray[np.int64]
    proxies: Mapping[str, NDArray[np.float64]]


def few_judgements(folder: Path) -> list[Cell]:
    """Return coverage and gain for each data set, proxy and share of judged outputs."""
    return few_judgement_cells(folder, REPETITIONS)


def few_judgement_cells(folder: Path, repetitions: int) -> list[Cell]:
    """Return the cells of `few_judgements` with this number of repetitions."""
    labelled = [*summeval(folder), frank(folder)]
    return [each for data in labelled for proxy in data.proxies for each in _cells(data, proxy, repetitions)]


def _cells(data: Labelled, proxy: str, repetitions: int) -> Iterator[Cell]:
    for share in SHARES:
        coverage, gain = hidden_and_seen(data, proxy, share, repetitions)
        note = f"{repetitions:,} repetitions, {int(data.system.max()) + 1} systems, {len(data.truth):,} outputs"
        row = f"{proxy}, {share:.0%} judged"
        yield cell(data.name, row, "coverage", None, coverage, note)
        yield cell(data.name, row, "worth of a judgement", None, gain, note)


def hidden_and_seen(data: Labelled, proxy: str, share: float, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """Return the coverage of the true means of all systems, and the median gain in effective judgements."""
    draw = np.random.default_rng(seed)
    systems = int(data.system.max()) + 1
    members = [np.flatnonzero(data.system == number) for number in range(systems)]
    sizes = np.array([len(own) for own in members])
    truth = np.array([data.truth[own].mean() for own in members])
    with_proxy = Population(data.proxies[proxy][:, None], data.system, data.cluster)
    alone = Population(np.zeros((len(data.truth), 0)), data.system, data.cluster)
    wanted = np.maximum(FEWEST, np.round(share * sizes).astype(int))
    covered, gains = [], []
    for _ in range(repetitions):
        rows = np.concatenate([draw.choice(own, n, replace=False) for own, n in zip(members, wanted, strict=True)])
        judged = Judged(rows, data.truth[rows])
        ours, plain = estimate_means(with_proxy, judged, finite=True), estimate_means(alone, judged, finite=True)
        for number in range(systems):
            mean, own = ours.mean(number), plain.mean(number)
            if own.error <= 1e-12 * abs(own.value):
                continue  # judgements that are all equal give no interval
            low, high = mean.interval()
            covered.append(low <= truth[number] <= high)
            drawn = wanted[number] / sizes[number]
            gains.append(1 / ((mean.error / own.error) ** 2 * (1 - drawn) + drawn))
    return float(np.mean(covered)), float(np.median(gains))


def summeval(folder: Path) -> Iterator[Labelled]:
    """Yield the four criteria of SummEval: means of three experts, with language models as judges."""
    people, models = require_files(folder / "alttest" / "summeval", HUMANS, MODELS)
    humans, judges = labels_of(people), labels_of(models)
    items = sorted({item for own in humans.values() for item in own})
    for criterion in sorted({item.rsplit("__", 1)[1] for item in items}):
        own = [i for i in items if i.endswith(f"__{criterion}") and all(i in each for each in judges.values())]
        parts = [item.rsplit("__", 2) for item in own]
        truth = [np.mean([float(each[item]) for each in humans.values() if item in each]) for item in own]
        proxies = {name: np.array([float(judges[name][item]) for item in own]) for name in JUDGES}
        panel = np.mean([[float(each[item]) for item in own] for each in judges.values()], axis=0)
        proxies[f"mean of {len(judges)} models"] = panel
        yield Labelled(
            f"SummEval {criterion}", np.array(truth), group_codes([part[1] for part in parts]),
            group_codes([part[0] for part in parts]), proxies,
        )  # fmt: skip


def frank(folder: Path) -> Labelled:
    """Return FRANK's factuality, with released metric scores as proxies."""
    human, scores = require_files(
        folder / "frank", "human_annotations.json", "baseline_factuality_metrics_outputs.json"
    )
    joined = join_scores(human, scores, allow_missing=True)
    frame = joined.frame.drop_nulls(["Factuality", *METRICS])
    numbers = {name: frame[name].to_numpy().astype(np.float64) for name in ("Factuality", *METRICS)}
    return Labelled(
        "FRANK factuality", numbers.pop("Factuality"), group_codes(frame["model_name"].to_numpy()),
        group_codes(frame["hash"].to_numpy()), numbers,
    )  # fmt: skip
