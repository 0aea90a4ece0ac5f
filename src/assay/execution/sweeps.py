"""A system of a config as a matrix: one run per combination of placeholder values.

    [[systems]]
    name = "bart"
    system = "hf:checkpoints/{checkpoint}:beams={beams}"
    [systems.matrix]
    checkpoint = ["step-1000", "step-2000"]
    beams = [1, 5]

Runs are identified by content, models by data and recipe: a further value computes only its own runs.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.store.config_records import System

Value = str | int | float | bool
FILLED = ("outputs", "system", "form", "train", "filter", "filter_train", "about")
"""Fields with placeholders."""
TAKEN = ("dataset", "seed", "prompt", "model", "filter")
"""Reserved placeholders."""
MOST = 10_000
"""Maximum number of runs of one entry."""


def with_settings(systems: list[System], where: object) -> list[System]:
    """Expand every entry with a matrix to one entry per setting."""
    return [one for system in systems for one in (_settings(system, where) if system.matrix else [system])]


def _settings(system: System, where: object) -> list[System]:
    count = 1
    for key, values in system.matrix.items():
        if not re.fullmatch(r"[a-z_]\w*", key):
            raise AssayError(
                f"{where}: system {system.name}: matrix has {key}; a name starts with a lower-case letter "
                "and has letters, digits and _ only"
            )
        if key in TAKEN:
            raise AssayError(
                f"{where}: system {system.name}: matrix has {key}, which is reserved; use another name "
                f"than {', '.join(TAKEN)}"
            )
        if not values or len(set(map(_text, values))) < len(values):
            raise AssayError(f"{where}: system {system.name}: matrix.{key} needs distinct values")
        if not any(f"{{{key}}}" in (getattr(system, field) or "") for field in FILLED):
            raise AssayError(
                f"{where}: system {system.name}: matrix.{key} has no effect; add {{{key}}} to its system, train or "
                "outputs"
            )
        count *= len(values)
    if count > MOST:
        raise AssayError(f"{where}: system {system.name}: its matrix has {count:,} settings; the maximum is {MOST:,}")
    return [
        _filled(system, dict(zip(system.matrix, map(_text, chosen), strict=True)))
        for chosen in product(*system.matrix.values())
    ]


def _text(value: Value) -> str:
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)  # never another number than was written
    return str(value).lower() if isinstance(value, bool) else str(value)


def _filled(system: System, setting: dict[str, str]) -> System:
    def fill(text: str | None) -> str | None:
        for key, value in setting.items():
            text = text if text is None else text.replace(f"{{{key}}}", value)
        return text

    tidy = {key: re.sub(r"[^\w.+-]+", "-", value).strip("-") or "none" for key, value in setting.items()}
    name = "-".join([system.name, *tidy.values()])
    filled = {field: fill(getattr(system, field)) for field in FILLED}
    return msgspec.structs.replace(system, **filled, name=name, matrix={}, sweep=system.name, setting=setting)
