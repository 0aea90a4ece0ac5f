"""Running a whole benchmark: every system of a config on every dataset, into a results folder."""

from __future__ import annotations

import traceback
from collections.abc import Collection, Sequence
from functools import partial
from os import PathLike
from pathlib import Path

import msgspec

from assay.errors import AssayError, first_line
from assay.metrics import MetricRequest
from assay.records.files import write_jsonl, write_text
from assay.records.read import read_judgements
from assay.records.types import Example
from assay.results.result import Result
from assay.runs.answers import Say, answers, check_system, read_dataset, shown
from assay.runs.benchmark_manifest import Benchmark, Entry, is_benchmark, load_benchmark, write_benchmark
from assay.runs.config import Config, Dataset, System, check_config, choose_systems, extra_systems, read_config
from assay.runs.executors import SERIAL, Executor
from assay.runs.groups import write_groups
from assay.runs.results_folder import ResultsFolder, load_results
from assay.runs.scoring import choose, score_outputs
from assay.systems import refuse_secrets


def run_config(
    config: Config | str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    more: Collection[str] = (),
    only: Collection[str] = (),
    executor: Executor = SERIAL,
    force: bool = False,
    say: Say = lambda line: None,
) -> ResultsFolder:
    """Run what a config says: all of its systems and `more` of them by spec, or `only` some by name."""
    read, base = check_config(config) if isinstance(config, Config) else read_config(Path(config))
    names = choose_systems(read.systems, only) if only else None
    if more:
        added = extra_systems(more)
        read = msgspec.structs.replace(read, systems=[*read.systems, *added])
        names = None if names is None else names | {system.name for system in added}
    out = Path(output or read.results or f"results/{read.name}")
    benchmark = run(read, base, out, only=names, executor=executor, force=force, say=say)
    mine = [entry for entry in benchmark.entries if names is None or entry.system in names]
    return ResultsFolder(out, msgspec.structs.replace(benchmark, entries=mine))


def run(
    config: Config,
    base: Path,
    out: Path,
    *,
    only: Collection[str] | None = None,
    executor: Executor = SERIAL,
    force: bool = False,
    say: Say = lambda line: None,
) -> Benchmark:
    """Score everything, or `only` some systems beside what the folder says of the others; what is there already is
    reused. A dataset or system that fails is named, the rest goes on."""
    for system in config.systems:
        refuse_secrets(system.system or "")  # the config is kept in the folder
    requests = _check(config, only)
    entries: list[Entry] = []
    before = _entries_before(out) if only is not None else {}
    for dataset in config.datasets:
        examples = read_dataset(dataset, base)
        write_jsonl(out / dataset.name / "examples.jsonl", examples)
        _keep_judgements(dataset, base, out, examples)
        for system in config.systems:
            if system.tasks is not None and dataset.task not in system.tasks:
                continue
            if only is not None and system.name not in only:
                entries += before.get((dataset.name, system.name), [])
                continue
            try:
                path = answers(system, dataset, base, out, examples, force=force, say=say)
                entry, said = _score(
                    config, dataset, system, path, examples, requests[dataset.name], out, executor, force
                )
            except Exception as error:  # of a model's or a system's own; the others must not fall with it
                why = _why(error, out / dataset.name / system.name)
                entry, said = Entry(dataset.name, system.name, why, failed=True), f"failed: {why}"
            entries.append(entry)
            say(f"{dataset.name:<12} {system.name:<12} {said}")
    benchmark = Benchmark(config.name, config.datasets, config.systems, entries)
    write_benchmark(out, benchmark)
    write_groups(out, benchmark, {d.name: load_results(out, benchmark, d.name) for d in config.datasets}, say)
    return benchmark


def _check(config: Config, only: Collection[str] | None) -> dict[str, list[MetricRequest]]:
    """The metrics of each dataset. What a config names and nobody knows is refused before an hour has gone by."""
    requests: dict[str, list[MetricRequest]] = {}
    entry = ""
    try:
        for dataset in config.datasets:
            entry = f"dataset {dataset.name}"
            requests[dataset.name] = choose(dataset.metrics, dataset.suite)
        for system in config.systems:
            entry = f"system {system.name}"
            if only is None or system.name in only:
                check_system(system)
    except AssayError as error:
        raise AssayError(f"config {config.name}: {entry}: {error}") from None
    return requests


def _score(
    config: Config, dataset: Dataset, system: System, outputs: Path, examples: list[Example],
    requests: Sequence[MetricRequest], out: Path, executor: Executor, force: bool,
) -> tuple[Entry, str]:  # fmt: skip
    """One system on one dataset: the entry, and what to say of it."""
    if not outputs.exists():
        why = f"no outputs at {outputs}"
        return Entry(dataset.name, system.name, why), f"skipped: {why}"
    scored = score_outputs(
        outputs,
        requests,
        examples=examples,
        system=system.name,
        language=dataset.language,
        allow_missing=config.allow_missing,
        rewrite=partial(shown, how=dataset.text),
        ci=config.ci,
        seed=config.seed,
        executor=executor,
        save=out / dataset.name / system.name,
        force=force,
        shared_examples=True,
        command=["assay", "run", config.name, dataset.name, system.name],
    )
    return Entry(dataset.name, system.name), _line(scored.result)


def _entries_before(out: Path) -> dict[tuple[str, str], list[Entry]]:
    if not is_benchmark(out):
        return {}
    return {(entry.dataset, entry.system): [entry] for entry in load_benchmark(out).entries}


def _why(error: Exception, folder: Path) -> str:
    """What went wrong; of an error that is not ours its first line, and all of it in a file."""
    if isinstance(error, AssayError):
        return str(error)
    file = folder / "error.txt"
    write_text(file, "".join(traceback.format_exception(error)))
    return f"{type(error).__name__}: {first_line(error)} ({file} has all of it)"


def _keep_judgements(dataset: Dataset, base: Path, out: Path, examples: list[Example]) -> None:
    if dataset.judgements is None:
        return
    known = {example.id for example in examples}
    judgements = [judgement for judgement in read_judgements(base / dataset.judgements) if judgement.id in known]
    if not judgements:
        raise AssayError(f"{base / dataset.judgements}: no judgement is about an item of {dataset.name}; check the ids")
    write_jsonl(out / dataset.name / "judgements.jsonl", judgements)


def _line(result: Result) -> str:
    reused = sum(measurement.reused for measurement in result.measurements)
    parts = [f"{result.n} outputs", f"{len(result.measurements)} metrics"]
    if reused:
        parts.append(f"{reused} reused")
    parts += [f"skipped {missing.metric} ({missing.why})" for missing in result.skipped]
    parts += [f"failed {missing.metric} ({missing.why})" for missing in result.failed]
    return " · ".join(parts)
