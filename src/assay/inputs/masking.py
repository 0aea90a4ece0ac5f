"""Names of the masking strategies."""

from __future__ import annotations

from typing import Literal

Masking = Literal["random", "entity", "predicate", "entity+predicate", "values", "concepts"]
