"""Warnings about correlations: confounding by groups, and biased rank correlations of residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.stats.partial import TIED_SHARE, modal_share

if TYPE_CHECKING:
    import polars

    from assay.meta.correlate import CorrelateRequest, Correlations

CONFOUNDED = 0.2
"""Difference of raw and partial r above which the raw one mostly reflects differences between groups."""
BIASED_NULL = 0.05
"""Mean rank correlation of a permuted metric above which it is reported as biased."""


def confounding(answer: Correlations, request: CorrelateRequest) -> list[str]:
    """Return a warning for metrics whose raw and partial correlations differ strongly."""
    if not request.controls or request.level != "global":
        return []
    worst = [
        name
        for name, methods in answer.metrics.items()
        if (r := methods[request.methods[0]].get("r")) is not None
        and abs(methods[request.methods[0]]["raw"] - r) > CONFOUNDED
    ]
    if not worst:
        return []
    listed = ", ".join(worst[:4]) + (f" and {len(worst) - 4} more" if len(worst) > 4 else "")
    return [
        f"Raw and partial correlation differ by more than {CONFOUNDED} for {listed}: the raw value mostly reflects "
        f"differences between the groups of {', '.join(request.controls)}."
    ]


def rank_bias(answer: Correlations, known: polars.DataFrame, request: CorrelateRequest) -> list[str]:
    """Return a warning if a permuted metric would still show a Spearman correlation of residuals."""
    shown = {
        name: record["spearman"]
        for name, record in answer.metrics.items()
        if record.get("spearman", {}).get("null_mean") is not None
    }
    if not shown:
        return []
    value, share = modal_share(known[request.human].to_numpy())
    name, record = max(shown.items(), key=lambda item: abs(item[1]["null_mean"]))
    if share <= TIED_SHARE and abs(record["null_mean"]) < BIASED_NULL:
        return []
    for entry in shown.values():
        entry["reading"] = "within_r"
    mass = f"{share:.0%} of '{request.human}' is {value:g}; " if share > TIED_SHARE else ""
    verdict = "is biased here" if abs(record["null_mean"]) >= BIASED_NULL else "may be biased (little on these rows)"
    return [
        f"Spearman of residuals {verdict}: {mass}a permuted {name} would still show {record['null_mean']:.2f} "
        f"(observed {record['r']:.2f}). Use the rank correlation within groups: {record['within_r']:.2f}."
    ]
