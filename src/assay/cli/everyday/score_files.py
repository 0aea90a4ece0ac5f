"""A table over score files of other tools, such as those of GEM: scores without items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.records.documents import JSONObject, read_json
from assay.show.tables import Cell, Column, Content, Table, score_cell
from assay.specs import did_you_mean
from assay.store.foreign.gem import recognises
from assay.store.library import open_results
from assay.store.scored_runs import Axis, ScoredRun

KEYS = ("split", "dataset", "language", "task")
"""What `--subset` selects by; a split is also a challenge set."""
HEAD = 4096
"""Characters of a file in which a submission names itself."""
NOTE = "Scores of files, without items: no confidence interval and no significance test."


def are_score_files(paths: Sequence[Path]) -> bool:
    """Return whether these are score files, or folders of such."""
    return all(any(map(_is_scores, sorted(path.glob("*.scores.json")))) if path.is_dir() else _is_scores(path)
               for path in paths)  # fmt: skip


def _is_scores(path: Path) -> bool:
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as stream:
        if '"submission_name"' not in stream.read(HEAD):
            return False
    return recognises(read_json(path))


class ScoreFiles:
    """The chosen sets and metrics of score files."""

    def __init__(self, paths: Sequence[Path], metrics: Sequence[str] | None, subset: Sequence[str]) -> None:
        library = open_results(list(paths))
        self.problems = library.problems
        axes = list({axis.name: axis for axis in library.axes}.values())
        runs = [run for run in library.runs if run.scores]
        for key, wanted in map(_condition, subset):
            known = sorted({_of(run, key) for run in runs})
            runs = [run for run in runs if _of(run, key) == wanted]
            if not runs:
                raise AssayError(f"--subset {key}={wanted}: no such set; {key} is one of {', '.join(known)}")
        self.axes = _chosen(axes, metrics)
        rows = (run for run in runs if any(run.value(axis.name) is not None for axis in self.axes))
        self.runs = sorted(rows, key=lambda run: (run.dataset, run.subset))
        if not self.runs:
            raise AssayError(f"{paths[0]}: no scores of {', '.join(axis.name for axis in self.axes)} on these sets")

    def table(self, sort: str | None = None, caption: str = "") -> Table:
        """Return one row for each set and system, with the best score of each set in bold."""
        runs = self.runs
        if sort:
            (axis,) = _chosen(self.axes, [sort])
            sign = 1 if axis.part.better == "lower" else -1
            missing = float("inf")
            runs = sorted(
                runs,
                key=lambda run: (run.dataset, run.subset, missing if (v := run.value(axis.name)) is None else sign * v),
            )
        rows: list[list[Content]] = [
            [run.dataset, run.subset, run.system, run.n, *(self._cell(run, axis) for axis in self.axes)] for run in runs
        ]
        left = [Column(name, "left") for name in ("dataset", "set", "system")]
        return Table([*left, Column("items"), *(Column(axis.printed) for axis in self.axes)], rows, caption, [NOTE])

    def _cell(self, run: ScoredRun, axis: Axis) -> Cell:
        others = [one.value(axis.name) for one in self.runs if (one.dataset, one.subset) == (run.dataset, run.subset)]
        values = [value for value in others if value is not None]
        best = {"higher": max, "lower": min}.get(axis.part.better or "")
        strong = best is not None and len(values) > 1 and run.value(axis.name) == best(values)
        return score_cell(run.scores.get(axis.name), axis.part, strong=strong)

    def to_dict(self) -> JSONObject:
        rows = [
            {"dataset": run.dataset, "set": run.subset, "system": run.system, "n": run.n,
             "scores": {axis.name: run.value(axis.name) for axis in self.axes}}
            for run in self.runs
        ]  # fmt: skip
        return {"rows": rows}


def _condition(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or key not in KEYS:
        raise UsageError(f"--subset {text}: for score files, write KEY=VALUE with one of {', '.join(KEYS)}")
    return key, "validation" if (key, value) == ("split", "val") else value


def _of(run: ScoredRun, key: str) -> str:
    return run.subset if key == "split" else str(getattr(run, key))


def _chosen(axes: Sequence[Axis], names: Sequence[str] | None) -> list[Axis]:
    """Return the metrics of these names; `rouge` is all whose names start so before a digit or an L."""
    if names is None:
        return [axis for axis in axes if axis.part.shown]
    chosen: dict[str, Axis] = {}
    for name in names:
        matches = [axis for axis in axes if axis.name == name]
        matches = matches or [axis for axis in axes if axis.part.shown and axis.name.rstrip("0123456789Lsum-") == name]
        if not matches:
            known = [axis.name for axis in axes]
            hint = did_you_mean(name, known)
            raise AssayError(f"--metrics {name}: not in the files{hint}; available: {', '.join(sorted(known))}")
        chosen |= {axis.name: axis for axis in matches}
    return list(chosen.values())
