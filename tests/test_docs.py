"""What the documents state is true: their code runs, and the names, paths and links in them exist."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.challenges.perturbation import challenge_set
from assay.cli import COMMANDS
from assay.datasets import DATASETS
from assay.datasets.doc_pages import page
from assay.errors import AssayError
from assay.execution.loading import load_items
from assay.execution.scoring import score_items
from assay.metrics import SUITES, MetricRequest
from assay.models.cache import Cache
from assay.records import Example
from assay.specs import Spec
from assay.stats.paired_tests import JUDGEMENT_TESTS, TESTS
from assay.store.results_folder import ResultsFolder
from assay.systems import SYSTEMS
from tests.conftest import Call

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src/assay/sample"


def blocks(file: str, heading: str) -> list[str]:
    """Return the Python of one section, or of all whose heading matches."""
    text = (ROOT / file).read_text(encoding="utf-8")
    sections = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE)
    return [block for section in sections for block in re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)]


def examples_to_follow(heading: str) -> list[str]:
    """Return the Python of a section of CONTRIBUTING.md; complete examples stay short."""
    shown = blocks("CONTRIBUTING.md", heading)
    assert shown
    assert max(len(block.splitlines()) for block in shown) < 40
    return shown


def contributed(heading: str, number: int = 0, folder: Path | None = None) -> dict[str, Any]:
    """Return what the code of a section of CONTRIBUTING.md defines; from a file in the folder, if one is named."""
    block = examples_to_follow(heading)[number]
    names: dict[str, Any] = {"__name__": "contributed"}
    sys.modules["contributed"] = type(sys)("contributed")  # dataclasses look their module up
    file = "CONTRIBUTING.md"
    if folder:
        (folder / "contributed.py").write_text(block, encoding="utf-8")
        file = sys.modules["contributed"].__file__ = str(folder / "contributed.py")
    exec(compile(block, file, "exec", dont_inherit=True), names)  # our own text
    return names


def test_the_contributed_metric_works() -> None:
    exact = MetricRequest(Spec("exact"), contributed("A metric")["ExactMatch"](lowercase=True), None)
    result = score_items(load_items(["A b", "c"], [["x", "a B"], ["d"]]), [exact])
    assert result.scores["exact"].value == 0.5


def test_the_contributed_encoder_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = contributed("A metric", 1, tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    closeness = MetricRequest(Spec("closeness"), names["Closeness"](batch=2), None)
    if why_not := closeness.metric.why_not():
        pytest.skip(why_not)
    for _ in range(2):  # from the encoder, then from the cache
        result = score_items(load_items(["a cat", "", "a dog"], [["a dog", "a cat"], ["x"], ["a dot"]]), [closeness])
        assert not result.failed
        same, empty, other = result.per_example["closeness"].to_list()
        assert (same, empty) == (pytest.approx(1.0, abs=1e-6), 0.0)
        assert 0.5 < other < 0.9
        assert "|model:minilm-" in result.scores["closeness"].signature
        assert "batch" not in result.scores["closeness"].signature
        assert [row.entries for row in Cache().usage()] == [5]
        monkeypatch.setattr("assay.models.encoder._forward", None)
    with pytest.raises(AssayError, match="metric closeness: batch=0 must be at least 1"):
        names["Closeness"](batch=0)


def test_the_contributed_perturbation_works() -> None:
    examples = [Example(id="a", source="one two three"), Example(id="b", source="one")]
    made = challenge_set(contributed("A perturbation")["LostWord"](), examples)
    assert made.unchanged == ["b"]
    assert made.examples[0].source in ("one two", "one three")
    assert challenge_set(contributed("A perturbation")["LostWord"](n=2), examples).examples[0].source == "one"
    with pytest.raises(AssayError, match="challenge lost-word: n=-1 must be at least 1"):
        contributed("A perturbation")["LostWord"](n=-1)


def test_the_contributed_programs_work() -> None:
    (dataset, *_), (system, *_) = examples_to_follow("A dataset"), examples_to_follow("A system")
    made = subprocess.run([sys.executable, "-c", dataset], capture_output=True, text=True, check=True).stdout
    answered = subprocess.run([sys.executable, "-c", system], input=made, capture_output=True, text=True, check=True)
    assert json.loads(answered.stdout) == {"id": "mine-0", "output": "A long text.", "system": "first-sentence"}


def test_a_contributed_system_answers_resumes_and_is_described(
    here: Callable[..., Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one more row in the table, every command knows the system."""
    (text,) = (block for block in examples_to_follow("A system") if "(System)" in block)
    (tmp_path / "contributed_system.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(SYSTEMS._added, "keywords", importlib.import_module("contributed_system").Keywords)
    examples, out = tmp_path / "e.jsonl", tmp_path / "o.jsonl"
    examples.write_text('{"id": "a", "source": "one two three four"}\n{"id": "b", "source": "five"}\n')
    arguments = ["system", "generate", examples, "--system", "keywords:n=2", "-o", out]
    assert here(*arguments).code == 0
    first, second = map(json.loads, out.read_text().splitlines())
    assert (len(first["output"].split()), second["output"]) == (2, "five")
    assert "2 reused" in here(*arguments).out
    assert "Number of words." in here("system", "list", "keywords").out
    assert "system keywords: n=0 must be at least 1" in here(*arguments[:4], "keywords:n=0", "-o", out).err


def test_a_contributed_dataset_is_read_rendered_and_refused(
    here: Callable[..., Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (text,) = (block for block in examples_to_follow("A dataset") if "(Dataset)" in block)
    (tmp_path / "contributed_dataset.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    reader = importlib.import_module("contributed_dataset").Harbours
    monkeypatch.setitem(DATASETS._added, "harbours", reader)
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (line,) = re.findall(r'^(\{"facts".*\})$', section, flags=re.MULTILINE)
    folder, out = tmp_path / "files", tmp_path / "h.jsonl"
    folder.mkdir()
    (folder / "eval.jsonl").write_text(f"{line}\n", encoding="utf-8")
    call = here("data", "read", "harbours", folder, "-o", out)
    assert call.code == 0, call.err
    rendered = {"id": "harbours-test-0", "text": "name[Wexley], tide[2 m]"}
    assert json.loads(here("data", "render", out, "--as", "slots").out) == rendered
    assert json.loads(out.read_text(encoding="utf-8"))["references"] == ["At Wexley the tide is 2 m."]
    (folder / "eval.jsonl").write_text(line + "\n" + '{"facts": {"tide": 2}, "sentence": "x"}\n', encoding="utf-8")
    assert "eval.jsonl:2 facts: field 'tide' is a number, not text" in here("data", "read", "harbours", folder).err
    assert reader.card.suite in SUITES
    assert "| licence | CC BY 4.0 |" in page(reader())


@pytest.mark.slow
def test_what_is_contributed_keeps_to_the_types(tmp_path: Path) -> None:
    """The code of the pages is begun from, and `make test` then checks it as strictly as ours."""
    shown = [block for page in ("CONTRIBUTING.md", "docs/inputs.md") for block in blocks(page, r"[^\n]*")]
    files = [tmp_path / f"shown_{i}.py" for i, block in enumerate(shown) if "from assay" in block]
    assert len(files) > 5
    for file in files:
        file.write_text(shown[int(file.stem.partition("_")[2])], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", *map(str, files)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_command_group_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"`assay {name}`" in text, name


def test_every_statistic_of_the_page_exists() -> None:
    text = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[\w`, ]+`|) ?\| (`[\w`, ]+`) \|", text, re.MULTILINE)
    assert len(rows) > 20
    modules: list[str] = []
    for named, functions in rows:
        modules = re.findall(r"`(\w+)`", named) or modules  # a row without a module continues the one above
        content = [name for module in modules for name in dir(importlib.import_module(f"assay.stats.{module}"))]
        assert set(re.findall(r"`(\w+)`", functions)) <= set(content), named


def test_a_contributed_statistical_test_works() -> None:
    test = contributed("A statistical test")["LOG_PERMUTATION"]
    assert test.run([1.0, 2.0, 4.0], [2.0, 4.0, 8.0]).p == 0.25  # 2 of 8 sign choices
    many = np.arange(1.0, 31.0)
    assert "100 random permutations, seed 7" in test.run(many, many + 1, seed=7, samples=100).method


def test_every_paired_test_is_in_the_guides() -> None:
    """Names are where the options are explained, functions on the page of statistics."""
    pages = ("comparisons", "agreement", "statistics")
    text = {name: (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in pages}
    (row,) = re.findall(r"^\| `--test NAME` \| (.+) \|$", text["comparisons"], re.MULTILINE)
    assert [name for name in TESTS if not re.search(rf"\b{name}\b", row)] == []
    assert [name for name in TESTS if f"`{name}`" not in str(assay.compare.__doc__)] == []
    (choices,) = re.findall(r"^`--compare ([\w|-]+)`", text["agreement"], re.MULTILINE)
    assert choices.split("|") == list(JUDGEMENT_TESTS)
    functions = [getattr(test.function, "func", test.function) for test in (TESTS | JUDGEMENT_TESTS).values()]
    named = {function.__name__ for function in functions if function}
    assert [name for name in sorted(named) if f"`{name}`" not in text["statistics"]] == []


def test_what_the_architecture_page_says_to_touch_is_there() -> None:
    """Every file of the table of things to add exists, and has the name that the table states."""
    section = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("\n## Adding something\n")[2]
    rows = re.findall(
        r"^\| (?!I want|---)([^|]+) \| ([^|]+) \| ([^|]+) \|", section.partition("\n## ")[0], re.MULTILINE
    )
    assert len(rows) > 13
    for thing, files, tables in rows:
        for path in re.findall(r"`([\w/]+(?:\.(?:py|ts)|/))`", files + tables):
            assert any((root / path).exists() for root in (ROOT / "src/assay", ROOT)), (thing, path)
        for name, path in re.findall(r"`([A-Za-z_]+)` in `([\w/]+\.py)`", tables):
            text = (ROOT / "src/assay" / path).read_text(encoding="utf-8")
            assert re.search(rf"^(?:class |def )?{name}\b", text, re.MULTILINE), (thing, name, path)
        for command in re.findall(r"`assay (\w+)", files + tables):
            assert command in COMMANDS, (thing, command)
    finding = section.partition("\n## Finding something\n")[2].partition("\n## ")[0]
    named = re.findall(r"`(\w+/[\w/]*(?:\.py|/))`", finding)
    assert len(named) > 12
    assert [path for path in named if not (ROOT / "src/assay" / path).exists()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "src/assay").rglob("README.md")), ids=lambda page: page.parent.name)
def test_the_page_of_a_room_names_files_that_exist(page: Path) -> None:
    names = set(re.findall(r"`([\w/]+\.py)`", page.read_text(encoding="utf-8")))
    roots = [
        ROOT,
        ROOT / "src",
        ROOT / "src/assay",
        page.parent,
        *(each for each in page.parent.iterdir() if each.is_dir()),
    ]
    missing = [name for name in sorted(names) if not any((root / name).exists() for root in roots)]
    assert not missing


def test_the_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert versions[0] == assay.__version__


def run_examples(text: str, name: str) -> doctest.TestResults:
    """Run the examples of a docstring or page in the current folder, with `assay` imported."""
    test = doctest.DocTestParser().get_doctest(text, {"assay": assay}, name, None, 0)
    return doctest.DocTestRunner().run(test)


def documents(function: Callable[..., object], parameter: str) -> bool:
    """Return whether a docstring describes a parameter: in Args, in its text, or by reference to another function."""
    text = inspect.getdoc(function) or ""
    if re.search(rf"^    {parameter}: ", text, re.MULTILINE) or f"`{parameter}`" in text:
        return True
    others = re.findall(r"as in\s+`assay\.(\w+)`", text)
    return any(documents(getattr(assay, other), parameter) for other in others)


@pytest.mark.parametrize("name", [name for name in assay.__all__ if name != "__version__"])
def test_examples_of_public_names(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every public name documents its parameters, and has an example that runs."""
    monkeypatch.chdir(tmp_path)
    thing = getattr(assay, name)
    text = inspect.getdoc(thing) or ""
    if inspect.isfunction(thing):
        undocumented = [
            parameter for parameter in inspect.signature(thing).parameters if not documents(thing, parameter)
        ]
        assert not undocumented
    results = run_examples(text, name)
    assert results.attempted > 0
    assert results.failed == 0


def test_examples_of_what_run_gives_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = run_examples(inspect.getdoc(ResultsFolder) or "", "ResultsFolder")
    assert (results.attempted, results.failed) == (3, 0)


def test_the_page_about_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its examples run in order, and it has every public name."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    results = run_examples("\n".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)), "docs/python.md")
    assert results.attempted > 30
    assert results.failed == 0
    missing = [name for name in assay.__all__ if f"assay.{name}" not in page]
    assert not missing
