"""Small published tables with the results that others print for them, as facts to compare with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def _table(text: str) -> NDArray[np.float64]:
    return np.array([row.split() for row in text.split("/")], dtype=np.float64)


PENICILLIN = _table(
    "27 23 26 23 23 21/27 23 26 23 23 21/25 21 25 24 24 20/26 23 25 23 23 20/25 22 26 22 23 20/24 22 25 23 22 19/"
    "24 20 23 21 22 19/26 22 26 24 24 21/24 21 24 22 22 20/24 21 24 23 22 19/26 23 26 24 24 21/25 22 26 24 24 20/"
    "26 24 26 24 25 22/26 23 26 23 23 20/26 23 25 24 24 22/25 22 25 23 23 20/25 21 24 23 23 20/25 22 24 23 23 19/"
    "24 21 23 21 21 19/26 23 26 24 24 21/25 21 24 22 22 18/25 22 25 22 22 20/24 21 24 22 24 19/24 21 24 22 21 18"
)
"""Davies and Goldsmith (1972), section 6.6: plates x samples."""

PASTES = _table(
    "62.8 62.6 60.1 62.3 62.7 63.1/60 61.4 57.5 56.9 61.1 58.9/58.7 57.5 63.9 63.1 65.4 63.7/"
    "57.1 56.4 56.9 58.6 64.7 64.5/55.1 55.1 54.7 54.2 58.8 57.5/63.4 64.9 59.3 58.1 60.5 60/"
    "62.5 62.6 61 58.7 56.9 57.7/59.2 59.4 65.2 66 64.8 64.1/54.8 54.8 64 64 57.7 56.8/58.3 59.3 59.2 59.2 58.9 56.6"
)
"""Davies and Goldsmith (1972), section 6.5: batches x (three casks, two analyses of each)."""

DYESTUFF = _table(
    "1545 1440 1440 1520 1580/1540 1555 1490 1560 1495/1595 1550 1605 1510 1560/1445 1440 1595 1465 1545/"
    "1595 1630 1515 1635 1625/1520 1455 1450 1480 1445"
)
"""Davies and Goldsmith (1972), section 6.4: batches x yields."""

DYESTUFF2 = _table(
    "7.298 3.846 2.434 9.566 7.99/5.22 6.556 .608 11.788 -.892/.11 10.386 13.434 5.51 8.166/"
    "2.212 4.852 7.092 9.288 4.98/.282 9.014 4.458 9.446 7.198/1.722 4.782 8.106 .758 3.758"
)
"""Box and Tiao (1973), section 5.1.2: batches x yields, which vary less between batches than within."""

MACHINES = _table(
    "52 52.8 53.1 51.8 52.8 53.1 60 60.2 58.4 51.1 52.3 50.3 50.9 51.8 51.4 46.4 44.8 49.2/"
    "62.1 62.6 64 59.7 60 59 68.6 65.8 69.7 63.2 62.8 62.2 64.8 65 65.4 43.7 44.2 43/"
    "67.5 67.2 66.9 61.5 61.7 62.3 70.8 70.6 71 64.1 66.2 64 72.1 72 71.1 62 61.4 60.5"
).reshape(3, 6, 3)
"""Pinheiro and Bates (2000), section 1.3: machines x workers x repetitions."""

WINE = _table(
    "2 1 2 3 2 3 1 2 1/3 2 3 2 3 2 1 2 2/3 1 3 3 4 3 2 2 3/4 3 2 2 3 2 2 3 2/"
    "4 2 5 3 3 2 2 3 3/4 3 5 2 3 4 3 3 2/5 5 4 5 3 5 2 3 4/5 4 4 3 3 4 3 4 4"
)
"""Randall (1989): bitterness of bottles x judges; bottles 5 to 8 are warm, 3, 4, 7 and 8 had contact with the skins."""

SHROUT_FLEISS = _table("9 2 5 8/6 1 3 2/8 4 6 8/7 1 2 6/10 5 6 9/6 2 4 7")
"""Shrout and Fleiss (1979), Table 2: targets x judges."""

GWET_RAW = np.array(
    [
        [1, 1, np.nan, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4],
        [1, 1, 2, 1], [2, 2, 2, 2], [np.nan, 5, 5, 5], [np.nan, np.nan, 1, 1], [np.nan, np.nan, 3, np.nan],
    ]
)  # fmt: skip
"""Krippendorff's example with four observers, as Gwet prints it."""

GWET_VOTES = _table(
    "0 0 0 6 0/0 3 0 0 3/0 1 4 0 1/0 0 0 0 6/0 3 0 3 0/2 0 4 0 0/0 0 4 0 2/2 0 3 1 0/2 0 0 4 0/0 0 0 0 6/1 0 0 5 0/"
    "1 1 0 4 0/0 3 3 0 0/1 0 0 5 0/0 2 0 3 1"
)
"""Fleiss (1971), the first 15 patients: votes of six psychiatrists for five diagnoses."""

GWET_ABSTRACTORS = np.repeat([[0, 0], [1, 1], [1, 2], [2, 1], [2, 2]], [13, 20, 7, 4, 56], axis=0).astype(np.float64)
"""Gwet (2014): two abstractors on 100 pregnancies."""
