"""The units that are resampled for confidence intervals of correlations and permuted to compare metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from assay.errors import AssayError, UsageError
from assay.stats.crossed import Crossed, Level, Unit
from assay.stats.validation import group_codes

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

    from assay.meta.correlate import CorrelateRequest

UNITS: tuple[Unit, ...] = get_args(Unit)
SYSTEM_COLUMNS = ("model_name", "system")
INPUT_COLUMNS = ("hash", "id")


@dataclass(frozen=True)
class Resampling:
    """The units that are resampled or permuted, and the texts that belong to them."""

    unit: Unit
    table: Crossed
    inputs: str
    """Name of the inputs: `inputs`, or the groups of the cluster column."""

    def drawn(self) -> str:
        """Return how confidence intervals were resampled."""
        systems, inputs, texts = (f"{self.table.units(unit):,}" for unit in ("systems", "inputs", "texts"))
        return {
            "systems": f"{systems} systems resampled, {self.inputs} fixed",
            "inputs": f"{inputs} {self.inputs} resampled with all their texts, systems fixed",
            "both": f"{systems} systems and {inputs} {self.inputs} resampled independently",
            "texts": f"{texts} texts resampled independently",
        }[self.unit]

    def swapped(self) -> str:
        """Return how scores of two metrics were permuted."""
        return {
            "systems": "scores swapped by system: generalises to other systems on these inputs",
            "inputs": f"scores swapped by {self.inputs}: generalises to other {self.inputs} of these systems",
            "both": f"scores swapped by system, widened for {self.inputs}: generalises to other systems and "
            f"{self.inputs}",
            "texts": "scores swapped by text: metrics are exchangeable for each text",
        }[self.unit]


def column_of(rows: polars.DataFrame, names: tuple[str, ...]) -> str | None:
    """Return the first of these columns that exists."""
    return next((name for name in names if name in rows.columns), None)


def resampling(
    rows: polars.DataFrame, request: CorrelateRequest, controls: NDArray[np.int64] | None = None
) -> Resampling:
    """Return the requested units, or the default of the level.

    System level: systems and inputs. Other levels: inputs if an input has several texts (`--cluster` names another
    column for them), else texts.
    """
    system, document = column_of(rows, SYSTEM_COLUMNS), request.cluster or column_of(rows, INPUT_COLUMNS)
    table = Crossed(len(rows), _codes(rows, system), _codes(rows, document), controls)
    shared = document is not None and table.units("inputs") < len(rows)
    unit = request.resample
    if unit is None and request.cluster:
        unit = "inputs"
    elif unit is None and request.level == "system":
        unit = "both" if shared else "systems"
    elif unit is None:
        unit = "inputs" if shared else "texts"
    for needed, column, names in (
        (("systems", "both"), system, SYSTEM_COLUMNS),
        (("inputs", "both"), document, INPUT_COLUMNS),
    ):
        if unit in needed and column is None:
            raise AssayError(f"--resample {unit}: no column {' or '.join(names)}. Add one, or use --resample texts.")
    return Resampling(unit, table, f"groups of {request.cluster}" if request.cluster else "inputs")


def check_resampling_options(request: CorrelateRequest) -> None:
    """Raise UsageError for units that do not exist and for options that would have no effect."""
    if request.resample is not None and request.resample not in UNITS:
        raise UsageError(f"--resample {request.resample}: unknown unit. Use one of {', '.join(UNITS)}.")
    for name, value in (("cluster", request.cluster), ("resample", request.resample)):
        if value and not (request.samples or request.differences):
            raise UsageError(f"--{name} requires --ci or --differences.")
    if request.cluster and request.resample in ("systems", "texts"):
        raise UsageError(f"--cluster sets the inputs, but --resample {request.resample} does not resample inputs.")


def group_column(rows: polars.DataFrame, level: Level) -> NDArray[np.int64]:
    """Return the groups that a level averages within or over."""
    names = INPUT_COLUMNS if level == "summary" else SYSTEM_COLUMNS
    column = column_of(rows, names)
    if column is None:
        raise AssayError(f"--level {level} requires a column {' or '.join(names)}.")
    return group_codes(rows[column].to_numpy())


def _codes(rows: polars.DataFrame, column: str | None) -> NDArray[np.int64] | None:
    return None if column is None or not len(rows) else group_codes(rows[column].cast(str).to_numpy())
