"""Results to look at, a server over them, and a real browser to look with."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay
from assay.execution.config import read_config
from assay.execution.run_config import run
from assay.explorer.queries import Queries
from assay.explorer.standalone import built

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = [
    "<script>document.title = 'owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "{{ 7 * 7 }} {% raw %} ${7*7} <svg/onload=document.title='owned'>",
    "javascript:alert(1) | *bold* [link](javascript:alert(2)) `code` \\ $math$ & 50% #1 _x_ ~^ </script><!--",
]


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded benchmark, run."""
    folder = tmp_path_factory.mktemp("results") / "sample"
    config, base = read_config(Path("sample"))
    run(config, base, folder)
    return folder


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose every text, id, tag, name and judgement would like to be markup."""
    folder = tmp_path_factory.mktemp("hostile")
    examples = [
        {
            "id": f"{i}{text}", "references": [text], "source": text, "language": "en", "tags": {"t": text},
            "input": {"type": text, "title": text, "slots": {text: text}},
        }
        for i, text in enumerate(HOSTILE)
    ]  # fmt: skip
    outputs = {str(example["id"]): f"{text} again" for example, text in zip(examples, HOSTILE, strict=True)}
    assay.score(outputs, examples=examples, metrics="rouge,bleu", ci=50, save=folder, system=HOSTILE[0])
    judged = [
        {
            "id": example["id"],
            "system": HOSTILE[0],
            "annotator": who,
            "criterion": HOSTILE[1],
            "value": i + (who == "b"),
        }
        for i, example in enumerate(examples)
        for who in ("<b>a", "b")
    ]
    (folder / "judgements.jsonl").write_text("\n".join(map(json.dumps, judged)) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def hostile_texts() -> list[str]:
    return HOSTILE


@pytest.fixture(scope="session")
def table3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Table 3 of the GEM paper (its printed figures) as the score files GEM publishes."""
    folder = tmp_path_factory.mktemp("table3")
    with (Path(__file__).parent / "table3.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    systems: dict[str, dict[str, Any]] = {}
    for row in rows:
        numbers = {name: float(value) for name, value in row.items() if name not in ("dataset", "system") and value}
        scores: dict[str, Any] = {"N": 500}
        for name in ("meteor", "bleu", "bleurt"):
            scores[name] = numbers.get(name, float("nan"))
        for name in ("rouge1", "rouge2", "rougeL"):
            scores[name] = {"precision": 0.5, "recall": 0.5, "fmeasure": numbers[name] / 100}
        scores["bertscore"] = {"precision": 0.9, "recall": 0.9, "f1": numbers["bertscore"]}
        systems.setdefault(row["system"], {"submission_name": row["system"]})[f"{row['dataset']}_validation"] = scores
    for i, scores in enumerate(systems.values()):
        (folder / f"{i}.scores.json").write_text(json.dumps(scores), encoding="utf-8")
    return folder


@contextmanager
def serving(queries: Queries) -> Iterator[str]:
    """The real server in a thread, on a port of its own."""
    import uvicorn

    from assay.explorer.server import app_of
    from assay.serving.listen import listen

    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app_of(queries), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], str]]:
    """The address of a server over a folder; one server a folder and session."""
    if not built():
        pytest.skip("needs the built pages (make pages)")
    running: dict[Path, tuple[Any, str]] = {}

    def address(path: Path) -> str:
        if path not in running:
            context = serving(Queries([path]))
            running[path] = (context, context.__enter__())
        return running[path][1]

    yield address
    for context, _ in running.values():
        context.__exit__(None, None, None)


@pytest.fixture
def look(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open an address; a script error or a refused resource on the page fails the test."""
    pages = []
    errors: list[str] = []

    def to(address: str, width: int = 1200, scheme: str = "light") -> Page:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        pages.append(page)
        return page

    yield to
    for page in pages:
        page.close()
    assert not errors
