"""The explorer in Chromium: opening GEM's score files, brushing 10,000 lines, paging 100,000 outputs of 5 systems.

python -m benchmarks explorer
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.explorer.queries import Queries
from assay.explorer.standalone import built
from benchmarks.released import MissingDataError, released
from benchmarks.timing import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
FRAMES = 30
OPEN, TABLE, PAGE = 2.0, 1.0, 0.2
COUNTING = """() => {
  window.frames_seen = [];
  const step = (now) => { window.frames_seen.push(now); window.counting && requestAnimationFrame(step); };
  window.counting = true;
  requestAnimationFrame(step);
}"""


def run() -> Iterator[Result]:
    if not built() or not shutil.which("chromium"):
        raise MissingDataError("the built pages (make pages) and chromium")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            try:
                yield opening(browser, released("gem/results"))
            except MissingDataError as reason:
                print(f"    opening: skipped: {reason}")
            yield brushing(browser, lines_of(Path(folder) / "lines", 10_000))
            yield from paging(browser, outputs_of(Path(folder) / "outputs", 100_000, 5))
        finally:
            browser.close()


@contextmanager
def served(queries: Queries) -> Iterator[str]:
    import uvicorn

    from assay.explorer.server import app_of
    from assay.serving.listen import listen

    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app_of(queries), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()


def ready(page: Page, address: str) -> float:
    """Seconds from asking for a page to its being drawn and answering a question."""
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.locator(".status").inner_text()
    return time.perf_counter() - start


def opening(browser: Browser, folder: Path) -> Result:
    """All score files of the folder, from a server that has read them."""
    queries = Queries([folder])
    lines = len(json.loads(queries.overview_json)["lines"]["system"])
    with served(queries) as address:
        seconds = []
        for _ in range(3):
            page = browser.new_page(viewport={"width": 1300, "height": 900})
            seconds.append(ready(page, f"{address}#/scores"))
            page.close()
    took = statistics.median(seconds)
    return {"name": "open the GEM score files", "pairs": lines, "seconds": took, "target": OPEN}


def brushing(browser: Browser, folder: Path) -> Result:
    """A brush dragged up and down one axis; the frame rate is that of the whole drag, not of its best moment."""
    queries = Queries([folder])
    with served(queries) as address:
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        ready(page, f"{address}#/scores")
        page.wait_for_timeout(2000)
        page.locator(".stack svg").scroll_into_view_if_needed()
        box = page.locator(".stack svg").bounding_box()
        assert box is not None
        low, high = (page.evaluate("v => assayPlot.position('bleu', v)", value) for value in (5, 95))
        x = box["x"] + low["x"]
        reach = high["y"] - low["y"]
        page.mouse.move(x, box["y"] + low["y"])
        page.mouse.down()
        rate, slow = frames(page, lambda share: page.mouse.move(x, box["y"] + low["y"] + reach * (0.2 + 0.8 * share)))
        page.mouse.up()
        start = time.perf_counter()
        while page.evaluate("assayPlot.painter.seen.left") > 0:
            page.wait_for_timeout(5)
        whole = time.perf_counter() - start
        chosen = page.locator(".status").inner_text()
        page.close()
    return {
        "name": "brush 10,000 lines, seconds a frame",
        "pairs": 10_000,
        "seconds": 1 / rate,
        "target": 1 / FRAMES,
        "values": {"frames_per_second": rate, "slowest_5_percent_ms": slow, "complete_after_s": whole},
        "note": f"{rate:.0f} frames a second, 95 % under {slow:.0f} ms; complete {whole:.2f} s after; {chosen}",
    }


def frames(page: Page, move: Callable[[float], None], seconds: float = 4) -> tuple[float, float]:
    """Return the frames a second while the pointer goes to and fro, and the milliseconds that 95 % of them are under.

    Args:
        page: The page, with the button already down.
        move: Moves the pointer to a share of its way.
        seconds: How long it goes on.
    """
    page.evaluate(COUNTING)
    start = time.perf_counter()
    step = 0
    while time.perf_counter() - start < seconds:
        move(abs((step % 60) / 30 - 1))
        step += 1
    seen: list[float] = page.evaluate("() => { window.counting = false; return window.frames_seen; }")
    gaps = sorted(b - a for a, b in pairwise(seen))
    return 1000 * (len(seen) - 1) / (seen[-1] - seen[0]), gaps[int(len(gaps) * 0.95)]


def paging(browser: Browser, folder: Path) -> Iterator[Result]:
    """The example table of a large results folder, in the browser and on the wire."""
    queries = Queries([folder])
    (dataset,) = queries.library.datasets
    start = time.perf_counter()
    queries.prepare()
    yield {"name": "prepare 100,000 x 5 texts, once", "pairs": 500_000, "seconds": time.perf_counter() - start}
    queries.overview_json  # noqa: B018 - a warm server
    with served(queries) as address:
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        took = ready(page, f"{address}#/examples?dataset={dataset}")
        yield {"name": "open the example table", "pairs": 500_000, "seconds": took, "target": TABLE}
        by = [("metric", "rouge1"), ("system", "s0"), ("against", "s1"), ("order", "size")]
        questions = {
            "next page": [("offset", "50000")],
            "by difference of two systems": by,
            "by difference, far down": [*by, ("offset", "90000")],
            "a tag and a score range": [("where", "topic=t3"), ("metric", "rouge1"), ("system", "s0"), ("low", "0.5")],
        }
        for name, question in questions.items():
            query = "&".join(f"{key}={value}" for key, value in [("dataset", dataset), ("limit", "10"), *question])
            fetched = "address => { const t = performance.now(); return fetch(address).then(a => a.json())"
            fetched += ".then(() => performance.now() - t); }"
            times = [page.evaluate(fetched, f"{address}api/examples?{query}") / 1000 for _ in range(5)]
            yield {"name": f"page: {name}", "pairs": 500_000, "seconds": statistics.median(times), "target": PAGE}
        start = time.perf_counter()
        queries.examples(dataset, [("text", "word77 word1")])
        yield {"name": "a text anywhere in 100,000 x 5, first time", "seconds": time.perf_counter() - start}
        page.close()


def lines_of(folder: Path, n: int) -> Path:
    """Score files with n lines and twelve axes."""
    folder.mkdir()
    generator = random.Random(0)
    names = ("bleu", "meteor", "nist", "bertscore", "bleurt", "nubia", "msttr-100", "distinct-2", "entropy-2")
    for system in range(20):
        sets: dict[str, Any] = {"submission_name": f"system {system}"}
        for i in range(n // 20):
            good = generator.random()
            cells: dict[str, Any] = {name: generator.gauss(good, 0.1) for name in names}
            cells |= {"bleu": 100 * good, "N": 500, "mean_pred_length": 20 * good}
            cells |= {f"rouge{k}": {"fmeasure": generator.random() * good} for k in (1, 2)}
            sets[f"set{i % 40}_test_contrast_challenge_part-{i}"] = cells
        (folder / f"{system}.scores.json").write_text(json.dumps(sets), encoding="utf-8")
    return folder


def outputs_of(folder: Path, n: int, systems: int) -> Path:
    """A results folder with n items and the outputs of some systems, scored."""
    from assay.execution.run_config import run as run_benchmark
    from assay.store.config_records import Config, Dataset, System

    generator = random.Random(0)
    base = folder / "source"
    base.mkdir(parents=True)
    words = [f"word{i}" for i in range(2000)]
    with (base / "examples.jsonl").open("w", encoding="utf-8") as file:
        for i in range(n):
            text = " ".join(generator.choices(words, k=12))
            tags = {"topic": f"t{i % 10}"}
            file.write(
                json.dumps({"id": f"e{i}", "references": [text], "source": f"{text} {text}", "tags": tags}) + "\n"
            )
    for s in range(systems):
        with (base / f"s{s}.jsonl").open("w", encoding="utf-8") as file:
            for i in range(n):
                file.write(json.dumps({"id": f"e{i}", "output": " ".join(generator.choices(words, k=12))}) + "\n")
    config = Config(
        name="large",
        datasets=[Dataset(name="items", examples="examples.jsonl", metrics=["rouge"])],
        systems=[System(name=f"s{s}", outputs=f"s{s}.jsonl") for s in range(systems)],
        ci=0,
    )
    run_benchmark(config, base, folder / "results")
    return folder / "results"
