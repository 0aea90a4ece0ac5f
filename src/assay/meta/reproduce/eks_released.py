"""Event-keyed summarization: released scores of single items, pairs of models, ratings shown as bars, prompts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from assay.inputs.events import DETAILS, EventPrompt
from assay.meta.reproduce.cells import Cell, cell, read_jsonl, statement
from assay.metrics.lexical.meteor import Meteor
from assay.metrics.lexical.rouge import Rouge
from assay.records import Example, Items
from assay.records.documents import JSONObject, read_json
from assay.records.kinds import Event
from assay.show.numbers import probability
from assay.stats.resample import all_items
from assay.stats.significance import TestResult

LABEL = re.compile(r"^- (.*?):", re.MULTILINE)
ROUGE = ("rouge1", "rouge2", "rougeL", "rougeLsum")
METEOR_NOTE = "its sentences were cut by Punkt's model, ours by rule, and some full stops are words here and not there"
Scores = dict[str, dict[str, dict[str, float]]]
"""By run and item."""


def run_name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.parent.name}/{path.name.split('_')[0]}"


def predictions(home: Path) -> dict[str, Path]:
    """Return predictions files by `model/setting/run`."""
    return {run_name(path): path for path in sorted((home / "model_outputs").glob("*/*/*_test_preds.jsonl"))}


def per_item_file(path: Path) -> Path | None:
    """Return the released scores of single items next to predictions; one model uses another file name."""
    stem = path.name.split("_")[0]
    computed = (path.with_name(f"{stem}_test_metrics_per_{word}.json") for word in ("example", "doc"))
    return next((file for file in computed if file.exists()), None)


def rouge(outputs: Sequence[str], references: Sequence[str]) -> JSONObject:
    """Return F1 of every item, with stemmer, the summary as one text."""
    examples = tuple(Example(id=str(i), references=(text,)) for i, text in enumerate(references))
    metric = Rouge(tokenizer="rouge_score", stemmer=True)
    return metric.per_example(metric.statistics(Items(tuple(outputs), examples)))


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(value)


def rouge_of_run(path: Path) -> dict[str, dict[str, float]]:
    rows = read_jsonl(path)
    scores = rouge([text_of(row["prediction"]) for row in rows], [text_of(row["reference"]) for row in rows])
    return {row["instance_id"]: {k: float(scores[k][i]) for k in ROUGE} for i, row in enumerate(rows)}


def single_items(home: Path, scores: Scores) -> Iterator[Cell]:
    """Yield the number of released values of a run that are matched to the last digit: 209 of each ROUGE."""
    for run, path in predictions(home).items():
        released = per_item_file(path)
        for name in ROUGE:
            if released is None:
                yield cell("ROUGE of single items", run, name, None, None, "this file was not released")
                continue
            released_values = {id: float(row[f"test_{name}"]) for id, row in read_json(released).items()}
            same = sum(abs(scores[run][id][name] - value) < 1e-9 for id, value in released_values.items())
            note = f"items whose released value is met; their mean is {fmean(released_values.values()):.6f}"
            yield cell("ROUGE of single items", run, name, str(len(released_values)), float(same), note)


def meteor(home: Path) -> Iterator[Cell]:
    """Yield METEOR by NLTK and the released value of each run, and means over the runs of a setting."""
    metric = Meteor(variant="nltk")
    why = metric.why_not()
    settings: dict[str, list[tuple[float, float]]] = {}
    for run, path in predictions(home).items():
        file = path.with_name(f"{path.name.split('_')[0]}_test_metrics.json")
        released_values = read_json(file) if file.exists() else {}
        if "test_meteor" not in released_values:
            continue
        released = 100 * float(released_values["test_meteor"])
        computed = None if why else 100 * _meteor_of_run(path, metric)
        if computed is not None:
            settings.setdefault(run.rpartition("/")[0], []).append((released, computed))
        note = why or METEOR_NOTE
        yield cell("METEOR of runs", run, "meteor", f"{released:.1f}", computed, f"released: {released:.2f}; {note}")
    for setting, values in settings.items():
        released, computed = (fmean(side) for side in zip(*values, strict=True))
        yield cell(
            "METEOR of runs", setting, "mean", f"{released:.1f}", computed, f"released: {released:.2f}; {METEOR_NOTE}"
        )


def _meteor_of_run(path: Path, metric: Meteor) -> float:
    rows = read_jsonl(path)
    examples = tuple(Example(id=str(i), references=(text_of(row["reference"]),)) for i, row in enumerate(rows))
    items = Items(tuple(text_of(row["prediction"]) for row in rows), examples)
    return float(metric.fold(metric.statistics(items), all_items(len(items)))["meteor"][0])


def pairs(ratings: dict[str, list[float]], tests: dict[tuple[str, str], TestResult]) -> Iterator[Cell]:
    """Yield the claims of section 6 for every pair, and the ratings behind Figure 2."""
    for (one, other), test in tests.items():
        computed = f"{test.difference:+.3f}, p {probability(test.p)}"
        if one == "ref":
            claim, holds = f"reference above {other}, p < .01", test.difference > 0 and test.p < 0.01
        else:
            claim, holds = f"{one} and {other}: below 0.2 apart, p > .1", abs(test.difference) < 0.2 and test.p > 0.1
        yield statement("Section 6 by pair", claim, computed, holds)
    for source, values in ratings.items():
        counts = Counter(values)
        for rating in range(1, 6):
            why = "drawn as a bar, no number printed"
            yield cell("Figure 2", source, f"rating {rating}", None, float(counts[float(rating)]), why)


def all_pairs(sources: Sequence[str]) -> list[tuple[str, str]]:
    """Return all pairs with the reference, then all pairs of models."""
    models = [source for source in sources if source != "ref"]
    return [*(("ref", model) for model in models), *combinations(models, 2)]


def prompts(home: Path, test: JSONObject) -> Iterator[Cell]:
    """Yield user prompts rendered from the released test set, compared with those that were sent."""
    form = EventPrompt(compat="eks-release")
    events = {
        example["instance_id"]: Event(template=example["template"], document=example["document"])
        for examples in test.values()
        for example in examples
    }
    for run, path in predictions(home).items():
        rows = [row for row in read_jsonl(path) if "user_prompt" in row]
        if not rows:
            continue
        counts: Counter[str] = Counter()
        edited = []
        for row in rows:
            id = row["instance_id"]
            ours, sent = (
                text.partition(DETAILS) for text in (form.write(Example(id=id), events[id]), row["user_prompt"])
            )
            counts["document but for spaces"] += "".join(ours[0].split()) == "".join(sent[0].split())
            counts["labels in order"] += LABEL.findall(ours[2]) == LABEL.findall(sent[2])
            counts["event details"] += ours[2] == sent[2]
            edited += [id] if ours[2] != sent[2] else []
        why = {
            "document but for spaces": "sentences are joined by one space; some were sent with their original spacing",
            "event details": f"templates were edited after the prompts were sent: {', '.join(edited)}",
        }
        for column in ("document but for spaces", "labels in order", "event details"):
            yield cell("User prompts", run, column, str(len(rows)), float(counts[column]), why.get(column, ""))
