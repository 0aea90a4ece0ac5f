"""The units that are left out or resampled for p and intervals of correlations, and permuted to compare metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from assay.errors import AssayError, UsageError
from assay.stats.crossed import Crossed, Level, Unit
from assay.stats.crossed_jackknife import FEWEST_LEFT_OUT
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
    note: str = ""
    """Why systems are fixed although they are known."""

    def units(self) -> str:
        """Return the names of the units."""
        return f"systems and {self.inputs}" if self.unit == "both" else self._name(self.unit)

    def _name(self, unit: Unit) -> str:
        return self.inputs if unit == "inputs" else unit

    def left_out(self) -> str:
        """Return what was left out in turn for p and confidence intervals."""
        systems, inputs, texts = (f"{self.table.units(unit):,}" for unit in ("systems", "inputs", "texts"))
        return {
            "systems": f"{systems} systems left out in turn: holds for other systems on these {self.inputs}",
            "inputs": f"{inputs} {self.inputs} left out in turn: holds for other {self.inputs} of these systems",
            "both": f"{systems} systems and {inputs} {self.inputs} left out in turn: holds for other systems and "
            f"{self.inputs}",
            "texts": f"{texts} texts left out in turn, as if they shared neither system nor input",
        }[self.unit]

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
    """Return the requested units, or the default: systems and inputs, as far as they are known and repeated.

    Systems are fixed if there are too few for a statement about others, except at the system level. `--cluster` names
    another column for the inputs.
    """
    system, document = column_of(rows, SYSTEM_COLUMNS), request.cluster or column_of(rows, INPUT_COLUMNS)
    table = Crossed(len(rows), _codes(rows, system), _codes(rows, document), controls)
    shared = document is not None and table.units("inputs") < len(rows)
    unit, note = request.resample, ""
    if unit is None:
        systems = table.units("systems") if system is not None else 0
        several = request.level == "system" or FEWEST_LEFT_OUT <= systems < len(rows)
        several_inputs = shared and table.units("inputs") >= FEWEST_LEFT_OUT
        if several:
            unit = "both" if several_inputs or request.cluster else "systems"
        else:
            unit = "inputs" if shared or request.cluster else "texts"
            if 1 < systems < FEWEST_LEFT_OUT:
                note = (
                    f"{systems} systems are too few for a statement about other systems (at least {FEWEST_LEFT_OUT}): "
                    "p and intervals are about these systems."
                )
    for needed, column, names in (
        (("systems", "both"), system, SYSTEM_COLUMNS),
        (("inputs", "both"), document, INPUT_COLUMNS),
    ):
        if unit in needed and column is None:
            raise AssayError(f"--resample {unit}: no column {' or '.join(names)}. Add one, or use --resample texts.")
    return Resampling(unit, table, f"groups of {request.cluster}" if request.cluster else "inputs", note)


def check_resampling_options(request: CorrelateRequest) -> None:
    """Raise UsageError for units that do not exist and for options that would have no effect."""
    if request.resample is not None and request.resample not in UNITS:
        raise UsageError(f"--resample {request.resample}: unknown unit. Use one of {', '.join(UNITS)}.")
    for name, value in (("cluster", request.cluster), ("resample", request.resample)):
        if value and request.classical and not request.differences:
            raise UsageError(f"--{name} has no effect on classical values; leave out --classical or --{name}.")
    if request.classical and request.samples:
        raise UsageError("--ci resamples for p and intervals, which --classical does not use; leave one of them out.")
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
