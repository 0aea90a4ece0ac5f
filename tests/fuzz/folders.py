"""Results folders, journals and pages: damage in one file of something whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.errors import AssayError
from assay.records.digests import SEAL
from tests.fuzz.seed_files import judgement_files
from tests.fuzz.target import TEXTS, Target, home, lines


def show(paths: list[Path]) -> None:
    """Everything that the explorer makes of results: pages, exports, a report."""
    from assay.explorer import human_correlation
    from assay.explorer.export import EXPORTS
    from assay.explorer.queries import Queries
    from assay.explorer.report import _filled
    from assay.records import to_json

    human_correlation.SAMPLES = 20  # what is looked for needs no more
    queries = Queries(paths)
    to_json(json.loads(queries.overview_json))
    for _, write_export in EXPORTS.values():
        write_export(queries)
    for dataset in queries.library.datasets:
        with suppress(AssayError):
            queries.examples(dataset, [("limit", "3")])
        with suppress(AssayError):
            queries.correlation(dataset)
    _filled(queries, ".md")


@lru_cache(maxsize=1)
def results() -> Path:
    """Two systems on one dataset with judgements, scored once."""
    from assay.execution.run_config import run_config

    folder = home() / "config"
    folder.mkdir()
    examples = [
        {"id": f"i{i}", "references": [text], "source": text, "language": "en", "tags": {"k": "v"}}
        for i, text in enumerate(TEXTS)
    ]  # fmt: skip
    (folder / "e.jsonl").write_bytes(lines(*examples))
    (folder / "o.jsonl").write_bytes(lines(*({"id": f"i{i}", "output": text[2:]} for i, text in enumerate(TEXTS))))
    (folder / "j.jsonl").write_bytes(judgement_files()[0].replace(b'"system": "a"', b'"system": "lead"'))
    (folder / "c.toml").write_text(
        'name = "n"\nci = 20\n[[datasets]]\nname = "d"\nexamples = "e.jsonl"\njudgements = "j.jsonl"\n'
        'metrics = ["rouge1", "bleu", "distinct-1"]\nby = ["k"]\n[[systems]]\nname = "lead"\nsystem = "lead"\n'
        '[[systems]]\nname = "b"\noutputs = "o.jsonl"\n'
    )
    run_config(folder / "c.toml", home() / "results")
    return home() / "results"


def unsealed(data: bytes) -> bytes:
    """A manifest as earlier versions wrote it: what is changed in it is not seen by a digest."""
    said = {key: value for key, value in json.loads(data).items() if key not in (SEAL, "files", "beside")}
    return json.dumps(said, indent=2).encode()


def stored_target(
    kind: str, pattern: str, read: Callable[[Path], None] | None = None, made: Callable[[bytes], bytes] = bytes
) -> Target:
    """A file of a results folder, damaged in a copy of it; nothing where no such file is kept any more."""

    def seeds() -> list[bytes]:
        return [made(file.read_bytes()) for file in sorted(results().glob(pattern))[:1]]

    def given(data: bytes) -> None:
        name = sorted(results().glob(pattern))[0].relative_to(results())
        copy = home() / f"stored-{kind}"
        if not copy.exists():
            shutil.copytree(results(), copy)
        (copy / name).write_bytes(data)
        (read or read_results)(copy)

    return Target(f"stored-{kind}", seeds, given)


def read_results(folder: Path) -> None:
    from assay.store.saved_run import load_run

    with suppress(AssayError):
        _ = load_run(folder / "d" / "lead").scores
    show([folder])


def score_again(folder: Path) -> None:
    """A run that is there is gone on with."""
    from assay.execution.run_config import run_config

    run_config(home() / "config" / "c.toml", folder)


def read_journal(name: str) -> Callable[[bytes], None]:
    def given(data: bytes) -> None:
        from assay.records import Example
        from assay.systems import system
        from assay.systems.answering import answer
        from assay.systems.tasks import Generate

        folder = home() / "journal"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        examples = [Example(id=f"i{i}", source=text) for i, text in enumerate(TEXTS)]
        answer(Generate(), system("copy"), examples, folder / "o.jsonl")
        if name == "o.jsonl.part":
            (folder / "o.jsonl").unlink()
        (folder / name).write_bytes(data)
        answer(Generate(), system("copy"), examples, folder / "o.jsonl")

    return given


def journal_files(name: str) -> Callable[[], list[bytes]]:
    def made() -> list[bytes]:
        read_journal("other")(b"")
        folder = home() / "journal"
        if name != "o.jsonl.part":
            return [(folder / name).read_bytes()]
        about = json.loads((folder / "o.jsonl.info.json").read_bytes())
        head = {key: about[key] for key in ("by", "task", "system")}
        return [lines(head) + (folder / "o.jsonl").read_bytes()]

    return made


@lru_cache(maxsize=1)
def client() -> Any:
    from fastapi.testclient import TestClient

    from assay.explorer.queries import Queries
    from assay.explorer.server import app_of

    return TestClient(app_of(Queries([results()])), base_url="http://127.0.0.1")


def ask_page(data: bytes) -> None:
    """Any bytes as an address: an answer with a code that means something, never a crash."""
    path, _, query = data[:4000].partition(b"?")
    address = "/" + quote(path.lstrip(b"/"), safe="/.%") + "?" + quote(query, safe="&=%+:,")
    response = client().get(address)
    if response.status_code >= 500:
        raise AssertionError(f"the server answered {response.status_code}")
    if response.headers.get("content-type") == "application/json":
        response.json()
