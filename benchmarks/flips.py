"""Single bits flipped in every kind of stored file: one that changes a number is seen, whoever reads it.

python -m benchmarks.flips           # 200 flips in each kind of file
python -m benchmarks.flips 1000 7    # N flips, from a random seed
python -m benchmarks.flips 120 0 server backup   # only kinds whose name contains one of these words
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import assay
from assay.errors import AssayError
from assay.execution.run_config import run_config
from assay.explorer.queries import Queries
from assay.metrics import Rows
from assay.store.config_records import Config, Dataset, System
from assay.store.run_folder import RunFolder

N = 12
OUTPUTS = [f"the cat number {i} sat on a mat" for i in range(N)]
REFERENCES = [f"the cat number {i} sat on the mat" for i in range(N)]
METRICS = "rouge1,bleu,ngrams"


class Seen(NamedTuple):
    """What a reader finds: numbers and texts, and what it is told of them."""

    found: Any
    said: tuple[str, ...] = ()


def run_read(home: Path) -> Seen:
    """A saved run, by whoever loads it."""
    loaded = assay.load_run(home / "run")
    return Seen((loaded.to_dict()["scores"], loaded.per_example.to_dicts(), loaded.index.frame.to_dicts()))


def run_shown(home: Path) -> Seen:
    """A saved run with its texts, as the explorer shows it."""
    return _shown(home / "run", "run")


def results_shown(home: Path) -> Seen:
    """A results folder, as the explorer shows it."""
    return _shown(home / "results", "d")


def _shown(path: Path, dataset: str) -> Seen:
    queries = Queries([path])
    lines = [
        (line.system, line.dataset, line.subset, line.n, {name: score.value for name, score in line.scores.items()})
        for line in queries.overview.runs
    ]
    page = queries.examples(dataset)
    people = queries.correlation(dataset) if queries.overview_page.judged else None
    texts = [(example.id, example.references, example.outputs) for example in page.examples]
    return Seen((lines, texts, people), (*queries.overview.problems, *page.notes))


def answers_read(home: Path) -> Seen:
    """Answers, by the command that made them: it takes them as they are, or says that they are not."""
    done = assay.generate(home / "e.jsonl", "lead", home / "o.jsonl")
    return Seen([(one.id, one.output) for one in done])


def answers_resumed(home: Path) -> Seen:
    """Answers of a command that was stopped, by the one that goes on."""
    with contextlib.redirect_stderr(io.StringIO()):
        done = assay.generate(home / "e.jsonl", "lead", home / "u.jsonl")
    return Seen([(one.id, one.output) for one in done])


def run_resumed(home: Path) -> Seen:
    """A run that was stopped, by the one that goes on."""
    with patch("assay.execution.measure.SHARD", 4):
        scored = assay.score(OUTPUTS, REFERENCES, metrics=METRICS, save=home / "stopped", system="cats")
    return Seen(scored.to_dict()["scores"])


def server_verified(home: Path, url: str | None = None) -> Seen:
    """A server folder, as its start, its backup and `assay store verify` check it."""
    from assay.serving.backup import dump_table
    from assay.serving.database import open_database
    from assay.serving.integrity import blob_problems, require_sound
    from assay.serving.tables import metadata

    database = open_database(url, home / "server")
    try:
        with database.read() as connection:
            require_sound(connection)
            rows = [dump_table(connection, table) for table in metadata.sorted_tables]
            if damage := blob_problems(connection, home / "server"):
                raise AssayError(damage[0])
            return Seen(rows)
    finally:
        database.close()


def backup_restored(home: Path, name: str) -> Seen:
    """An archive, by the server that is restored from it."""
    from assay.serving.restore import restore

    restore(None, home / "restored", home / name)
    files = sorted(path for path in (home / "restored").rglob("*") if path.is_file() and "sqlite" not in path.name)
    shutil.rmtree(home / "server")
    (home / "restored").rename(home / "server")
    texts = [
        path.read_bytes() for path in sorted((home / "server").rglob("*")) if path.name in ("secret", "assay.toml")
    ]
    return Seen((server_verified(home).found, len(files), texts))


def make_server(home: Path, url: str | None = None, rows: int = 20) -> None:
    """A server with users, answers, stored files and entries of the audit log, and its backups."""
    from assay.serving.audit import record
    from assay.serving.backup import back_up
    from assay.serving.database import now
    from assay.serving.server import open_server
    from assay.serving.tables import people, publications, study_events

    server = open_server(home / "server", url)
    (home / "server" / "assay.toml").write_text('title = "Tides"\n')
    for i in range(rows):
        digest = server.blobs.put(f"bundle {i}".encode() * 40)
        with server.database.write() as connection:
            server.blobs.name(connection, digest)
            row = {"benchmark": "b", "version": str(i), "content": f"c {i}", "bundle": digest, "made": now()}
            connection.execute(publications.insert().values(row))
            connection.execute(people.insert().values(id=f"p{i}", email=f"{i}@example.org", name="n", made=now()))
            event = {"study": "s", "seq": i + 1, "at": 1.5 * i, "event": json.dumps({"answer": i, "text": "good"})}
            connection.execute(study_events.insert().values(event))
            record(connection, f"p{i}", "answered", "study:s", item=i)
    for name in ("b.tar", "b.tar.gz"):
        back_up(server.database, server.folder, home / name)
    server.database.close()


KINDS: dict[str, tuple[str, Callable[[Path], Seen]]] = {
    "run.json": ("run/run.json", run_read),
    "items.parquet": ("run/items.parquet", run_read),
    "statistics, dense": ("run/statistics/rouge*", run_read),
    "statistics, tokens": ("run/statistics/tokens*", run_read),
    "outputs.jsonl": ("run/outputs.jsonl", run_shown),
    "examples.jsonl": ("run/examples.jsonl", run_shown),
    "results.json": ("results/results.json", results_shown),
    "shared examples.jsonl": ("results/d/examples.jsonl", results_shown),
    "judgements.jsonl": ("results/d/judgements.jsonl", results_shown),
    "run.json of a benchmark": ("results/d/any-1/run.json", results_shown),
    "answers": ("o.jsonl", answers_read),
    "answers' info.json": ("o.jsonl.info.json", answers_read),
    "unfinished answers": ("u.jsonl.part", answers_resumed),
    "shards": ("stopped/statistics/rouge*.partial/00000004-*.npz", run_resumed),
    "unfinished statistics": ("stopped/statistics/bleu*.parquet", run_resumed),
    "unfinished.jsonl": ("stopped/unfinished.jsonl", run_resumed),
    "content": ("stopped/content", run_resumed),
    "server database": ("server/assay.sqlite", server_verified),
    "stored file of a server": ("server/blobs/*/*", server_verified),
    "backup.tar": ("b.tar", partial(backup_restored, name="b.tar")),
    "backup.tar.gz": ("b.tar.gz", partial(backup_restored, name="b.tar.gz")),
}


class StoppedError(Exception):
    """As if the process had ended here."""


def make(home: Path) -> None:
    """One of everything that is stored."""
    rows = [{"id": str(i), "source": f"{text}. More.", "references": [text]} for i, text in enumerate(REFERENCES)]
    judged = [
        {"id": str(i), "system": name, "annotator": who, "criterion": "q", "value": (i * len(name)) % 5}
        for i in range(N) for name in ("lead", "any-1") for who in ("x", "y")
    ]  # fmt: skip
    for name, held in (("e", rows), ("j", judged)):
        (home / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in held), encoding="utf-8")
    assay.score(OUTPUTS, REFERENCES, metrics=METRICS, save=home / "run", system="cats")
    config = Config(
        name="mine", ci=0, datasets=[
            Dataset(name="d", examples=str(home / "e.jsonl"), judgements=str(home / "j.jsonl"), metrics=["rouge1"])
        ], systems=[System(name="lead", system="lead:k=1"), System(name="any", system="random-sentence", seeds=[1, 2])],
    )  # fmt: skip
    run_config(config, home / "results")
    make_server(home)
    assay.generate(home / "e.jsonl", "lead", home / "o.jsonl")
    with contextlib.suppress(AssayError), patch("assay.systems.journal.write_jsonl", side_effect=OSError(28, "full")):
        assay.generate(home / "e.jsonl", "lead", home / "u.jsonl")
    put, left = RunFolder.put, iter([False, True])

    def stopping(self: RunFolder, key: str, rows: Rows) -> None:
        if next(left):
            raise StoppedError
        put(self, key, rows)

    small = patch("assay.execution.measure.SHARD", 4)
    with contextlib.suppress(StoppedError), small, patch.object(RunFolder, "put", stopping):
        scored = "bleu,rouge1,ngrams"
        assay.score(OUTPUTS, REFERENCES, metrics=scored, save=home / "stopped", system="cats")


def flipped(kind: str, flips: int, seed: int, made: Path, work: Path) -> Iterator[str]:
    """For each flip what came of it: `as before`, `said`, or `unseen`."""
    pattern, read = KINDS[kind]
    rng = random.Random(f"{kind} {seed}")

    def fresh() -> Path:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(made, work)
        return next(work.glob(pattern))

    fresh()
    whole = read(work)
    for _ in range(flips):
        file = fresh()
        data = bytearray(file.read_bytes())
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
        try:
            seen = read(work)
        except AssayError:
            yield "said"
            continue
        yield (
            "as before" if seen.found == whole.found else "said" if seen.said and seen.said != whole.said else "unseen"
        )


def run_flips(flips: int, seed: int, base: Path, words: Sequence[str] = ()) -> dict[str, Counter[str]]:
    made = base / "made"
    made.mkdir()
    make(made)
    with patch("os.fsync", lambda handle: None):
        kinds = [kind for kind in KINDS if not words or any(word in kind for word in words)]
        counts = {}
        for kind in kinds:
            counts[kind] = Counter(flipped(kind, flips, seed, made, base / "work"))
            shown = ", ".join(f"{count} {what}" for what, count in sorted(counts[kind].items()))
            print(f"{kind:<26} {shown}", flush=True)
        return counts


def main() -> int:
    flips, seed = (int(one) for one in (sys.argv[1:] + ["200", "0"][len(sys.argv) - 1 :])[:2])
    with tempfile.TemporaryDirectory(prefix="assay-flips-") as base:
        found = run_flips(flips, seed, Path(base), sys.argv[3:])
    unseen = sum(counts["unseen"] for counts in found.values())
    print(f"{flips * len(found)} flips, {unseen} that changed something unseen")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
