"""Open results: run and results folders, and files of other tools, intact or damaged."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path

from assay.errors import AssayError
from assay.metrics.structure.dialog.saved_dialogues import FILE as DIALOGUES
from assay.metrics.structure.dialog.saved_dialogues import SavedDialogues, read_dialogues
from assay.records import Judgement, read_judgements
from assay.records.digests import FileDigest
from assay.records.files import SURROGATE
from assay.records.folders import is_unfinished
from assay.results.result import Result
from assay.store.bundles import is_bundle, unpack
from assay.store.config_records import Dataset
from assay.store.repeated_runs import members
from assay.store.results_manifest import JUDGEMENTS, ResultsManifest, is_results_folder, read_results_manifest
from assay.store.run_manifest import (
    EXAMPLES,
    MANIFEST,
    RunManifest,
    digests_of,
    is_run,
    read_manifest,
    runs_in,
    shared_digests,
)
from assay.store.saved_audit import FILE as AUDIT
from assay.store.saved_audit import SavedAudit, read_audit
from assay.store.saved_run import load_metric, load_run
from assay.store.scored_runs import Axis, ScoredRun
from assay.store.written_cards import CARDS, WrittenCards, written_cards

MOST_GROUPS = 8
"""Groups of saved runs whose items are compared with each other."""


def inside(root: Path, *parts: str) -> Path:
    """Return a path below a folder. Names come from untrusted files, and may be links."""
    path = root.joinpath(*parts)
    if not path.resolve().is_relative_to(root.resolve()):
        raise AssayError(f"{path}: points outside {root} and is not read; results contain their own files")
    return path


def shown(name: str) -> str:
    """Return the name of a folder, which may be no valid UTF-8, for pages and tables."""
    return SURROGATE.sub("\ufffd", name)


def without_folders(text: str) -> str:
    """Return a message in which files keep their last two names: pages and reports are passed on."""
    words = []
    for word in text.split(" "):
        path = word.lstrip("(\"'")
        short = path.startswith("/") and path.count("/") > 2
        words.append(word[: -len(path)] + "/".join(path.split("/")[-2:]) if short else word)
    return " ".join(words)


@dataclass
class Run:
    """One system on one dataset, as far as it can be read."""

    system: str
    folder: Path
    root: Path
    problems: list[str] = field(default_factory=list)

    @cached_property
    def manifest(self) -> RunManifest:
        """Content of run.json; empty if it cannot be read."""
        try:
            inside(self.root, *self._parts, MANIFEST)
            return read_manifest(self.folder)
        except (OSError, AssayError) as error:
            gone = f"{self._name(MANIFEST)} is missing. Score again to write it."
            self.problems.append(gone if not is_run(self.folder) else self._message(error))
        return {}

    @cached_property
    def result(self) -> Result | None:
        """Result from the statistics; metrics whose file is missing are left out and listed."""
        if not self.manifest:
            return None
        try:
            for file in ("items.parquet", *(entry["statistics"] for entry in self.manifest["metrics"])):
                inside(self.root, *self._parts, file)
            loaded = load_run(self.folder)
        except AssayError:
            return self._what_is_left()
        gone = loaded.failed[len(self.manifest["failed"]) :]
        self.problems += [f"{self._name(missing.metric)}: {missing.why}" for missing in gone]
        return replace(loaded, notes=[self._message(note) for note in loaded.notes])

    def _what_is_left(self) -> Result | None:
        parts = []
        problems: dict[str, None] = {}
        for entry in self.manifest["metrics"]:
            try:
                for file in ("items.parquet", entry["statistics"]):
                    inside(self.root, *self._parts, file)
                parts.append(load_metric(self.folder, entry["spec"]))
            except AssayError as error:
                problems[self._message(error)] = None
        self.problems += problems
        if not parts:
            return None
        notes = [self._message(note) for note in parts[0].notes]
        return replace(parts[0], notes=notes, measurements=tuple(m for part in parts for m in part.measurements))

    def file(self, name: str) -> Path | None:
        path = inside(self.root, *self._parts, name)
        return path if path.is_file() else None

    @property
    def digests(self) -> dict[str, FileDigest]:
        """Digests of its files."""
        return digests_of(self.manifest)

    def _message(self, error: Exception | str) -> str:
        """Return a message without the path of the machine: pages and reports are passed on."""
        return str(error).replace(str(self.root), self.root.name)

    @property
    def _parts(self) -> tuple[str, ...]:
        return self.folder.relative_to(self.root).parts

    def _name(self, file: str) -> str:
        return str(Path(self.root.name, *self._parts, file))


@dataclass
class DatasetResults:
    """One dataset with the runs of all systems on it."""

    name: str
    folder: Path
    """Folder of its examples and judgements."""
    root: Path
    about: str = ""
    by: Sequence[str] = ()
    runs: dict[str, Run] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    """Runs of one system with several seeds or prompts, to be averaged."""
    digests: dict[str, FileDigest] = field(default_factory=dict)
    """Digests of its files."""
    problems: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Systems without outputs for this dataset, with the reason; in a grid of datasets and systems that is common."""

    @property
    def results(self) -> dict[str, Result]:
        return {name: run.result for name, run in self.runs.items() if run.result is not None}

    def file(self, name: str) -> Path | None:
        path = inside(self.root, *self.folder.relative_to(self.root).parts, name)
        return path if path.is_file() else None

    @cached_property
    def judgements(self) -> list[Judgement]:
        try:
            path = self.file(JUDGEMENTS)
            if path is None:
                return []
            if JUDGEMENTS in self.digests and (why := self.digests[JUDGEMENTS].change(path)):
                raise AssayError(f"{path}: damaged ({why}); run the config again to write it")
            return read_judgements(path)
        except AssayError as error:
            self.problems.append(str(error).replace(str(self.root), self.root.name))
            return []


@dataclass
class Library:
    """All opened results."""

    title: str = ""
    datasets: dict[str, DatasetResults] = field(default_factory=dict)
    axes: list[Axis] = field(default_factory=list)
    runs: list[ScoredRun] = field(default_factory=list)
    """Columns and rows of results of other tools, which have no statistics."""
    systems: dict[str, str] = field(default_factory=dict)
    facts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Facts about systems in files of other tools."""
    audits: list[SavedAudit] = field(default_factory=list)
    """Saved audits of metrics."""
    dialogues: dict[str, SavedDialogues] = field(default_factory=dict)
    """Dialogues turn by turn, by the name of their folder."""
    cards: WrittenCards = field(default_factory=dict)
    """Cards that authors wrote about systems and datasets."""
    problems: list[str] = field(default_factory=list)

    def add(self, dataset: DatasetResults) -> None:
        for system in [system for system in dataset.runs if shown(system) not in dataset.runs]:
            run = dataset.runs.pop(system)
            run.system = shown(system)
            dataset.runs[run.system] = run
        name = shown(dataset.name)
        if name in self.datasets:  # two folders may both hold `news`
            name = shown(f"{dataset.root.name}/{dataset.name}")
        while name in self.datasets:
            name += "'"
        dataset.name = name
        self.datasets[name] = dataset

    def dataset(self, name: str) -> DatasetResults:
        if name not in self.datasets:
            raise AssayError(f"no dataset called {name}; available: {', '.join(self.datasets) or 'none'}")
        return self.datasets[name]


def open_results(paths: Sequence[Path]) -> Library:
    """Open results folders, single runs and score files of other tools. Damage is reported, not fatal."""
    from assay.store.foreign import read_foreign

    library = Library()
    titles = []
    loose: list[Path] = []
    paths = [unpack(path, library) if is_bundle(path) else path for path in paths]
    _read_audits_and_dialogues(paths, library)
    for path in _each(paths, library):
        if not path.exists():
            raise AssayError(f"{path}: no such file or folder. Make one with `assay run` or `assay score --save`.")
        if is_results_folder(path):
            titles.append(_open_results_folder(path, library))
        elif is_run(path):
            loose.append(path)
        elif (path / DIALOGUES).is_file():  # read above, with audits
            titles.append(path.resolve().name)
        elif path.is_dir() and (folders := runs_in(path, "*/*")):
            library.problems.append(f"{path.name}/results.json is missing; shown are the runs in the folder")
            titles.append(path.name)
            _open_runs(path, folders, library)
        else:
            by_dataset = read_foreign(path)
            library.axes += by_dataset.axes
            library.runs += by_dataset.runs
            library.facts |= by_dataset.facts
            library.problems += by_dataset.problems
            titles.append(path.stem if path.is_file() else path.resolve().name)
    titles += [dataset.name for dataset in _open_loose(loose, library)]
    library.title = shown(", ".join(dict.fromkeys(titles)))
    return library


def _read_audits_and_dialogues(paths: Sequence[Path], library: Library) -> None:
    """Read saved audits and dialogues."""
    for path in paths:
        try:
            if path.is_dir() and (file := inside(path, AUDIT)).is_file():
                library.audits.append(read_audit(file))
            if path.is_dir() and (file := inside(path, DIALOGUES)).is_file():
                name = shown(path.resolve().name)
                while name in library.dialogues:
                    name += "'"
                library.dialogues[name] = read_dialogues(file)
        except AssayError as error:
            library.problems.append(str(error).replace(str(path), path.name))


def _each(paths: Sequence[Path], library: Library) -> Iterator[Path]:
    """Yield the runs of a folder of saved runs; other entries are reported."""
    for path in paths:
        inner = sorted(one for one in path.iterdir() if one.is_dir() and one.name[0] != ".") if path.is_dir() else []
        if is_results_folder(path) or is_run(path) or not any(map(is_run, inner)):
            yield path
            continue
        for one in inner:
            if not one.resolve().is_relative_to(path.resolve()):
                library.problems.append(f"{path.name}/{one.name} points outside {path.name} and is not shown")
            elif is_run(one) or is_results_folder(one):
                yield one
            else:
                what = "an interrupted run" if is_unfinished(one) else "no saved run"
                library.problems.append(f"{path.name}/{one.name} is {what} and is not shown")


def _open_results_folder(path: Path, library: Library) -> str:
    try:
        manifest = read_results_manifest(path)
    except AssayError as error:
        library.problems.append(f"{str(error).replace(str(path), path.name)}; shown are the runs in the folder")
        _open_runs(path, runs_in(path, "*/*"), library)
        return path.name
    library.systems |= {system.name: system.about for system in manifest.systems}
    library.cards |= _cards(path, library)
    for dataset in manifest.datasets:
        try:
            library.add(_results_of(path, manifest, dataset))
        except AssayError as error:
            library.problems.append(str(error))
    return manifest.name


def _cards(path: Path, library: Library) -> WrittenCards:
    try:
        return written_cards(inside(path, CARDS))
    except AssayError as error:
        library.problems.append(str(error).replace(str(path), path.name))
        return {}


def _results_of(path: Path, manifest: ResultsManifest, dataset: Dataset) -> DatasetResults:
    results = DatasetResults(dataset.name, inside(path, dataset.name), path, dataset.about, tuple(dataset.by))
    results.groups = members(manifest.systems)
    shared = {name: manifest.files.get(f"{dataset.name}/{name}") for name in (EXAMPLES, JUDGEMENTS)}
    results.digests = {name: digest for name, digest in shared.items() if digest is not None}
    for entry in manifest.entries:
        if entry.dataset != dataset.name:
            continue
        if entry.why is not None and not entry.failed:
            results.skipped[entry.system] = without_folders(entry.why)
        elif entry.why is not None:
            results.problems.append(f"{dataset.name}: no run of {entry.system} ({without_folders(entry.why)})")
        elif len(Path(entry.system).parts) != 1:
            results.problems.append(f"{dataset.name}: {entry.system} is no valid run name and is not read")
        else:
            results.runs[entry.system] = Run(entry.system, inside(path, dataset.name, entry.system), path)
    for name, run in results.runs.items():
        judged = shared_digests(run.manifest).get(EXAMPLES)
        if judged and EXAMPLES in results.digests and judged != results.digests[EXAMPLES]:
            why = f"was scored against other examples than {dataset.name}/{EXAMPLES}. Run it again."
            results.problems.append(f"{dataset.name}/{name} {why}")
    return results


def _open_runs(path: Path, folders: Sequence[Path], library: Library) -> None:
    """Add the runs of these folders, by dataset."""
    by_dataset: dict[str, DatasetResults] = {}
    for folder in folders:
        relative = folder.relative_to(path).parts
        try:
            own = inside(path, *relative)
            dataset = by_dataset.setdefault(relative[0], DatasetResults(relative[0], inside(path, relative[0]), path))
        except AssayError as error:
            library.problems.append(str(error).replace(str(path), path.name))
            continue
        dataset.runs[folder.name] = Run(folder.name, own, path)
    for dataset in by_dataset.values():
        library.add(dataset)


def _distinct(folders: Sequence[Path]) -> list[str]:
    """Return the folders below the one that all share: results are passed on, and paths of a machine are private."""
    shared = Path(os.path.commonpath(folders))
    return [shown(folder.relative_to(shared).as_posix()) for folder in folders]


def _open_loose(paths: Sequence[Path], library: Library) -> Iterator[DatasetResults]:
    """Group runs made by `assay score --save` by their items."""
    groups: dict[str, list[Run]] = {}
    for path in paths:
        run = Run(path.name, path, path)
        groups.setdefault(str(run.manifest.get("examples", path)), []).append(run)
    for runs in groups.values():
        names = [str(run.manifest.get("system", run.folder.name)) for run in runs]
        if len(set(names)) < len(names):  # two runs of one name are named by their folders
            names = _distinct([run.folder.resolve() for run in runs])
        more = [f"{len(runs) - 3} more"] if len(runs) > 3 else []
        called = " and ".join([*(run.folder.name for run in runs[:3]), *more])
        dataset = DatasetResults(called, runs[0].folder, runs[0].root)
        dataset.digests = runs[0].digests if runs[0].manifest else {}
        for name, run in zip(names, runs, strict=True):
            run.system = name
            dataset.runs[name] = run
        library.add(dataset)
        yield dataset
    library.problems += _shown_apart(list(groups.values()))


def _shown_apart(groups: Sequence[Sequence[Run]]) -> list[str]:
    """Return which saved runs share most of their items, so that they may be thought to be compared with each other."""
    if not 1 < len(groups) <= MOST_GROUPS:
        return []
    first = [(runs[0], runs[0].result) for runs in groups]
    named = [(run.folder.name, set(one.index.ids)) for run, one in first if one is not None and not one.numbered]
    return [
        f"{a} and {b} are shown apart: {_why_apart(ours, theirs)}. `assay compare` tests them on the common items."
        for (a, ours), (b, theirs) in combinations(named, 2)
        if 2 * len(ours & theirs) > min(len(ours), len(theirs))
    ]


def _why_apart(ours: set[str], theirs: set[str]) -> str:
    if ours == theirs:
        return "references, sources or tags of their items differ"
    return f"{len(ours & theirs):,} of {len(ours | theirs):,} items are in both"
