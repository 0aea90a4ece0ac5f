"""The Python interface: calls that correspond to the commands. docs/python.md shows all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, TypeVar

from assay.errors import AssayError
from assay.execution.executors import Executor, choose_executor
from assay.execution.imported_scores import Way
from assay.execution.loading import load_all
from assay.execution.request import Metrics, ScoreRequest, choose
from assay.execution.scoring import score_outputs, score_systems
from assay.meta.agreement import AgreementRequest, agreement_report, measure_agreement
from assay.meta.audit import REPEATS, STRENGTHS, Audit, audit_systems
from assay.meta.correlate import CorrelateRequest, Tail
from assay.meta.correlation_report import correlate_files
from assay.meta.directions import Better
from assay.meta.ratings import ModelKind, model_ratings
from assay.records.read import OutputFile, read_judgements, read_systems
from assay.records.types import Data, Output, References
from assay.results.compare import compare
from assay.results.gate import assert_not_worse, check
from assay.results.group_differences import generalisation_gap, group_differences
from assay.results.many_systems import compare_all, compare_pairs
from assay.results.null_test import null_test
from assay.results.paper_table import table
from assay.results.parents import compare_with_parents
from assay.results.rarefied import rarefy
from assay.results.result import Result
from assay.stats.annotators import Over
from assay.stats.correlation import Method
from assay.stats.crossed import Level, Unit
from assay.stats.interval import check_resampling
from assay.store.config_records import Config
from assay.store.results_folder import ResultsFolder
from assay.store.saved_run import load_run

__all__ = [
    "agreement", "assert_not_worse", "audit", "check", "compare", "compare_all", "compare_pairs",
    "compare_with_parents", "correlate", "generalisation_gap", "generate", "group_differences", "load_run", "null_test",
    "rarefy", "reproduce", "run", "score", "score_all", "slots", "table",
]  # fmt: skip

Path = str | PathLike[str]
N = TypeVar("N", bound=str)


def score(
    outputs: Data,
    references: References | None = None,
    sources: Data | None = None,
    *,
    examples: Data | None = None,
    metrics: Metrics = None,
    suite: str | None = None,
    ci: int = 0,
    seed: int = 0,
    workers: int | None = None,
    engine: str | None = None,
    executor: Executor | None = None,
    save: Path | None = None,
    force: bool = False,
    system: str | None = None,
    dataset: str | None = None,
    language: str | None = None,
    allow_missing: bool = False,
    skip_bad: bool = False,
    join_on: str | None = None,
    scores: Data | Sequence[Path] | None = None,
    better: Mapping[str, Way] | None = None,
) -> Result:
    """Score the outputs of one system.

    Outputs, references, sources and examples are paths, lists, dicts by id, or data frames.

    Args:
        outputs: System outputs.
        references: One string or list per output, or a list of `pathlib.Path`: parallel files with one reference each.
        sources: Source texts, one per output.
        examples: References, sources, tags and languages in one.
        metrics: Names with options, e.g. `["rouge:stemmer=true", "bleu"]` (default: those of `suite`).
        suite: Name of a set of metrics (default: `"default"`).
        ci: Number of bootstrap resamples for 95 % confidence intervals (default: 0, no intervals).
        seed: Random seed (default: 0).
        workers: Number of worker processes (default: 1; with `engine`: one per CPU).
        engine: `"serial"`, `"processes"`, `"ray"` or `"ray:ADDRESS"`.
        executor: An executor object, instead of `workers` and `engine` (see `assay.execution.executors`).
        save: Folder in which the run is saved; saved statistics are reused.
        force: Compute saved statistics again, and replace a run of other outputs.
        system: Name of the system; selects one of a file with several.
        dataset: Task of a submission with several tasks.
        language: Language of items that do not name theirs.
        allow_missing: Score the items that have outputs (default: missing outputs are an error).
        skip_bad: Skip lines that cannot be read (default: they are an error).
        join_on: Column of the outputs to join on instead of ids, e.g. `"MR"`; `"MR=source"` names the field it equals.
        scores: Imported scores of the items, one column per metric.
        better: Direction of imported scores by column: `"higher"`, `"lower"` or `"neither"`.

    Returns:
        The scores, their confidence intervals and signatures, and the scores of single items.

    Raises:
        AssayError: A file cannot be read, items cannot be joined, or an argument is out of range.

    Example:
        >>> result = assay.score(["the cat sat"], ["the cat sat"], metrics="rouge")
        >>> result.scores["rouge1"].value
        1.0
    """
    request = ScoreRequest(
        references=references, sources=sources, examples=examples, metrics=metrics, suite=suite, system=system,
        dataset=dataset, language=language, allow_missing=allow_missing, skip_bad=skip_bad, join_on=join_on,
        scores=_files(scores), better=better or {}, ci=ci, seed=seed,
        executor=choose_executor(workers, executor, engine), force=force,
    )  # fmt: skip
    return score_outputs(outputs, request, save).result


def score_all(
    systems: Mapping[str, Data | OutputFile] | Path,
    references: References | None = None,
    sources: Data | None = None,
    *,
    examples: Data | None = None,
    metrics: Metrics = None,
    suite: str | None = None,
    ci: int = 0,
    seed: int = 0,
    workers: int | None = None,
    engine: str | None = None,
    executor: Executor | None = None,
    dataset: str | None = None,
    language: str | None = None,
    allow_missing: bool = False,
    skip_bad: bool = False,
    join_on: str | None = None,
    scores: Data | Sequence[Path] | None = None,
    better: Mapping[str, Way] | None = None,
) -> dict[str, Result]:
    """Score several systems on the same items; faster than one call per system.

    Other arguments are as in `assay.score`.

    Args:
        systems: Outputs by system, or a file with several systems.

    Returns:
        Results by system.

    Raises:
        AssayError: There is no system, a file cannot be read, or items cannot be joined.

    Example:
        >>> results = assay.score_all({"a": ["the cat sat"], "b": ["a cat"]}, ["the cat sat"], metrics="rouge1")
        >>> {name: result.scores["rouge1"].value for name, result in results.items()}
        {'a': 1.0, 'b': 0.4}
    """
    if isinstance(systems, str | PathLike):
        files = read_systems(systems, dataset=dataset, skip_bad=skip_bad)
        systems = {each.system: each for each in files}
    if not isinstance(systems, Mapping) or not systems:
        raise AssayError("score_all: give the systems by name, {'bart': outputs, ...}, or a file with several systems.")
    request = ScoreRequest(
        references=references, sources=sources, examples=examples, metrics=metrics, suite=suite, dataset=dataset,
        language=language, allow_missing=allow_missing, skip_bad=skip_bad, join_on=join_on, scores=_files(scores),
        better=better or {}, ci=ci, seed=seed, executor=choose_executor(workers, executor, engine),
    )  # fmt: skip
    scored = score_systems(list(systems.values()), request, names=list(systems))
    return dict(zip(systems, scored, strict=True))


def run(
    config: Config | Path,
    output: Path | None = None,
    *,
    only: Collection[str] = (),
    more: Collection[str] = (),
    workers: int | None = None,
    engine: str | None = None,
    executor: Executor | None = None,
    force: bool = False,
    changed: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> ResultsFolder:
    """Score every system of a config on every dataset; saved runs are reused.

    `workers`, `engine` and `executor` are as in `assay.score`.

    Args:
        config: A TOML file, `"sample"` (the embedded benchmark), or a `Config` with paths from the current folder.
        output: Results folder (default: `results/NAME`).
        only: Systems of the config to run (default: all).
        more: Additional systems by specification, e.g. `"lead:k=3"`.
        force: Compute all runs again.
        changed: Replace only runs whose outputs, examples or settings changed.
        say: Called with a line for every run.

    Returns:
        Results by dataset and system; `missing` has the runs that could not be made, with the reason.

    Raises:
        AssayError: The config is invalid, or saved runs differ from it.

    Example:
        >>> folder = assay.run("sample", "results/sample", only=["lead"])
        >>> list(folder), folder.missing
        (['news', 'places', 'simple', 'dialog'], [])
        >>> round(folder["news"]["lead"].scores["rouge1"].value, 3)
        0.423
    """
    from assay.execution.run_config import run_config

    executor = choose_executor(workers, executor, engine)
    return run_config(
        config, output, only=_names(only), more=_names(more), executor=executor, force=force, changed=changed, say=say
    )


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
) -> dict[str, Any]:
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
    from assay.execution.loading import load_items
    from assay.meta.slot_report import report_slots

    loaded = load_items(outputs, examples=examples, join_on=join_on, allow_missing=allow_missing)
    report = report_slots(loaded, str(forms or ""), ci, seed)
    return report.to_dict() | {"items": report.worst(loaded, items), "warnings": list(loaded.notes)}


def generate(
    examples: Data,
    system: str,
    output: Path | None = None,
    *,
    form: str | None = None,
    train: Data | None = None,
    name: str = "",
    seed: int = 0,
    limit: int | None = None,
    force: bool = False,
) -> list[Output]:
    """Generate one output per example with a system.

    Args:
        examples: Examples to generate outputs for.
        system: Specification of a system, e.g. `"lead:k=3"` (`assay system list` lists them).
        output: File in which outputs are saved as they arrive; the same call resumes from it.
        form: How inputs are rendered as text (`assay data forms` lists them).
        train: Training examples, for systems that need them.
        name: System name in the outputs (default: its specification).
        seed: Random seed (default: 0).
        limit: Use the first N examples (default: all).
        force: Generate all outputs again.

    Returns:
        The outputs.

    Raises:
        AssayError: The system is unknown or cannot run, or `limit` is below 1.

    Example:
        >>> outputs = assay.generate([{"id": "1", "source": "It rains. It pours."}], "lead:k=1")
        >>> outputs[0].output
        'It rains.'
    """
    from assay.execution.answers import generate_outputs

    if limit is not None and limit < 1:
        raise AssayError(f"limit={limit}: use 1 or more (default: all examples).")
    return generate_outputs(
        examples, system, output, form=form, train=train, name=name, seed=seed, limit=limit, force=force
    )


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
    directions: Mapping[str, Better] | None = None,
    ci: int = 0,
    resample: Unit | None = None,
    cluster: str | None = None,
    permutations: int = 1000,
    positive: float | None = None,
    pairwise: bool = False,
    allow_missing: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
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
        directions: Direction of metrics, `"lower"` or `"higher"` (default: by name).
        ci: Number of bootstrap resamples for 95 % confidence intervals (default: 0, no intervals).
        resample: Units to resample: `systems`, `inputs`, `both` or `texts` (default: by level).
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
        human=column or "", controls=_names(controls), methods=_names(methods), level=level, samples=ci,
        cluster=cluster, permutations=permutations, positive=positive, pairwise=pairwise, seed=seed,
        resample=resample, directions=directions or {}, ablate=_names(ablate), williams=tail, differences=differences,
    )  # fmt: skip
    return correlate_files(human, [scores], request, by=by, allow_missing=allow_missing).report


def audit(
    systems: Mapping[str, Data | OutputFile] | Path,
    references: References | None = None,
    sources: Data | None = None,
    *,
    examples: Data | None = None,
    metrics: Metrics = None,
    suite: str | None = None,
    manipulations: Sequence[str] | None = None,
    strengths: Sequence[int] = STRENGTHS,
    repeats: int = REPEATS,
    seed: int = 0,
    workers: int | None = None,
    engine: str | None = None,
    executor: Executor | None = None,
    language: str | None = None,
    allow_missing: bool = False,
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
        rouge1 - detects 0 of 1 degradations; misses shuffle-words
        bleu - detects 1 of 1 degradations
    """
    if isinstance(systems, str | PathLike):
        systems = {each.system: each for each in read_systems(systems)}
    if not isinstance(systems, Mapping) or not systems:
        raise AssayError("audit: give the systems by name, {'bart': outputs, ...}, or a file with several systems.")
    loaded = load_all(
        list(systems.values()), references, sources=sources, examples=examples, language=language,
        allow_missing=allow_missing,
    )  # fmt: skip
    named = [replace(items, system=name) for items, name in zip(loaded, systems, strict=True)]
    return audit_systems(
        named, choose(metrics, suite), manipulations=manipulations, strengths=strengths, repeats=repeats, seed=seed,
        executor=choose_executor(workers, executor, engine),
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
) -> dict[str, Any]:
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


def reproduce(name: str | None = None, data: Path | None = None) -> dict[str, Any]:
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

    folder = published.data_folder(data)
    if name is not None:
        return published.cells_report(published.reproduce(name, folder))
    return published.all_cells_report(*published.reproduce_all(folder))


def _files(scores: Data | Sequence[Path] | None) -> Sequence[Data]:
    """Return files of imported scores; anything but a list of paths is one table."""
    if scores is None:
        return ()
    many = isinstance(scores, list | tuple) and all(isinstance(each, str | PathLike) for each in scores)
    return tuple(scores) if many else (scores,)  # type: ignore[arg-type, return-value]


def _names(names: Collection[N]) -> tuple[N, ...]:
    """Return names as a tuple; a single string is one name."""
    return (names,) if isinstance(names, str) else tuple(names)  # type: ignore[return-value]
