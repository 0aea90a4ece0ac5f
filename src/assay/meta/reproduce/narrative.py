"""Decoding for narrative generation (DeLucia, Mueller, Li and Sedoc, 2021): ratings by nucleus size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from assay.errors import AssayError
from assay.meta.reproduce.cells import Cell, cell, read_csv, require_files, statement
from assay.show.numbers import probability
from assay.stats.agreement import fleiss, from_counts
from assay.stats.correlation import spearman
from assay.stats.significance import paired_t

CRITERIA = ("interesting", "coherent", "fluent", "relevant")
SETTINGS = ("0.0", "0.3", "0.5", "0.7", "0.9", "0.95", "1.0")
SCALE = (1.0, 2.0, 3.0, 4.0)
# Table 9, GPT-2 Medium, medium length, by setting
PRINTED_METRICS = {
    "dist-1": (0.003, 0.008, 0.011, 0.013, 0.018, 0.021, 0.030),
    "dist-2": (0.014, 0.047, 0.086, 0.125, 0.190, 0.227, 0.291),
    "sent-BERT": (0.579, 0.813, 0.788, 0.741, 0.692, 0.677, 0.658),
}
PRINTED_KAPPA = {"interesting": "0.13", "coherent": "0.13", "fluent": "0.12", "relevant": "0.10"}
PRINTED_BEST = {"interesting": "0.9", "coherent": "0.7", "fluent": "0.7", "relevant": "0.7"}
# neighbouring settings that the paper calls not different; all others are, at .05
SAME = {
    "interesting": {("0.7", "0.9"), ("0.9", "0.95"), ("0.95", "1.0")},
    "coherent": {("0.9", "0.95")},
    "fluent": {("0.7", "0.9"), ("0.9", "0.95")},
    "relevant": {("0.5", "0.7"), ("0.7", "0.9"), ("0.9", "0.95"), ("0.95", "1.0")},
}


@dataclass(frozen=True)
class Story:
    """One rated story: its prompt, the p it was sampled with, and the ratings of each criterion."""

    prompt: str
    setting: str
    ratings: dict[str, list[float]]


def narrative(folder: Path) -> list[Cell]:
    """Return means, kappas, tests of neighbouring settings, and correlations of metrics with ratings."""
    (path,) = require_files(folder / "narrative", "complete_human_annotations.csv")
    stories = read_stories(path)
    return [*kappas(stories), *sweep(stories), *correlations(stories)]


def read_stories(path: Path) -> list[Story]:
    """Read the nucleus part of the released ratings (ids `<prompt>_<p>`); labels of the other part are damaged."""
    stories = []
    for number, row in enumerate(read_csv(path, ("", *CRITERIA)), 2):
        prompt, _, setting = row[""].partition("_")
        if "_" in setting:
            continue
        try:
            ratings = {name: [float(value) for value in row[name].strip("[]").split(",")] for name in CRITERIA}
        except ValueError:
            raise AssayError(f"{path}:{number}: a rating is not a list of numbers") from None
        stories.append(Story(prompt, setting, ratings))
    return stories


def kappas(stories: list[Story]) -> Iterator[Cell]:
    note = "every story with its own number of raters; the released script takes the first row's number for all"
    for name in CRITERIA:
        counts = [[story.ratings[name].count(value) for value in SCALE] for story in stories]
        yield cell("Fleiss kappa", name, "kappa", PRINTED_KAPPA[name], fleiss(from_counts(counts)), note)


def means(stories: list[Story], name: str) -> list[float]:
    """Return the mean of single ratings by setting."""
    return [float(np.mean([v for s in stories if s.setting == p for v in s.ratings[name]])) for p in SETTINGS]


def sweep(stories: list[Story]) -> Iterator[Cell]:
    """Yield the best setting of each criterion, and paired t tests of neighbouring settings over prompts."""
    for name in CRITERIA:
        values = means(stories, name)
        for setting, value in zip(SETTINGS, values, strict=True):
            yield cell("Mean rating by p", name, setting, None, value, "drawn as a curve, no numbers printed")
        best = float(SETTINGS[int(np.argmax(values))])
        yield cell("Best p", name, "p", PRINTED_BEST[name], best)
        for low, high in pairwise(SETTINGS):
            p = neighbour_p(stories, name, low, high)
            differs = (low, high) not in SAME[name]
            claim = f"{name}: p {low} and {high} {'differ' if differs else 'do not differ'}"
            note = "paired t on mean ratings per story, 100 prompts"
            yield statement("Neighbouring settings", claim, f"p = {probability(p)}", (p < 0.05) == differs, note)


def neighbour_p(stories: list[Story], name: str, low: str, high: str) -> float:
    one, two = ({s.prompt: float(np.mean(s.ratings[name])) for s in stories if s.setting == p} for p in (low, high))
    prompts = sorted(one.keys() & two.keys())
    return paired_t([one[p] for p in prompts], [two[p] for p in prompts]).p


def correlations(stories: list[Story]) -> Iterator[Cell]:
    """Yield Spearman correlations of printed metric values with recomputed ratings over the seven settings."""
    results = {
        (metric, name): spearman(values, means(stories, name))
        for metric, values in PRINTED_METRICS.items()
        for name in CRITERIA
    }
    note = "metric values as printed in Table 9; only 7 points"
    for (metric, name), result in results.items():
        printed = "0.75" if metric != "sent-BERT" and name == "interesting" else None
        yield cell("Metric against people", metric, f"{name} rho", printed, result.r, note)
        yield cell("Metric against people", metric, f"{name} p", None, result.p, note)
    table = "Metric against people"
    other = [r for (metric, name), r in results.items() if metric != "sent-BERT" and name != "interesting"]
    neural = [r for (metric, _), r in results.items() if metric == "sent-BERT"]
    first = results["dist-2", "interesting"].p
    yield statement(table, "dist-n against interesting: P < .1", f"p = {probability(first)}", first < 0.1)
    high = max(r.r for r in other)
    yield statement(table, "dist-n against other criteria: rho <= .5, P > .1", f"{high:.2f}", high <= 0.5 + 1e-9)
    low, high = min(r.r for r in neural), max(r.r for r in neural)
    holds = low >= -1e-9 and high <= 0.435 and min(r.p for r in neural) > 0.1
    yield statement(table, "sent-BERT: 0 <= rho <= .43, P > .1", f"{low:.2f} to {high:.2f}", holds)
