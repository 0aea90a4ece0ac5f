"""Run by an installed environment: score the sample with every metric, and print one JSON object for each."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
from importlib.resources import files
from pathlib import Path

from assay.cli import main
from assay.metrics import METRICS

SAMPLE = Path(str(files("assay") / "sample"))
WEIGHTS = Path("weights")
"""A folder that is no model: metrics with models must name their extra before they read it."""


def outcome(name: str) -> dict[str, object]:
    cls = METRICS.get(name)
    options = {field.name for field in dataclasses.fields(cls)} & {"model", "questions"}  # type: ignore[arg-type]
    spec = ":".join([name, *(f"{option}={WEIGHTS}" for option in sorted(options))])
    files = [str(SAMPLE / "outputs/lead/news.jsonl"), "-e", str(SAMPLE / "news.jsonl"), "--subset", "language=en"]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
        main(["score", *files, "-m", spec, "--json"])
    scores = json.loads(out.getvalue())["scores"] if out.getvalue().startswith("{") else {}
    return {"metric": name, "extra": cls.extra, "scores": sorted(scores), "message": out.getvalue() + err.getvalue()}


if __name__ == "__main__":
    WEIGHTS.mkdir()
    for metric in METRICS:
        print(json.dumps(outcome(metric)))
