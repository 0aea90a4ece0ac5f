"""What the fault sweep is run over: each command that writes, on a fresh folder and on one with something to lose."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from tests.faults.study_cases import STUDY_CASES
from tests.faults.sweep import Case, Forks, Seen

WORDS = "harbour lantern meadow copper thistle orchard gravel willow beacon saddle marble kettle".split()
SYSTEM = """
import os

count = 0

def reply(request):
    global count
    count += 1
    if count > 4 and os.path.exists("stop"):
        raise RuntimeError("the system is down")
    with open(os.environ["ASKED"], "a") as asked:
        asked.write(request["id"] + "\\n")
    return "the " + " ".join(request["source"].split()[:4])
"""


def lines(path: Path, rows: Sequence[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def corpus(folder: Path, n: int = 6) -> None:
    """Examples with the outputs of two systems, all made of a dozen words."""
    turned = [" ".join(WORDS[(i + j) % len(WORDS)] for j in range(6)) for i in range(n)]
    lines(folder / "e.jsonl", [
        {"id": f"i{i}", "references": [text], "source": f"{text}. {text[::-1]}."} for i, text in enumerate(turned)
    ])  # fmt: skip
    lines(folder / "a" / "d.jsonl", [{"id": f"i{i}", "output": text[:-8]} for i, text in enumerate(turned)])
    lines(folder / "b" / "d.jsonl", [{"id": f"i{i}", "output": text[9:]} for i, text in enumerate(turned)])


def texts(path: Path) -> list[str]:
    return [str(json.loads(line)["output"]) for line in path.read_text(encoding="utf-8").splitlines()]


class Score(Case):
    """`score --save`: the numbers of a run and the texts they are of are one whole."""

    def __init__(self, name: str, arguments: Sequence[str], before: Sequence[str] = ()) -> None:
        self.name = f"score {name}"
        self.arguments = ["score", *arguments, "-e", "e.jsonl", "--save", "run"]
        self.first = ["score", *before, "-e", "e.jsonl", "--save", "run"] if before else None

    def prepare(self, forks: Forks, folder: Path) -> None:
        corpus(folder)
        if self.first:
            assert forks.run(folder, self.first).code == 0

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        if not (folder / "run" / "run.json").exists():
            return {}, []
        found = forks.run(folder, ["score", "run", "--json"])
        if found.code:
            return {}, [found.unclear()] if found.unclear() else []
        scores = {name: score["value"] for name, score in json.loads(found.out)["scores"].items()}
        return {"run": (scores, texts(folder / "run" / "outputs.jsonl"))}, []


CONFIG = """
name = "tiny"
ci = 20
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1", "bleu"]
[[systems]]
name = "a"
outputs = "a/{{dataset}}.jsonl"
[[systems]]
name = "mine"
system = "{system}"
"""


class Run(Case):
    """`run`: each system's numbers and texts are one whole; what is finished is not lost with what is not."""

    def __init__(self, name: str, before: str = "", force: bool = False) -> None:
        self.name = f"run {name}"
        self.arguments = ["run", "c.toml", "-o", "out", *(["--force"] if force else [])]
        self.before = before

    def prepare(self, forks: Forks, folder: Path) -> None:
        corpus(folder)
        if self.before:
            (folder / "c.toml").write_text(CONFIG.format(system=self.before))
            assert forks.run(folder, self.arguments).code == 0
        (folder / "c.toml").write_text(CONFIG.format(system="lead"))

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        found: Seen = {}
        wrong = []
        for system in ("a", "mine"):
            run = folder / "out" / "d" / system
            if not (run / "run.json").exists():
                continue
            said = forks.run(folder, ["score", run, "--json"])
            if said.code:
                wrong += [said.unclear()] if said.unclear() else []
                continue
            scores = {name: score["value"] for name, score in json.loads(said.out)["scores"].items()}
            found[system] = (scores, texts(run / "outputs.jsonl"))
        return found, wrong


class Generate(Case):
    """`generate`: answers that were kept stay kept, and nobody is asked for them again."""

    def __init__(self, name: str, before: Sequence[str] = (), force: bool = False, stopped: bool = False) -> None:
        self.name = f"generate {name}"
        self.stopped, self.asks_again = stopped, force
        self.arguments = ["system", "generate", "e.jsonl", "--system", "call:replies.reply", "-o", "g.jsonl"]
        self.arguments += ["--force"] if force else []
        self.before = before

    def prepare(self, forks: Forks, folder: Path) -> None:
        corpus(folder, 8)
        (folder / "replies.py").write_text(SYSTEM)
        if self.before:
            assert forks.run(folder, ["system", "generate", "e.jsonl", "-o", "g.jsonl", *self.before]).code == 0
        if self.stopped:
            (folder / "stop").touch()
            assert "4 of 8 answers are kept" in forks.run(folder, self.arguments).err
            (folder / "stop").unlink()

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        if not (folder / "g.jsonl").exists():
            return {}, []
        rows = [json.loads(line) for line in (folder / "g.jsonl").read_text(encoding="utf-8").splitlines()]
        doubled = len(rows) - len({row["id"] for row in rows})
        return {"answers": [row["output"] for row in rows]}, [f"finds {doubled} ids twice"] if doubled else []


class Report(Case):
    """`report`: the file is the old one or the new one, in whatever form."""

    reads_damaged = True

    def __init__(self, file: str, *options: str) -> None:
        self.name = f"report {file}"
        self.file = file
        self.arguments = ["report", "out", "-o", file, *options]

    def prepare(self, forks: Forks, folder: Path) -> None:
        corpus(folder)
        (folder / "c.toml").write_text(CONFIG.format(system="lead"))
        assert forks.run(folder, ["run", "c.toml", "-o", "out"]).code == 0
        (folder / self.file).write_text("an older report")

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        return {"report": hashlib.sha256((folder / self.file).read_bytes()).hexdigest()}, []


class Train(Case):
    """`train`: a training that breaks off goes on to the same model and the same losses."""

    name = "train"
    finished_is_refused = True
    imports = (
        "torch", "transformers.models.t5.modeling_t5", "transformers.models.auto.modeling_auto", "accelerate",
        "matplotlib.backends.backend_svg", "matplotlib.figure", "safetensors.torch", "assay.systems.neural.train",
        "assay.systems.neural.fine_tune", "assay.systems.neural.generation_objective",
    )  # fmt: skip
    arguments = (
        "system", "train", "seq2seq:tiny:epochs=2:batch=4", "--train", "e.jsonl", "--valid",
        "v.jsonl", "-o", "model",
    )  # fmt: skip

    def prepare(self, forks: Forks, folder: Path) -> None:
        corpus(folder, 8)
        (folder / "v.jsonl").write_text("".join((folder / "e.jsonl").read_text().splitlines(keepends=True)[:2]))

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        model = folder / "model"
        if (model / "checkpoint.safetensors").exists() or not (model / "model.safetensors").exists():
            return {}, []
        losses = [json.loads(line) for line in (model / "losses.jsonl").read_text().splitlines()]
        kept = [{key: value for key, value in row.items() if key != "seconds"} for row in losses]
        return {"model": (hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest(), kept)}, []


def frozen(forks: Forks, folder: Path) -> Path:
    """The manifest of a frozen benchmark version."""
    from tests.support.made_benchmarks import made

    manifest = made(folder)
    ended = forks.run(folder, ["benchmark", "freeze", manifest.name])
    assert ended.code == 0, ended.err
    return manifest.rename(folder / "frozen.toml")


def server(forks: Forks, folder: Path) -> None:
    """A server folder with a benchmark, its stored files, two users and its secret; `add` makes the folder."""
    manifest = frozen(forks, folder)
    added = forks.run(folder, ["server", "add", "server", manifest.name])
    assert added.code == 0, added.err
    for user in ("a@example.org", "b@example.org"):
        invited = forks.run(folder, ["server", "invite", "server", user])
        assert invited.code == 0, invited.err


def users(folder: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(f"file:{folder / 'assay.sqlite'}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT email, name, seal FROM people ORDER BY email").fetchall()


class Backup(Case):
    """`server backup`: the archive is whole or not there."""

    name = "server backup"
    imports = ("sqlalchemy", "alembic.command", "fastapi", "assay.serving.server", "assay.serving.backup")
    finished_is_refused = True
    arguments = ("server", "backup", "server", "b.tar.gz")

    def prepare(self, forks: Forks, folder: Path) -> None:
        server(forks, folder)

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        seen: Seen = {"users": users(folder / "server")}
        if (folder / "b.tar.gz").exists():
            seen["archive"] = hashlib.sha256((folder / "b.tar.gz").read_bytes()).hexdigest()
        return seen, []


class Restore(Case):
    """`server restore`: a server that opens has everything that was saved."""

    name = "server restore"
    imports = Backup.imports
    finished_is_refused = True
    arguments = ("server", "restore", "new", "b.tar.gz")

    def prepare(self, forks: Forks, folder: Path) -> None:
        server(forks, folder)
        assert forks.run(folder, Backup.arguments).code == 0
        shutil.rmtree(folder / "server")

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        verified = forks.run(folder, ["store", "verify", "new"]) if (folder / "new" / "secret").exists() else None
        if verified is None or verified.code:
            return {}, [verified.unclear()] if verified and verified.unclear() else []
        new = folder / "new"
        stored = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (new / "blobs").rglob("*")
                  if path.is_file()}  # fmt: skip
        return {"server": (users(new), stored, (new / "secret").read_text())}, []


class Submit(Case):
    """`benchmark submit`: a submission is stored with its scores or not at all."""

    name = "submit"
    arguments = ("benchmark", "submit", "s.json", "--benchmark", "frozen.toml", "-o", "store")

    def prepare(self, forks: Forks, folder: Path) -> None:
        from tests.support.made_submissions import good

        frozen(forks, folder)
        (folder / "s.json").write_text(json.dumps(good()))

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        scores = sorted((folder / "store").glob("*/*/results/*/tides/run.json"))
        records = sorted((folder / "store").glob("*/*/submissions/*/record.json"))
        if not records or not scores:
            return {}, []
        found = {path.parent.parent.name: json.loads(path.read_text())["scores"] for path in scores}
        values = {task: {name: one["value"] for name, one in each.items()} for task, each in found.items()}
        return {"submission": values}, []


METRICS = ("-m", "rouge1,bleu,distinct-2")
CASES: tuple[Case, ...] = (
    Score("fresh", ["a/d.jsonl", *METRICS]),
    Score("more metrics", ["a/d.jsonl", *METRICS], ["a/d.jsonl", "-m", "chrf"]),
    Score("another system", ["a/d.jsonl", *METRICS, "--force"], ["b/d.jsonl", *METRICS]),
    Run("fresh"),
    Run("another system", before="random-sentence", force=True),
    Generate("fresh"),
    Generate("resumed", stopped=True),
    Generate("again", before=["--system", "lead"], force=True),
    Report("r.html", "--plain"),
    Report("r.csv"),
    Train(),
    Backup(),
    Restore(),
    Submit(),
    *STUDY_CASES,
)
