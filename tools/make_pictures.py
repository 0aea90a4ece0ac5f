"""Draw the pictures of the documentation from the sample benchmark, whose texts are synthetic.

    python tools/make_pictures.py                 # all, into docs/pictures
    python tools/make_pictures.py --figures DIR   # figures only; the same bytes every time

Screenshots need the explorer's pages as they are in `web` (`make pages`) and Chromium; they are taken of the one-file
report, and of servers with small synthetic studies and benchmarks.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src" / "assay" / "sample"
PICTURES = ROOT / "docs" / "pictures"
SYSTEMS = ("lead", "template", "rewrite", "copy")
FIGURES = {
    "forest.svg": ("compare", "forest-rouge1-rouge2-rougel-chrf.svg"),
    "critical-difference.svg": ("compare", "critical-difference-chrf.svg"),
    "ratings.svg": ("agreement", "ratings-fluency.svg"),
    "ranks.svg": ("agreement", "ranks-fluency.svg"),
}
"""Name of a picture, the command that draws it, and the name of its file."""
SCREENSHOTS = {
    "overview.png": ("#/overview", "light"),
    "compare.png": ("#/compare?a=lead&b=template&dataset=news", "light"),
    "texts.png": (
        "#/examples?dataset=news&metric=rouge1&system=lead&against=template&order=up&where=language%3Den",
        "light",
    ),
    "scores.png": ("#/scores", "light"),
    "cards.png": ("#/cards?kind=metric&name=chrf", "light"),
    "correlation-dark.png": ("#/correlation?dataset=news", "dark"),
}
PHONE = "phone.png"
"""The results on a phone, in the dark theme."""
PLAIN = "plain-report.png"
"""The report without a script."""
SERVERS = {
    "annotation.png": ("annotation", "task: spans", "light"),
    "organiser.png": ("organiser", "likert: progress", "light"),
    "rating.png": ("annotation", "task: likert", "light"),
    "benchmarks.png": ("service", "home", "light"),
    "leaderboard.png": ("service", "version", "light"),
    "submission.png": ("service", "submission", "light"),
    "card-editor.png": ("cards", "editor", "dark"),
}
"""Name of a picture, the surface and the page in `benchmarks/surfaces.py`."""
WINDOW = {"width": 1180, "height": 760}
SCREEN = {"width": 390, "height": 844}
"""Of a phone."""
TESTING = "Testing which systems differ"
"""What a leaderboard says until its tests are there."""
LARGEST = 140_000
"""Bytes of a picture."""
BUILT = ROOT / "src" / "assay" / "explorer" / "static" / "pages.js"
DRAWN = "main h2, main svg, main table"
PROBLEM = "main > .problem[role=alert]"
"""What a page shows instead if it cannot be drawn."""
COMMANDS = {
    "compare": [
        "compare", *(f"outputs/{name}/news.jsonl" for name in SYSTEMS), "-e", "news.jsonl",
        "-m", "rouge1,rouge2,rougeL,chrf",
    ],
    "agreement": ["analyze", "agreement", "judgements.jsonl", "--criterion", "fluency", "--rank"],
}  # fmt: skip


def assay(*arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}  # this checkout, not an installed package
    command = [sys.executable, "-m", "assay", *arguments]
    subprocess.run(command, cwd=SAMPLE, env=environment, check=True, stdout=subprocess.DEVNULL)


def draw_figures(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        for name, command in COMMANDS.items():
            assay(*command, "--plots", f"{made}/{name}", "--figure-format", "svg")
        for picture, (command, drawn) in FIGURES.items():
            shutil.copy(Path(made) / command / drawn, folder / picture)


def require_built_pages() -> None:
    """Refuse pages older than their source: they cannot read the data that a report has now."""
    newest = max(path.stat().st_mtime for path in (ROOT / "web" / "src").rglob("*") if path.is_file())
    if not BUILT.is_file() or BUILT.stat().st_mtime < newest:
        raise SystemExit(f"{BUILT.relative_to(ROOT)} is older than web/src. Run `make pages` first.")


def shrink(path: Path) -> None:
    """Write a picture as small as possible; fewer colours only if it must be, since they mix those of systems."""
    from PIL import Image

    with Image.open(path) as taken:
        plain = taken.convert("RGB")
    plain.save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        plain.quantize(256, kmeans=1).save(path, optimize=True)


def take_screenshots(folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as made, sync_playwright() as play:
        assay("run", "sample", "-o", f"{made}/results")
        assay("report", f"{made}/results", "-o", f"{made}/report.html")
        assay("report", f"{made}/results", "--plain", "-o", f"{made}/plain.html")
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for picture, (address, scheme) in SCREENSHOTS.items():
            page = browser.new_page(viewport=WINDOW, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(f"{(Path(made) / 'report.html').as_uri()}{address}")
            page.wait_for_selector(f"{DRAWN}, {PROBLEM}")
            if problem := page.query_selector(PROBLEM):
                raise SystemExit(f"{address}: {problem.inner_text()}. Correct the page, or build it with `make pages`.")
            page.wait_for_timeout(600)  # what is drawn frame by frame
            page.screenshot(path=folder / picture)
            page.close()
            shrink(folder / picture)
        for picture, file, window in ((PHONE, "report.html", SCREEN), (PLAIN, "plain.html", WINDOW)):
            page = browser.new_page(viewport=window, color_scheme="dark" if picture == PHONE else "light")  # type: ignore[arg-type]
            page.goto((Path(made) / file).as_uri())
            page.wait_for_selector("main svg")
            page.wait_for_timeout(600)
            page.screenshot(path=folder / picture)
            page.close()
            shrink(folder / picture)
        browser.close()


def take_pictures_of_servers(folder: Path) -> None:
    sys.path.append(str(ROOT))
    from playwright.sync_api import sync_playwright

    from benchmarks.accessibility import opened
    from benchmarks.surfaces import surfaces

    with tempfile.TemporaryDirectory() as made, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with surfaces(Path(made) / "servers", wanted={surface for surface, _, _ in SERVERS.values()}) as places:
            for picture, (surface, name, scheme) in SERVERS.items():
                place = next(place for place in places if (place.surface, place.name) == (surface, name))
                context = browser.new_context(viewport=WINDOW, color_scheme=scheme, locale="en")  # type: ignore[arg-type]
                page = opened(context, place)
                while page.get_by_text(TESTING).count():
                    page.wait_for_timeout(1000)
                    page.reload()
                page.evaluate("scrollTo(0, 0)")
                page.screenshot(path=folder / picture)
                context.close()
                shrink(folder / picture)
        browser.close()


def main(arguments: list[str]) -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser("make_pictures.py", description=__doc__, formatter_class=formatter)
    options.add_argument("--figures", type=Path, metavar="DIR", help="draw the figures only, into this folder")
    request = options.parse_args(arguments)
    if request.figures:
        draw_figures(request.figures)
        return
    require_built_pages()
    draw_figures(PICTURES)
    take_screenshots(PICTURES)
    take_pictures_of_servers(PICTURES)
    for picture in sorted(PICTURES.iterdir()):
        print(f"{picture.relative_to(ROOT)}  {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
