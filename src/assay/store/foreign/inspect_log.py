"""Logs of inspect_ai: a JSON file, or an .eval archive with the results in its header."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError, first_line
from assay.records.archives import read_entry
from assay.records.size_limit import size_limit
from assay.records.types import Score
from assay.store.foreign.known import directed, name_of, score_of
from assay.store.scored_runs import Axis, ScoredRun

SHARE = 4
"""Factor by which a header may be smaller than data, against archive bombs."""


def header(data: bytes, file: Path) -> bytes:
    """Return the results of an .eval archive as JSON, without its samples."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return read_entry(archive, data, "header.json", f"{file}: its header", size_limit() // SHARE)
    except AssayError:
        raise
    except Exception as error:  # zipfile and what unpacks for it know a dozen kinds
        raise AssayError(f"{file}: not an inspect_ai archive ({first_line(error)})") from None


def recognises(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("eval"), Mapping) and "task" in value["eval"]


def read(value: Mapping[str, Any], name: str) -> tuple[list[Axis], list[ScoredRun], dict[str, list[tuple[str, str]]]]:
    about = value["eval"]
    results = value.get("results") or {}
    system, task = str(about.get("model") or name), str(about["task"])
    axes: dict[str, Axis] = {}
    scores: dict[str, Score] = {}
    for scorer in results.get("scores") or []:
        metrics = scorer.get("metrics") or {}
        error = (metrics.get("stderr") or {}).get("value")
        for metric, cell in metrics.items():
            if metric in ("stderr", "std", "var"):
                continue
            label = name_of(metric) if len(results["scores"]) == 1 else f"{scorer['name']}.{metric}"
            axes.setdefault(label, directed(label, True if metric in ("accuracy", "mean") else None))
            scores[label] = score_of(cell.get("value"), error, f"{scorer['name']}|{metric}|computed by inspect_ai")
    if not scores:
        why = f"the log has status {value.get('status', 'unknown')} and no scores"
        axes["accuracy"], scores["accuracy"] = directed("accuracy", True), Score(value=None, why=why)
    n = results.get("completed_samples") or results.get("total_samples")
    facts = [("written by", f"inspect_ai {(about.get('packages') or {}).get('inspect_ai', '')}".strip())]
    return list(axes.values()), [ScoredRun(system, task, n=n, scores=scores)], {system: facts}
