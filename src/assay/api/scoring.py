"""Score outputs, run a config, generate outputs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Unpack

from assay.api.keywords import (
    Path,
    ScoreOptions,
    WorkOptions,
    as_tuple,
    chosen_executor,
    outputs_by_system,
    score_request,
    with_keywords,
)
from assay.execution.scoring import score_outputs, score_systems
from assay.records.read import OutputFile
from assay.records.types import Data, Output, References
from assay.results.result import Result
from assay.store.config_records import Config
from assay.store.results_folder import ResultsFolder


@with_keywords(ScoreOptions)
def score(
    outputs: Data,
    references: References | None = None,
    sources: Data | None = None,
    *,
    save: Path | None = None,
    force: bool = False,
    system: str | None = None,
    **options: Unpack[ScoreOptions],
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
        cluster: Field whose clusters of items are resampled, e.g. `"parent"`; `"none"` for independent items (default:
            `parent`, or a tag that identifies documents or dialogues, if several items share its value).
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
    request = score_request(references, sources, options).but(force=force, system=system)
    return score_outputs(outputs, request, save).result


@with_keywords(ScoreOptions)
def score_all(
    systems: Mapping[str, Data | OutputFile] | Path,
    references: References | None = None,
    sources: Data | None = None,
    **options: Unpack[ScoreOptions],
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
    named = outputs_by_system("score_all", systems, options.get("dataset"), options.get("skip_bad", False))
    request = score_request(references, sources, options)
    scored = score_systems(list(named.values()), request, names=list(named))
    return dict(zip(named, scored, strict=True))


@with_keywords(WorkOptions)
def run(
    config: Config | Path,
    output: Path | None = None,
    *,
    only: Collection[str] = (),
    more: Collection[str] = (),
    force: bool = False,
    changed: bool = False,
    say: Callable[[str], None] = lambda line: None,
    **options: Unpack[WorkOptions],
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

    return run_config(
        config, output, only=as_tuple(only), more=as_tuple(more), executor=chosen_executor(options), force=force,
        changed=changed, say=say,
    )  # fmt: skip


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
    from assay.execution.system_request import SystemRequest, generate_outputs

    request = SystemRequest(system=system, form=form, train=train, name=name, seed=seed, limit=limit, force=force)
    return generate_outputs(examples, request, output)
