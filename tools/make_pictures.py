"""Draw the pictures of the documentation from the sample benchmark, whose texts are synthetic.

    python tools/make_pictures.py                 # all, into docs/pictures
    python tools/make_pictures.py --figures DIR   # figures only; the same bytes every time

Screenshots need the explorer's pages (`make pages`) and Chromium; they are taken of the one-file report.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src" / "assay" / "sample"
PICTURES = ROOT / "docs" / "pictures"
SYSTEMS = ("lead", "template", "noisy", "copy")
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
    "texts.png": ("#/examples?dataset=news&metric=rouge1&system=lead&against=template&order=size", "light"),
    "people-dark.png": ("#/people?dataset=news", "dark"),
}
COMMANDS = {
    "compare": [
        "compare", *(f"outputs/{name}/news.jsonl" for name in SYSTEMS), "-e", "news.jsonl",
        "-m", "rouge1,rouge2,rougeL,chrf",
    ],
    "agreement": ["analyze", "agreement", "judgements.jsonl", "--criterion", "fluency", "--rank"],
}  # fmt: skip


def assay(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "assay", *arguments], cwd=SAMPLE, check=True, stdout=subprocess.DEVNULL)


def draw_figures(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        for name, command in COMMANDS.items():
            assay(*command, "--plots", f"{made}/{name}", "--figure-format", "svg")
        for picture, (command, drawn) in FIGURES.items():
            shutil.copy(Path(made) / command / drawn, folder / picture)


def take_screenshots(folder: Path) -> None:
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as made, sync_playwright() as play:
        assay("run", "sample", "-o", f"{made}/results")
        assay("report", f"{made}/results", "-o", f"{made}/report.html")
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for picture, (address, scheme) in SCREENSHOTS.items():
            page = browser.new_page(viewport={"width": 1180, "height": 760}, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(f"{(Path(made) / 'report.html').as_uri()}{address}")
            page.wait_for_selector("main h2, main svg, main table")
            page.wait_for_timeout(600)  # what is drawn frame by frame
            page.screenshot(path=folder / picture)
            page.close()
            with Image.open(folder / picture) as taken:  # a few colours are enough, and a quarter of the size
                taken.convert("RGB").quantize(96).save(folder / picture, optimize=True)
        browser.close()


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--figures"]:
        draw_figures(Path(arguments[1]))
        return
    draw_figures(PICTURES)
    take_screenshots(PICTURES)
    for picture in sorted(PICTURES.iterdir()):
        print(f"{picture.relative_to(ROOT)}  {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
