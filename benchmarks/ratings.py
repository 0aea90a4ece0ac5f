"""Do intervals and tests of ratings hold what they promise? Simulated studies, as a table.

python -m benchmarks.ratings             # all, 1,000 draws each (ordinal models: 300, same annotators: 200)
python -m benchmarks.ratings mixed icc   # some
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from assay.meta.coefficients import Coefficient, coefficients
from assay.meta.ratings import ModelKind, model_ratings
from assay.records import Judgement
from assay.stats.agreement import COEFFICIENTS, krippendorff, tabulate
from assay.stats.annotators import interval_over, interval_over_items, jackknife_variance
from assay.stats.clusters import cluster_error
from assay.stats.components import components
from assay.stats.icc import icc_interval
from assay.stats.pivot import Pivot, studentized
from assay.stats.power import items_needed, power_of
from assay.stats.resample import bootstrap
from assay.stats.significance import paired_t, sign_flip
from assay.stats.uncertainty import item_weights

Floats = NDArray[np.float64]
Line = tuple[str, str, str]


def study(rng: np.random.Generator, systems: int, items: int, raters: int, each: int, taste: float) -> list[Judgement]:
    """Ratings from 1 to 5 without any difference between systems; `each` raters see an item, all its outputs."""
    item, rater = rng.normal(0, 0.5, items), rng.normal(0, 0.5, raters)
    by_item, by_rater = rng.normal(0, 0.3, (items, systems)), rng.normal(0, taste, (raters, systems))
    rows = []
    for i in range(items):
        for a in rng.permutation(raters)[:each]:
            mood = rng.normal(0, 0.2)
            for s in range(systems):
                value = item[i] + rater[a] + by_item[i, s] + by_rater[a, s] + mood + rng.normal(0, 0.7)
                answer = int(np.digitize(value, [-1.2, -0.4, 0.5, 1.3])) + 1
                rows.append(Judgement(id=str(i), system=str(s), annotator=str(a), criterion="q", value=answer))
    return rows


def mixed(draws: int, kind: ModelKind = "linear") -> Iterator[Line]:
    """How often a true null is rejected at .05: the model, and the test over means of items for comparison."""
    designs = (
        (2, 30, 10, 10, 0.0), (2, 30, 10, 10, 0.3), (3, 30, 10, 3, 0.3), (2, 60, 20, 3, 0.3), (2, 20, 3, 3, 0.3),
        (2, 20, 2, 2, 0.3),
    )  # fmt: skip
    for systems, items, raters, each, taste in designs if kind == "linear" else (*designs[1:3], designs[4]):
        rng = np.random.default_rng(1)
        found = {"model": 0, "items": 0}
        for _ in range(draws):
            rows = study(rng, systems, items, raters, each, taste)
            found["model"] += model_ratings(rows, "q", kind).pairs[0].p < 0.05
            means = np.zeros((2, items))
            for j in rows:
                if j.system in "01":
                    means[int(j.system), int(j.id)] += float(j.value) / each
            found["items"] += kind == "linear" and sign_flip(means[0], means[1], samples=500).p < 0.05
        design = f"{systems} systems, {items} items, {each} of {raters} annotators each, sd of tastes {taste:g}"
        yield f"{kind} mixed model", design, f"rejects {share(found['model'], draws)}"
        if kind == "linear":
            yield "permutation over item means", design, f"rejects {share(found['items'], draws)}"


def ordinal(draws: int) -> Iterator[Line]:
    yield from mixed(draws * 3 // 10, "ordinal")


def icc(draws: int) -> Iterator[Line]:
    for items, raters in ((20, 5), (40, 8)):
        rng = np.random.default_rng(2)
        truth = {"1": 1 / 2.5, "2": 1 / 2.5, "3": 0.5}
        hits = dict.fromkeys(truth, 0)
        for _ in range(draws):
            noise = rng.normal(size=(items, raters))
            crossed = rng.normal(size=(items, 1)) + rng.normal(0, 0.5**0.5, raters) + noise
            own = rng.normal(size=(items, 1)) + rng.normal(0, 1.5**0.5, (items, raters))
            for form, value in truth.items():
                low, high = icc_interval(own if form == "1" else crossed, form) or (1.0, 0.0)
                hits[form] += low <= value <= high
        covers = ", ".join(f"{form}: {share(count, draws)}" for form, count in hits.items())
        yield "ICC, by F", f"{items} items, {raters} annotators", f"covers {covers}"


def variance(draws: int) -> Iterator[Line]:
    truth = {"item": 0.25, "annotator": 0.16, "residual": 0.5}
    for raters, kept in ((5, 1.0), (10, 1.0), (5, 0.5), (10, 0.5)):
        rng = np.random.default_rng(3)
        hits = dict.fromkeys(truth, 0)
        for _ in range(draws):
            item, rater = (index.ravel() for index in np.indices((40, raters)))
            use = rng.random(len(item)) < kept
            item, rater = item[use], rater[use]
            y = rng.normal(0, 0.5, 40)[item] + rng.normal(0, 0.4, raters)[rater] + rng.normal(0, 0.5**0.5, len(item))
            found = components(y, {"item": item, "annotator": rater})
            for name, value in truth.items():
                part = found.parts[name]
                hits[name] += bool(part.low <= value <= (np.inf if part.high is None else part.high))
        covers = ", ".join(f"{name} {share(count, draws)}" for name, count in hits.items())
        yield f"components, {found.method}", f"40 items, {raters} annotators, {kept:.0%} of answers", f"covers {covers}"


def agreement(draws: int) -> Iterator[Line]:
    """Krippendorff's alpha of raters with an accuracy of their own; the truth is that of many such raters."""

    def answers(rng: np.random.Generator, items: int, raters: int) -> Floats:
        truth, right = rng.integers(0, 4, items), rng.uniform(0.5, 1, raters)
        other = rng.integers(0, 4, (items, raters))
        return np.where(rng.random((items, raters)) < right, truth[:, None], other).astype(np.float64)

    rng = np.random.default_rng(4)
    truth = float(np.mean([krippendorff(tabulate(answers(rng, 400, 60)), "nominal") for _ in range(100)]))
    for raters in (3, 6, 12):
        hits = {"item": 0, "annotator": 0, "both": 0}
        for _ in range(draws):
            ratings = tabulate(answers(rng, 60, raters))
            value = krippendorff(ratings, "nominal")
            weights = np.concatenate(list(item_weights(60, 100, 0)))
            drawn = np.array([krippendorff(ratings, "nominal", row) for row in weights])
            noise = jackknife_variance(ratings, lambda given: krippendorff(given, "nominal"))
            ends = {
                "item": interval_over_items(value, drawn, 60),
                "annotator": interval_over(value, noise, raters, None, 60),
                "both": interval_over(value, noise, raters, drawn, 60),
            }
            for name, (low, high) in ends.items():
                hits[name] += bool(low <= truth <= high)
        covers = ", ".join(f"{name} {share(count, draws)}" for name, count in hits.items())
        yield "alpha of other annotators", f"60 items, {raters} annotators", f"covers {covers}"


def same_annotators(draws: int) -> Iterator[Line]:
    """Three annotators who err once in ten, five answers; the truth is that of very many items."""

    def answers(rng: np.random.Generator, items: int) -> Floats:
        right = rng.integers(1, 6, items)[:, None]
        return np.where(rng.random((items, 3)) < 0.1, rng.integers(1, 6, (items, 3)), right).astype(np.float64)

    rng = np.random.default_rng(8)
    names = ("percent", "fleiss", "cohen-quadratic", "ac2-quadratic", "alpha-ordinal")
    many = tabulate(answers(rng, 100_000))
    truth = {name: COEFFICIENTS[name](many, None) for name in names}
    for items in (10, 20, 50):
        hits, printed = Counter[str](), Counter[str]()
        for _ in range(draws // 5):
            found = coefficients(tabulate(answers(rng, items)), True, 100, 0, "item")
            for name in names:
                if found[name].get("low") is not None:
                    printed[name] += 1
                    hits[name] += covered(found[name], truth[name])
        covers = ", ".join(f"{name} {share(hits[name], printed[name])}" for name in names)
        yield "agreement of the same annotators", f"{items} items, 3 annotators", f"covers {covers}"


def covered(entry: Coefficient, truth: float | None) -> bool:
    """Return whether the interval contains the true value; one without interval does not."""
    low, high = entry.get("low"), entry.get("high")
    return low is not None and high is not None and truth is not None and low <= truth <= high


def same_inputs(draws: int) -> Iterator[Line]:
    """Three annotators, several outputs for one input, which is hard to judge for all of them."""

    def answers(rng: np.random.Generator, inputs: int, outputs: int) -> Floats:
        hard = rng.beta(0.6, 1.4, inputs)[:, None, None]
        right = rng.integers(1, 5, inputs)[:, None] + rng.integers(0, 2, (inputs, outputs))
        wrong = rng.integers(1, 6, (inputs, outputs, 3))
        return np.where(rng.random(wrong.shape) < hard, wrong, right[:, :, None]).reshape(-1, 3).astype(np.float64)

    names = ("percent", "fleiss", "alpha-ordinal", "icc-2")
    for inputs, outputs in ((15, 10), (30, 6)):
        rng = np.random.default_rng(10)
        many = coefficients(tabulate(answers(rng, 20_000, outputs)), True, 0, 0, "item")
        hits = {"alone": Counter[str](), "with their input": Counter[str]()}
        for _ in range(draws // 5):
            ratings = tabulate(answers(rng, inputs, outputs))
            for how, clusters in (("alone", None), ("with their input", np.repeat(np.arange(inputs), outputs))):
                found = coefficients(ratings, True, 100, 0, "item", clusters)
                hits[how].update(n for n in names if covered(found[n], many[n]["value"]))
        for how, counted in hits.items():
            covers = ", ".join(f"{name} {share(counted[name], draws // 5)}" for name in names)
            yield f"agreement, outputs drawn {how}", f"{inputs} inputs, {outputs} outputs each", f"covers {covers}"


def clusters(draws: int) -> Iterator[Line]:
    for raters in (6, 12, 30):
        rng = np.random.default_rng(5)
        hits = {"none": 0, "documents": 0, "both": 0}
        for _ in range(draws):
            a, b = rng.integers(0, 40, 400), rng.integers(0, raters, 400)
            y = rng.normal(0, 0.5, 40)[a] + rng.normal(0, 0.5, raters)[b] + rng.normal(size=400)
            for name, kinds in (("none", ()), ("documents", (a,)), ("both", (a, b))):
                low, high = cluster_error(y - y.mean(), *kinds).interval(float(y.mean()))
                hits[name] += low <= 0 <= high
        covers = ", ".join(f"{name} {share(count, draws)}" for name, count in hits.items())
        yield "clusters", f"400 rows of 40 documents and {raters} annotators", f"covers {covers}"


def planning(draws: int) -> Iterator[Line]:
    """What a study planned from the difference seen in a first one really has of power (80 % was asked for)."""
    rng = np.random.default_rng(7)
    real: list[float] = []
    needed = items_needed(0.2, 1.0)
    while len(real) < draws:
        gaps = rng.normal(0.2, 1, 100)
        if gaps.mean() > 0 and paired_t(gaps, np.zeros(100)).p < 0.2:
            items = items_needed(float(gaps.mean()), float(gaps.std(ddof=1)))
            real.append(power_of(0.2, 1.0, max(items, 2)))
    asked = f"a true effect of .2 sd, 100 items, p < .2; {needed} items are needed"
    yield "items needed from the observed difference", asked, f"mean power {np.mean(real):.0%} where 80 % was asked for"


def margins(draws: int) -> Iterator[Line]:
    """How often a difference of just the margin is called smaller, from above and from below."""
    kinds: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
        "normal": lambda rng, shape: rng.normal(1.0, size=shape),
        "skewness 1": lambda rng, shape: rng.gamma(4, 0.25, size=shape),
        "skewness 2": lambda rng, shape: rng.exponential(size=shape),
        "skewness 2.8": lambda rng, shape: rng.normal(size=shape) ** 2,
    }
    for items in (10, 20, 30, 50):
        weights = [draws.weights for draws in bootstrap(items, 499, 0)]
        said = []
        for name, drawn in kinds.items():
            pivots = [p for p in studentized(drawn(np.random.default_rng(11), (items, 4 * draws)), weights) if p]
            above, below = (sum(test(p) < 0.05 for p in pivots) for test in (_too_high, _too_low))
            said.append(f"{name} {share(above, 4 * draws)} and {share(below, 4 * draws)}")
        yield "margin, one-sided", f"{items} differences", f"rejects {', '.join(said)}"


def _too_high(pivot: Pivot) -> float:
    return pivot.p_at_least(1.0)


def _too_low(pivot: Pivot) -> float:
    return pivot.p_at_most(1.0)


def share(count: int, draws: int) -> str:
    return f"{count / draws:.1%}"


PARTS: dict[str, Callable[[int], Iterator[Line]]] = {
    "mixed": mixed, "ordinal": ordinal, "icc": icc, "variance": variance, "agreement": agreement,
    "same_annotators": same_annotators, "same_inputs": same_inputs, "clusters": clusters,
    "margins": margins, "planning": planning,
}  # fmt: skip


def main(wanted: list[str], draws: int = 1000) -> None:
    print("| what | on | measured |\n|---|---|---|")
    for name, part in PARTS.items():
        if not wanted or name in wanted:
            for line in part(draws):
                print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main([word for word in sys.argv[1:] if not word.isdecimal()], *numbers[:1])
