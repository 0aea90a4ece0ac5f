"""Names of FRANK's released columns and codes, from its typology."""

from __future__ import annotations

from assay.inputs.typology import FRANK, NO_ERROR

GROUPS = {group: FRANK.groups[group] for group in (
    "Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors"
)}  # fmt: skip
"""Groups in the order of the released files."""
CATEGORIES = tuple(FRANK.errors)
LABELS = FRANK.labels
"""Codes that annotators can choose."""
__all__ = ["CATEGORIES", "GROUPS", "LABELS", "NO_ERROR"]
