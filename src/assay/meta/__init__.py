"""Metrics against people: correlation, ablation by error type, agreement, and published tables computed again."""
