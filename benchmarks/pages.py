"""The pages as a reader meets them: a cold comparison of 7 systems, 10,000 x 5 items, tasks in Chromium, one file.

python -m benchmarks --data DIR pages

DIR has WebNLG 2020 (webnlg/). The cold comparison starts `assay view` as a process of its own, on results whose kept
tests were removed, and clicks on Compare as soon as the first frame is there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.explorer.standalone import built, folder
from benchmarks.explorer import FLAGS, frames, outputs_of
from benchmarks.released import MissingDataError, released
from benchmarks.timing import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SYSTEMS = ("Amazon_AI_(Shanghai)", "FBConvAI", "bt5", "RALI", "Baseline-FORGE2020", "TGen", "CycleGT")
METRICS = '["bleu", "chrf", "ter", "rouge1", "rouge2", "rougeL", "meteor", "distinct"]'
FRAME, ANSWER, EVERYTHING, LARGE = 0.1, 1.5, 6.0, 1.0
BRUSH = 60
"""Frames a second, as the screen shows them; half a frame is rounding."""
SCRIPT, REPORT = 180_000, 1_500_000
WATCH = """() => new Promise((done) => {
  const seen = {}, start = performance.now();
  document.querySelector('nav a[href^="#/compare"]').click();
  const step = () => {
    const now = performance.now() - start, main = document.querySelector("main");
    const root = document.documentElement.dataset;
    if (root.page === "compare") seen.frame ??= now;
    if (seen.frame !== undefined && main.querySelector("table, svg")) seen.answer ??= now;
    if (main.querySelector("h1.sentence")) seen.verdict ??= now;
    if (root.ready === "compare") { seen.everything = now; return done(seen); }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""


def run() -> Iterator[Result]:
    if not built() or not shutil.which("chromium"):
        raise MissingDataError("the built pages (make pages) and chromium")
    from playwright.sync_api import sync_playwright

    size = (folder() / "pages.js").stat().st_size
    yield {"name": "script of the pages", "values": {"bytes": size, "most": SCRIPT}, "equal": size <= SCRIPT}
    with tempfile.TemporaryDirectory() as made, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            results = webnlg(Path(made))
            yield from comparing(browser, results)
            yield from tasks(browser, results)
            yield brushing_differences(browser, results)
            yield one_file(results, Path(made) / "report.html")
            yield opening(browser, outputs_of(Path(made) / "large", 10_000, 5))
        finally:
            browser.close()


def assay(*words: str, where: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "assay", *words]
    subprocess.run(command, cwd=where, env=environment, check=True, stdout=subprocess.DEVNULL)


def webnlg(place: Path) -> Path:
    """Return results of 7 published systems on the 1,779 items of the test set, with the human judgements."""
    if ready := os.environ.get("WEBNLG_RESULTS"):  # of an earlier run
        shutil.copytree(ready, place / "results", ignore=shutil.ignore_patterns(".pages"))
        return place / "results"
    source = released("webnlg")
    read = ["data", "read", "web_nlg_en", str(source), "--split", "test"]
    assay(*read, "-o", "examples.jsonl", "--judgements", "judgements.jsonl", where=place)
    lines = ['name = "webnlg"', "ci = 1000", "[[datasets]]", 'name = "webnlg_en"', 'examples = "examples.jsonl"']
    lines += ['judgements = "judgements.jsonl"', f"metrics = {METRICS}", 'by = ["category", "size"]']
    for name in SYSTEMS:
        shutil.copy(source / "outputs-2020" / "en" / f"{name}.txt", place)
        lines += ["[[systems]]", f'name = "{name}"', f'outputs = "{name}.txt"']
    (place / "webnlg.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assay("run", "webnlg.toml", "-o", "results", where=place)
    return place / "results"


@contextmanager
def viewing(results: Path) -> Iterator[str]:
    """Serve results by the command, in a process of its own."""
    command = [sys.executable, "-m", "assay", "view", str(results), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+/", line)))
            yield address
        finally:
            server.terminate()


def load() -> str:
    return f"load of the machine {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"


def comparing(browser: Browser, results: Path) -> Iterator[Result]:
    for state in ("cold", "kept"):
        if state == "cold":
            shutil.rmtree(results / ".pages", ignore_errors=True)
        with viewing(results) as address:
            page = browser.new_page(viewport={"width": 1300, "height": 900})
            page.goto(address)
            page.wait_for_selector("main h1.headline")
            seen: dict[str, float] = {name: took / 1000 for name, took in page.evaluate(WATCH).items()}
            page.close()
        parts = {"frame": FRAME, "answer": ANSWER, "verdict": EVERYTHING, "everything": EVERYTHING}
        for name, target in parts.items():
            row: Result = {"name": f"compare, {state}: {name}", "pairs": 7 * 1779, "seconds": seen[name]}
            yield {**row, "target": target, "note": load()}


def ready(page: Page, name: str) -> None:
    page.wait_for_selector(f"html[data-ready={name}]", timeout=120_000)


def tasks(browser: Browser, results: Path) -> Iterator[Result]:
    """Questions of a reader, in interactions from the results page, and the seconds that the pages took for them."""
    with viewing(results) as address:
        context = browser.new_context(viewport={"width": 1300, "height": 900})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(f"{address}#/overview")
        ready(page, "overview")

        start = time.perf_counter()
        page.get_by_role("link", name="Compare", exact=True).click()
        ready(page, "compare")
        page.wait_for_selector("h2:has-text('loses most'), h3:has-text('loses most'), a:has-text('loses most')")
        page.get_by_role("link", name=re.compile("loses most")).first.click()
        ready(page, "examples")
        worst = page.locator(".listing .entry .number").all_inner_texts()[:5]
        assert len(worst) == 5
        assert all(text.startswith("−") for text in worst), worst
        yield task("five items where A loses most to B", 2, 3, start)

        start = time.perf_counter()
        page.get_by_role("button", name="Copy link").click()
        page.get_by_role("button", name="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == page.url
        yield task("share the state", 1, 1, start)

        page.goto(f"{address}#/overview")
        ready(page, "overview")
        start = time.perf_counter()
        page.get_by_role("link", name="Compare", exact=True).click()
        ready(page, "compare")
        verdict = page.locator("h1.sentence").inner_text()
        assert "not significantly different on" in verdict
        yield task("the metrics that disagree about two systems", 1, 1, start)
        context.close()


def task(name: str, interactions: int, most: int, start: float) -> Result:
    seconds = time.perf_counter() - start
    note = f"{interactions} of at most {most} interactions; {load()}"
    return {"name": f"task: {name}", "seconds": seconds, "equal": interactions <= most, "note": note}


def brushing_differences(browser: Browser, results: Path) -> Result:
    """A brush dragged to and fro over the histogram of the differences of two systems, item by item."""
    with viewing(results) as address:
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        page.goto(f"{address}#/compare")
        ready(page, "compare")
        plot = page.locator(".histogram").first
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        assert box is not None
        left, width, middle = box["x"] + 60, box["width"] - 80, box["y"] + box["height"] / 2
        page.mouse.move(left, middle)
        page.mouse.down()
        rate, slow = frames(page, lambda share: page.mouse.move(left + width * share, middle))
        page.mouse.move(left + width / 2, middle)  # the last frame may have been at the end, with all bars brushed
        page.locator(".histogram .bin.out").first.wait_for(state="attached")
        page.mouse.up()
        page.close()
    return {
        "name": "brush a histogram of 1,779 items, seconds a frame",
        "seconds": 1 / rate,
        "target": 1 / (BRUSH - 0.5),
        "values": {"frames_per_second": rate, "slowest_5_percent_ms": slow},
        "note": f"{rate:.0f} frames a second, 95 % under {slow:.0f} ms; {load()}",
    }


def one_file(results: Path, path: Path) -> Result:
    start = time.perf_counter()
    assay("report", str(results), "-o", str(path), where=results)
    size = path.stat().st_size
    values = {"bytes": size, "most": REPORT}
    seconds = time.perf_counter() - start
    note = f"{size / 1e6:.2f} MB"
    return {
        "name": "one-file report, 7 x 1,779",
        "seconds": seconds,
        "values": values,
        "equal": size <= REPORT,
        "note": note,
    }


def opening(browser: Browser, results: Path) -> Result:
    """From the address to every part of the first page, from a server that has just started."""
    with viewing(results) as address:
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        start = time.perf_counter()
        page.goto(address)
        page.wait_for_selector("main h1.headline")
        first = time.perf_counter() - start
        ready(page, "overview")
        whole = time.perf_counter() - start
        page.close()
    note = f"everything {whole:.2f} s; {load()}"
    return {"name": "open 10,000 x 5 items", "pairs": 50_000, "seconds": first, "target": LARGE, "note": note}
