"""Results of other tools, recognized by content."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.records.documents import INVALID, parse_json, parse_yaml
from assay.records.files import decode, read_bytes
from assay.records.folders import refuse_unfinished
from assay.store.foreign import every_eval, gem, harness, inspect_log, model_index, sacrebleu
from assay.store.scored_runs import Axis, ScoredRun, finite

Facts = dict[str, list[tuple[str, str]]]
Read = tuple[list[Axis], list[ScoredRun], Facts]


class Format(NamedTuple):
    name: str
    recognises: Callable[[Any], bool]
    read: Callable[[Any, str], Read]


class Foreign(NamedTuple):
    """Results of other tools, with facts about systems and problems."""

    axes: list[Axis]
    runs: list[ScoredRun]
    facts: Facts
    problems: list[str]


FORMATS = (
    Format("GEM score file", gem.recognises, gem.read),
    Format("sacrebleu JSON", sacrebleu.recognises, sacrebleu.read),
    Format("lm-evaluation-harness result", harness.recognises, harness.read),
    Format("inspect_ai log", inspect_log.recognises, inspect_log.read),
    Format("every_eval_ever record", every_eval.recognises, every_eval.read),
    Format("model index of a model card", model_index.recognises, model_index.read),
)
MOST_ITEMS = 1 << 53
ENDINGS = (".json", ".json.gz", ".eval", ".yaml", ".yml")
YAML = (".yaml", ".yml", ".md")
LARGEST_INDEX = 4_000_000
FRONT = re.compile(r"\s*---\n(.*?)\n---", re.DOTALL)


def read_foreign(path: Path) -> Foreign:
    """Read a file, or every file of a folder that has a known format; others are reported."""
    refuse_unfinished(path)
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.name.endswith(ENDINGS))
    root = path.resolve() if path.is_dir() else path.resolve().parent
    axes: list[Axis] = []
    runs: list[ScoredRun] = []
    facts: Facts = {}
    problems: list[str] = []
    for file in files:
        if not file.resolve().is_relative_to(root) or not file.is_file():
            problems.append(f"{file.name}: points outside {path.name} and is not read")
            continue
        try:
            results = read_file(file)
        except AssayError as error:
            problems.append(str(error).replace(f"{file.parent}/", ""))
            continue
        if results is None and gem.is_config(file.name):
            continue
        if results is None:
            problems.append(f"{file.name}: unknown format, not shown")
            continue
        axes += results[0]
        runs += results[1]
        facts |= results[2]
    if not runs:
        known = ", ".join(form.name for form in FORMATS)
        first = problems[0].removesuffix(INVALID).rstrip(" .") if problems else ""
        why = f" ({first})" if first else ""
        raise AssayError(
            f"{path}: neither a results folder of assay nor one of: {known}{why}. "
            "Texts are first scored: make a folder with `assay run` or `assay score --save`."
        )
    return Foreign(axes, with_unique_names(runs), facts, problems)


def read_file(file: Path) -> Read | None:
    """Return the results of one file, or None if its format is unknown."""
    value = parse(file)
    for form in FORMATS:
        if form.recognises(value):
            try:
                axes, runs, facts = form.read(value, file.name.split(".")[0])
                return axes, [_sound(run) for run in runs], facts
            except Exception as error:  # whatever a field of another type, a huge number or a lack of one breaks
                raise AssayError(f"{file}: looks like a {form.name} but is incomplete ({error!r:.160})") from None
    return None


def _sound(run: ScoredRun) -> ScoredRun:
    """Return a row with a valid number of items and finite scores."""
    known = isinstance(run.n, int) and not isinstance(run.n, bool) and 0 <= run.n < MOST_ITEMS
    scores = {name: finite(score) for name, score in run.scores.items()}
    return replace(run, n=run.n if known else None, scores=scores)


def parse(file: Path) -> Any:
    """Parse JSON, with bare NaN and Infinity, or YAML, also as front matter."""
    data = read_bytes(file)
    if file.suffix in YAML and not data.lstrip().startswith((b"{", b"[")):
        text = decode(data, file)
        fenced = FRONT.match(text)
        return parse_yaml(fenced[1] if fenced else text, file, LARGEST_INDEX)
    return parse_json(inspect_log.header(data, file) if data.startswith(b"PK") else data, file)


def with_unique_names(runs: list[ScoredRun]) -> list[ScoredRun]:
    """Number systems of the same name on the same set."""
    seen: dict[tuple[str, str, str], int] = {}
    unique = []
    for run in runs:
        key = (run.system, run.dataset, run.subset)
        seen[key] = seen.get(key, 0) + 1
        unique.append(run if seen[key] == 1 else replace(run, system=f"{run.system} ({seen[key]})"))
    return unique
