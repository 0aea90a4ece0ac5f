"""What a reader of correlations should be warned of: groups that explain them, ranks that mislead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.stats.partial import TIED_SHARE, modal_share

if TYPE_CHECKING:
    import polars

    from assay.meta.correlate import Answer, Question

CONFOUNDED = 0.2  # raw and partial r further apart than this: the raw one mostly tells groups apart
BIASED_NULL = 0.05  # a shuffled metric that still shows this much rank correlation


def confounding(answer: Answer, question: Question) -> list[str]:
    """Raw correlations that are far from the partial ones."""
    if not question.controls or question.level != "global":
        return []
    worst = [
        name
        for name, methods in answer.metrics.items()
        if (first := methods[question.methods[0]]).get("r") is not None and abs(first["raw"] - first["r"]) > CONFOUNDED
    ]
    if not worst:
        return []
    listed = ", ".join(worst[:4]) + (f" and {len(worst) - 4} more" if len(worst) > 4 else "")
    return [
        f"raw and partial correlation differ by more than {CONFOUNDED} for {listed}: the raw value mostly tells "
        f"the groups of {', '.join(question.controls)} apart"
    ]


def rank_bias(answer: Answer, known: polars.DataFrame, question: Question) -> list[str]:
    """The Spearman of residuals is reported as biased where a metric without information would show some."""
    shown = {
        name: record["spearman"]
        for name, record in answer.metrics.items()
        if record.get("spearman", {}).get("null_mean") is not None
    }
    if not shown:
        return []
    value, share = modal_share(known[question.human].to_numpy())
    name, record = max(shown.items(), key=lambda item: abs(item[1]["null_mean"]))
    if share <= TIED_SHARE and abs(record["null_mean"]) < BIASED_NULL:
        return []
    for entry in shown.values():
        entry["reading"] = "within_r"
    mass = f"{share:.0%} of '{question.human}' is {value:g}; " if share > TIED_SHARE else ""
    verdict = "is biased here" if abs(record["null_mean"]) >= BIASED_NULL else "may be biased (little, on these rows)"
    return [
        f"Spearman of residuals {verdict}: {mass}a shuffled {name} would still show {record['null_mean']:.2f} "
        f"(observed {record['r']:.2f}). Read the rank correlation within groups instead: {record['within_r']:.2f}"
    ]
