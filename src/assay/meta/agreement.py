"""Inter-annotator agreement by criterion, with a profile of each annotator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, NotRequired, TypedDict

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.meta.coefficients import Coefficient, coefficients
from assay.records.documents import JSONObject
from assay.stats.agreement import krippendorff, tabulate
from assay.stats.span_agreement import Span, span_agreement
from assay.stats.validation import UndefinedStatistic
from assay.text.integers import is_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.meta.ranking import Pair, Ranked
    from assay.meta.ratings import RatingModel
    from assay.records import Judgement
    from assay.stats.annotators import Over

FAMILIES = {"alpha": "krippendorff", "icc": "icc"}
"""Coefficients that JSON groups by level or form."""
REPEATED = 0.6
"""Share of one value above which an annotator is reported."""


class AnnotatorProfile(TypedDict):
    """Values, times and attention checks of one annotator."""

    judgements: int
    distribution: dict[str, int]
    mean: float | None
    median_seconds: float | None
    trap_accuracy: float | None
    traps: int
    top_value: str | None
    top_share: float | None
    preset_share: float | None


class SpanRecord(TypedDict):
    """Pairwise F1 of marked spans, or the reason why there is none."""

    exact: float | None
    overlap: float | None
    pairs: NotRequired[int]
    spans: NotRequired[int]
    why: NotRequired[str]


@dataclass
class CriterionAgreement:
    """Agreement on one criterion; coefficients without a value have the reason."""

    criterion: str
    items: int
    annotators: int
    judgements: int
    inputs: int = 0
    """Number of different ids; outputs for one input and parts of one text are resampled together."""
    intervals_over: Over = "item"
    coefficients: dict[str, Coefficient] = field(default_factory=dict)
    leave_one_out: dict[str, float | None] = field(default_factory=dict)
    spans: SpanRecord | None = None
    profiles: dict[str, AnnotatorProfile] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AgreementRequest:
    """How agreement is computed: the options of `assay analyze agreement`."""

    criterion: str | None = None
    """The criterion (default: all)."""
    samples: int = 1000
    """Number of bootstrap resamples for confidence intervals (0: no intervals)."""
    seed: int = 0
    preset: float | str | None = None
    """The value that a form starts with."""
    traps: Mapping[str, float | str] = field(default_factory=dict)
    """Known answers of attention checks, by item id."""
    over: Over = "item"
    """What intervals generalise to: other items, other annotators, or both."""


def measure_agreement(
    judgements: Sequence[Judgement], request: AgreementRequest | None = None
) -> list[CriterionAgreement]:
    """Return the agreement on each criterion.

    Raises:
        AssayError: There are no judgements, no such criterion, or fewer than two annotators.
    """
    request = request or AgreementRequest()
    criteria = sorted({judgement.criterion for judgement in judgements})
    if request.criterion is not None:
        if request.criterion not in criteria:
            raise AssayError(f"No judgement has the criterion '{request.criterion}'. Criteria: {', '.join(criteria)}.")
        criteria = [request.criterion]
    if not criteria:
        raise AssayError("There are no judgements.")
    return [_one_criterion([j for j in judgements if j.criterion == name], name, request) for name in criteria]


def agreement_report(
    agreements: Sequence[CriterionAgreement],
    ranks: Mapping[str, Sequence[Ranked]] | None = None,
    pairs: Mapping[str, Sequence[Pair]] | None = None,
    models: Mapping[str, RatingModel] | None = None,
) -> JSONObject:
    """Return the object that `assay analyze agreement --json` prints; a single criterion is also at the top level."""
    records = {}
    for each in agreements:
        name = each.criterion
        records[name] = _record(each, (ranks or {}).get(name), (pairs or {}).get(name))
        if models and name in models:
            records[name]["model"] = models[name].record()
    only = next(iter(records.values())) if len(agreements) == 1 else {}
    return {**only, "criteria": records}


def _record(agreement: CriterionAgreement, ranks: Sequence[Ranked] | None, pairs: Sequence[Pair] | None) -> JSONObject:
    """Return one criterion as JSON: coefficients by name, alpha under `krippendorff`, ICC by form."""
    record = asdict(agreement)
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
    """Return judgements without repeated rows: same annotator, text, criterion and value."""
    first: dict[tuple[str, str, str, str, str, float | str], Judgement] = {}
    for j in judgements:
        first.setdefault((j.annotator, j.id, j.system, j.unit, j.criterion, j.value), j)
    return list(first.values())


def _one_criterion(rows: Sequence[Judgement], criterion: str, request: AgreementRequest) -> CriterionAgreement:
    traps = request.traps
    judgements = distinct(rows)
    profiles = {name: _profile(own, request.preset, traps) for name, own in _by_annotator(judgements).items()}
    spans = [j for j in judgements if j.unit.startswith("span:")]
    plain = [j for j in judgements if not j.unit.startswith("span:") and j.id not in traps]
    table, annotators, numeric = rating_table(plain) if plain else (np.empty((0, 0)), sorted(profiles), True)
    result = CriterionAgreement(
        criterion, len(table), len(annotators), len(judgements), intervals_over=request.over, profiles=profiles
    )
    result.warnings = _repeated_values(profiles)
    if len(rows) > len(judgements):
        repeated = len(rows) - len(judgements)
        result.warnings.append(f"{repeated} of {len(rows)} judgements are repeated rows and are left out.")
    if spans:
        result.spans = _spans(judgements)
    if not plain:
        return result
    if len(annotators) < 2:
        raise AssayError(
            f"Criterion '{criterion}': agreement requires at least two annotators, there is only {annotators[0]}."
        )
    try:
        ratings = tabulate(table)
    except UndefinedStatistic as why:
        raise AssayError(f"Criterion '{criterion}': {why}") from None
    inputs = list(dict.fromkeys((j.id, j.system, j.unit) for j in plain))
    numbers = {key: number for number, key in enumerate(dict.fromkeys(key for key, _, _ in inputs))}
    result.inputs = len(numbers)
    clusters = np.array([numbers[key] for key, _, _ in inputs]) if len(numbers) < len(inputs) else None
    result.coefficients = coefficients(ratings, numeric, request.samples, request.seed, request.over, clusters)
    if len(annotators) > 2:
        level = "ordinal" if numeric else "nominal"
        for column, name in enumerate(annotators):
            try:
                result.leave_one_out[name] = krippendorff(ratings.without(column), level)  # type: ignore[arg-type]
            except UndefinedStatistic:
                result.leave_one_out[name] = None
    return result


def rating_table(judgements: Sequence[Judgement]) -> tuple[NDArray[np.float64], list[str], bool]:
    """Return the table of items x annotators, the annotators, and whether values are numbers (else codes of words)."""
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
                f"{j.annotator} judged {j.id} of {j.system} ({j.unit}, {j.criterion}) twice with different values. "
                "Keep one."
            )
        table[cell] = value
    return table, annotators, numeric


def _by_annotator(judgements: Sequence[Judgement]) -> dict[str, list[Judgement]]:
    rows: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        rows.setdefault(judgement.annotator, []).append(judgement)
    return dict(sorted(rows.items()))


def _profile(
    rows: Sequence[Judgement], preset: float | str | None, traps: Mapping[str, float | str]
) -> AnnotatorProfile:
    """Return the profile of one annotator: values, times, attention checks, share of the preset value."""
    real = [j for j in rows if j.id not in traps]
    answers = Counter(str(_shown(j.value)) for j in real)
    numbers = [float(j.value) for j in real if isinstance(j.value, int | float)]
    seconds = [j.seconds for j in rows if j.seconds is not None]
    checks = [j for j in rows if j.id in traps]
    top = answers.most_common(1)
    return {
        "judgements": len(real),
        "distribution": dict(sorted(answers.items())),
        "mean": float(np.mean(numbers)) if numbers and len(numbers) == len(real) else None,
        "median_seconds": median(seconds) if seconds else None,
        "trap_accuracy": sum(_shown(j.value) == _shown(traps[j.id]) for j in checks) / len(checks) if checks else None,
        "traps": len(checks),
        "top_value": top[0][0] if top else None,
        "top_share": top[0][1] / len(real) if top else None,
        "preset_share": None if preset is None or not real else answers[str(_shown(preset))] / len(real),
    }


def _shown(value: float | str) -> float | str:
    """Return whole floats as integers: 4.0 and 4 are the same value."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _repeated_values(profiles: Mapping[str, AnnotatorProfile]) -> list[str]:
    if len({answer for profile in profiles.values() for answer in profile["distribution"]}) < 3:
        return []  # one of two values is always frequent
    return [
        f"{name} gave the value {profile['top_value']} in {profile['top_share']:.0%} of their judgements."
        for name, profile in profiles.items()
        if profile["top_share"] is not None and profile["top_share"] > REPEATED and profile["judgements"] >= 10
    ]


def _spans(judgements: Sequence[Judgement]) -> SpanRecord:
    """Return F1 of marked spans; annotators with any judgement of an item count, also without a marked span."""
    marks: dict[str, dict[str, list[Span]]] = {}
    for j in judgements:
        seen = marks.setdefault(f"{j.id}\t{j.system}", {}).setdefault(j.annotator, [])
        if j.unit.startswith("span:"):
            start, _, end = j.unit.removeprefix("span:").partition("-")
            if not (is_integer(start) and is_integer(end)):
                raise AssayError(f"{j.id} of {j.system}: unit '{j.unit}' is not span:START-END.")
            seen.append((int(start), int(end), str(j.value)))
    try:
        agreed = span_agreement({item: list(own.values()) for item, own in marks.items()})
        return {"exact": agreed.exact, "overlap": agreed.overlap, "pairs": agreed.pairs, "spans": agreed.spans}
    except UndefinedStatistic as why:
        return {"exact": None, "overlap": None, "why": str(why)}
