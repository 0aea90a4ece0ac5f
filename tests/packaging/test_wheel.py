"""An installed wheel works on its own: all files, core dependencies only, every server, without npm or a compiler."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener
from zipfile import ZipFile

import pytest

from tests.packaging.conftest import Installed, build, copy_checkout, tracked
from tests.test_package import LIMIT

pytestmark = pytest.mark.slow

PAGES = {f"assay/explorer/static/{name}" for name in ("index.html", "pages.css", "pages.js", "pages.woff2")}
METRICS = Path(__file__).with_name("core_metrics.py")
DATA = {
    "abstention", "arcs", "ceaf_ree", "citations", "concept_coverage", "context_bleu", "conversation", "eq_accuracy",
    "imported", "instructions", "lexical_complexity", "nubia", "originality", "per_hits", "perception", "questeval",
    "ranking", "retrieval", "rose", "slot_error", "triples", "ud_profile",
}  # fmt: skip
"""Metrics that need inputs, files or packages other than the sample and the extras; their message says which."""


def test_the_wheel_contains_every_file(wheel: Path) -> None:
    """A file that is added to the package is shipped without being listed; nothing else is."""
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("assay/")}
    compiled = {name for name in names if re.search(r"\.(so|pyd)$", name)}
    expected = {path.relative_to("src").as_posix() for path in tracked("src/assay")}
    assert names - compiled == {name for name in expected if not name.endswith(".c")} | PAGES
    kernels = {path.as_posix().removeprefix("src/") for path in tracked("src/assay") if "_kernels" in path.parts}
    stems = {name.removesuffix(".py") for name in kernels if re.search(r"/[a-z]\w*\.py$", name)}
    assert stems <= {name.partition(".")[0] for name in compiled}
    assert len(stems) >= 20


def test_the_source_distribution_contains_pages_and_their_sources(distributions: Path) -> None:
    [path] = distributions.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in PAGES} <= names
    wanted = {path.as_posix() for path in (*tracked("src/assay"), *tracked("web"))}
    assert wanted <= names
    assert not {name for name in names if name.startswith(("tests", "web/node_modules")) or name.endswith(".so")}


def test_a_checkout_without_npm_is_built_without_pages(tmp_path: Path) -> None:
    """The message is one line, and the rest of the source distribution is complete."""
    source = copy_checkout(tmp_path / "source", pages=False)
    done = build("build_sdist", source, tmp_path, path="")
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "npm " in line]
    assert len(lines) == 1
    assert "The explorer's pages are missing (npm was not found). All commands except `assay view` work." in lines[0]
    [path] = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert "src/assay/cli/__init__.py" in names
    assert not {f"src/{name}" for name in PAGES} & names


def test_the_core_environment_is_small(core: Installed) -> None:
    code = "import importlib.metadata as m; print(*sorted({d.name.lower() for d in m.distributions()}))"
    names = core.python("-c", code).stdout.split()
    assert {"assay-eval", "numpy", "polars"} <= set(names)
    assert not {"cython", "torch", "fastapi", "pip"} & set(names)
    assert len(names) <= LIMIT


def test_compiled_and_uncompiled_kernels_need_no_cython(core: Installed) -> None:
    """The same scores from the compiled wheel and from its Python files alone."""
    assert "kernels compiled" in core.assay("--version")
    code = "import assay, pathlib; print(pathlib.Path(assay.__file__).parent)"
    package = Path(core.python("-c", code).stdout.strip())
    shutil.copytree(package, core.home / "pure" / "assay", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    files = ["outputs/lead/simple.jsonl", "-e", "simple.jsonl"]
    command = ["score", *(package / "sample" / f if f != "-e" else f for f in files), "-m", "rouge,bleu,chrf,ter,sari"]
    fast = core.python("-m", "assay", *command, "--json")
    slow = core.python("-m", "assay", *command, "--json", PYTHONPATH=str(core.home / "pure"))
    assert (fast.returncode, slow.returncode) == (0, 0), slow.stderr
    assert json.loads(fast.stdout) == json.loads(slow.stdout)
    stated = core.python("-m", "assay", "--version", PYTHONPATH=str(core.home / "pure")).stdout
    assert "kernels running uncompiled" in stated


def test_every_metric_runs_or_names_its_extra(core: Installed) -> None:
    """With the core alone, every metric in the registry is computed or says what to install or to give."""
    done = core.python(METRICS)
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) > 60
    for outcome in outcomes:
        name, message = outcome["metric"], outcome["message"]
        assert "Traceback" not in message, name
        assert not re.search(r"ModuleNotFoundError|ImportError|No module named", message), name
        if not outcome["scores"] and name not in DATA:
            assert f"pip install 'assay-eval[{outcome['extra'] or 'neural'}]'" in message, (name, message)
        if name in DATA:
            assert message, name
    assert sum(bool(outcome["scores"]) for outcome in outcomes) >= 30


def test_score_and_compare(core: Installed) -> None:
    """From an empty folder, with texts that are there only."""
    for name, text in (("a", "the cat sat\nit rains"), ("b", "a dog ran\nit rains"), ("r", "the cat sat\nit rained")):
        (core.home / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    scored = json.loads(core.assay("score", "a.txt", "-r", "r.txt", "-m", "rouge1,bleu", "--ci", "50", "--json"))
    assert scored["n"] == 2
    assert scored["scores"]["rouge1"]["value"] == pytest.approx(0.75)
    compared = json.loads(core.assay("compare", "a.txt", "b.txt", "-r", "r.txt", "-m", "rouge1", "--json"))
    assert compared["metrics"]["rouge1"]["difference"] == pytest.approx(-0.5)


def get(opener: OpenerDirector, url: str) -> str:
    with opener.open(url, timeout=60) as answer:
        assert answer.status == 200
        return str(answer.read().decode("utf-8"))


def test_view(studio: Installed) -> None:
    studio.assay("run", "sample", "-o", "results")
    studio.assay("report", "results", "-o", "report.html")
    assert "<script" in (studio.home / "report.html").read_text(encoding="utf-8")
    with studio.serving(r"http://127\.0\.0\.1:\d+/\S*", "view", "results") as address:
        opener = build_opener()
        page = get(opener, address)
        for name in re.findall(r'(?:src|href)="\./([^"]+)"', page):
            assert len(get(opener, f"{address}{name}")) > 1000
        assert "pages.js" in page


def test_server(studio: Installed) -> None:
    """Every page that is linked from the start page of an owner is rendered."""
    sample = Path(studio.python("-c", "import assay; print(assay.__path__[0])").stdout.strip()) / "sample"
    shutil.copy(sample / "news.jsonl", studio.home)
    studio.assay("benchmark", "new", "tides", "--cards-at-least", "0", "-o", "tides.toml")
    studio.assay("benchmark", "card", "new", "--title", "News", "-o", "news.md")
    task = ("-e", "news.jsonl", "--card", "news.md", "-m", "bleu")
    studio.assay("benchmark", "add", "tides.toml", "news_test", *task)
    studio.assay("benchmark", "freeze", "tides.toml")
    studio.assay("server", "add", "server", "tides.toml")
    with studio.serving(r"http://\S+/sign-in\?link=\S+", "server", "start", "server") as link:
        opener = build_opener(HTTPCookieProcessor(CookieJar()))
        base = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        fields = dict(re.findall(r'<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"', get(opener, link)))
        opener.open(f"{base}/sign-in", urlencode(fields).encode("ascii"), timeout=60).close()
        fields = dict(re.findall(r'<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"', get(opener, f"{base}/me/key")))
        opener.open(f"{base}/me/key", urlencode(fields).encode("ascii"), timeout=60).close()
        seen: set[str] = set()
        waiting = ["/"]
        while waiting:
            path = waiting.pop()
            if path not in seen and not re.search(r"sign-out|/language/", path):
                seen.add(path)
                waiting += re.findall(r'(?:href|src)="(/[^"#]*)"', get(opener, base + path))
    assert {"/", "/queue", "/cards", "/people", "/static/service.css", "/b/tides/1/cards/news_test"} <= seen


def test_study_serve(studio: Installed) -> None:
    """An annotator's link opens the first page of a study."""
    studio.assay("study", "new", "--preset", "best-worst", "-o", "design.toml")
    texts = [{"id": "i", "system": name, "text": f"text of {name}"} for name in "abc"]
    (studio.home / "tasks.jsonl").write_text(json.dumps({"id": "i", "texts": texts}) + "\n", encoding="utf-8")
    command = ("study", "serve", "design.toml", "--tasks", "tasks.jsonl", "--invite", "anna")
    with studio.serving(r"http://\S+/enter\?link=\S+", *command) as link:
        opener = build_opener(HTTPCookieProcessor(CookieJar()))
        base = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        page = get(opener, link)
        assert "<form" in page
        for path in re.findall(r'(?:href|src)="(/static/[^"#]*)"', page):
            assert get(opener, base + path)
