"""Score files of GEM: one JSON object per submission, one key per set of items, with bare NaN."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from assay.records.types import Score
from assay.store.foreign.known import axis_of, name_of
from assay.store.scored_runs import Axis, ScoredRun

SET = re.compile(r"(?P<dataset>.+?)_(?P<rest>(?:challenge_|test|validation|val|train).*)")
SHORT_NAME = re.compile(r"(?<![^_])val(?![^_])")
"""Some files call the validation set `val`."""
HEADLINE = {"fmeasure": "", "f1": "", "nubia_score": "", "mid": ""}
"""The main part of a compound score; other parts keep their own names."""
NOT_SCORES = frozenset({"N", "predictions_file", "references_file"})
TASKS = {
    "common_gen": "data-to-text", "cs_restaurants": "data-to-text", "dart": "data-to-text", "e2e_nlg": "data-to-text",
    "totto": "data-to-text", "web_nlg_en": "data-to-text", "web_nlg_ru": "data-to-text",
    "mlsum_de": "summarization", "mlsum_es": "summarization", "xsum": "summarization",
    "schema_guided_dialog": "dialog", "wiki_auto_asset_turk": "simplification",
}  # fmt: skip
LANGUAGES = {"cs_restaurants": "cs", "mlsum_de": "de", "mlsum_es": "es", "web_nlg_ru": "ru"}


def recognises(value: Any) -> bool:
    return isinstance(value, Mapping) and "submission_name" in value and "tasks" not in value


def is_config(name: str) -> bool:
    """The list of names and groups among the score files, which assay does not need."""
    return name == "eval_config.json"


def read(value: Mapping[str, Any], name: str) -> tuple[list[Axis], list[ScoredRun], dict[str, list[tuple[str, str]]]]:
    """Return every set of one score file, including contrast sets and true zeros."""
    system = str(value["submission_name"]) or name
    axes: dict[str, Axis] = {}
    runs = []
    for key, scores in value.items():
        if not isinstance(scores, Mapping):
            continue
        rows = {}
        for metric, number in _flat(scores):
            if metric not in axes:
                axes[metric] = axis_of(metric)
            rows[metric] = _score(number, metric, scores.get("N"))
        dataset, subset, kind, parent = split_name(key)
        task = TASKS.get(dataset, "summarization" if dataset.startswith("wiki_lingua") else "")
        n = scores.get("N")
        runs.append(
            ScoredRun(
                system=system,
                dataset=dataset,
                subset=subset,
                kind=kind,
                task=task,
                language=LANGUAGES.get(dataset, "en" if task else ""),
                n=n if isinstance(n, int) else None,
                parent=parent,
                scores=rows,
            )
        )
    size = value.get("param_count")
    facts = [("parameters", f"{size:,}")] if isinstance(size, int) and size else []
    return list(axes.values()), runs, {system: facts}


def split_name(key: str) -> tuple[str, str, str, str | None]:
    """Split `totto_challenge_test_scramble` into dataset, subset, kind and parent subset."""
    match = SET.fullmatch(key)
    if match is None:
        return key, "", "whole", None
    dataset, rest = match["dataset"], SHORT_NAME.sub("validation", match["rest"])
    if rest.endswith("_parent"):
        return dataset, rest, "parent", None
    if "_contrast_" in rest:
        return dataset, rest.replace("contrast_challenge_", ""), "subset", rest.split("_contrast_")[0]
    if rest.startswith("challenge_"):
        if rest.endswith(("covid", "_sample")):  # other items by design: the test set is the comparison
            return dataset, rest, "challenge", "test"
        return dataset, rest, "challenge", f"{rest}_parent"
    return dataset, rest, "split", None


def _flat(scores: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Flatten `rouge1: {precision, recall, fmeasure}` to rouge1, rouge1.precision, rouge1.recall."""
    for metric, value in scores.items():
        if metric in NOT_SCORES:
            continue
        name = name_of(metric)
        if isinstance(value, Mapping):
            for part, number in value.items():
                if isinstance(number, Mapping):  # the first files kept bootstrap ends: low, mid, high
                    number = number.get("fmeasure", next(iter(number.values()), None))
                inner = HEADLINE.get(part, part)
                join = "-" if name == "local_recall" else "."
                yield (f"{name}{join}{inner}" if inner else name), number
        else:
            yield name, value


def _score(number: Any, metric: str, n: Any) -> Score:
    signature = f"{metric}|computed by GEM-metrics"
    if isinstance(number, bool) or not isinstance(number, int | float):
        return Score(value=None, signature=signature, why=f"the file has {number!r}, not a number"[:120])
    if number != number or number in (float("inf"), float("-inf")):
        reason = "NaN in the file"
        if metric.startswith("msttr"):
            reason += f": {n} outputs are too few words for one segment of 100"
        return Score(value=None, signature=signature, why=reason)
    return Score(value=float(number), signature=signature)
