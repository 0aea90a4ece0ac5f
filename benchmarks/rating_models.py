"""Do mixed models of ratings cover and keep their level? Simulated studies of two systems whose difference is known.

    python -m benchmarks rating_models                     # written to docs/evidence/studies.md, with `mixed_parity`
    python -m benchmarks.rating_models 50 ordinal 20x3     # so many of some designs, printed

Items and annotators cross: every annotator rates both outputs of every item. Tastes are what an item or an annotator
makes of one system beside what all make of it. Linear ratings are normal, with residuals of .7; ordinal ones are five
answers cut from a logistic scale, so that the difference is one in logits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay.meta.ratings import ModelKind, model_ratings
from assay.records import Judgement
from benchmarks.page_section import write_section

DRAWS, FEWER, SEED = 300, 100, 0
"""Studies of each design, of an ordinal model with 100 items, and the random seed."""
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "studies.md"
BEGIN, END = "<!-- rating models -->", "<!-- end of rating models -->"
CUTS = (-2.2, -0.7, 0.9, 2.4)
RESIDUAL = 0.7


class Setting(NamedTuple):
    """A study of two systems."""

    kind: ModelKind
    items: int
    annotators: int
    taste: float
    """The deviation of what one item or annotator makes of one system, as a share of that of items."""
    gap: float
    """How much higher the second system is rated, in deviations of items."""

    @property
    def scale(self) -> float:
        """The deviation of items: on the scale of ratings, or in logits."""
        return 0.5 if self.kind == "linear" else 1.0

    @property
    def truth(self) -> float:
        """Of the first system less the second, as a model says it."""
        return -self.gap * self.scale


KINDS: tuple[ModelKind, ...] = ("linear", "ordinal")
SETTINGS = [
    Setting(kind, items, annotators, taste, gap)
    for kind in KINDS
    for items, annotators in ((20, 3), (50, 5), (100, 10))
    for taste in (0.0, 0.6)
    for gap in (0.0, 0.8)
]


def study(setting: Setting, rng: np.random.Generator) -> list[Judgement]:
    """Judgements of one study."""
    items, annotators = setting.items, setting.annotators
    shape = (items, annotators, 2)
    value = rng.normal(0, 1, (items, 1, 1)) + rng.normal(0, 1, (1, annotators, 1))
    value = value + setting.taste * (rng.normal(0, 1, (items, 1, 2)) + rng.normal(0, 1, (1, annotators, 2)))
    value = (value + np.array([0.0, setting.gap])) * setting.scale
    if setting.kind == "linear":
        ratings = value + rng.normal(0, RESIDUAL, shape)
    else:
        ratings = 1.0 + np.digitize(value + rng.logistic(0, 1, shape), CUTS)
    return [
        Judgement(id=str(i), system="ab"[s], annotator=str(a), criterion="q", value=float(ratings[i, a, s]))
        for i, a, s in np.ndindex(shape)
    ]


def rates(setting: Setting, draws: int, seed: int = SEED) -> tuple[float, float]:
    """How many intervals hold the true difference, and how many tests find one."""
    rng = np.random.default_rng([seed, setting.items, round(10 * setting.gap)])
    pairs = [model_ratings(study(setting, rng), "q", setting.kind).pairs[0] for _ in range(draws)]
    covered = np.mean([pair.low <= setting.truth <= pair.high for pair in pairs])
    return float(covered), float(np.mean([pair.p < 0.05 for pair in pairs]))


def lines(draws: int, wanted: list[str]) -> Iterator[str]:
    """The table; bold: coverage below 93 % or a true null hypothesis rejected in more than 6 %."""
    yield "| model | items, annotators | taste | difference | studies | coverage | power or level |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for setting in SETTINGS:
        if all(word in (setting.kind, f"{setting.items}x{setting.annotators}") for word in wanted):
            studies = min(draws, FEWER) if setting.kind == "ordinal" and setting.items == 100 else draws
            covered, found = rates(setting, studies)
            shown = f"**{covered:.1%}**" if covered < 0.93 else f"{covered:.1%}"
            level = f"**{found:.1%}**" if not setting.gap and found > 0.06 else f"{found:.1%}"
            design = f"{setting.items}, {setting.annotators} | {setting.taste:g} | {setting.gap:g} | {studies}"
            yield f"| {setting.kind} | {design} | {shown} | {level} |"


def write() -> None:
    """Measure and write into the page: simulated studies, and the fits of random designs."""
    from benchmarks.mixed_parity import paragraphs

    when = f"Measured {date.today()} with `python -m benchmarks rating_models`, seed {SEED}.\n"
    write_section(PAGE, BEGIN, END, "\n".join([when, *lines(DRAWS, [])]))
    write_section(PAGE, "<!-- mixed parity -->", "<!-- end of mixed parity -->", paragraphs())


def main(arguments: list[str]) -> None:
    numbers = [int(word) for word in arguments if word.isdecimal()]
    for line in lines(numbers[0] if numbers else DRAWS, [word for word in arguments if not word.isdecimal()]):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
