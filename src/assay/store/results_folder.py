"""A results folder: every system of a manifest on every dataset, one run folder each.

results.json                   what there is, what was skipped, and why
DATASET/examples.jsonl           once for all systems
DATASET/judgements.jsonl         what people said, where there is any
DATASET/SYSTEM/run.json ...      a run folder
DATASET/SYSTEM/answers.jsonl     what a system that the config names has answered
models/NAME-CONTENT/             models trained for it
groups.json                      mean and deviation of systems with several seeds or prompts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.results.result import Result
from assay.store.results_manifest import Entry, ResultsManifest
from assay.store.saved_run import load_run


class ResultsFolder(Mapping[str, dict[str, Result]]):
    """The results of a manifest: by dataset, then by system, each loaded when it is asked for.

    `path` is the folder (of one at a URL its copy here), `manifest` what it contains, and `missing` what there
    is no run of.

    >>> folder = assay.run("sample", "results/sample", only=["lead"])
    >>> folder
    <sample: 4 of 4 runs in results/sample>
    >>> folder["places"]["lead"].n
    40
    """

    def __init__(self, path: Path, manifest: ResultsManifest, url: str | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self.place = url or str(path)
        """Where others find it."""

    def __getitem__(self, dataset: str) -> dict[str, Result]:
        if dataset not in iter(self):
            raise KeyError(dataset)
        return load_results(self.path, self.manifest, dataset)

    def __iter__(self) -> Iterator[str]:
        return (dataset.name for dataset in self.manifest.datasets)

    def __len__(self) -> int:
        return len(self.manifest.datasets)

    @property
    def missing(self) -> list[Entry]:
        """What there is no run of, and why."""
        return [entry for entry in self.manifest.entries if entry.why]

    def __repr__(self) -> str:
        done = len(self.manifest.entries) - len(self.missing)
        return f"<{self.manifest.name}: {done} of {len(self.manifest.entries)} runs in {self.place}>"


def load_results(path: Path, manifest: ResultsManifest, dataset: str) -> dict[str, Result]:
    """The results of all systems on one dataset, in the order of the config."""
    ran = {entry.system for entry in manifest.entries if entry.dataset == dataset and entry.why is None}
    return {system.name: load_run(path / dataset / system.name) for system in manifest.systems if system.name in ran}
