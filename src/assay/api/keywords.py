"""Keywords that several calls share, each declared once, and the requests made from them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from os import PathLike
from typing import Any, TypedDict, TypeVar, cast

from assay.errors import AssayError
from assay.execution.executors import Executor, choose_executor
from assay.execution.imported_scores import Way
from assay.execution.request import Metrics, ScoreRequest
from assay.records.read import OutputFile, read_systems
from assay.records.types import Data, References
from assay.specs import did_you_mean

Path = str | PathLike[str]
N = TypeVar("N", bound=str)
F = TypeVar("F", bound=Callable[..., Any])


class WorkOptions(TypedDict, total=False):
    """Where the work is done."""

    workers: int | None
    engine: str | None
    executor: Executor | None


class DataOptions(WorkOptions, total=False):
    """What outputs are scored against, and by which metrics."""

    examples: Data | None
    metrics: Metrics
    suite: str | None
    seed: int
    language: str | None
    allow_missing: bool


class ScoreOptions(DataOptions, total=False):
    """All that scoring depends on besides the outputs."""

    ci: int
    cluster: str | None
    dataset: str | None
    skip_bad: bool
    join_on: str | None
    scores: Data | Sequence[Path] | None
    better: Mapping[str, Way] | None


DEFAULTS = {"seed": 0, "ci": 0, "allow_missing": False, "skip_bad": False}
"""All others are None."""


def with_keywords(options: type) -> Callable[[F], F]:
    """Show the keywords of a `TypedDict` in the signature of a function, and refuse others as Python does."""
    names = sorted(options.__annotations__, key=lambda name: name in WorkOptions.__annotations__)
    keywords = {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name),
            annotation=getattr(options.__annotations__[name], "__forward_arg__", inspect.Parameter.empty),
        )
        for name in names
    }  # fmt: skip

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        known = {*keywords, *(each.name for each in own)}

        @wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            for name in options:
                if name not in known:
                    hint = did_you_mean(name, known)
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'{hint}")
            return function(*arguments, **options)

        call.__signature__ = signature.replace(parameters=[*own, *keywords.values()])  # type: ignore[attr-defined]
        return cast("F", call)

    return decorate


def chosen_executor(options: WorkOptions) -> Executor:
    return choose_executor(options.get("workers"), options.get("executor"), options.get("engine"))


def score_request(references: References | None, sources: Data | None, options: DataOptions) -> ScoreRequest:
    """Return the request of a call; `options` may be those of `ScoreOptions`."""
    values: dict[str, Any] = {"seed": 0, **options}
    for name in WorkOptions.__annotations__:
        values.pop(name, None)
    values["scores"] = _tables(values.get("scores"))
    values["better"] = values.get("better") or {}
    return ScoreRequest(references=references, sources=sources, executor=chosen_executor(options), **values)


def outputs_by_system(
    call: str, systems: Mapping[str, Data | OutputFile] | Path, dataset: str | None = None, skip_bad: bool = False
) -> Mapping[str, Data | OutputFile]:
    """Return outputs by system, read from a file with several if one is named."""
    if isinstance(systems, str | PathLike):
        files = read_systems(systems, dataset=dataset, skip_bad=skip_bad)
        systems = {each.system: each for each in files}
    if not isinstance(systems, Mapping) or not systems:
        raise AssayError(f"{call}: give the systems by name, {{'bart': outputs, ...}}, or a file with several systems.")
    return systems


def as_tuple(names: Collection[N]) -> tuple[N, ...]:
    """Return names as a tuple; a single string is one name."""
    return (names,) if isinstance(names, str) else tuple(names)  # type: ignore[return-value]


def _tables(scores: Data | Sequence[Path] | None) -> Sequence[Data]:
    """Return tables of imported scores; anything but a list of paths is one table."""
    if scores is None:
        return ()
    many = isinstance(scores, list | tuple) and all(isinstance(each, str | PathLike) for each in scores)
    return tuple(scores) if many else (scores,)  # type: ignore[arg-type, return-value]
