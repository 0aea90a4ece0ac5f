"""The request to score: what outputs are scored against, by which metrics, and how; built by CLI and Python alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.execution.imported_scores import ImportedScores, read_scores
from assay.execution.loading import load_all
from assay.metrics import MetricRequest, resolve, resolve_suite
from assay.metrics.answers.suite_choice import suite_for
from assay.records.digests import FileDigest
from assay.records.items import Items
from assay.records.read import ExampleFile, OutputFile
from assay.records.types import Data, References

if TYPE_CHECKING:
    from assay.inputs.marked import MarkedTexts

Metrics = str | Sequence[str] | None


def choose(metrics: Metrics, suite: str | None = None) -> list[MetricRequest]:
    """Return the requested metrics, or those of the default suite."""
    if metrics is not None and suite is not None:
        raise AssayError("metrics and suite exclude each other; leave one out")
    if metrics is None:
        return resolve_suite(suite or "default")
    requests = resolve(metrics if isinstance(metrics, str) else list(metrics))
    if not requests:
        raise AssayError("no metric named; `assay metric list` lists them all")
    return requests


@dataclass(frozen=True, kw_only=True)
class ScoreRequest:
    """Everything that scoring depends on besides the outputs. Arguments of `assay.score` are described there.

    Attributes:
        requests: Resolved metrics, instead of `metrics` and `suite`.
        only: Conditions on items, `KEY=VALUE`; others are not scored.
        seed: Random seed; None is 0, or that of a saved run.
        cluster: Field whose clusters of items are resampled, `none` for independent items (default: by the items).
        marked: How marked texts are read before scoring (default: as they are).
        shared_examples: Digest of an examples file that several run folders share.
        command: Command to record in the run folder (default: the one that runs).
    """

    references: References | None = None
    sources: Data | None = None
    examples: Data | ExampleFile | None = None
    metrics: Metrics = None
    suite: str | None = None
    requests: Sequence[MetricRequest] | None = None
    dataset: str | None = None
    language: str | None = None
    system: str | None = None
    allow_missing: bool = False
    skip_bad: bool = False
    join_on: str | None = None
    scores: Sequence[Data] = ()
    better: Mapping[str, str] = field(default_factory=dict)
    only: Sequence[str] = ()
    ci: int = 0
    seed: int | None = None
    cluster: str | None = None
    executor: Executor = SERIAL
    force: bool = False
    marked: MarkedTexts | None = None
    shared_examples: FileDigest | None = None
    command: list[str] | None = None

    def but(self, **changes: Any) -> ScoreRequest:
        """Return the request with some fields changed."""
        return replace(self, **changes)

    @property
    def files(self) -> list[Path]:
        """Files that the request reads, as far as it names any."""
        values = [self.references, self.sources, self.examples, *self.scores]
        several = [each if isinstance(each, list | tuple) else (each,) for each in values]
        return [Path(one) for each in several for one in each if isinstance(one, PathLike)]

    @property
    def metric_names(self) -> str | list[str] | None:
        """Names of the metrics, as `load_run` takes them."""
        return self.metrics if self.metrics is None or isinstance(self.metrics, str) else list(self.metrics)

    @property
    def resampling_seed(self) -> int:
        return self.seed or 0

    def metric_requests(self) -> list[MetricRequest]:
        """Return the metrics to compute."""
        return list(self.requests) if self.requests is not None else choose(self.metrics, self.suite)

    def for_items(self, loaded: Sequence[Items]) -> tuple[list[MetricRequest], list[Items]]:
        """Return the metrics to compute for these items, and the items with a note if their content decided."""
        if self.requests is not None or self.metrics is not None or self.suite is not None or not loaded:
            return self.metric_requests(), list(loaded)
        suite, why = suite_for(loaded[0])
        if not why:
            return choose(None, suite), list(loaded)
        note = f"Suite {suite} was chosen, because {why}; choose another with --suite or -m"
        return choose(None, suite), [replace(items, notes=(*items.notes, note)) for items in loaded]

    def load(self, outputs: Sequence[Data | OutputFile]) -> list[Items]:
        """Join the outputs of each system with what they are scored against."""
        return load_all(
            outputs, self.references, sources=self.sources, examples=self.examples, dataset=self.dataset,
            language=self.language, allow_missing=self.allow_missing, skip_bad=self.skip_bad, join_on=self.join_on,
            system=self.system, some_references=not self._reads_references(),
        )  # fmt: skip

    def _reads_references(self) -> bool:
        """Return whether a metric may need references: where none does, some items may lack them."""
        if self.requests is None and self.metrics is None and self.suite is None:
            return True
        return any("references" in request.metric.needs for request in self.metric_requests())

    def imported_scores(self) -> list[ImportedScores]:
        """Read the imported scores."""
        return [read_scores(each, dataset=self.dataset, better=self.better) for each in self.scores]
