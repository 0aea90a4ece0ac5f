"""The public bundle of a benchmark version: outputs, statistics, scores and cards as a results folder or .zip.

results.json, TASK/...      results folder for `assay view`
benchmark.toml              manifest without held-back metrics
cards.json, cards/          cards of the tasks and systems
submissions.json            submissions under their public names
exports/                    scores as every_eval_ever records and as a model index
"""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Container, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from assay.benchmark.manifest import published, write_manifest
from assay.benchmark.submission_record import SubmissionRecord
from assay.benchmark.submission_store import MANIFEST, StoredVersion
from assay.benchmark.visibility import Audience, is_whole, readable, visibility, withheld_metrics
from assay.errors import AssayError
from assay.explorer.exchange import every_eval_records, to_model_index
from assay.explorer.overview import overview_of
from assay.records.digests import FileDigest, seal
from assay.records.files import to_json, write_text
from assay.records.read import read_examples, read_outputs
from assay.records.temporary import remove_abandoned
from assay.records.types import Output
from assay.store.config_records import System
from assay.store.library import open_results
from assay.store.results_manifest import ResultsManifest, read_results_manifest, write_results_manifest
from assay.store.run_manifest import EXAMPLES, RunManifest, digests_of, read_manifest, with_shared_digest
from assay.store.run_manifest import MANIFEST as RUN
from assay.store.stored_rows import write_texts
from assay.store.written_cards import CARDS

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Date of every file in an archive, so that the same content gives the same bytes."""


def write_bundle(
    version: StoredVersion, out: Path, *, only: str | None = None, day: str = "", withdrawn: Container[str] = (),
    audience: Audience = "public",
) -> list[SubmissionRecord]:  # fmt: skip
    """Write the public bundle of a version.

    Args:
        version: The stored version.
        out: A new folder, or a file that ends in .zip.
        only: Write the copy of one submission for its authors, under its real name.
        day: Date that decides which submissions are anonymous (default: today).
        withdrawn: Systems to leave out.
        audience: Who will read the bundle; references and inputs that they may not read are left out.

    Returns:
        The submissions in the bundle.
    """
    if out.exists():
        raise AssayError(f"{out}: already exists. Write to another place, or delete it.")
    today = day or datetime.now(UTC).date().isoformat()
    records = [
        record for record in version.records() if only in (None, record.system) and record.system not in withdrawn
    ]
    names = {record.system: record.system if only else record.shown_as(today) for record in records}
    if not records:
        raise AssayError(f"{version.folder}: no submissions yet. Add one with `assay benchmark submit`.")
    out.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(out.parent, ".bundle-")
    with TemporaryDirectory(prefix=".bundle-", dir=out.parent) as made:
        folder = Path(made) / version.manifest.name
        folder.mkdir()
        _results(version, folder, records, names, audience)
        write_manifest(folder / MANIFEST, published(version.manifest))
        _cards(version, folder, records, names)
        _exports(folder, int(datetime.fromisoformat(today).replace(tzinfo=UTC).timestamp()))
        if out.suffix == ".zip":
            _zip(folder, out)
        else:
            folder.rename(out)
    return records


def _results(
    version: StoredVersion, folder: Path, records: list[SubmissionRecord], names: Mapping[str, str], audience: Audience
) -> None:
    manifest = read_results_manifest(version.results)
    entries = [entry for entry in manifest.entries if entry.system in names and entry.why is None]
    tasks = {entry.dataset for entry in entries}
    rewritten: dict[str, FileDigest] = {}
    for task in tasks:
        (folder / task).mkdir()
        level = visibility(version.manifest, version.manifest.task(task))
        source, name = version.results / task / EXAMPLES, f"{task}/{EXAMPLES}"
        if is_whole(level, audience):
            shutil.copyfile(source, folder / name)
        else:
            digest = write_texts(folder / name, readable(read_examples(source).examples, level, audience))
            rewritten |= {name: digest}
    for entry in entries:
        source = version.results / entry.dataset / entry.system
        target = folder / entry.dataset / names[entry.system]
        withheld = withheld_metrics(
            read_manifest(source), visibility(version.manifest, version.manifest.task(entry.dataset)), audience
        )
        _copy_run(source, target, names[entry.system], rewritten.get(f"{entry.dataset}/{EXAMPLES}"), withheld)
    about = {record.system: record.description if names[record.system] == record.system else "" for record in records}
    systems = [
        System(
            name=names[system.name], outputs=f"{{dataset}}/{names[system.name]}/outputs.jsonl", about=about[system.name]
        )
        for system in manifest.systems
        if system.name in names
    ]
    write_results_manifest(
        folder,
        ResultsManifest(
            version.manifest.title,
            [dataset for dataset in manifest.datasets if dataset.name in tasks],
            systems,
            [msgspec.structs.replace(entry, system=names[entry.system]) for entry in entries],
            files={name: digest for name, digest in manifest.files.items() if name.partition("/")[0] in tasks}
            | {name: digest for name, digest in rewritten.items() if name in manifest.files},
        ),
    )


def _copy_run(
    source: Path, target: Path, name: str, examples: FileDigest | None, withheld: Mapping[str, str]
) -> None:  # fmt: skip
    """Copy the files listed in a run's manifest, with the system renamed in outputs and manifest if necessary.

    Args:
        source: The run in the store.
        target: The run in the bundle.
        name: Name of the system in the bundle.
        examples: Digest of the examples in the bundle, if they are not those of the store.
        withheld: Metrics whose statistics are left out, with the reason; their scores remain.
    """
    manifest = read_manifest(source)
    kept = [entry for entry in manifest["metrics"] if entry["spec"] not in withheld]
    left_out = {entry["statistics"] for entry in manifest["metrics"]} - {entry["statistics"] for entry in kept}
    files = {file: digest for file, digest in digests_of(manifest).items() if file not in left_out}
    for file, digest in files.items():
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        if why := digest.change(source / file):
            raise AssayError(f"{source / file}: damaged ({why}). Try `assay store verify {source} --repair`.")
        shutil.copyfile(source / file, target / file)
    if name != manifest["system"]:
        outputs = read_outputs(source / "outputs.jsonl")
        rows = (Output(id=id, output=text, system=name) for id, text in zip(outputs.ids, outputs.texts, strict=True))
        files["outputs.jsonl"] = write_texts(target / "outputs.jsonl", rows)
    renamed: RunManifest = {**manifest, "system": name, "files": files, "metrics": kept}
    renamed["warnings"] = [*manifest["warnings"], *(f"{spec}: {why}" for spec, why in withheld.items())]
    if examples is not None:
        renamed = with_shared_digest(renamed, EXAMPLES, examples)
    renamed["command"] = ["assay", "benchmark", "submit"]
    write_text(target / RUN, to_json(seal(renamed)) + "\n")


def _cards(version: StoredVersion, folder: Path, records: list[SubmissionRecord], names: Mapping[str, str]) -> None:
    """Write the cards, without those of anonymous submissions: cards name their authors."""
    named = [record for record in records if names[record.system] == record.system]
    write_text(folder / CARDS, to_json(version.shown_cards(named)) + "\n")
    files = {f"systems/{record.system}.md": version.model_card(record.system) for record in named}
    files |= {f"tasks/{task.name}.md": version.data_card(task.name) for task in version.manifest.tasks}
    for name, file in files.items():
        if file.is_file():
            write_text(folder / "cards" / name, file.read_text(encoding="utf-8"))
    listed = [
        {
            "system": names[record.system],
            "name": record.name if names[record.system] == record.system else names[record.system],
            "parameters": record.parameters,
            "tasks": record.tasks,
            "received": record.received[:10],
            "anonymous_until": record.anonymous_until,
            "from_version": record.from_version,
        }
        for record in records
    ]
    write_text(
        folder / "submissions.json", to_json({"benchmark": version.manifest.title, "submissions": listed}) + "\n"
    )


def _exports(folder: Path, when: int) -> None:
    overview = overview_of(open_results([folder]))
    for record in every_eval_records(overview, when):
        write_text(folder / "exports" / f"{record['model_info']['name']}.json", to_json(record) + "\n")
    (folder / "exports" / "model-index.yaml").write_bytes(to_model_index(overview))


def _zip(folder: Path, out: Path) -> None:
    part = folder.with_suffix(".zip")
    part.write_bytes(packed(folder, folder.rglob("*")))
    part.rename(out)


def packed(folder: Path, files: Iterable[Path]) -> bytes:
    """Return a zip archive of files below a folder; the same content gives the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(files):
            if file.is_file():
                entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes())
    return made.getvalue()
