"""Every command that a document or a --help shows can be called so, names what there is, and runs where files are."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

import assay
from assay.challenges import perturbation
from assay.cli import COMMANDS, group
from assay.datasets import DATASETS, dataset
from assay.inputs import form
from assay.metrics import SUITES, resolve
from assay.systems import SYSTEMS
from tests.conftest import Call, write_jsonl

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src/assay/sample"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PLUGINS = ("exact", "closeness", "lost-word", "keywords", "questions")
"""What the pages about adding things add."""
ELSEWHERE = re.compile(
    r"hf:|chat:|cmd:|train |view |fetch |reproduce|choose |judge |^read |facebook|mucsum|webnlg|documents|candidates|"
    r"announcements|runs/plain|keywords|cache clear|generate examples|tesa|fomc|benchmark\.toml|sgd|augmented|"
    r"check-folder bart|turk|dialog |e2e_nlg:e2e|submission\.json|^benchmark |"
    r"^serve |anomalies (gem|results/mine)|tides\.zip|card (fill|check|convert|render|catalogue)|"
    r"backtranslation|drs|runs/train-sample|study forget|model=runs/|-m mauve|minicheck:model|"
    r"^status "
)
"""What needs a model, a server, a browser or published files is read and not run; so is what clears the cache."""


def in_help() -> Iterator[str]:
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        text = (command.epilog or "").replace("\\\n", " ")  # a line that goes on
        yield from re.findall(r"^  assay (.*)$", text, flags=re.MULTILINE)


def shown_lines() -> list[str]:
    """Whole command lines: indented, or in the examples of a command's help."""
    lines = [
        line
        for document in DOCUMENTS
        for line in re.findall(r"^    (?:\$ )?assay (\S.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    return list(dict.fromkeys(line.partition(" #")[0].rstrip() for line in [*lines, *in_help()]))


def mentioned() -> list[str]:
    """Commands in the middle of a sentence, which may leave out what is not the point."""
    found = [
        code
        for document in DOCUMENTS
        for code in re.findall(r"`assay ([a-z][^`]*)`", document.read_text(encoding="utf-8").replace("\n", " "))
    ]
    return list(dict.fromkeys(found))


def called(line: str) -> tuple[click.Command, list[str]]:
    """The command of a line, below its group if it has one, and the rest."""
    name, *rest = shlex.split(line)
    command = group.get_command(click.Context(group), name)
    assert command is not None, f"assay {line}: there is no such command"
    while isinstance(command, click.Group) and rest:
        below = command.get_command(click.Context(command), rest[0])
        if below is None:
            break
        command, rest = below, rest[1:]
    return command, rest


@pytest.mark.parametrize("line", shown_lines())
def test_a_line_that_is_shown_is_right_usage(line: str) -> None:
    command, rest = called(line)
    with command.make_context(None, [word.replace("s3://", "") for word in rest]) as context:  # no store is asked
        given = {key: value for key, value in context.params.items() if value is not None}
    check_names(line, given)


@pytest.mark.parametrize("code", mentioned())
def test_what_is_mentioned_is_there(code: str) -> None:
    command, rest = called(code.replace("…", ""))
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    assert {word.partition("=")[0] for word in rest if re.match("--?[a-z]", word)} <= known | {"--help"}, code
    for option, value in pairwise(rest):
        if option == "--suite" and value.islower():
            assert value in SUITES, code


def check_names(line: str, given: dict[str, Any]) -> None:
    """Metrics, suites, datasets, systems, forms and perturbations are those that there are."""
    if any(name in line for name in PLUGINS):
        return
    name = line.split()[0]
    if name in ("score", "compare", "selfcheck"):
        assert given.get("suite", "default") in SUITES, line
        assert resolve(given.get("metrics", "rouge")), line
    elif name == "read":
        assert dataset(given["name"]).name in DATASETS, line
    elif name == "challenge":
        assert perturbation(given["kind"]).name, line
    elif name in ("generate", "rank", "choose", "judge"):
        assert re.split("[:/]", given["spec"])[0] in SYSTEMS, line
    if given.get("form") and name in ("generate", "render", "train"):
        assert form(given["form"]).name, line


def test_suites_are_those_of_the_page_and_of_the_cards() -> None:
    page = (ROOT / "docs/scores.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([\w-]+)` \| (.+) \|$", page.partition("## Suites")[2].partition("\n## ")[0], re.M))
    assert listed == {name: ", ".join(specs).replace("?", "") for name, specs in SUITES.items()}
    named = {name: dataset(name).card.suite for name in DATASETS}
    assert {suite for suite in named.values() if suite} <= SUITES.keys()
    assert {"dialog", "data-to-text", "summarization", "simplification"} <= set(named.values())
    for name, suite in ((name, suite) for name, suite in named.items() if suite):
        assert f"| suite | {suite} |" in (ROOT / f"docs/datasets/{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_scores(suite: str) -> None:
    texts = ["the old mill by the river burned down in May", "nobody was hurt there"] * 12
    result = assay.score(texts, texts, sources=texts, suite=suite)
    assert not result.failed
    assert len(result.scores) > 10 or "inputs" in result.skipped[0].why


def test_presets_that_the_page_names_are_there() -> None:
    page = (ROOT / "docs/scores.md").read_text(encoding="utf-8").partition("Presets give")[2].partition("\n##")[0]
    specs = re.findall(r"`([a-z]+:[\w.]+)`", page)
    assert len(specs) > 6
    for spec in specs:
        assert resolve(spec)[0].metric.presets[spec.partition(":")[2]]


def pick(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of the names that the documents use, from the sample."""
    folder = tmp_path_factory.mktemp("stage")
    shutil.copytree(SAMPLE / "outputs", folder / "outputs")
    systems = sorted(path.parent.name for path in (SAMPLE / "outputs").glob("*/news.jsonl"))
    examples = [json.loads(line) for line in (SAMPLE / "news.jsonl").read_text(encoding="utf-8").splitlines()]
    for i, example in enumerate(examples):
        example["tags"]["document"] = str(i // 2)
    for place in ("news", "examples", "references", "refs", "xsum-test"):
        write_jsonl(folder / f"{place}.jsonl", examples)
    names = ("outputs", "a", "b", "c", "baseline", "bart", "t5", "pegasus", "mine")
    for i, name in enumerate(names):
        outputs = shutil.copy(SAMPLE / "outputs" / systems[i % len(systems)] / "news.jsonl", folder / f"{name}.jsonl")
        data: dict[str, Any] = {
            "examples": folder / "news.jsonl",
            "metrics": "rouge,chrf",
            "save": folder / "runs" / name,
        }
        items = assay.score(outputs, ci=50, system=name, **data).per_example
        for file in (f"{name}.per-example", f"{name}1", f"{name}2", f"{name}3"):
            items.write_ndjson(folder / f"{file}.jsonl")
    asked = {"kind": "slots", "slots": [["name", "Aromi"], ["food", "French"]]}
    for name in ("e2e-test", "cs-test"):
        write_jsonl(folder / f"{name}.jsonl", [{"id": str(i), "input": asked} for i in range(12)])
    for file in ("tgen.tsv", "tgen.jsonl"):
        write_jsonl(folder / file, [{"id": str(i), "output": "Aromi is French."} for i in range(12)])
    (folder / "surface_forms.json").write_text(json.dumps({"town": {"Wexley": ["Wexley"]}}))
    people = [
        {"hash": f"i{i}", "model_name": name, "dataset": "xy"[i % 2], "Factuality": (i * k) % 7 / 6, "Bad": i * k % 3}
        for i in range(30)
        for k, name in enumerate(("m1", "m2", "m3", "m4", "m5", "m6"), 1)
    ]
    for i, row in enumerate(people):
        row |= {"Flip_Bad": 0.5, "ours": i % 5, "other": (i * i) % 7, "coherence": i % 4, "id": row["hash"]}
    key = ("hash", "model_name")
    (folder / "human.json").write_text(
        json.dumps([pick(row, *key, "dataset", "Factuality", "Flip_Bad") for row in people])
    )
    (folder / "metrics.json").write_text(json.dumps([pick(row, *key, "ours", "other") for row in people]))
    lines = [f"{row['id']},{row['model_name']},{row['coherence']}" for row in people]
    (folder / "ratings.csv").write_text("\n".join(["id,system,coherence", *lines, ""]))
    write_jsonl(
        folder / "scores.jsonl", [pick(row, "id", "ours", "other") | {"system": row["model_name"]} for row in people]
    )
    (folder / "gem/results").mkdir(parents=True)
    scores = {"N": 40, "bleu": 12.5, "rouge1": {"precision": 0.4, "recall": 0.5, "fmeasure": 0.44}}
    (folder / "gem/results/t5.json").write_text(json.dumps({"submission_name": "T5", "xsum_test": scores}))
    write_jsonl(
        folder / "judgements.jsonl",
        [
            {"id": f"i{i}", "system": s, "annotator": r, "criterion": "fluency", "value": 1 + (i * k + len(r)) % 5}
            for i in range(12)
            for k, s in enumerate(("bart", "t5"), 2)
            for r in ("r1", "r22", "r333")
        ],
    )
    return folder


@pytest.mark.slow
def test_commands_run_on_the_sample(
    stage: Path, monkeypatch: pytest.MonkeyPatch, here: Callable[..., Call], subtests_of: list[str]
) -> None:
    monkeypatch.chdir(stage)
    monkeypatch.setenv("ASSAY_CACHE", str(stage / "cache"))
    failed, ran = [], 0
    for line in subtests_of:
        call = here(*shlex.split(line))
        ran += call.code == 0
        if call.code != 0 and "no such file" not in call.err.lower():  # what is not staged was read for usage alone
            failed.append(f"assay {line}: {call.err.strip().splitlines()[-1]}")
    assert not failed, "\n".join(failed)
    assert ran > 40


@pytest.fixture
def subtests_of() -> list[str]:
    lines = [line for line in shown_lines() if not ELSEWHERE.search(line)]
    assert len(lines) > 25
    return sorted(lines, key=lambda line: not line.startswith("run "))
