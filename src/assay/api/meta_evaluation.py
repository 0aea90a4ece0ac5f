"""Evaluate metrics and judgements: correlation, audit, agreement, published tables, values of inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from assay.api.keywords import DataOptions, Path, as_tuple, outputs_by_system, score_request, with_keywords
from assay.execution.loading import load_items
from assay.meta.agreement import AgreementRequest, agreement_report, measure_agreement
from assay.meta.audit import REPEATS, STRENGTHS, Audit, audit_systems
from assay.meta.correlate import CorrelateRequest, Tail
from assay.meta.correlation_report import correlate_files
from assay.meta.directions import Better
from assay.meta.ratings import ModelKind, model_ratings
from assay.records.documents import JSONObject
from assay.records.read import OutputFile, read_judgements
from assay.records.types import Data, References
from assay.stats.annotators import Over
from assay.stats.correlation import Method
from assay.stats.crossed import Level, Unit
from assay.stats.interval import check_resampling


def correlate(
    human: Data,
    scores: Data,
    *,
    column: str | None = None,
    controls: Sequence[str] = (),
    methods: Sequence[Method] = ("pearson", "spearman"),
    level: Level = "global",
    by: str | None = None,
    ablate: Sequence[str] = (),
    williams: bool | Tail = False,
    differences: bool = False,
    classical: bool = False,
    directions: Mapping[str, Better] | None = None,
    ci: int = 0,
    resample: Unit | None = None,
    cluster: str | None = None,
    permutations: int = 1000,
    positive: float | None = None,
    pairwise: bool = False,
    allow_missing: bool = False,
    seed: int = 0,
) -> JSONObject:
    """Correlate metric scores with human scores.

    Args:
        human: Human scores or single judgements, joined on `id` (and `system`), or on `hash` and `model_name`.
        scores: Metric scores of the same texts.
        column: The human column (default: `Factuality`, or the only numeric one).
        controls: Categorical columns held constant.
        methods: `pearson`, `spearman`, `kendall-b` or `kendall-c`.
        level: `global`, `summary`, `system` or `within`.
        by: Also report each value of this column.
        ablate: Error categories to ablate.
        williams: Williams' test of all pairs of metrics: True (two-sided), or the alternative.
        differences: Permutation test of all pairs of metrics.
        classical: p of the textbook, which takes all texts for independent.
        directions: Direction of metrics, `"lower"` or `"higher"` (default: by name).
        ci: Number of bootstrap resamples for p and 95 % confidence intervals (default: 0, units are left out in turn).
        resample: Units to leave out or resample: `systems`, `inputs`, `both` or `texts` (default: systems and inputs).
        cluster: Column that identifies the inputs.
        permutations: Number of permutations.
        positive: Minimum human score of the positive class; adds ROC-AUC.
        pairwise: Also compute the accuracy of ordering two texts.
        allow_missing: Use the rows that both have.
        seed: Random seed (default: 0).

    Returns:
        The object of `assay metric correlate --json`.

    Raises:
        AssayError: The tables cannot be joined, or no metric can be correlated.

    Example:
        >>> human = [{"id": str(i), "fluency": i} for i in range(5)]
        >>> scores = [{"id": str(i), "bleu": 2 * i} for i in range(5)]
        >>> round(assay.correlate(human, scores)["metrics"]["bleu"]["pearson"]["r"], 3)
        1.0
    """
    check_resampling(ci, seed)
    tail: Tail | None = ("two-sided" if williams is True else williams) or None
    request = CorrelateRequest(
        human=column or "", controls=as_tuple(controls), methods=as_tuple(methods), level=level, samples=ci,
        cluster=cluster, permutations=permutations, positive=positive, pairwise=pairwise, seed=seed,
        resample=resample, directions=directions or {}, ablate=as_tuple(ablate), williams=tail, differences=differences,
        classical=classical,
    )  # fmt: skip
    return {**correlate_files(human, [scores], request, by=by, allow_missing=allow_missing).report}


@with_keywords(DataOptions)
def audit(
    systems: Mapping[str, Data | OutputFile] | Path,
    references: References | None = None,
    sources: Data | None = None,
    *,
    manipulations: Sequence[str] | None = None,
    strengths: Sequence[int] = STRENGTHS,
    repeats: int = REPEATS,
    **options: Unpack[DataOptions],
) -> Audit:
    """Degrade the outputs of systems by rules and test the change of every metric.

    Other arguments are as in `assay.score`.

    Args:
        systems: Outputs by system, or a file with several systems.
        manipulations: Names of `assay.challenges.manipulations` (default: all).
        strengths: Percentages of outputs to manipulate.
        repeats: Number of repeats of each manipulation.

    Returns:
        The audit: `rows` (change of each metric with confidence interval), `verdicts` (one per metric), and `flips`
        (rank reversals).

    Raises:
        AssayError: There is no system, systems have different items, or no metric can be computed.

    Example:
        >>> outputs = {"mine": [f"the {word} sat on the old mat ." for word in "abcdefghijkl"]}
        >>> audit = assay.audit(outputs, outputs["mine"], metrics="rouge1,bleu", manipulations=["shuffle-words"])
        >>> for verdict in audit.verdicts:
        ...     print(verdict.label, "-", verdict.line)
        rouge1 - detects 0 of 1 degradation; misses shuffle-words
        bleu - detects 1 of 1 degradation
    """
    named = outputs_by_system("audit", systems)
    request = score_request(references, sources, options)
    loaded = request.load(list(named.values()))
    return audit_systems(
        [replace(items, system=name) for items, name in zip(loaded, named, strict=True)], request.metric_requests(),
        manipulations=manipulations, strengths=strengths, repeats=repeats, seed=request.resampling_seed,
        executor=request.executor,
    )  # fmt: skip


def agreement(
    judgements: Data,
    criterion: str | None = None,
    *,
    ci: int = 1000,
    seed: int = 0,
    preset: float | str | None = None,
    traps: Mapping[str, float | str] | None = None,
    resample: Over = "item",
    model: ModelKind | None = None,
) -> JSONObject:
    """Compute inter-annotator agreement: percent, Fleiss, Cohen, Gwet, Krippendorff and ICC.

    Args:
        judgements: Judgement records, or a file of them.
        criterion: The criterion (default: all).
        ci: Number of bootstrap resamples for 95 % confidence intervals.
        seed: Random seed (default: 0).
        preset: The value that a form starts with.
        traps: Known answers of attention checks, by item id.
        resample: What intervals generalise to: other items (`item`), other annotators (`annotator`), or `both`.
        model: Compare the systems by a mixed model: `linear` or `ordinal`.

    Returns:
        The object of `assay analyze agreement --json`; several criteria are under `criteria`.

    Raises:
        AssayError: There are no judgements of the criterion, or fewer than two annotators.

    Example:
        >>> rows = [("1", "a", 4.0), ("1", "b", 4.0), ("2", "a", 2.0), ("2", "b", 3.0)]
        >>> judgements = [
        ...     assay.Judgement(id=i, system="s", annotator=name, criterion="fluency", value=v) for i, name, v in rows
        ... ]
        >>> assay.agreement(judgements)["percent"]["value"]
        0.5
    """
    check_resampling(ci, seed)
    records = read_judgements(judgements)
    request = AgreementRequest(criterion, ci, seed, preset, traps or {}, resample)
    agreements = measure_agreement(records, request)
    rated = [record for record in records if record.id not in (traps or {})]
    models = {each.criterion: model_ratings(rated, each.criterion, model) for each in agreements} if model else None
    return agreement_report(agreements, models=models)


def reproduce(name: str | None = None, data: Path | None = None) -> JSONObject:
    """Recompute published tables from released data.

    Args:
        name: The published work, e.g. `frank`, `eks` or `e2e` (default: all whose data is available).
        data: Folder of released data (default: the environment variable ASSAY_DATA).

    Returns:
        The object of `assay metric reproduce --json`: `rows`, one per cell.

    Raises:
        AssayError: The released data is missing.

    Example:
        >>> import pathlib  # two synthetic files in place of the released ones
        >>> folder = pathlib.Path("released/e2e")
        >>> (folder / "outputs").mkdir(parents=True)
        >>> _ = (folder / "testset_w_refs.csv").write_text("mr,ref\\nname[Aromi],Aromi is a place to eat .\\n")
        >>> rows = "MR\\toutput\\nname[Aromi]\\tAromi is a place to eat .\\n"
        >>> _ = (folder / "outputs" / "mine.tsv").write_text(rows)
        >>> row = assay.reproduce("e2e", "released")["rows"][0]
        >>> row["row"], row["column"], round(row["computed"])
        ('mine', 'BLEU', 100)
    """
    from assay.meta import reproduce as published

    if name is not None:
        published.check_name(name)
    folder = published.folder_of(name, data)
    if name is not None:
        return published.cells_report(published.reproduce(name, folder))
    return published.all_cells_report(*published.reproduce_all(folder))


def slots(
    outputs: Data,
    examples: Data,
    *,
    forms: Path | None = None,
    items: int = 0,
    ci: int = 1000,
    seed: int = 0,
    join_on: str | None = None,
    allow_missing: bool = False,
) -> JSONObject:
    """Report which values of their inputs outputs express, omit or add.

    `join_on` and `allow_missing` are as in `assay.score`.

    Args:
        outputs: System outputs.
        examples: Examples with slots, triples or dialog acts.
        forms: JSON file of surface forms of values.
        items: Number of outputs with most errors to return (default: 0).
        ci: Number of bootstrap resamples for 95 % confidence intervals.
        seed: Random seed (default: 0).

    Returns:
        The object of `assay analyze slots --json`: `slots`, `scores`, `items` and `warnings`.

    Raises:
        AssayError: The inputs have no values.

    Example:
        >>> slots = {"kind": "slots", "slots": [["name", "Aromi"], ["food", "Chinese"], ["area", "riverside"]]}
        >>> report = assay.slots({"1": "Aromi is by the river."}, [{"id": "1", "input": slots}], items=1)
        >>> round(report["scores"]["slot_recall"].value, 2), report["items"][0]["missing"]
        (0.67, [{'slot': 'food', 'value': 'Chinese'}])
    """
    from assay.meta.slot_report import report_slots

    loaded = load_items(outputs, examples=examples, join_on=join_on, allow_missing=allow_missing)
    report = report_slots(loaded, str(forms or ""), ci, seed)
    return report.to_dict() | {"items": report.worst(loaded, items), "warnings": list(loaded.notes)}
