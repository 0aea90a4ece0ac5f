"""The audit of metrics: outputs are made worse by rule, and every metric is asked whether it noticed."""

from __future__ import annotations

from assay.meta.audit.report import Audit, Flip, Moved, Verdict
from assay.meta.audit.sweep import REPEATS, STRENGTHS, audit_systems

__all__ = ["REPEATS", "STRENGTHS", "Audit", "Flip", "Moved", "Verdict", "audit_systems"]
