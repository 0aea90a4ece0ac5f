"""Coverage of intervals of mean ratings near the end of a scale: `python -m benchmarks.ratings_near_ends`."""

from __future__ import annotations

import numpy as np

from assay.stats.bounded_mean import intervals_on_scale
from assay.stats.interval import widened_interval
from assay.stats.uncertainty import resampled_means

SAMPLES, RESAMPLES, SEED = 2000, 500, 29
RATINGS = {
    "yes in 90 %": ((0, 1), (0.1, 0.9)),
    "yes in 60 %": ((0, 1), (0.4, 0.6)),
    "1 to 5, mean 4.5": ((1, 2, 3, 4, 5), (0.02, 0.03, 0.05, 0.2, 0.7)),
    "1 to 5, mean 3.2": ((1, 2, 3, 4, 5), (0.1, 0.2, 0.3, 0.2, 0.2)),
}


def covered(levels: tuple[int, ...], chances: tuple[float, ...], items: int) -> tuple[float, float]:
    """Return in per cent how often percentile intervals and intervals on the scale hold the mean."""
    random = np.random.default_rng(SEED)
    scale, mean, held = np.array(levels, dtype=np.float64), float(np.dot(levels, chances)), np.zeros(2)
    for sample in range(SAMPLES):
        row = random.choice(scale, (1, items), p=chances)
        resampled = resampled_means(row, RESAMPLES, sample)[:, 0]
        made = (
            widened_interval(float(row.mean()), resampled, items),
            intervals_on_scale(row, (scale[0], scale[-1]))[0],
        )
        held += [interval is not None and interval[0] <= mean <= interval[1] for interval in made]
    return tuple((100 * held / SAMPLES).tolist())


if __name__ == "__main__":
    print("| ratings | items | percentiles of resampled means | on the scale |\n|---|--:|--:|--:|")
    for name, (levels, chances) in RATINGS.items():
        for items in (12, 40):
            before, after = covered(levels, chances, items)
            print(f"| {name} | {items} | {before:.1f} | {after:.1f} |")
