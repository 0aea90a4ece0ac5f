"""What is drawn anew for intervals of correlations, and swapped to compare metrics: chosen, checked, in words."""

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

    from assay.meta.correlate import Question

UNITS: tuple[Unit, ...] = get_args(Unit)
SYSTEM_COLUMNS = ("model_name", "system")
INPUT_COLUMNS = ("hash", "id")


@dataclass(frozen=True)
class Resampling:
    """The units that are drawn or swapped, the texts they belong to, and how to say so."""

    unit: Unit
    table: Crossed
    inputs: str
    """What inputs are called: `inputs`, or the groups of the column that was named."""

    def drawn(self) -> str:
        """How intervals were made."""
        systems, inputs, texts = (f"{self.table.units(unit):,}" for unit in ("systems", "inputs", "texts"))
        return {
            "systems": f"{systems} systems drawn anew, their {self.inputs} stay",
            "inputs": f"{inputs} {self.inputs} drawn anew with all their texts, the systems stay",
            "both": f"{systems} systems and {inputs} {self.inputs} drawn anew, each apart from the other",
            "texts": f"{texts} texts drawn anew, each for itself",
        }[self.unit]

    def swapped(self) -> str:
        """How metrics were compared."""
        return {
            "systems": "all scores of a system are swapped together: for other systems, on these inputs",
            "inputs": f"all scores of one of the {self.inputs} are swapped together: for other {self.inputs}, of these "
            "systems",
            "both": f"all scores of a system are swapped together, widened for other {self.inputs}: for other systems "
            f"and {self.inputs}",
            "texts": "the scores of each text are swapped alone: the two metrics are interchangeable text by text",
        }[self.unit]


def column_of(rows: polars.DataFrame, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in rows.columns), None)


def resampling(rows: polars.DataFrame, question: Question, controls: NDArray[np.int64] | None = None) -> Resampling:
    """The units that were asked for, else those that the level is about.

    System level: systems and inputs. Other levels: inputs, where an input has several texts (`--cluster` names another
    column for them), else texts.
    """
    system, document = column_of(rows, SYSTEM_COLUMNS), question.cluster or column_of(rows, INPUT_COLUMNS)
    table = Crossed(len(rows), _codes(rows, system), _codes(rows, document), controls)
    shared = document is not None and table.units("inputs") < len(rows)
    unit = question.resample
    if unit is None and question.cluster:
        unit = "inputs"
    elif unit is None and question.level == "system":
        unit = "both" if shared else "systems"
    elif unit is None:
        unit = "inputs" if shared else "texts"
    for needed, found, names in (
        (("systems", "both"), system, SYSTEM_COLUMNS),
        (("inputs", "both"), document, INPUT_COLUMNS),
    ):
        if unit in needed and found is None:
            raise AssayError(f"--resample {unit}: no column {' or '.join(names)}; add one, or use --resample texts")
    return Resampling(unit, table, f"groups of {question.cluster}" if question.cluster else "inputs")


def refuse_resampling(question: Question, tested: bool) -> None:
    """What does not exist, and what would change nothing."""
    if question.resample is not None and question.resample not in UNITS:
        raise UsageError(f"--resample: no unit '{question.resample}'; choose from {', '.join(UNITS)}")
    for name, given in (("cluster", question.cluster), ("resample", question.resample)):
        if given and not (question.samples or tested):
            raise UsageError(f"--{name} is how intervals are resampled; give --ci too (or --differences)")
    if question.cluster and question.resample in ("systems", "texts"):
        raise UsageError(f"--cluster names the inputs, which --resample {question.resample} leaves as they are")


def group_column(rows: polars.DataFrame, level: Level) -> NDArray[np.int64]:
    """The groups that a level averages in or over."""
    names = INPUT_COLUMNS if level == "summary" else SYSTEM_COLUMNS
    column = column_of(rows, names)
    if column is None:
        raise AssayError(f"the {level} level needs a column {' or '.join(names)}")
    return group_codes(rows[column].to_numpy())


def _codes(rows: polars.DataFrame, column: str | None) -> NDArray[np.int64] | None:
    return None if column is None or not len(rows) else group_codes(rows[column].cast(str).to_numpy())
