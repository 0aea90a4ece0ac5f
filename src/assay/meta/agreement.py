"""How far the people of a study agree, and what kind of rater each of them is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.meta.coefficients import coefficients
from assay.stats.agreement import krippendorff, tabulate
from assay.stats.span_agreement import Span, span_agreement
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.meta.ranking import Pair, Ranked
    from assay.meta.ratings import RatingModel
    from assay.records import Judgement
    from assay.stats.annotators import Over

FAMILIES = {"alpha": "krippendorff", "icc": "icc"}
"""Coefficients that JSON keeps together, by level or form."""
STUCK = 0.6  # a rater who gives one value this often may not be rating at all


@dataclass
class CriterionAgreement:
    """Agreement on one criterion; coefficients without a value carry the reason instead."""

    criterion: str
    items: int
    annotators: int
    judgements: int
    inputs: int = 0
    """Different ids: outputs for one input, and parts of one text, are resampled together."""
    intervals_over: Over = "item"
    coefficients: dict[str, dict[str, Any]] = field(default_factory=dict)
    leave_one_out: dict[str, float | None] = field(default_factory=dict)
    spans: dict[str, Any] | None = None
    profiles: dict[str, dict[str, Any]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def agree(
    judgements: Sequence[Judgement],
    criterion: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    preset: float | str | None = None,
    traps: Mapping[str, float | str] | None = None,
    over: Over = "item",
) -> list[CriterionAgreement]:
    """Agreement per criterion; traps map item ids to the answer an attentive rater gives.

    Intervals are over other items, other annotators, or both.
    """
    criteria = sorted({judgement.criterion for judgement in judgements})
    if criterion is not None:
        if criterion not in criteria:
            raise AssayError(f"no judgement has the criterion '{criterion}'; there are: {', '.join(criteria)}")
        criteria = [criterion]
    if not criteria:
        raise AssayError("there are no judgements")
    return [
        _one_criterion([j for j in judgements if j.criterion == name], name, samples, seed, preset, traps or {}, over)
        for name in criteria
    ]


def agreement_report(
    found: Sequence[CriterionAgreement],
    ranks: Mapping[str, Sequence[Ranked]] | None = None,
    pairs: Mapping[str, Sequence[Pair]] | None = None,
    models: Mapping[str, RatingModel] | None = None,
) -> dict[str, Any]:
    """As `assay analyze agreement --json` prints it: by criterion, and where there is only one also without its
    name."""
    records = {}
    for each in found:
        name = each.criterion
        records[name] = _record(each, (ranks or {}).get(name), (pairs or {}).get(name))
        if models and name in models:
            records[name]["model"] = models[name].record()
    only = next(iter(records.values())) if len(found) == 1 else {}
    return {**only, "criteria": records}


def _record(found: CriterionAgreement, ranks: Sequence[Ranked] | None, pairs: Sequence[Pair] | None) -> dict[str, Any]:
    """One criterion as JSON: every coefficient under its name, alpha under `krippendorff` and ICC by kind."""
    record = asdict(found)
    for name, entry in record.pop("coefficients").items():
        family, _, level = name.partition("-")
        if family in FAMILIES:
            record.setdefault(FAMILIES[family], {})[level] = entry
        else:
            record[name.replace("-", "_")] = entry
    if ranks is not None:
        record["ranking"] = [msgspec.structs.asdict(row) for row in ranks]
    if pairs is not None:
        record["pairs"] = [asdict(pair) for pair in pairs]
    return record


def distinct(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Every answer once: the same person, text, criterion and value again is a repeated row, not a second opinion."""
    first: dict[tuple[str, str, str, str, str, float | str], Judgement] = {}
    for j in judgements:
        first.setdefault((j.annotator, j.id, j.system, j.unit, j.criterion, j.value), j)
    return list(first.values())


def _one_criterion(
    rows: Sequence[Judgement],
    criterion: str,
    samples: int,
    seed: int,
    preset: float | str | None,
    traps: Mapping[str, float | str],
    over: Over,
) -> CriterionAgreement:
    judgements = distinct(rows)
    profiles = {name: _profile(given, preset, traps) for name, given in _by_annotator(judgements).items()}
    spans = [j for j in judgements if j.unit.startswith("span:")]
    plain = [j for j in judgements if not j.unit.startswith("span:") and j.id not in traps]
    table, annotators, numeric = rating_table(plain) if plain else (np.empty((0, 0)), sorted(profiles), True)
    result = CriterionAgreement(
        criterion, len(table), len(annotators), len(judgements), intervals_over=over, profiles=profiles
    )
    result.warnings = _stuck(profiles)
    if len(rows) > len(judgements):
        repeated = len(rows) - len(judgements)
        result.warnings.append(f"{repeated} of {len(rows)} judgements repeat another one and were left out")
    if spans:
        result.spans = _spans(judgements)
    if not plain:
        return result
    if len(annotators) < 2:
        raise AssayError(
            f"criterion '{criterion}': agreement needs at least two annotators; there is only {annotators[0]}"
        )
    try:
        ratings = tabulate(table)
    except UndefinedStatistic as why:
        raise AssayError(f"criterion '{criterion}': {why}") from None
    inputs = list(dict.fromkeys((j.id, j.system, j.unit) for j in plain))
    numbers = {key: number for number, key in enumerate(dict.fromkeys(key for key, _, _ in inputs))}
    result.inputs = len(numbers)
    clusters = np.array([numbers[key] for key, _, _ in inputs]) if len(numbers) < len(inputs) else None
    result.coefficients = coefficients(ratings, numeric, samples, seed, over, clusters)
    if len(annotators) > 2:
        level = "ordinal" if numeric else "nominal"
        for column, name in enumerate(annotators):
            try:
                result.leave_one_out[name] = krippendorff(ratings.without(column), level)  # type: ignore[arg-type]
            except UndefinedStatistic:
                result.leave_one_out[name] = None
    return result


def rating_table(judgements: Sequence[Judgement]) -> tuple[NDArray[np.float64], list[str], bool]:
    """Items x annotators, the annotators' names, and whether answers are numbers (else codes of words)."""
    annotators = sorted({j.annotator for j in judgements})
    items = {key: row for row, key in enumerate(dict.fromkeys((j.id, j.system, j.unit) for j in judgements))}
    numeric = all(isinstance(j.value, int | float) for j in judgements)
    words = {word: code for code, word in enumerate(sorted({str(j.value) for j in judgements}))}
    table = np.full((len(items), len(annotators)), np.nan)
    for j in judgements:
        cell = items[j.id, j.system, j.unit], annotators.index(j.annotator)
        value = float(j.value) if numeric else float(words[str(j.value)])
        if not np.isnan(table[cell]) and table[cell] != value:
            raise AssayError(
                f"{j.annotator} judged {j.id} of {j.system} ({j.unit}, {j.criterion}) twice with different answers; "
                "keep the one that counts"
            )
        table[cell] = value
    return table, annotators, numeric


def _by_annotator(judgements: Sequence[Judgement]) -> dict[str, list[Judgement]]:
    rows: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        rows.setdefault(judgement.annotator, []).append(judgement)
    return dict(sorted(rows.items()))


def _profile(rows: Sequence[Judgement], preset: float | str | None, traps: Mapping[str, float | str]) -> dict[str, Any]:
    """What one rater did: answers, times, traps, and how often the value that the form started with."""
    real = [j for j in rows if j.id not in traps]
    answers = Counter(str(_shown(j.value)) for j in real)
    numbers = [float(j.value) for j in real if isinstance(j.value, int | float)]
    seconds = [j.seconds for j in rows if j.seconds is not None]
    asked = [j for j in rows if j.id in traps]
    top = answers.most_common(1)
    return {
        "judgements": len(real),
        "distribution": dict(sorted(answers.items())),
        "mean": float(np.mean(numbers)) if numbers and len(numbers) == len(real) else None,
        "median_seconds": median(seconds) if seconds else None,
        "trap_accuracy": sum(_shown(j.value) == _shown(traps[j.id]) for j in asked) / len(asked) if asked else None,
        "traps": len(asked),
        "top_value": top[0][0] if top else None,
        "top_share": top[0][1] / len(real) if top else None,
        "preset_share": None if preset is None or not real else answers[str(_shown(preset))] / len(real),
    }


def _shown(value: float | str) -> float | str:
    """4.0 and 4 are the same answer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _stuck(profiles: Mapping[str, Mapping[str, Any]]) -> list[str]:
    if len({answer for profile in profiles.values() for answer in profile["distribution"]}) < 3:
        return []  # of two answers one is always frequent
    return [
        f"{name} gave the value {profile['top_value']} in {profile['top_share']:.0%} of their answers"
        for name, profile in profiles.items()
        if profile["top_share"] is not None and profile["top_share"] > STUCK and profile["judgements"] >= 10
    ]


def _spans(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """F1 of marked spans; whoever judged anything of an item has seen it, and may have marked nothing."""
    marks: dict[str, dict[str, list[Span]]] = {}
    for j in judgements:
        seen = marks.setdefault(f"{j.id}\t{j.system}", {}).setdefault(j.annotator, [])
        if j.unit.startswith("span:"):
            start, _, end = j.unit.removeprefix("span:").partition("-")
            if not (start.isdecimal() and end.isdecimal()):
                raise AssayError(f"{j.id} of {j.system}: unit '{j.unit}' is not span:START-END")
            seen.append((int(start), int(end), str(j.value)))
    try:
        return asdict(span_agreement({item: list(people.values()) for item, people in marks.items()}))
    except UndefinedStatistic as why:
        return {"exact": None, "overlap": None, "why": str(why)}
