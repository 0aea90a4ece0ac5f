"""Audit of metrics: outputs are degraded by rules, and the change of every metric is tested."""

from __future__ import annotations

from assay.meta.audit.report import Audit, RankReversal, ScoreChange, Verdict
from assay.meta.audit.sweep import REPEATS, STRENGTHS, audit_systems

__all__ = ["REPEATS", "STRENGTHS", "Audit", "RankReversal", "ScoreChange", "Verdict", "audit_systems"]
