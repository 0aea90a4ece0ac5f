"""Few judgements on real data: all labels are the truth, most are hidden, and the estimate is compared with it.

Nothing here was printed: the cells are coverage of the 95 % confidence intervals of system means, the median of the
effective number of judgements for each one paid, and the mean length of intervals relative to judgements alone, which
shows where a proxy makes some systems much worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.datasets.alttest import HUMANS, MODELS, labels_of
from assay.datasets.mqm import Mqm
from assay.datasets.narrative import Narrative
from assay.datasets.web_nlg import WebNlgEn
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_outputs
from assay.meta.joined_scores import join_scores
from assay.meta.reproduce.cells import Cell, cell, require_files
from assay.records.types import Example, Judgement, Output
from assay.stats.bounded_mean import bounded_means
from assay.stats.prediction_powered import Judged, Population, estimate_means
from assay.stats.validation import group_codes

REPETITIONS = 1000
SHARES = (0.05, 0.1, 0.2)
FEWEST = 4
"""Judged outputs of a system: with fewer, an interval says nothing."""
ROUNDING = 1e-9
"""Points of the scale by which a mean at the end of an interval may be outside."""
JUDGES = ("gpt-4o", "llama-31", "mistral-v03")
METRICS = ("FactCC", "BertScore P Art", "Rouge 1")
"""Proxies of FRANK: a metric that follows judgements, one that does less, and one that hardly does."""


@dataclass(frozen=True)
class Labelled:
    """A data set whose outputs all have labels."""

    name: str
    truth: NDArray[np.float64]
    system: NDArray[np.int64]
    cluster: NDArray[np.int64]
    proxies: Mapping[str, NDArray[np.float64]]
    scale: tuple[float, float] = (1.0, 5.0)


class Seen(NamedTuple):
    """What estimates from few judgements reach, over all repetitions and systems."""

    coverage: float
    worth: float
    """Median."""
    length: float
    """Mean of the length of intervals, relative to that of judgements alone."""


def few_judgements(folder: Path) -> list[Cell]:
    """Return coverage and gain for each data set, proxy and share of judged outputs."""
    return few_judgement_cells(folder, REPETITIONS)


def few_judgement_cells(folder: Path, repetitions: int) -> list[Cell]:
    """Return the cells of `few_judgements` with this number of repetitions."""
    labelled = [*summeval(folder), frank(folder), *webnlg(folder), *narrative(folder), mqm(folder)]
    return [each for data in labelled for proxy in data.proxies for each in _cells(data, proxy, repetitions)]


def _cells(data: Labelled, proxy: str, repetitions: int) -> Iterator[Cell]:
    for share in SHARES:
        seen = hidden_and_seen(data, proxy, share, repetitions)
        note = f"{repetitions:,} repetitions, {int(data.system.max()) + 1} systems, {len(data.truth):,} outputs"
        row = f"{proxy}, {share:.0%} judged"
        yield cell(data.name, row, "coverage", None, seen.coverage, note)
        yield cell(data.name, row, "worth of a judgement", None, seen.worth, note)
        yield cell(data.name, row, "length of intervals", None, seen.length, note)


def hidden_and_seen(data: Labelled, proxy: str, share: float, repetitions: int, seed: int = 0) -> Seen:
    """Return the coverage of the true means of all systems, the gain in judgements, and the length of intervals.

    All samples count for coverage, also those of equal judgements; they have no gain.
    """
    draw = np.random.default_rng(seed)
    systems = int(data.system.max()) + 1
    members = [np.flatnonzero(data.system == number) for number in range(systems)]
    sizes = np.array([len(own) for own in members])
    truth = np.array([data.truth[own].mean() for own in members])
    with_proxy = Population(data.proxies[proxy][:, None], data.system, data.cluster)
    alone = with_proxy.without_proxies()
    wanted = np.maximum(FEWEST, np.round(share * sizes).astype(int))
    covered, gains, lengths = [], [], []
    for _ in range(repetitions):
        rows = np.concatenate([draw.choice(own, n, replace=False) for own, n in zip(members, wanted, strict=True)])
        judged = Judged(rows, data.truth[rows])
        ours, plain = estimate_means(with_proxy, judged, finite=True), estimate_means(alone, judged, finite=True)
        on_scale = bounded_means(ours, plain, data.scale), bounded_means(plain, plain, data.scale)
        (error, _), (own, _) = ours.variances(), plain.variances()
        equal = own <= (1e-12 * plain.value) ** 2
        ends = [on_scale[int(equal[number])].interval(number) for number in range(systems)]
        covered += [low - ROUNDING <= mean <= high + ROUNDING for mean, (low, high) in zip(truth, ends, strict=True)]
        plain_ends = [on_scale[1].interval(number) for number in range(systems)]
        lengths += [
            (high - low) / (most - least)
            for (low, high), (least, most) in zip(ends, plain_ends, strict=True)
            if most > least
        ]
        drawn = (wanted / sizes)[~equal]
        gains += (1 / (error[~equal] / own[~equal] * (1 - drawn) + drawn)).tolist()
    return Seen(float(np.mean(covered)), float(np.median(gains)), float(np.mean(lengths)))


def summeval(folder: Path) -> Iterator[Labelled]:
    """Yield the four criteria of SummEval: means of three experts, with language models as judges."""
    people, models = require_files(folder / "alttest" / "summeval", HUMANS, MODELS)
    humans, judges = labels_of(people), labels_of(models)
    items = sorted({item for own in humans.values() for item in own})
    for criterion in sorted({item.rsplit("__", 1)[1] for item in items}):
        own = [i for i in items if i.endswith(f"__{criterion}") and all(i in each for each in judges.values())]
        parts = [item.rsplit("__", 2) for item in own]
        truth = [np.mean([float(each[item]) for each in humans.values() if item in each]) for item in own]
        proxies = {name: np.array([float(judges[name][item]) for item in own]) for name in JUDGES}
        panel = np.mean([[float(each[item]) for item in own] for each in judges.values()], axis=0)
        proxies[f"mean of {len(judges)} models"] = panel
        yield Labelled(
            f"SummEval {criterion}", np.array(truth), group_codes([part[1] for part in parts]),
            group_codes([part[0] for part in parts]), proxies,
        )  # fmt: skip


def frank(folder: Path) -> Labelled:
    """Return FRANK's factuality, with released metric scores as proxies."""
    human, scores = require_files(
        folder / "frank", "human_annotations.json", "baseline_factuality_metrics_outputs.json"
    )
    joined = join_scores(human, scores, allow_missing=True)
    frame = joined.frame.drop_nulls(["Factuality", *METRICS])
    numbers = {name: frame[name].to_numpy().astype(np.float64) for name in ("Factuality", *METRICS)}
    return Labelled(
        "FRANK factuality", numbers.pop("Factuality"), group_codes(frame["model_name"].to_numpy()),
        group_codes(frame["hash"].to_numpy()), numbers, (0.0, 1.0),
    )  # fmt: skip


def webnlg(folder: Path) -> Iterator[Labelled]:
    """Yield two criteria of WebNLG 2020 (en) for the systems whose outputs are released, with chrF as proxy."""
    dataset = WebNlgEn()
    examples = list(dataset.read(folder / "webnlg", "test"))
    files = sorted((folder / "webnlg" / "outputs-2020" / "en").glob("*.txt"))
    outputs = [
        Output(id=example.id, output=text, system=path.stem)
        for path in files
        for example, text in zip(examples, path.read_text(encoding="utf-8").splitlines(), strict=True)
    ]
    scores = _scores(outputs, examples, "chrf")
    judged = [row for row in dataset.judgements(folder / "webnlg") if (row.id, row.system) in scores]
    for criterion in ("Correctness", "Fluency"):
        yield _of_judgements(f"WebNLG {criterion}", [j for j in judged if j.criterion == criterion], {"chrf": scores},
                             (0.0, 100.0))  # fmt: skip


def narrative(folder: Path) -> Iterator[Labelled]:
    """Yield two criteria of narratives by decoding setting: four annotators, with a fifth one and length as proxies."""
    dataset = Narrative()
    words = {
        (each.id, each.system or ""): log(len(each.output.split()) + 1)
        for each in dataset.outputs(folder / "narrative")
    }
    judged = list(dataset.judgements(folder / "narrative"))
    for criterion in ("coherent", "interesting"):
        rows = [row for row in judged if row.criterion == criterion]
        one = {(row.id, row.system): float(row.value) for row in rows if row.annotator == "1"}
        others = [row for row in rows if row.annotator != "1"]
        yield _of_judgements(f"Narrative {criterion}", others, {"one annotator": one, "number of words": words})


def mqm(folder: Path) -> Labelled:
    """Return the MQM scores of TED (en-de), one rater a segment, with chrF as proxy."""
    path, dataset = folder / "mqm" / "ted", Mqm()
    examples = [example for example in dataset.read(path) if example.references]
    known = {example.id for example in examples}
    outputs = [each for each in dataset.outputs(path) if each.id in known and not (each.system or "").startswith("ref")]
    rows = [row for row in dataset.judgements(path) if row.criterion == "mqm"]
    return _of_judgements("MQM TED en-de", rows, {"chrf": _scores(outputs, examples, "chrf")}, (-25.0, 0.0))


def _scores(outputs: Sequence[Output], examples: Sequence[Example], metric: str) -> dict[tuple[str, str], float]:
    """Return the score of each output by id and system."""
    scores: dict[tuple[str, str], float] = {}
    for system in dict.fromkeys(each.system or "" for each in outputs):
        rows: list[dict[str, object]] = [
            {"id": each.id, "output": each.output} for each in outputs if each.system == system
        ]
        own = {str(row["id"]) for row in rows}
        request = ScoreRequest(examples=[each for each in examples if each.id in own], metrics=metric)
        frame = score_outputs(rows, request).result.per_example
        scores |= {(id, system): float(value) for id, value in zip(frame["id"], frame[metric], strict=True)}
    return scores


def _of_judgements(
    name: str, rows: Sequence[Judgement], proxies: Mapping[str, Mapping[tuple[str, str], float]],
    scale: tuple[float, float] = (1.0, 5.0),
) -> Labelled:  # fmt: skip
    """Return mean judgements of the outputs that all proxies scored."""
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if all((row.id, row.system) in each for each in proxies.values()):
            values.setdefault((row.id, row.system), []).append(float(row.value))
    return Labelled(
        name, np.array([np.mean(own) for own in values.values()]), group_codes([system for _, system in values]),
        group_codes([id for id, _ in values]),
        {proxy: np.array([scores[pair] for pair in values]) for proxy, scores in proxies.items()}, scale,
    )  # fmt: skip
