"""Every command that a document or a --help shows can be called so, names what exists, and prints what is shown."""

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
from tools import command_reference, refresh_docs

import assay
from assay.challenges import perturbation
from assay.cli import group
from assay.datasets import DATASETS, dataset
from assay.inputs import form
from assay.metrics import SUITES, resolve
from assay.systems import SYSTEMS
from tests.conftest import Call, write_jsonl

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src/assay/sample"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PLUGINS = ("exact", "closeness", "lost-word", "keywords", "questions")
"""What the examples of CONTRIBUTING.md add."""
ELSEWHERE = re.compile(
    r"hf:|chat:|cmd:|system train |^view |data fetch |metric reproduce|system choose |judge run |data read |facebook|"
    r"mucsum|webnlg|documents|candidates|announcements|runs/plain|keywords|cache clear|generate examples|tesa|fomc|"
    r"benchmark\.toml|sgd|augmented|store verify bart|turk|analyze dialog |e2e_nlg:e2e|submission\.json|"
    r"^benchmark (?!card new|card guide)|^server |anomalies (gem|results/mine)|^table gem|tides\.zip|backtranslation|"
    r"drs|"
    r"runs/train-sample|study forget|crowd study|--as votes|verify server|claims\.toml|"
    r"model=runs/|-m mauve|minicheck:model|alignscore:model|parser=spacy|^run status |examples/|s3://|ray|"
    r"metric meaning mine|make contexts|analyze controls"
)
"""What needs a model, a server, a browser, a cluster or published files is parsed and not run."""
HEAD = re.compile(r"score outputs\.jsonl( -e examples\.jsonl)? -m [a-z_]+")
"""The example at the head of a metric's page, which is the same for all metrics."""
REQUIREMENT = re.compile(
    r"no metric could be computed \(\w+: "
    r"(needs|\S+ supports|its \w+ (and \w+ )?are English|mentions are found by English|id )"
)
"""The answer where the sample lacks what the metric requires."""
UNANSWERED = re.compile(r"study (analyze|estimate) .*study\.jsonl.*")
"""What reads the answers of the study, which the sample's annotators have not given."""
CONTINUED = re.compile(r"\\\n +")
"""The end of a line that continues on the next one."""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name."""
    root = click.Context(group, info_name="assay")
    for name, context in command_reference.commands(group, root, "assay"):
        yield name.removeprefix("assay").strip(), context.command


def in_help() -> Iterator[str]:
    for _, command in commands():
        yield from re.findall(r"^  assay (.*)$", CONTINUED.sub("", command.epilog or ""), flags=re.MULTILINE)


def shown_lines(prompt: str = r"(?:\$ )?") -> list[str]:
    """Return whole command lines: indented after a prompt, or in the examples of a command's help."""
    lines = [
        line
        for document in DOCUMENTS
        for line in re.findall(
            rf"^    {prompt}assay (\S.*)$", CONTINUED.sub("", document.read_text(encoding="utf-8")), re.MULTILINE
        )
    ]
    return list(dict.fromkeys(line.partition(" #")[0].rstrip() for line in [*lines, *in_help()]))


def mentioned() -> list[str]:
    """Return commands in the middle of a sentence, which may leave out arguments."""
    codes = [
        code
        for document in DOCUMENTS
        if document != command_reference.PAGE
        for code in re.findall(r"`assay ([a-z][^`]*)`", " ".join(document.read_text(encoding="utf-8").split()))
    ]
    return list(dict.fromkeys(codes))


def called(line: str) -> tuple[str, click.Command, list[str]]:
    """Return the full name of the command of a line, the command, and the rest."""
    words = shlex.split(line)
    known = dict(commands())
    for length in (3, 2, 1):
        if (name := " ".join(words[:length])) in known:
            return name, known[name], words[length:]
    raise AssertionError(f"assay {line}: there is no such command")


@pytest.mark.parametrize("line", shown_lines())
def test_a_line_that_is_shown_is_right_usage(line: str) -> None:
    name, command, rest = called(line)
    with command.make_context(None, [word.replace("s3://", "") for word in rest]) as context:  # no store is opened
        values = {key: value for key, value in context.params.items() if value is not None}
    check_names(name, line, values)


@pytest.mark.parametrize("code", mentioned())
def test_what_is_mentioned_is_there(code: str) -> None:
    _, command, rest = called(code.replace("…", ""))
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    assert {word.partition("=")[0] for word in rest if re.match("--?[a-z]", word)} <= known | {"--help"}, code
    for option, value in pairwise(rest):
        if option == "--suite" and value.islower():
            assert value in SUITES, code


def check_names(name: str, line: str, values: dict[str, Any]) -> None:
    """Metrics, suites, datasets, systems, forms and perturbations exist."""
    if any(plugin in line for plugin in PLUGINS):
        return
    if name in ("score", "compare", "analyze null-test"):
        assert values.get("suite", "default") in SUITES, line
        assert resolve(values.get("metrics", "rouge")), line
    elif name == "data read":
        assert dataset(values["name"]).name in DATASETS, line
    elif name == "challenge make":
        assert perturbation(values["kind"]).name, line
    elif name in ("system generate", "system rank", "system choose", "judge run"):
        assert re.split("[:/]", values["system"])[0] in SYSTEMS, line
    if values.get("form") and name in ("system generate", "data render", "system train"):
        assert form(values["form"]).name, line


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in DOCUMENTS if re.search(r"^(    \$ assay |>>> )", page.read_text(encoding="utf-8"), re.MULTILINE)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_output_is_what_the_command_prints(page: Path) -> None:
    """When this fails: python tools/refresh_docs.py PAGE."""
    assert refresh_docs.refreshed(page) == page.read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
def test_the_command_reference_is_current() -> None:
    """When this fails: python tools/command_reference.py."""
    assert command_reference.page() == command_reference.PAGE.read_text(encoding="utf-8")


def test_suites_are_those_of_the_page_and_of_the_cards() -> None:
    page = (ROOT / "docs/scores.md").read_text(encoding="utf-8")
    section = page.partition("## Suites")[2].partition("\n## ")[0]
    listed = {
        name: " ".join(specs.split()) for name, specs in re.findall(r"^- `([\w-]+)`: (.+(?:\n  .+)*)", section, re.M)
    }
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
    if suite in ("answers", "fields"):  # few metrics, all of which apply
        assert len({*result.scores}) >= 2
        assert not result.skipped
    else:
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
    meaning = {"kind": "slots", "slots": [["name", "Aromi"], ["food", "French"]]}
    for name in ("e2e-test", "cs-test"):
        write_jsonl(folder / f"{name}.jsonl", [{"id": str(i), "input": meaning} for i in range(12)])
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
    write_jsonl(folder / "my-scores.jsonl", [pick(row, *key) | {"mine": row["other"]} for row in people])
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
@pytest.mark.timeout(1200)
def test_commands_run_on_the_sample(
    stage: Path, monkeypatch: pytest.MonkeyPatch, here: Callable[..., Call], subtests_of: list[str]
) -> None:
    monkeypatch.chdir(stage)
    monkeypatch.setenv("ASSAY_CACHE", str(stage / "cache"))
    failed, ran = [], 0
    for line in subtests_of:
        call = here(*shlex.split(line))
        ran += call.code == 0
        if call.code != 0 and not re.search(
            "no such file|file not found|already exists", call.err.lower()
        ):  # not staged, or made above
            if HEAD.fullmatch(line) and REQUIREMENT.search(call.err):
                continue
            if UNANSWERED.fullmatch(line) and call.err == "assay: study.jsonl: no judgements yet\n":
                continue
            failed.append(f"assay {line}: {call.err.strip().splitlines()[-1]}")
    assert not failed, "\n".join(failed)
    assert ran > 40


@pytest.fixture
def subtests_of() -> list[str]:
    lines = [
        line for line in shown_lines("") if not ELSEWHERE.search(line)
    ]  # those with a prompt have a test of their own
    assert len(lines) > 25
    return sorted(lines, key=lambda line: not line.startswith("run "))
