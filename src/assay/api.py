"""The Python calls: a thin front over `runs`, `results` and `meta`. Every call stands in docs/python.md."""

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
    """Score `outputs` against `references`, `sources` or `examples`.

    Each of them may be a path, a list, a dict by id or a DataFrame; references are one string or list per output,
    or a list of `pathlib.Path`s: parallel files with one reference each.
    `metrics` are names with options (`["rouge:stemmer=true", "bleu"]`) or `suite` names a set of them. `ci` is the
    number of bootstrap resamples for 95 % intervals (0 for none), from `seed` on. `workers` is the number of processes,
    `engine` where they are: `"serial"`, `"processes"`, `"ray"` or `"ray:ADDRESS"` (a cluster); an `executor` of your
    own (see `assay.execution.executors`) may do the work instead. With `save` the run is kept in a folder, and what is
    already there is not computed again; `force` computes it again, and replaces a run of other outputs.

    `system` is what to call it; `dataset` picks a task of a submission that holds several; `language` is that of items
    that do not name theirs; `allow_missing` scores the items that are there, `skip_bad` leaves unreadable lines out.
    `join_on` names a column of the outputs to join by instead of ids (`"MR"`; `"MR=source"` says what field it equals).
    `scores` are scores of the items made elsewhere, a column each, put beside ours; `better` says by column whether
    `"lower"`, `"higher"` or `"neither"` is. Of outputs of several systems `system` says which are meant.

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
    """Score several `systems`, outputs by name, on the same items; faster than one after the other.

    All else is as in `assay.score`: `references`, `sources`, `examples`, `metrics`, `suite`, `ci`, `seed`, `workers`,
    `engine`, `executor`, `dataset`, `language`, `allow_missing`, `skip_bad`, `join_on`, `scores`, `better`. A file that
    holds several systems may stand for them.

    >>> results = assay.score_all({"a": ["the cat sat"], "b": ["a cat"]}, ["the cat sat"], metrics="rouge1")
    >>> {name: result.scores["rouge1"].value for name, result in results.items()}
    {'a': 1.0, 'b': 0.4}
    """
    if isinstance(systems, str | PathLike):
        held = read_systems(systems, dataset=dataset, skip_bad=skip_bad)
        systems = {each.system: each for each in held}
    if not isinstance(systems, Mapping) or not systems:
        raise AssayError("score_all: give the systems by name, {'bart': outputs, ...}, or a file that holds several")
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
    """Score every system of a `config` on every dataset, as `assay run` does; what is there already is reused.

    `config` is a TOML file, `"sample"` (the benchmark that comes with assay) or a `Config`, whose paths start from the
    current folder. `output` is the results folder, `results/NAME` if not said. `only` some of its systems are run, or
    `more` of them by spec (`"lead:k=3"`). `workers`, `engine`, `executor` and `force` are as in `assay.score`;
    `changed` replaces runs of other outputs, examples or settings alone; `say` is called with a line for every run.
    What comes back has the results by dataset and system, and `missing` with the reasons.

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
    """Which values of their inputs `outputs` say, leave out and add, as `assay analyze slots --json` prints it.

    `examples` have slots, triples or dialog acts; `forms` is a JSON file of surface forms of values. `slots` has the
    counts of each slot, with an interval of its recall from `ci` resamples (from `seed` on), `scores` those of
    `slot_error` over all, and `items` so many outputs with most errors. `join_on` and `allow_missing` are as in
    `assay.score`.

    >>> asked = {"kind": "slots", "slots": [["name", "Aromi"], ["food", "Chinese"], ["area", "riverside"]]}
    >>> found = assay.slots({"1": "Aromi is by the river."}, [{"id": "1", "input": asked}], items=1)
    >>> round(found["scores"]["slot_recall"].value, 2), found["items"][0]["missing"]
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
    """A text of a `system` (`"lead:k=3"`; `assay system list` lists them) for each of the `examples`.

    With `output` the answers are kept in a file as they come, and the same call goes on where it was stopped; `force`
    asks about all of them again. `form` says how inputs are written (`assay data forms`), `train` are examples for
    systems that look at some first, `name` is what to call the system, `seed` is for all chance, and only the first
    `limit` examples are asked.

    >>> outputs = assay.generate([{"id": "1", "source": "It rains. It pours."}], "lead:k=1")
    >>> outputs[0].output
    'It rains.'
    """
    from assay.execution.answers import generate_outputs

    if limit is not None and limit < 1:
        raise AssayError(f"limit={limit}: ask at least one example, or leave it out for all of them")
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
    """How well metrics follow people, as `assay metric correlate --json` prints it.

    `human` has a row per judged text and `scores` the metrics of the same texts; they are joined on `id` (and
    `system`), or on `hash` and `model_name`. `column` is the human one, `controls` are held constant, `methods` are of
    pearson, spearman, kendall-b and kendall-c, at a `level` (global, summary, system, within) and for each value of
    `by`. `ablate` names errors to forgive. `williams` tests metrics against each other (two-sided, or as named),
    `differences` does so by swapping their scores; `directions` says of metrics whether `"lower"` or `"higher"` is
    better where their names do not. `ci` resamples give intervals; `resample` says of what (systems, inputs, both or
    texts), and `cluster` names a column for the inputs. `permutations` shuffle within groups and swap, all from `seed`
    on. Human scores from `positive` up add ROC-AUC, `pairwise` the accuracy of ordering two texts. `allow_missing`
    takes the rows both have.

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
    """Make the outputs of `systems` (by name, or a file) worse by rule, and see what every metric says of it.

    `manipulations` are those of `assay.challenges.manipulations`, all if not said; `strengths` the percentages of the
    outputs that are changed; `repeats` the draws that are averaged, all from `seed` on. `references`, `sources`,
    `examples`, `metrics`, `suite`, `workers`, `engine`, `executor`, `language` and `allow_missing` are as in
    `assay.score_all`.
    `rows` has how far each number moved, with an interval; `verdicts` a line a number; `flips` who gets past whom.

    >>> outputs = {"mine": [f"the {word} sat on the old mat ." for word in "abcdefghijkl"]}
    >>> found = assay.audit(outputs, outputs["mine"], metrics="rouge1,bleu", manipulations=["shuffle-words"])
    >>> for verdict in found.verdicts:
    ...     print(verdict.label, "-", verdict.line)
    rouge1 - notices 0 of 1 changes for the worse; misses shuffle-words
    bleu - notices 1 of 1 changes for the worse
    """
    if isinstance(systems, str | PathLike):
        systems = {each.system: each for each in read_systems(systems)}
    if not isinstance(systems, Mapping) or not systems:
        raise AssayError("audit: give the systems by name, {'bart': outputs, ...}, or a file that holds several")
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
    """How far annotators agree, as `assay analyze agreement --json` prints it: percent, Fleiss, Cohen, Gwet,
    Krippendorff, ICC.

    `judgements` are records or a file of them; with several criteria each stands under `criteria`, or choose one
    `criterion`. `ci` is the number of bootstrap resamples from `seed` on; `preset` the value a form starts with;
    `traps` the known answers of items that only test raters, by id. Intervals are about the same annotators on other
    items, or with `resample` about other annotators or both; a `model` (linear or ordinal) compares the systems.

    >>> rows = [("1", "a", 4.0), ("1", "b", 4.0), ("2", "a", 2.0), ("2", "b", 3.0)]
    >>> said = [assay.Judgement(id=i, system="s", annotator=who, criterion="fluency", value=v) for i, who, v in rows]
    >>> assay.agreement(said)["percent"]["value"]
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
    """Published tables computed again, as `assay metric reproduce --json` prints it: `rows`, one a cell.

    `name` is one of frank, eks, narrative, e2e, webnlg; all whose data is there if not said. `data` is the folder of
    released data, else what ASSAY_DATA names.

    >>> import pathlib  # two made-up files in place of the released ones
    >>> folder = pathlib.Path("released/e2e")
    >>> (folder / "outputs").mkdir(parents=True)
    >>> _ = (folder / "testset_w_refs.csv").write_text("mr,ref\\nname[Aromi],Aromi is a place to eat .\\n")
    >>> _ = (folder / "outputs" / "mine.tsv").write_text("MR\\toutput\\nname[Aromi]\\tAromi is a place to eat .\\n")
    >>> row = assay.reproduce("e2e", "released")["rows"][0]
    >>> row["row"], row["column"], round(row["computed"])
    ('mine', 'BLEU', 100)
    """
    from assay.meta import reproduce as published

    folder = published.released_data(data)
    if name is not None:
        return published.cells_report(published.reproduce(name, folder))
    return published.all_cells_report(*published.reproduce_all(folder))


def _files(given: Data | Sequence[Path] | None) -> Sequence[Data]:
    """Files of scores; what is no list of paths is one of them."""
    if given is None:
        return ()
    many = isinstance(given, list | tuple) and all(isinstance(each, str | PathLike) for each in given)
    return tuple(given) if many else (given,)  # type: ignore[arg-type, return-value]


def _names(given: Collection[N]) -> tuple[N, ...]:
    """Names as they were given; one alone is not taken for its letters."""
    return (given,) if isinstance(given, str) else tuple(given)  # type: ignore[return-value]
