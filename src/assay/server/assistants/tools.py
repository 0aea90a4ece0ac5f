"""The tools of assistants: thin calls of the Python interface, with schemas of arguments and results."""

from __future__ import annotations

from functools import partial
from typing import Any

from assay.api.scoring import score_all
from assay.errors import AssayError
from assay.execution.support import check_outputs
from assay.records import write_jsonl
from assay.records.files import replacing
from assay.results.many_systems import compare_all
from assay.results.paper_table import table
from assay.results.result import Result
from assay.server.assistants.folders import Folders
from assay.server.assistants.protocol import JSON, Tool

TEXT: JSON = {"type": "string"}
TEXTS: JSON = {"type": "array", "items": TEXT, "minItems": 1}
MOST_SENTENCES, MOST_FILES = 200, 20
REMOTE = frozenset(("judge",))
"""Metrics that ask other machines."""
DATA: dict[str, JSON] = {
    "examples": TEXT | {"description": "File with references, sources, contexts; or DATASET:PATH"},
    "references": TEXT | {"description": "File with references, one per output"},
    "sources": TEXT | {"description": "File with source texts, one per output"},
    "metrics": TEXTS | {"description": "Metrics with options, e.g. rouge:stemmer=true (default: chosen by the data)"},
    "allow_missing": {"type": "boolean", "description": "Use the items that have outputs"},
    "ci": {
        "type": "integer", "minimum": 0, "maximum": 10_000,
        "description": "Bootstrap resamples for 95 % confidence intervals (default: 1000)",
    },
    "cluster": TEXT | {"description": "Field whose items belong together, e.g. a tag with the dialogue"},
}  # fmt: skip
OUTPUTS = TEXTS | {"description": "Files of outputs, one or several systems each"}


def tools(folders: Folders) -> dict[str, Tool]:
    """Return the tools by name, for files in these folders."""
    made = (
        Tool(
            "score", "Score systems with automatic metrics, with 95 % confidence intervals.",
            {"outputs": OUTPUTS, **DATA}, ("outputs",), {"systems": {"type": "object"}}, partial(_score, folders),
        ),
        Tool(
            "compare",
            "Test whether systems differ on the same items: paired test, p adjusted for all tests. Differences are "
            "system minus the first system.",
            {"outputs": OUTPUTS, **DATA}, ("outputs",), {"comparisons": {"type": "array", "items": {"type": "object"}}},
            partial(_compare, folders),
        ),
        Tool(
            "support",
            "Check sentence by sentence whether contexts or sources support outputs (English): verdict, probability, "
            "reason, evidence. Unsupported sentences first.",
            {
                "outputs": TEXT | {"description": "File of outputs"}, "examples": DATA["examples"],
                "sources": DATA["sources"], "system": TEXT, "allow_missing": DATA["allow_missing"],
                "most": {"type": "integer", "minimum": 1, "maximum": MOST_SENTENCES,
                         "description": "Sentences in the result (default: 20)"},
                "output": TEXT | {"description": "New .jsonl file for all sentences (only with --write)"},
            },
            ("outputs",),
            {"n": {"type": "integer"}, "systems": {"type": "object"},
             "sentences": {"type": "array", "items": {"type": "object"}}, "warnings": {"type": "array", "items": TEXT}},
            partial(_support, folders), folders.writable,
        ),
        Tool(
            "table", "Write the table of a paper: systems by metrics, best in bold, significance marked.",
            {
                "outputs": OUTPUTS, **DATA,
                "format": TEXT | {"enum": ["text", "markdown", "latex", "html", "csv"]},
                "output": TEXT | {"description": "New file for the table (only with --write)"},
            },
            ("outputs",), {"table": TEXT, "warnings": {"type": "array", "items": TEXT}},
            partial(_table, folders), folders.writable,
        ),
    )  # fmt: skip
    return {tool.name: tool for tool in made}


def _results(folders: Folders, values: JSON) -> dict[str, Result]:
    """Score all systems of all files; systems of the same name are distinguished by their file."""
    metrics = values.get("metrics")
    if metrics is not None:
        folders.check_metrics(metrics)
        if remote := [spec for spec in metrics if spec.split(":")[0] in REMOTE]:
            raise AssayError(f"{remote[0]}: asks another machine; use the command line")
    if len(values["outputs"]) > MOST_FILES:
        raise AssayError(f"at most {MOST_FILES} files at once")
    data: JSON = {name: folders.data(values[name]) for name in ("examples", "references", "sources") if name in values}
    results: dict[str, Result] = {}
    for name in values["outputs"]:
        scored = score_all(
            str(folders.readable(name)), metrics=metrics, ci=values.get("ci", 1000), cluster=values.get("cluster"),
            allow_missing=values.get("allow_missing", False), **data,
        )  # fmt: skip
        for system, result in scored.items():
            results[system if system not in results else f"{system} ({name})"] = result
    return results


def _score(folders: Folders, values: JSON) -> JSON:
    return {"systems": {name: result.to_dict() for name, result in _results(folders, values).items()}}


def _compare(folders: Folders, values: JSON) -> JSON:
    first, *others = _results(folders, {"ci": 0, **values}).values()
    if not others:
        raise AssayError("one system only; name files with at least two systems")
    compared = compare_all(first, others, cluster=values.get("cluster"))
    return {"comparisons": [each.to_dict() for each in compared]}


def _support(folders: Folders, values: JSON) -> JSON:
    data: JSON = {name: folders.data(values[name]) for name in ("examples", "sources") if name in values}
    target = folders.new_file(values["output"], (".jsonl",)) if "output" in values else None
    reports = check_outputs(
        str(folders.readable(values["outputs"])), system=values.get("system"),
        allow_missing=values.get("allow_missing", False), **data,
    )  # fmt: skip
    records = [record for report in reports.values() for record in report.records()]
    if target:
        write_jsonl(target, records)
    shown = sorted(records, key=lambda one: 2.0 if one["probability"] is None else one["probability"])
    return {
        "n": len(next(iter(reports.values())).items),
        "systems": {name: report.rate() | _counts(report.records()) for name, report in reports.items()},
        "sentences": shown[: values.get("most", 20)],
        "warnings": list(dict.fromkeys(note for report in reports.values() for note in report.items.notes)),
    }


def _counts(records: list[dict[str, Any]]) -> dict[str, int]:
    kinds = ("supported", "unsupported", "contradicted", "not_checkable")
    return {"sentences": len(records)} | {
        f"{kind}_sentences": sum(one["verdict"] == kind for one in records) for kind in kinds
    }


def _table(folders: Folders, values: JSON) -> JSON:
    form = values.get("format", "markdown")
    endings = {"text": ".txt", "markdown": ".md", "latex": ".tex", "html": ".html", "csv": ".csv"}
    target = folders.new_file(values["output"], (endings[form],)) if "output" in values else None
    made = table(_results(folders, values), ci=values.get("ci", 1000), cluster=values.get("cluster"))
    text = made.write(form)
    if target:
        with replacing(target, "w") as stream:
            stream.write(text + "\n")
    return {"table": text, "warnings": list(made.warnings)}
