"""Fields that items share: which of them name an origin, such as a document, and which a property of items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.records.types import IDENTIFIERS
from assay.results.index import NUMBER
from assay.results.text_groups import FIELDS
from assay.stats.dependence import without_rounding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.engine.statistics import Floats

CATEGORIES = 10
"""A tag with fewer values is a category, which cannot serve as a cluster: intervals need at least 10."""
SHARED = re.compile(r".*[_ -]id|prompt|template|topic|speaker|author|user", re.IGNORECASE)
"""Names of other tags whose values items may share by design."""
PROPERTIES = re.compile(
    r"(sub)?(categor(y|ies)|domain|genre|type|kind|class(es)?|label|act|register|style|polarity|sentiment|difficulty)|"
    r"(source|target|input|output)?[_ -]?(language|lang|length|size)|level|split|subset|set|seen|year|month|date|"
    r"decade|country|region|gender|age|turn|position|score|rating|challenge|perturbation|"
    r"seed|system|model|dataset|corpus|task",
    re.IGNORECASE,
)
"""Names of tags that describe items: their values were chosen, not sampled, and items that share one may differ from
others without depending on each other."""
DEGREES = 4
"""Coefficients of the polynomial (cubic) that is subtracted from values of numbered groups."""
UNLESS = ", unless its values are fixed categories rather than documents, videos or the like"


def names_origin(field: str) -> bool:
    """Return whether items that share this field have the same origin, by its name."""
    named = IDENTIFIERS.fullmatch(field) or SHARED.fullmatch(field)
    return field == "parent" or field in FIELDS or bool(named)


def may_be_origin(field: str) -> bool:
    """Return whether items that share this field may have the same origin: its name says so, or says nothing else."""
    return names_origin(field) or not PROPERTIES.fullmatch(field)


def without_trend(values: Floats, numbers: Sequence[Any], places: NDArray[np.intp]) -> Floats:
    """Return values minus their trend, if the values of a field are numbers; else the values.

    A count or a year is a property: scores change with it gradually. Numbers of documents have no trend.

    Args:
        values: One row per unit.
        numbers: The field of every item; empty if it has no trend.
        places: The item of each unit.
    """
    own = [numbers[place] for place in places] if numbers else []
    if not own or not all(isinstance(number, str) and NUMBER.fullmatch(number) for number in own):
        return values
    ranks = np.unique([float(number) for number in own], return_inverse=True)[1]
    powers = np.vander(2 * ranks / max(1, int(ranks.max(initial=0))) - 1, DEGREES)
    return without_rounding(values - powers @ np.linalg.lstsq(powers, values, rcond=None)[0], values)
